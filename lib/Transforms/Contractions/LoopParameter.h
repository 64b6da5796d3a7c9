// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales and zero points by the loops of a contraction.

#ifndef QDQ_LIB_TRANSFORMS_CONTRACTIONS_LOOPPARAMETER_H
#define QDQ_LIB_TRANSFORMS_CONTRACTIONS_LOOPPARAMETER_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/Granularity.h"

namespace mlir::qdq {

/// A scale or a zero point: a single element, or a tensor with a map from the
/// loops. 0 stands for a dimension of size 1, or for that of the blocks.
struct LoopParameter {
  Value value;
  AffineMap map;
  /// The dimension of the blocks along which it changes within a sum.
  std::optional<unsigned> blockDim = {};
};

/// A reduced loop along which parameters change every `length` elements.
struct BlockedLoop {
  std::optional<unsigned> loop;
  int64_t length = 0;
};

/// A tensor whose parameters are looked at.
struct ParameterOwner {
  Granularity granularity;
  ArrayRef<int64_t> shape;
  /// From the loops to its elements, after `pad`, which may be null.
  AffineMap map;
  tensor::PadOp pad;
  ArrayRef<utils::IteratorType> iterators;
};

/// Finds how a parameter follows the loops, and sets `blocks` where it changes
/// within a sum. Fails with a reason.
LogicalResult placeByLoops(Value parameter, const ParameterOwner &owner,
                           BlockedLoop &blocks, LoopParameter &result,
                           std::string &reason);

/// A parameter that is constant.
class LoopConstant {
public:
  static std::optional<LoopConstant> get(const LoopParameter &parameter);

  /// The element at these indices of the loops and, where it has some, in this
  /// block of its own.
  Number at(ArrayRef<int64_t> loops, int64_t block = 0) const;

private:
  LoopConstant(ConstantElements elements, LoopParameter parameter)
      : elements(elements), parameter(parameter) {}

  ConstantElements elements;
  LoopParameter parameter;
};

/// True if the parameter is one element for all loops.
bool isSingle(const LoopParameter &parameter);

/// The loops that some parameters follow, as dimensions of a result: the
/// granularity that a `qdq` op on the result gives them.
class ParameterSpace {
public:
  /// `resultMap` gives the dimensions of the result, which has these sizes;
  /// those that are dynamic may be negative constants.
  ParameterSpace(MLIRContext *ctx, AffineMap resultMap,
                 ArrayRef<OpFoldResult> sizes,
                 ArrayRef<LoopParameter> parameters);

  ArrayRef<unsigned> getLoops() const { return loops; }
  ArrayRef<OpFoldResult> getSizes() const { return loopSizes; }

  /// One of them, or none where all parameters are single.
  IntegerAttr getAxis() const { return axis; }
  DenseI64ArrayAttr getBlockShape() const { return blockShape; }

  /// Calls `fn` with the indices of all loops for each element, in row-major
  /// order. Fails where a size is dynamic, or where there are too many.
  LogicalResult forEachElement(function_ref<void(ArrayRef<int64_t>)> fn) const;

  /// A tensor over `getLoops` in the shape that the granularity asks for.
  Value place(ImplicitLocOpBuilder &b, Value value) const;

  /// A constant of these elements, row-major, over the loops; a scalar without
  /// loops.
  LoopParameter createConstant(ImplicitLocOpBuilder &b,
                               ArrayRef<Attribute> elements) const;

  /// A parameter that follows some of the loops, in the shape that the
  /// granularity asks for.
  Value place(ImplicitLocOpBuilder &b, LoopParameter parameter) const;

private:
  unsigned numLoops;
  AffineMap resultMap;
  SmallVector<OpFoldResult> loopSizes;
  SmallVector<unsigned> loops;
  IntegerAttr axis;
  DenseI64ArrayAttr blockShape;

  Value expand(ImplicitLocOpBuilder &b, Value value,
               ArrayRef<bool> present) const;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_CONTRACTIONS_LOOPPARAMETER_H
