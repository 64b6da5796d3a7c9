// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's QGemm.

#include "../ForeignOps/ForeignConstant.h"
#include "../ForeignOps/TensorOps.h"
#include "CodeOperands.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// y = alpha * a * b + c, of matrices; all but a and b and their scales may be
/// missing.
struct Gemm {
  ForeignTensor a, aScale, aZeroPoint, b, bScale, bZeroPoint, c, yScale,
      yZeroPoint;
  bool transposesA = false, transposesB = false;
  float alpha = 1.0f;
  RankedTensorType result;
};
} // namespace

/// C, which is broadcast to the result.
static FailureOr<ForeignTensor> readAddend(const ForeignOp &node,
                                           RankedTensorType result) {
  auto fits = [&](RankedTensorType type) {
    int64_t rank = type.getRank();
    bool fits = rank <= 2 && type.getElementType().isInteger(32);
    for (int64_t back = 1; fits && back <= rank; ++back) {
      int64_t size = type.getDimSize(rank - back);
      fits = size == 1 || (ShapedType::isStatic(size) &&
                           !differ(size, result.getDimSize(2 - back)));
    }
    return fits;
  };
  return node.getOptional(6, "C", fits,
                          "i32 of static sizes that are broadcast to ",
                          result.clone(node.getRewriter().getI32Type()));
}

/// Reads the operands of the product and its shape.
static FailureOr<Gemm> readFactors(const ForeignOp &node) {
  Reader read;
  Gemm gemm;
  gemm.a = read(getCodes(node, 0, "A"));
  gemm.b = read(getCodes(node, 3, "B"));
  int64_t transA = read(node.getInteger("transA", 0));
  int64_t transB = read(node.getInteger("transB", 0));
  gemm.alpha = read(node.getFloat("alpha", 1.0f));
  if (failed(read))
    return failure();
  TensorType a = gemm.a.type, b = gemm.b.type;
  gemm.transposesA = transA != 0;
  gemm.transposesB = transB != 0;
  if (a.getRank() != 2 || b.getRank() != 2 ||
      differ(a.getDimSize(!transA), b.getDimSize(gemm.transposesB)))
    return node.refuse("has operands ", a, " and ", b,
                       " with transA = ", transA, " and transB = ", transB,
                       ": expected matrices that fit together");
  gemm.result = RankedTensorType::get(
      {a.getDimSize(gemm.transposesA), b.getDimSize(!transB)},
      node.getRewriter().getF32Type());
  return gemm;
}

/// A constant scale times alpha, rounded; null for any other.
static ForeignTensor scaleConstant(const ForeignTensor &scale, float alpha) {
  auto elements = ConstantElements::get(getConstant(scale.value, scale.type));
  if (!elements || elements->size() != 1)
    return {};
  APFloat product(alpha);
  product.multiply(std::get<APFloat>((*elements)[0]),
                   APFloat::rmNearestTiesToEven);
  return toForeign(DenseElementsAttr::get(scale.type, product));
}

static FailureOr<Gemm> readGemm(const ForeignOp &node, const Stamp &stamp) {
  FailureOr<Gemm> gemm = readFactors(node);
  if (failed(gemm))
    return failure();
  Reader read;
  auto a =
      read(getTensorParameters(node, 1, "a", gemm->a.type.getElementType()));
  gemm->bScale = read(getScaleOperand(node, 4, "b_scale"));
  gemm->bZeroPoint = read(
      getZeroPointOf(node, 5, "b_zero_point", gemm->b.type.getElementType()));
  auto checkPerColumn = [&](StringRef name, const ForeignTensor &parameter) {
    return checkSingleOrEach(node, name, parameter, gemm->result.getDimSize(1),
                             "columns of y");
  };
  if (failed(read) || failed(checkPerColumn("b_scale", gemm->bScale)) ||
      failed(checkPerColumn("b_zero_point", gemm->bZeroPoint)))
    return failure();
  gemm->c = read(readAddend(node, gemm->result));
  if (failed(read))
    return failure();
  gemm->aScale = a.scale;
  gemm->aZeroPoint = a.zeroPoint;
  if (gemm->alpha != 1.0f)
    if (ForeignTensor scale = scaleConstant(a.scale, gemm->alpha)) {
      gemm->aScale = scale;
      gemm->alpha = 1.0f;
    }

  FailureOr<TensorType> result = node.getResultType(0);
  if (failed(result))
    return failure();
  if (!node.getOperand(7)) {
    if (node.getOperand(8))
      return node.refuse("has y_zero_point without y_scale");
    if (failed(checkResult(node, gemm->result)))
      return failure();
    return gemm;
  }
  Type storage = result->getElementType();
  FailureOr<QuantizationParameters> y =
      getTensorParameters(node, 7, "y", storage);
  if (failed(y) || failed(checkRescaling(
                       node, stamp, {gemm->aScale, gemm->bScale, y->scale})))
    return failure();
  if (!isCode8(storage))
    return node.refuse("result has type ", *result,
                       ": expected i8 or ui8, since there is a y_scale");
  gemm->yScale = y->scale;
  gemm->yZeroPoint = y->zeroPoint;
  gemm->result = gemm->result.clone(storage);
  if (failed(checkResult(node, gemm->result)))
    return failure();
  return gemm;
}

/// The sum of products with C, by loops (m, n, k).
static FailureOr<Value> createSum(const ForeignOp &node, const Gemm &gemm) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value lhs = node.materialize(gemm.a), rhs = node.materialize(gemm.b);
  Value aZero = node.materializeSingle(gemm.aZeroPoint);
  Value bZero = node.materializeParameter(gemm.bZeroPoint);
  Value c = node.materialize(gemm.c);
  IntegerProduct product =
      describeMatmul(b, lhs, rhs, gemm.transposesA, gemm.transposesB);
  product.a.zeroPoint = aZero;
  product.b.zeroPoint = bZero;
  product.b.zeroPointMap = product.resultMap.dropResult(0);
  for (ProductOperand *operand : {&product.a, &product.b})
    if (operand->zeroPoint && isSingleElement(operand->zeroPoint.getType()))
      operand->zeroPointMap = AffineMap::get(3, 0, b.getContext());
  if (c) {
    product.bias = c;
    SmallVector<AffineExpr> indices;
    int64_t rank = gemm.c.type.getRank();
    for (auto [dim, size] : llvm::enumerate(gemm.c.type.getShape()))
      indices.push_back(size == 1 ? b.getAffineConstantExpr(0)
                                  : b.getAffineDimExpr(2 - rank + dim));
    product.biasMap = AffineMap::get(3, 0, indices, b.getContext());
  }
  SmallVector<AffineMap> maps = {product.aMap, product.bMap, product.resultMap};
  product.createNamed = [maps](OpBuilder &builder, Location loc,
                               ValueRange inputs, Value init,
                               bool isUnsigned) -> Operation * {
    SmallVector<NamedAttribute> attributes{builder.getNamedAttr(
        "indexing_maps", builder.getAffineMapArrayAttr(maps))};
    if (isUnsigned)
      attributes.push_back(builder.getNamedAttr(
          "cast", linalg::TypeFnAttr::get(builder.getContext(),
                                          linalg::TypeFn::cast_unsigned)));
    return linalg::MatmulOp::create(builder, loc, TypeRange(init.getType()),
                                    inputs, init, attributes);
  };
  std::string reason;
  FailureOr<Value> sum = buildIntegerProduct(b, product, reason);
  if (failed(sum))
    return node.refuse(reason);
  return sum;
}

LogicalResult mlir::qdq::translateQGemm(const ForeignOp &node,
                                        const Stamp &stamp) {
  FailureOr<Gemm> gemm = readGemm(node, stamp);
  if (failed(gemm))
    return failure();
  FailureOr<Value> sum = createSum(node, *gemm);
  if (failed(sum))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value aScale = node.materializeSingle(gemm->aScale);
  // The product alpha * sa is rounded first.
  if (gemm->alpha != 1.0f) {
    Value alpha = arith::ConstantOp::create(b, b.getF32FloatAttr(gemm->alpha));
    aScale = arith::MulFOp::create(b, alpha, toScalar(b, aScale));
  }
  SumScales scales{aScale, node.materializeParameter(gemm->bScale), nullptr,
                   b.getI64IntegerAttr(1)};
  if (!gemm->yScale)
    return node.replace(createDequantize(node, stamp, *sum, scales));
  scales.result = node.materializeSingle(gemm->yScale);
  return node.replace(createRequantize(node, stamp, *sum,
                                       gemm->result.getElementType(), scales,
                                       gemm->yZeroPoint));
}
