// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// linalg.generic ops by their maps and a body.

#ifndef QDQ_IR_BUILDGENERIC_H
#define QDQ_IR_BUILDGENERIC_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// A linalg.generic of tensors. `maps` are those of `inputs` and `inits`; loops
/// that the last one lacks are reductions. `body` makes the elements of the
/// results, one or a range, of those of `inputs` and `inits`.
template <typename Body>
linalg::GenericOp buildGeneric(ImplicitLocOpBuilder &b, ValueRange inputs,
                               ValueRange inits, ArrayRef<AffineMap> maps,
                               const Body &body) {
  SmallVector<utils::IteratorType> loops;
  for (unsigned loop = 0; loop < maps.back().getNumDims(); ++loop)
    loops.push_back(maps.back().isFunctionOfDim(loop)
                        ? utils::IteratorType::parallel
                        : utils::IteratorType::reduction);
  return linalg::GenericOp::create(
      b, inits.getTypes(), inputs, inits, maps, loops,
      [&](OpBuilder &nested, Location loc, ValueRange elements) {
        ImplicitLocOpBuilder inner(loc, nested);
        linalg::YieldOp::create(inner, body(inner, elements));
      });
}

/// The same of tensors of these sizes, element by element, in a new tensor.
template <typename Body>
Value buildElementwise(ImplicitLocOpBuilder &b, ValueRange inputs,
                       ArrayRef<OpFoldResult> sizes, Type element,
                       const Body &body) {
  Value init = tensor::EmptyOp::create(b, sizes, element);
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              b.getMultiDimIdentityMap(sizes.size()));
  return buildGeneric(b, inputs, init, maps, body).getResult(0);
}

} // namespace mlir::qdq

#endif // QDQ_IR_BUILDGENERIC_H
