// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's QGemm.

#include "../ForeignOps/ForeignConstant.h"
#include "../ForeignOps/TensorOps.h"
#include "CodeOperands.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

/// Reads a parameter of b: one element, or one for each column.
static LogicalResult checkPerColumn(const ForeignOp &node, StringRef name,
                                    const ForeignTensor &parameter,
                                    int64_t columns) {
  if (!parameter || isSingle(parameter.type) ||
      (parameter.type.getRank() == 1 &&
       !differ(parameter.type.getDimSize(0), columns)))
    return success();
  return node.refuse(name, " has type ", parameter.type,
                     ": expected one element, or one for each of the ", columns,
                     " columns of y");
}

static LogicalResult readAddend(const ForeignOp &node, Gemm &gemm) {
  if (!node.getOperand(6))
    return success();
  FailureOr<ForeignTensor> c = node.getTensor(6, "C");
  if (failed(c))
    return failure();
  bool fits = c->type.hasRank() && c->type.getRank() <= 2 &&
              c->type.getElementType().isInteger(32);
  for (int64_t back = 1; fits && back <= c->type.getRank(); ++back) {
    int64_t size = c->type.getDimSize(c->type.getRank() - back);
    fits = size == 1 || (ShapedType::isStatic(size) &&
                         !differ(size, gemm.result.getDimSize(2 - back)));
  }
  if (!fits)
    return node.refuse("C has type ", c->type,
                       ": expected i32 of static sizes that are broadcast to ",
                       gemm.result.clone(node.getRewriter().getI32Type()));
  gemm.c = *c;
  return success();
}

/// Reads the operands of the product and its shape.
static FailureOr<Gemm> readFactors(const ForeignOp &node) {
  FailureOr<ForeignTensor> a = getCodes(node, 0, "A");
  FailureOr<ForeignTensor> b = getCodes(node, 3, "B");
  FailureOr<int64_t> transA = node.getInteger("transA", 0);
  FailureOr<int64_t> transB = node.getInteger("transB", 0);
  FailureOr<float> alpha = node.getFloat("alpha", 1.0f);
  if (failed(a) || failed(b) || failed(transA) || failed(transB) ||
      failed(alpha))
    return failure();
  if (a->type.getRank() != 2 || b->type.getRank() != 2 ||
      differ(a->type.getDimSize(*transA ? 0 : 1),
             b->type.getDimSize(*transB ? 1 : 0)))
    return node.refuse("has operands ", a->type, " and ", b->type,
                       " with transA = ", *transA, " and transB = ", *transB,
                       ": expected matrices that fit together");
  Gemm gemm;
  gemm.a = *a;
  gemm.b = *b;
  gemm.transposesA = *transA != 0;
  gemm.transposesB = *transB != 0;
  gemm.alpha = *alpha;
  gemm.result = RankedTensorType::get({a->type.getDimSize(*transA ? 1 : 0),
                                       b->type.getDimSize(*transB ? 0 : 1)},
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
  auto type =
      RankedTensorType::get(scale.type.getShape(), scale.type.getElementType());
  return {nullptr, scale.type, DenseElementsAttr::get(type, product)};
}

static FailureOr<Gemm> readGemm(const ForeignOp &node, const Stamp &stamp) {
  FailureOr<Gemm> gemm = readFactors(node);
  if (failed(gemm))
    return failure();
  FailureOr<QuantizationParameters> a =
      getTensorParameters(node, 1, "a", gemm->a.type.getElementType());
  FailureOr<ForeignTensor> bScale = getScaleOperand(node, 4, "b_scale");
  FailureOr<ForeignTensor> bZero =
      getZeroPointOf(node, 5, "b_zero_point", gemm->b.type.getElementType());
  int64_t columns = gemm->result.getDimSize(1);
  if (failed(a) || failed(bScale) || failed(bZero) ||
      failed(checkPerColumn(node, "b_scale", *bScale, columns)) ||
      failed(checkPerColumn(node, "b_zero_point", *bZero, columns)) ||
      failed(readAddend(node, *gemm)))
    return failure();
  gemm->aScale = a->scale;
  if (gemm->alpha != 1.0f)
    if (ForeignTensor scale = scaleConstant(a->scale, gemm->alpha)) {
      gemm->aScale = scale;
      gemm->alpha = 1.0f;
    }
  gemm->aZeroPoint = a->zeroPoint;
  gemm->bScale = *bScale;
  gemm->bZeroPoint = *bZero;

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
  if (failed(y) ||
      failed(checkRescaling(node, stamp, {gemm->aScale, *bScale, y->scale})))
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
  AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1),
             k = b.getAffineDimExpr(2), zero = b.getAffineConstantExpr(0);
  auto makeMap = [&](ArrayRef<AffineExpr> indices) {
    return AffineMap::get(3, 0, indices, b.getContext());
  };
  IntegerProduct product;
  product.a = {node.materialize(gemm.a)};
  product.b = {node.materialize(gemm.b)};
  product.aMap = gemm.transposesA ? makeMap({k, m}) : makeMap({m, k});
  product.bMap = gemm.transposesB ? makeMap({n, k}) : makeMap({k, n});
  product.resultMap = makeMap({m, n});
  product.iterators = {utils::IteratorType::parallel,
                       utils::IteratorType::parallel,
                       utils::IteratorType::reduction};
  if (gemm.aZeroPoint)
    product.a.zeroPoint = node.materializeSingle(gemm.aZeroPoint);
  if (const ForeignTensor &zeros = gemm.bZeroPoint) {
    product.b.zeroPoint = isSingle(zeros.type) ? node.materializeSingle(zeros)
                                               : node.materialize(zeros);
    product.b.zeroPointMap = makeMap({n});
  }
  for (ProductOperand *operand : {&product.a, &product.b})
    if (operand->zeroPoint && isSingleElement(operand->zeroPoint.getType()))
      operand->zeroPointMap = makeMap({});
  if (gemm.c) {
    product.bias = node.materialize(gemm.c);
    SmallVector<AffineExpr> indices;
    int64_t rank = gemm.c.type.getRank();
    for (auto [dim, size] : llvm::enumerate(gemm.c.type.getShape()))
      indices.push_back(size == 1 ? zero : b.getAffineDimExpr(2 - rank + dim));
    product.biasMap = makeMap(indices);
  }
  product.resultSizes = {
      tensor::getMixedSize(b, b.getLoc(), product.a.codes, gemm.transposesA),
      tensor::getMixedSize(b, b.getLoc(), product.b.codes, !gemm.transposesB)};
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
  Value bScale = isSingle(gemm->bScale.type)
                     ? node.materializeSingle(gemm->bScale)
                     : node.materialize(gemm->bScale);
  SumScales scales{aScale, bScale, nullptr, b.getI64IntegerAttr(1)};
  if (!gemm->yScale)
    return node.replace(createDequantize(node, stamp, *sum, scales));
  scales.result = node.materializeSingle(gemm->yScale);
  return node.replace(createRequantize(node, stamp, *sum,
                                       gemm->result.getElementType(), scales,
                                       gemm->yZeroPoint));
}
