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
  FailureOr<CodeTensor> filter = readCodes(op, 1, "filter");
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
      filter->getStorage().getIntOrFloatBitWidth() > 8 ||
      !llvm::all_of(filter->zeroPoints, isZero))
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
      [](OpBuilder &nested, Location loc, Value x, Value joined) -> Value {
        return Op::create(nested, loc, joined, x);
      });
}

/// A vector of rows as a tensor that is broadcast to `rank` dimensions.
static Value spread(B &b, Value rows, int64_t rank) {
  return insertUnitDims(b, rows, llvm::to_vector(llvm::seq<int64_t>(1, rank)));
}

static Value isEqual(B &b, Value x, Value y) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, y);
}

static Value map(B &b, SmallVector<Value> operands, Type type,
                 function_ref<Value(B &, ValueRange)> body) {
  return mapElements(b, std::move(operands), type, body);
}

/// The codes of `input` by these parameters; LiteRT rounds halves away.
static Value quantizeRows(const ForeignOp &op, const Stamp &stamp, Value input,
                          Value scales, Value zeroPoints, Division division,
                          ArrayRef<int64_t> clamp) {
  Builder b = op.getRewriter();
  FloatType f32 = b.getF32Type();
  auto tensor = [](Value value) {
    return value ? ForeignTensor{value, cast<TensorType>(value.getType()), {}}
                 : ForeignTensor();
  };
  QuantizationParameters parameters;
  if (!isSingle(cast<TensorType>(scales.getType())))
    parameters.placement.axis = b.getI64IntegerAttr(0);
  parameters.scale = tensor(scales);
  parameters.zeroPoint = tensor(zeroPoints);
  SemanticsFields spelled;
  spelled.rounding = Rounding::NearestAway;
  spelled.order = Order::RoundThenAdd;
  spelled.division = division;
  return createQuantize(op, tensor(input), b.getIntegerType(8), parameters,
                        stamp({Direction::Quantize, f32, f32}, spelled),
                        /*scale=*/nullptr, b.getDenseI64ArrayAttr(clamp));
}

/// LiteRT: scale = range / 127, and the codes are x (127 / range), which is not
/// x / scale.
static DynamicCodes createSymmetric(const ForeignOp &op, const Stamp &stamp,
                                    Value input) {
  B b(op.getLoc(), op.getRewriter());
  Type f32 = b.getF32Type();
  Value magnitudes = map(b, {input}, f32, [](B &body, ValueRange x) -> Value {
    return math::AbsFOp::create(body, x[0]);
  });
  Value ranges = joinRows<arith::MaximumFOp>(b, magnitudes);
  auto divide = [&](bool isInverse) {
    return map(b, {ranges}, f32, [&](B &body, ValueRange x) -> Value {
      Value most = createNumber(body, f32, 127);
      Value quotient = arith::DivFOp::create(body, isInverse ? most : x[0],
                                             isInverse ? x[0] : most);
      return arith::SelectOp::create(
          body, isEqual(body, x[0], createNumber(body, f32, 0)),
          createNumber(body, f32, 1), quotient);
    });
  };
  Value scales = divide(/*isInverse=*/false), inverse = divide(true);
  int64_t rank = getRankedType(input).getRank();
  Value scaled = map(b, {input, spread(b, inverse, rank)}, f32,
                     [](B &body, ValueRange x) -> Value {
                       return arith::MulFOp::create(body, x[0], x[1]);
                     });
  auto single = RankedTensorType::get({}, f32);
  Value one = arith::ConstantOp::create(
      b, DenseElementsAttr::get(single, ArrayRef<float>{1.0f}));
  return {
      quantizeRows(op, stamp, scaled, one, {}, Division::Exact, {-127, 127}),
      scales, Value()};
}

/// The zero point in f64: from the end where the error of its rounding is
/// smaller.
static Value emitZeroPoint(B &b, Value range, Value lo, Value hi) {
  Type f64 = b.getF64Type();
  auto number = [&](double value) { return createNumber(b, f64, value); };
  auto widen = [&](Value x) { return arith::ExtFOp::create(b, f64, x); };
  Value scale = arith::DivFOp::create(b, widen(range), number(255));
  Value low = arith::DivFOp::create(b, widen(lo), scale);
  Value high = arith::DivFOp::create(b, widen(hi), scale);
  Value fromLow = arith::SubFOp::create(b, number(-128), low);
  Value fromHigh = arith::SubFOp::create(b, number(127), high);
  Value lowError =
      arith::AddFOp::create(b, number(128), math::AbsFOp::create(b, low));
  Value highError =
      arith::AddFOp::create(b, number(127), math::AbsFOp::create(b, high));
  Value isLow =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, lowError, highError);
  Value zero = arith::SelectOp::create(b, isLow, fromLow, fromHigh);
  // A NaN is the lowest code.
  zero = arith::MaxNumFOp::create(b, zero, number(-128));
  zero = arith::MinNumFOp::create(b, zero, number(127));
  return arith::FPToSIOp::create(b, b.getI32Type(),
                                 math::RoundOp::create(b, zero));
}

static DynamicCodes createAsymmetric(const ForeignOp &op, const Stamp &stamp,
                                     Value input) {
  B b(op.getLoc(), op.getRewriter());
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  Value lows = joinRows<arith::MinimumFOp>(b, input);
  Value highs = joinRows<arith::MaximumFOp>(b, input);
  Value ranges = map(b, {highs, lows}, f32, [](B &body, ValueRange x) -> Value {
    return arith::SubFOp::create(body, x[0], x[1]);
  });
  auto isEmpty = [&](B &body, Value range) {
    return isEqual(body, range, createNumber(body, f32, 0));
  };
  Value scales = map(b, {ranges}, f32, [&](B &body, ValueRange x) -> Value {
    Value scale =
        arith::DivFOp::create(body, x[0], createNumber(body, f32, 255));
    return arith::SelectOp::create(body, isEmpty(body, x[0]),
                                   createNumber(body, f32, 1), scale);
  });
  Value zeroPoints =
      map(b, {ranges, lows, highs}, i32, [&](B &body, ValueRange x) -> Value {
        return arith::SelectOp::create(body, isEmpty(body, x[0]),
                                       createNumber(body, i32, 0),
                                       emitZeroPoint(body, x[0], x[1], x[2]));
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
  return map(b, {codes.codes, spread(b, codes.zeroPoints, rank)}, i16,
             [&](B &body, ValueRange x) -> Value {
               return arith::SubIOp::create(
                   body, arith::ExtSIOp::create(body, i16, x[0]),
                   arith::TruncIOp::create(body, i16, x[1]));
             });
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
  Value reals = map(b, operands, f32, [&](B &body, ValueRange x) -> Value {
    Value real = arith::SIToFPOp::create(body, f32, x[0]);
    switch (order) {
    case ScaleOrder::Product:
      real = arith::MulFOp::create(body, real,
                                   arith::MulFOp::create(body, x[1], x[2]));
      break;
    case ScaleOrder::FilterFirst:
      real = arith::MulFOp::create(body, real, x[2]);
      real = arith::MulFOp::create(body, real, x[1]);
      break;
    case ScaleOrder::InputFirst:
      real = arith::MulFOp::create(body, real, x[1]);
      if (x.size() == 4)
        return math::FmaOp::create(body, real, x[2], x[3]);
      real = arith::MulFOp::create(body, real, x[2]);
      break;
    }
    return x.size() < 4 ? real : arith::AddFOp::create(body, real, x[3]);
  });
  return applyActivation(op, reals);
}
