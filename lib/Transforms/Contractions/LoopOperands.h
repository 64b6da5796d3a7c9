// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of an elementwise generic over some loops of a contraction.

#ifndef QDQ_LIB_TRANSFORMS_CONTRACTIONS_LOOPOPERANDS_H
#define QDQ_LIB_TRANSFORMS_CONTRACTIONS_LOOPOPERANDS_H

#include "LoopParameter.h"

namespace mlir::qdq {

/// Collects operands, and builds the generic: tensors become arguments of the
/// body, single elements are read outside of it.
class LoopOperands {
public:
  /// The dimensions of the generic are `loops` of `numLoops`, with these sizes.
  LoopOperands(ArrayRef<unsigned> loops, unsigned numLoops,
               ArrayRef<OpFoldResult> sizes)
      : loops(loops), numLoops(numLoops), sizes(sizes) {}

  /// Adds a parameter that follows some of the loops.
  void add(ImplicitLocOpBuilder &b, LoopParameter parameter);
  /// Adds a tensor of the generic's own dimensions, or with a map from them.
  void addTensor(Value tensor, AffineMap map = {});

  /// Builds a tensor of `elementType`; the body gets one scalar for each
  /// operand, in their order.
  Value
  create(ImplicitLocOpBuilder &b, Type elementType,
         function_ref<Value(ImplicitLocOpBuilder &, ArrayRef<Value>)> body);

  /// The operands, where none is a tensor.
  ArrayRef<Value> getScalars() const { return scalars; }

private:
  SmallVector<unsigned> loops;
  unsigned numLoops;
  SmallVector<OpFoldResult> sizes;
  /// For each operand: a scalar, or null and the next tensor.
  SmallVector<Value> scalars, tensors;
  SmallVector<AffineMap> maps;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_CONTRACTIONS_LOOPOPERANDS_H
