// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes that are chosen at run time, as LiteRT's hybrid kernels choose them.

#include "DynamicCodes.h"
#include "../ForeignOps/TensorOps.h"
#include "../ONNXToLinalg/NodeParts.h"
#include "FloatActivation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool mlir::qdq::isDynamicProduct(const ForeignOp &op) {
  Operation *self = op.getOperation();
  return self->getNumOperands() > 1 && self->getNumResults() == 1 &&
         getElementTypeOrSelf(self->getResult(0).getType()).isF32() &&
         isQuantized(self->getOperand(1).getType());
}

FailureOr<DynamicProduct> mlir::qdq::readDynamicProduct(const ForeignOp &op,
                                                        int64_t rank,
                                                        int64_t outputAxis,
                                                        unsigned inputIndex,
                                                        unsigned biasIndex) {
  if (failed(checkActivation(op)))
    return failure();
  FailureOr<CodeTensor> filter =
      readCodes(op, 1, "filter", /*allowsAxis=*/true);
  if (failed(filter))
    return failure();
  Operation *self = op.getOperation();
  auto input =
      dyn_cast<RankedTensorType>(self->getOperand(inputIndex).getType());
  auto result = dyn_cast<RankedTensorType>(self->getResult(0).getType());
  if (!input || !result || input.getRank() == 0 || result.getRank() == 0 ||
      !result.getElementType().isF32())
    return op.refuse("has the input ", self->getOperand(inputIndex).getType(),
                     " and the result ", self->getResult(0).getType(),
                     ": expected ranked tensors of f32");
  auto isZero = [](int64_t zero) { return zero == 0; };
  if (filter->type.getRank() != rank || !filter->type.hasStaticShape() ||
      filter->axis.value_or(outputAxis) != outputAxis || !filter->isSigned() ||
      filter->getWidth() > 8 || !llvm::all_of(filter->zeroPoints, isZero))
    return op.refuse("filter has type ", self->getOperand(1).getType(),
                     ": expected signed codes of up to 8 bits without a zero "
                     "point, of static rank ",
                     rank, ", with one scale or those of axis ", outputAxis);
  if (op.getOperand(biasIndex)) {
    FailureOr<ForeignTensor> bias = getFloats(op, biasIndex, "bias");
    if (failed(bias))
      return failure();
    if (!bias->type.getElementType().isF32() || bias->type.getRank() != 1 ||
        differ(bias->type.getDimSize(0), filter->type.getDimSize(outputAxis)))
      return op.refuse("bias has type ", bias->type, ": expected ",
                       filter->type.getDimSize(outputAxis), " elements of f32");
  }
  return DynamicProduct{input, result, *filter, op.getOperand(biasIndex)};
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The largest or smallest element of each row, and 0.
template <typename Op>
static Value joinRows(B &b, Value input) {
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(1, getRankedType(input).getRank()));
  return reduceOver(
      b, input, axes, b.getF32FloatAttr(0),
      [](Scalar x, Scalar joined) { return joined.apply<Op>(x); });
}

/// A vector of rows as a tensor that is broadcast to `rank` dimensions.
static Value spread(B &b, Value rows, int64_t rank) {
  return insertUnitDims(b, rows, llvm::to_vector(llvm::seq<int64_t>(1, rank)));
}

/// The codes of `input` by these parameters; LiteRT rounds halves away.
static Value quantizeRows(const ForeignOp &op, const Stamp &stamp, Value input,
                          Value scales, Value zeroPoints, Division division,
                          ArrayRef<int64_t> clamp) {
  Builder b = op.getRewriter();
  QuantizationParameters parameters;
  if (!isSingle(cast<TensorType>(scales.getType())))
    parameters.placement.axis = b.getI64IntegerAttr(0);
  parameters.scale = toForeign(scales);
  if (zeroPoints)
    parameters.zeroPoint = toForeign(zeroPoints);
  SemanticsFields spelled;
  spelled.rounding = Rounding::NearestAway;
  spelled.order = Order::RoundThenAdd;
  spelled.division = division;
  return quantizeF32(op, stamp, toForeign(input), b.getIntegerType(8),
                     parameters, spelled, b.getDenseI64ArrayAttr(clamp));
}

/// LiteRT: scale = range / 127, and the codes are x (127 / range), which is not
/// x / scale.
static DynamicCodes createSymmetric(const ForeignOp &op, const Stamp &stamp,
                                    Value input) {
  B b(op.getLoc(), op.getRewriter());
  Type f32 = b.getF32Type();
  Value magnitudes = mapFloats(b, {input}, [](Scalar x) { return abs(x); });
  Value ranges = joinRows<arith::MaximumFOp>(b, magnitudes);
  auto divide = [&](bool isInverse) {
    return mapFloats(b, {ranges}, [&](Scalar range) {
      Scalar quotient = isInverse ? 127 / range : range / 127;
      Scalar isEmpty = equal(range, 0);
      return select(isEmpty, range.constant(1), quotient);
    });
  };
  Value scales = divide(/*isInverse=*/false), inverse = divide(true);
  int64_t rank = getRankedType(input).getRank();
  Value scaled = mapFloats(b, {input, spread(b, inverse, rank)},
                           [](Scalar x, Scalar y) { return x * y; });
  auto single = RankedTensorType::get({}, f32);
  Value one = arith::ConstantOp::create(
      b, DenseElementsAttr::get(single, ArrayRef<float>{1.0f}));
  return {
      quantizeRows(op, stamp, scaled, one, {}, Division::Exact, {-127, 127}),
      scales, Value()};
}

/// The zero point in f64: from the end where the error of its rounding is
/// smaller.
static Scalar emitZeroPoint(Scalar range, Scalar lo, Scalar hi) {
  B &b = range.getBuilder();
  Type f64 = b.getF64Type();
  Scalar scale = range.to(f64) / 255;
  Scalar low = lo.to(f64) / scale, high = hi.to(f64) / scale;
  Scalar fromLow = -128 - low, fromHigh = 127 - high;
  Scalar lowError = 128 + abs(low), highError = 127 + abs(high);
  Scalar zero = select(lowError < highError, fromLow, fromHigh);
  // A NaN is the lowest code.
  zero = zero.apply<arith::MaxNumFOp>(-128).apply<arith::MinNumFOp>(127);
  return zero.apply<math::RoundOp>().to(b.getI32Type());
}

static DynamicCodes createAsymmetric(const ForeignOp &op, const Stamp &stamp,
                                     Value input) {
  B b(op.getLoc(), op.getRewriter());
  Value lows = joinRows<arith::MinimumFOp>(b, input);
  Value highs = joinRows<arith::MaximumFOp>(b, input);
  Value ranges = mapFloats(b, {highs, lows},
                           [](Scalar high, Scalar low) { return high - low; });
  Value scales = mapFloats(b, {ranges}, [](Scalar range) {
    Scalar scale = range / 255, isEmpty = equal(range, 0);
    return select(isEmpty, range.constant(1), scale);
  });
  Value zeroPoints =
      mapElements(b, {ranges, lows, highs}, b.getI32Type(),
                  [](Scalar range, Scalar low, Scalar high) {
                    Scalar isEmpty = equal(range, 0);
                    Scalar zero = emitZeroPoint(range, low, high);
                    return select(isEmpty, zero.constant(0), zero);
                  });
  return {quantizeRows(op, stamp, input, scales, zeroPoints,
                       Division::Reciprocal, {-128, 127}),
          scales, zeroPoints};
}

DynamicCodes mlir::qdq::createDynamicCodes(const ForeignOp &op,
                                           const Stamp &stamp, Value input,
                                           bool isAsymmetric) {
  return isAsymmetric ? createAsymmetric(op, stamp, input)
                      : createSymmetric(op, stamp, input);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value mlir::qdq::subtractDynamicZeroPoints(B &b, const DynamicCodes &codes) {
  if (!codes.zeroPoints)
    return codes.codes;
  Type i16 = b.getI16Type();
  int64_t rank = getRankedType(codes.codes).getRank();
  return mapElements(
      b, {codes.codes, spread(b, codes.zeroPoints, rank)}, i16,
      [&](Scalar code, Scalar zero) { return code.to(i16) - zero.to(i16); });
}

Value mlir::qdq::scaleDynamicProduct(const ForeignOp &op,
                                     const DynamicProduct &product, Value sum,
                                     Value scales, ScaleOrder order) {
  B b(op.getLoc(), op.getRewriter());
  Type f32 = b.getF32Type();
  SmallVector<Value> operands = {
      sum, spread(b, scales, getRankedType(sum).getRank()),
      op.materialize(product.filter.parameters.scale)};
  if (product.bias)
    operands.push_back(product.bias);
  Value reals = mapElements(b, operands, f32, [&](B &body, ValueRange x) {
    Scalar sum = Scalar(body, x[0]).to(f32), input(body, x[1]);
    Value filter = x[2], bias = x.size() == 4 ? x[3] : Value();
    if (order == ScaleOrder::InputFirst && bias)
      return (sum * input).apply<math::FmaOp>(filter, bias);
    Scalar real = order == ScaleOrder::Product       ? sum * (input * filter)
                  : order == ScaleOrder::FilterFirst ? sum * filter * input
                                                     : sum * input * filter;
    return bias ? real + bias : real;
  });
  return applyActivation(op, reals);
}
