// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.batch_matmul: products of matrices in batches.

#include "../ForeignOps/Broadcast.h"
#include "../ForeignOps/TensorOps.h"
#include "../ONNXToLinalg/NodeParts.h"
#include "DynamicCodes.h"
#include "ProductEnd.h"
#include "Translations.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// An operand of a product of matrices in batches.
struct Matrices {
  RankedTensorType type;
  bool isTransposed;

  /// The size of the dimension that comes first but for `isTransposed`, or
  /// last.
  int64_t getRows() const { return getSize(isTransposed ? 1 : 2); }
  int64_t getColumns() const { return getSize(isTransposed ? 2 : 1); }
  int64_t getSize(int64_t back) const {
    return type.getDimSize(type.getRank() - back);
  }
};
} // namespace

/// Refuses operands that do not fit together, and another result.
static LogicalResult checkBatches(const ForeignOp &op, const Matrices &x,
                                  const Matrices &y, RankedTensorType result) {
  int64_t xRank = x.type.getRank(), yRank = y.type.getRank();
  if (xRank < 2 || yRank < 2 || result.getRank() != std::max(xRank, yRank) ||
      differ(x.getColumns(), y.getRows()))
    return op.refuse("x ", x.type, ", y ", y.type, " and result ", result,
                     " do not fit together: expected matrices in batches");
  auto shape = broadcastShapes(x.type.getShape().drop_back(2),
                               y.type.getShape().drop_back(2));
  if (failed(shape))
    return op.refuse("x ", x.type, " and y ", y.type,
                     " have batches that are not broadcast to each other");
  shape->append({x.getRows(), y.getColumns()});
  if (failed(verifyCompatibleShape(*shape, result.getShape())))
    return op.refuse("result has type ", result, ": expected the shape of ",
                     RankedTensorType::get(*shape, result.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Codes by codes
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::translateBatchMatMul(const ForeignOp &op,
                                              const Stamp &stamp) {
  Reader read;
  CodeTensor x = read(readCodes(op, 0, "x"));
  CodeTensor y = read(readCodes(op, 1, "y"));
  CodeType result = read(readResultCodes(op));
  if (failed(read))
    return failure();
  bool isXTransposed = op.isSet("adj_x"), isYTransposed = op.isSet("adj_y");
  LogicalResult fits = checkBatches(op, {x.type, isXTransposed},
                                    {y.type, isYTransposed}, result.type);
  // XNNPACK leaves products of two activations to LiteRT.
  Rescale rescale = getOwnRescale(stamp, x.getStorage().isInteger(16)
                                             ? Rescale::Fixed15
                                             : Rescale::Fixed31Double);
  FailureOr<ProductEnd> end =
      readProductEnd(op, stamp, x, y, result,
                     getRescaling(rescale, x, y, result, ScaleProduct::F32));
  if (failed(fits) || failed(end))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Value lhs = x.getCodes(op), rhs = y.getCodes(op);
  return replaceWithStorage(
      op,
      buildProductCodes(
          op, stamp, describeMatmul(b, lhs, rhs, isXTransposed, isYTransposed),
          Bias(), x, y, result, *end));
}

//===----------------------------------------------------------------------===//
// Floats by codes
//===----------------------------------------------------------------------===//

/// Parameters for each row, as of tfl.fully_connected.
LogicalResult mlir::qdq::translateDynamicBatchMatMul(const ForeignOp &op,
                                                     const Stamp &stamp) {
  FailureOr<CodeTensor> y = readCodes(op, 1, "y", /*allowsAxis=*/true);
  if (failed(y))
    return failure();
  Operation *self = op.getOperation();
  auto x = dyn_cast<RankedTensorType>(self->getOperand(0).getType());
  auto result = dyn_cast<RankedTensorType>(self->getResult(0).getType());
  bool isYTransposed = op.isSet("adj_y");
  int64_t columnAxis = y->type.getRank() - (isYTransposed ? 2 : 1);
  auto isZero = [](int64_t zero) { return zero == 0; };
  if (!x || !result || !result.getElementType().isF32() || !y->isSigned() ||
      y->getWidth() > 8 || !llvm::all_of(y->zeroPoints, isZero) ||
      y->axis.value_or(columnAxis) != columnAxis)
    return op.refuse("has the operands ", self->getOperand(0).getType(),
                     " and ", self->getOperand(1).getType(), " and the result ",
                     self->getResult(0).getType(),
                     ": expected ranked f32, signed codes of up to 8 bits "
                     "without zero points, with one scale or those of the "
                     "columns, and ranked f32");
  // Parameters are those of rows behind the transposition.
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, x.getRank()));
  bool isTransposed = op.isSet("adj_x") && x.getRank() >= 2;
  if (isTransposed)
    std::swap(order.end()[-1], order.end()[-2]);
  if (failed(checkBatches(op,
                          {x.clone(applyPermutation(x.getShape(), order)),
                           /*isTransposed=*/false},
                          {y->type, isYTransposed}, result)))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Value floats = op.getOperand(0);
  if (isTransposed)
    floats = transpose(b, floats, order);
  DynamicCodes codes = createDynamicCodes(
      op, stamp, mergeRows(b, floats), op.isSet("asymmetric_quantize_inputs"));
  Value lhs = splitRows(b, codes.codes, floats), rhs = y->getCodes(op);
  IntegerProduct product =
      describeMatmul(b, lhs, rhs, /*isLhsTransposed=*/false, isYTransposed);
  if (codes.zeroPoints) {
    product.a.zeroPoint = splitRows(b, codes.zeroPoints, floats);
    product.a.zeroPointMap = product.aMap.dropResult(x.getRank() - 1);
  }
  product.accumulator = Accumulator::Wrap32;
  std::string reason;
  FailureOr<Value> sum = buildIntegerProduct(b, product, reason);
  if (failed(sum))
    return op.refuse(reason);
  Value scales =
      insertUnitDims(b, splitRows(b, codes.scales, floats), {x.getRank() - 1});
  return op.replace(
      mapElements(b, {*sum, scales, op.materialize(y->parameters.scale)},
                  b.getF32Type(), [](Scalar of, Scalar x, Scalar y) {
                    Scalar scale = x * y;
                    return of.to(scale.getType()) * scale;
                  }));
}
