// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over rows of codes.

#include "Rows.h"
#include "../ForeignOps/TensorOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

/// A generic on tensors [..., N] and [...], whose result is as `init`.
static Value createLoops(ImplicitLocOpBuilder &b, ValueRange inputs, Value init,
                         int64_t rank, RowBody body) {
  auto hasColumns = [&](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank() == rank;
  };
  AffineMap all = b.getMultiDimIdentityMap(rank);
  auto getMap = [&](Value value) {
    return hasColumns(value) ? all : all.dropResult(rank - 1);
  };
  SmallVector<AffineMap> maps = llvm::map_to_vector(inputs, getMap);
  maps.push_back(getMap(init));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  if (!hasColumns(init))
    loops.back() = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
             b, init.getType(), inputs, init, maps, loops,
             [&](OpBuilder &nested, Location loc, ValueRange arguments) {
               ImplicitLocOpBuilder inner(loc, nested);
               linalg::YieldOp::create(inner, body(inner, arguments));
             })
      .getResult(0);
}

Value mlir::qdq::foldRows(ImplicitLocOpBuilder &b, ValueRange inputs,
                          ArrayRef<OpFoldResult> sizes, TypedAttr first,
                          RowBody body) {
  Value init = tensor::EmptyOp::create(b, sizes.drop_back(), first.getType());
  init = linalg::FillOp::create(
             b, arith::ConstantOp::create(b, first).getResult(), init)
             .getResult(0);
  return createLoops(b, inputs, init, sizes.size(), body);
}

Value mlir::qdq::mapRows(ImplicitLocOpBuilder &b, ValueRange inputs,
                         ArrayRef<OpFoldResult> sizes, Type element,
                         RowBody body) {
  Value init = tensor::EmptyOp::create(b, sizes, element);
  return createLoops(b, inputs, init, sizes.size(), body);
}

Rows mlir::qdq::createRows(const ForeignOp &op, const CodeTensor &input) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Rows rows;
  rows.isSigned = input.isSigned();
  rows.codes = asSignless(b, b.getLoc(), input.getCodes(op));
  rows.sizes = tensor::getMixedSizes(b, b.getLoc(), rows.codes);
  unsigned width = input.getStorage().getIntOrFloatBitWidth();
  auto lowest = b.getIntegerAttr(getElementTypeOrSelf(rows.codes),
                                 rows.isSigned ? APInt::getSignedMinValue(width)
                                               : APInt(width, 0));
  rows.largest =
      foldRows(b, rows.codes, rows.sizes, lowest,
               [&](ImplicitLocOpBuilder &body, ValueRange x) -> Value {
                 if (rows.isSigned)
                   return arith::MaxSIOp::create(body, x[0], x[1]);
                 return arith::MaxUIOp::create(body, x[0], x[1]);
               });
  return rows;
}
