// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over rows of codes.

#include "Rows.h"
#include "TensorOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

Rows::Rows(ImplicitLocOpBuilder &b, Value tensor, bool isSigned, int64_t axis)
    : codes(asSignless(b, b.getLoc(), tensor)), isSigned(isSigned), axis(axis),
      sizes(tensor::getMixedSizes(b, b.getLoc(), codes)) {}

Value Rows::createLoops(ImplicitLocOpBuilder &b, ValueRange inputs, Value init,
                        const ElementBody &body) const {
  int64_t rank = sizes.size();
  auto isWhole = [&](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank() == rank;
  };
  AffineMap all = b.getMultiDimIdentityMap(rank);
  auto getMap = [&](Value value) {
    return isWhole(value) ? all : all.dropResult(axis);
  };
  SmallVector<AffineMap> maps = llvm::map_to_vector(inputs, getMap);
  maps.push_back(getMap(init));
  return createGeneric(b, inputs, init, maps, body);
}

Value Rows::fold(ImplicitLocOpBuilder &b, ValueRange inputs, TypedAttr first,
                 const ElementBody &body) const {
  SmallVector<OpFoldResult> kept(sizes);
  kept.erase(kept.begin() + axis);
  return createLoops(b, inputs, createFilled(b, kept, first), body);
}

Value Rows::map(ImplicitLocOpBuilder &b, ValueRange inputs, Type element,
                const ElementBody &body) const {
  Value init = tensor::EmptyOp::create(b, sizes, element);
  return createLoops(b, inputs, init, body);
}

void Rows::findLargest(ImplicitLocOpBuilder &b) {
  Type type = getElementTypeOrSelf(codes);
  unsigned width = type.getIntOrFloatBitWidth();
  APInt least = isSigned ? APInt::getSignedMinValue(width) : APInt(width, 0);
  largest =
      fold(b, codes, b.getIntegerAttr(type, least), [&](Scalar x, Scalar y) {
        return isSigned ? max(x, y) : x.apply<arith::MaxUIOp>(y);
      });
}
