// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.batch_matmul: products of matrices in batches.

#include "../ForeignOps/TensorOps.h"
#include "../ONNXToLinalg/NodeParts.h"
#include "DynamicCodes.h"
#include "ProductEnd.h"
#include "Translations.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// An operand of a product of matrices in batches.
struct Matrices {
  Matrices(const ForeignOp &op, RankedTensorType type, StringRef flagName,
           int64_t summedFromEnd)
      : type(type), summedFromEnd(summedFromEnd) {
    if (op.isSet(flagName))
      this->summedFromEnd = 3 - summedFromEnd;
  }

  ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getRank() const { return type.getRank(); }
  int64_t getSummed() const { return getRank() - summedFromEnd; }
  int64_t getOwn() const { return getRank() - 3 + summedFromEnd; }

  RankedTensorType type;
  /// Which of the last two dimensions is summed, from the end.
  int64_t summedFromEnd;
};

/// A product whose codes are not there yet.
struct BatchProduct {
  IntegerProduct product;
  /// Of each loop of the result the operand that has its size, and where.
  SmallVector<std::pair<bool, int64_t>> sources;

  void setCodes(ImplicitLocOpBuilder &b, Value x, Value y) {
    product.a.codes = x;
    product.b.codes = y;
    for (auto [isX, dim] : sources)
      product.resultSizes.push_back(
          tensor::getMixedSize(b, b.getLoc(), isX ? x : y, dim));
  }
};
} // namespace

static FailureOr<BatchProduct> describeBatches(const ForeignOp &op,
                                               const Matrices &x,
                                               const Matrices &y,
                                               RankedTensorType result) {
  int64_t rank = std::max(x.getRank(), y.getRank());
  if (x.getRank() < 2 || y.getRank() < 2 || result.getRank() != rank ||
      differ(x.getShape()[x.getSummed()], y.getShape()[y.getSummed()]))
    return op.refuse("x ", x.type, ", y ", y.type, " and result ", result,
                     " do not fit together: expected matrices in batches");
  int64_t batches = rank - 2;
  MLIRContext *ctx = op.getOperation()->getContext();
  BatchProduct built;
  built.sources.resize(rank);
  SmallVector<int64_t> shape(rank);
  bool agree = true;
  auto makeMap = [&](const Matrices &own, const Matrices &other, int64_t loop) {
    SmallVector<AffineExpr> indices(own.getRank());
    auto setSource = [&](int64_t of, int64_t dim) {
      built.sources[of] = {&own == &x, dim};
      shape[of] = own.getShape()[dim];
    };
    for (int64_t dim = 0; dim < own.getRank() - 2; ++dim) {
      int64_t batch = batches - (own.getRank() - 2) + dim;
      int64_t otherDim = batch - (batches - (other.getRank() - 2));
      int64_t size = own.getShape()[dim];
      int64_t otherSize = otherDim >= 0 ? other.getShape()[otherDim] : 1;
      agree &= size == 1 || otherSize == 1 || !differ(size, otherSize);
      bool isRepeated = size == 1 && otherSize != 1;
      indices[dim] = isRepeated ? getAffineConstantExpr(0, ctx)
                                : getAffineDimExpr(batch, ctx);
      if (!isRepeated)
        setSource(batch, dim);
    }
    indices[own.getOwn()] = getAffineDimExpr(loop, ctx);
    indices[own.getSummed()] = getAffineDimExpr(rank, ctx);
    setSource(loop, own.getOwn());
    return AffineMap::get(rank + 1, 0, indices, ctx);
  };
  IntegerProduct &product = built.product;
  product.aMap = makeMap(x, y, rank - 2);
  product.bMap = makeMap(y, x, rank - 1);
  if (!agree)
    return op.refuse("x ", x.type, " and y ", y.type,
                     " have batches that are not broadcast to each other");
  if (failed(verifyCompatibleShape(shape, result.getShape())))
    return op.refuse("result has type ", result, ": expected the shape of ",
                     RankedTensorType::get(shape, result.getElementType()));
  product.resultMap =
      AffineMap::getMultiDimIdentityMap(rank + 1, ctx).dropResult(rank);
  product.iterators.assign(rank + 1, utils::IteratorType::parallel);
  product.iterators.back() = utils::IteratorType::reduction;
  return built;
}

//===----------------------------------------------------------------------===//
// Codes by codes
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::translateBatchMatMul(const ForeignOp &op,
                                              const Stamp &stamp) {
  FailureOr<CodeTensor> x = readCodes(op, 0, "x");
  FailureOr<CodeTensor> y = readCodes(op, 1, "y");
  FailureOr<CodeType> result = readResultCodes(op);
  if (failed(x) || failed(y) || failed(result))
    return failure();
  auto built = describeBatches(op, Matrices(op, x->type, "adj_x", 1),
                               Matrices(op, y->type, "adj_y", 2), result->type);
  // XNNPACK leaves products of two activations to LiteRT.
  Rescale rescale = getOwnRescale(stamp, x->getStorage().isInteger(16)
                                             ? Rescale::Fixed15
                                             : Rescale::Fixed31Double);
  FailureOr<ProductEnd> end =
      readProductEnd(op, stamp, *x, *y, *result,
                     getRescaling(rescale, *x, *y, *result, ScaleProduct::F32));
  if (failed(built) || failed(end))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  built->setCodes(b, x->getCodes(op), y->getCodes(op));
  return replaceWithStorage(op,
                            buildProductCodes(op, stamp, built->product, Bias(),
                                              *x, *y, *result, *end));
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
  Matrices right(op, y->type, "adj_y", 2);
  auto isZero = [](int64_t zero) { return zero == 0; };
  if (!x || !result || !result.getElementType().isF32() || !y->isSigned() ||
      y->getStorage().getIntOrFloatBitWidth() > 8 ||
      !llvm::all_of(y->zeroPoints, isZero) ||
      y->axis.value_or(right.getOwn()) != right.getOwn())
    return op.refuse("has the operands ", self->getOperand(0).getType(),
                     " and ", self->getOperand(1).getType(), " and the result ",
                     self->getResult(0).getType(),
                     ": expected ranked f32, signed codes of up to 8 bits "
                     "without zero points, with one scale or those of the "
                     "columns, and ranked f32");
  Matrices left(op, x, "adj_x", 1);
  // Parameters are those of rows behind the transposition.
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, x.getRank()));
  bool isTransposed = left.summedFromEnd == 2 && x.getRank() >= 2;
  if (isTransposed) {
    std::swap(order.end()[-1], order.end()[-2]);
    left.type = x.clone(applyPermutation(x.getShape(), order));
    left.summedFromEnd = 1;
  }
  auto built = describeBatches(op, left, right, result);
  if (failed(built))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Value floats = op.getOperand(0);
  if (isTransposed)
    floats = transpose(b, floats, order);
  DynamicCodes codes = createDynamicCodes(
      op, stamp, mergeRows(b, floats), op.isSet("asymmetric_quantize_inputs"));
  built->setCodes(b, splitRows(b, codes.codes, floats), y->getCodes(op));
  IntegerProduct &product = built->product;
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
