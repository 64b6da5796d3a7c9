// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tosa.reshape_block_scaled and row_gather_block_scaled of MLIR 23: codes and
// scales move alike. Without scales they are a reshape and a gather.

#include "../ForeignOps/TensorOps.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::qdq;

LogicalResult qdq::translateReshapeOfBlocks(const ForeignOp &op,
                                            const Stamp &) {
  Operation *reshapeOp = op.getOperation();
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  for (auto [input, output] :
       llvm::zip(reshapeOp->getOperands(), reshapeOp->getResults())) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    auto result = dyn_cast<RankedTensorType>(output.getType());
    if (!type || !result || !type.hasStaticShape() || !result.hasStaticShape())
      return op.refuse("makes ", output.getType(), " of ", input.getType(),
                       ": expected static shapes");
  }
  SmallVector<Value> results;
  for (auto [input, output] :
       llvm::zip(reshapeOp->getOperands(), reshapeOp->getResults())) {
    auto result = cast<RankedTensorType>(output.getType());
    Value flat = reshape(b, input, {result.getNumElements()});
    results.push_back(reshape(b, flat, result.getShape()));
  }
  return op.replace(results);
}

/// Rows `indices[n, w] + r` of `values` [N, K, C], for r below `count`. No
/// index leads outside of `values`.
static Value gatherRows(ImplicitLocOpBuilder &b, Value values, Value indices,
                        int64_t count) {
  auto type = cast<RankedTensorType>(values.getType());
  auto indicesType = cast<RankedTensorType>(indices.getType());
  int64_t rows = indicesType.getDimSize(1) * count;
  Value init = tensor::EmptyOp::create(
      b,
      {tensor::getMixedSize(b, b.getLoc(), values, 0), b.getIndexAttr(rows),
       tensor::getMixedSize(b, b.getLoc(), values, 2)},
      type.getElementType());
  MLIRContext *ctx = b.getContext();
  AffineExpr n = b.getAffineDimExpr(0), row = b.getAffineDimExpr(1);
  AffineMap maps[] = {AffineMap::get(3, 0, {n, row.floorDiv(count)}, ctx),
                      b.getMultiDimIdentityMap(3)};
  return createGeneric(b, indices, init, maps, [&](Scalar index) -> Value {
    ImplicitLocOpBuilder &body = index.getBuilder();
    Scalar first = index.to(body.getIndexType());
    first = min(max(first, 0), type.getDimSize(1) - count);
    Scalar row(body, linalg::IndexOp::create(body, 1));
    Scalar step = row.apply<arith::RemUIOp>(count);
    Value batch = linalg::IndexOp::create(body, 0);
    Value place = first + step, column = linalg::IndexOp::create(body, 2);
    return tensor::ExtractOp::create(body, values,
                                     ValueRange{batch, place, column});
  });
}

LogicalResult qdq::translateRowGatherOfBlocks(const ForeignOp &op,
                                              const Stamp &) {
  Operation *gather = op.getOperation();
  OperandRange values = gather->getOperands().drop_back(2);
  Value indices = gather->getOperand(values.size());
  DenseIntElementsAttr count;
  if (!matchPattern(gather->getOperand(values.size() + 1), m_Constant(&count)))
    return op.refuse("has a row count that is no constant");
  int64_t rowCount = (*count.begin()).getSExtValue();
  auto indicesType = dyn_cast<RankedTensorType>(indices.getType());
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.isDynamicDim(1) || !indicesType ||
        indicesType.isDynamicDim(1) || rowCount < 1 ||
        rowCount > type.getDimSize(1))
      return op.refuse("gathers ", rowCount, " rows of ", value.getType(),
                       " by ", indices.getType(),
                       ": expected static numbers of rows and indices, and no "
                       "more rows than there are");
  }
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  SmallVector<Value> results;
  for (Value value : values)
    results.push_back(gatherRows(b, value, indices, rowCount));
  return op.replace(results);
}
