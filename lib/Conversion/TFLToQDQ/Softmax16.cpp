// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.softmax of signed 16 bits: LiteRT's kernel has lines for exp(x) and for
// 1 / (1 + x). Exponentials have 15 places.

#include "../ForeignOps/Rows.h"
#include "../ForeignOps/TensorOps.h"
#include "InterpolationTable.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

/// exp(-10) is the smallest number of its table.
static constexpr double kStep = 10.0 / 65535.0;

static Value constant(B &b, Type type, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

static Value bound(B &b, Value value, int64_t lowest) {
  Type type = value.getType();
  value = arith::MaxSIOp::create(b, value, constant(b, type, lowest));
  return arith::MinSIOp::create(b, value, constant(b, type, INT16_MAX));
}

/// The exponentials [..., N] as i32, of differences to the largest code.
static Value createExps(const ForeignOp &op, const Stamp &stamp,
                        const Rows &rows, const SumRescaling &rescaling) {
  B b(op.getLoc(), op.getRewriter());
  Type i32 = b.getI32Type();
  Value differences = rows.map(
      b, {rows.codes, rows.largest}, i32, [&](B &body, ValueRange x) -> Value {
        return arith::SubIOp::create(body,
                                     arith::ExtSIOp::create(body, i32, x[0]),
                                     arith::ExtSIOp::create(body, i32, x[1]));
      });
  Value table =
      createInterpolationTable<double>(b, {kStep, INT16_MAX}, {2.0 / 65535.0},
                                       [](double x) { return std::exp(x); });
  return mapElements(
      b, {createRescaled(op, stamp, differences, rescaling)}, i32,
      [&](B &body, ValueRange x) -> Value {
        Value code =
            arith::AddIOp::create(body, x[0], constant(body, i32, INT16_MAX));
        return interpolate(body, table, bound(body, code, INT16_MIN));
      });
}

/// 2^15 / m, where m in [1, 2) are the bits of the sum.
static Value emitReciprocal(B &b, Value table, Value sum, Value zeros) {
  Type i64 = b.getI64Type();
  auto number = [&](int64_t value) { return constant(b, i64, value); };
  Value mantissa =
      arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i64, sum),
                            arith::SubIOp::create(b, zeros, number(1)));
  // To 16 places, with 1 as the lowest code.
  Value places = arith::ShRSIOp::create(
      b, arith::AddIOp::create(b, mantissa, number(1 << 13)), number(14));
  Value code = arith::SubIOp::create(b, places, number((1 << 15) + (1 << 16)));
  Value narrow =
      arith::TruncIOp::create(b, b.getI32Type(), bound(b, code, INT16_MIN));
  return interpolate(b, table, narrow);
}

LogicalResult mlir::qdq::translateSoftmax16(const ForeignOp &op,
                                            const Stamp &stamp,
                                            const CodeTensor &input,
                                            const CodeType &result,
                                            float beta) {
  float resultScale = result.getScale().convertToFloat();
  if (input.getStorage() != result.getStorage() || !input.isSigned() ||
      failed(verifyCompatibleShape(input.type, result.type)) ||
      resultScale != 1.0f / 32768 || result.getZeroPoint() || result.isNarrow)
    return op.refuse("has the input ", input.type, " and a result ",
                     result.type, " of scale ", resultScale, " and zero point ",
                     result.getZeroPoint(),
                     ": expected one type of signed 16 bits, and the scale "
                     "1/32768 without a zero point, as LiteRT does");
  int64_t rank = input.type.getRank();
  // Sums of exponentials are i32.
  constexpr int64_t kMaxColumns = 65535;
  if (rank == 0 || input.type.isDynamicDim(rank - 1) ||
      input.type.getDimSize(rank - 1) > kMaxColumns)
    return op.refuse("input has type ", input.type,
                     ": expected rows of a static size of up to ", kMaxColumns);
  double multiplier = input.getScale().convertToDouble() * beta / kStep;
  SumRescaling rescaling{Rescale::Fixed31Double, {multiplier}};
  if (!(multiplier < 1 << 15) || failed(checkRescaling(op, rescaling)))
    return op.refuse("has the input scale ", input.getScale().convertToFloat(),
                     " and beta ", beta,
                     ", whose differences the 32 bits of its kernel do not "
                     "hold");

  B b(op.getLoc(), op.getRewriter());
  Rows rows(b, input.getCodes(op), input.isSigned(), rank - 1);
  rows.findLargest(b);
  Value exps = createExps(op, stamp, rows, rescaling);
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value sums = rows.fold(b, {exps}, b.getI32IntegerAttr(0),
                         [](B &body, ValueRange x) -> Value {
                           return arith::AddIOp::create(body, x[0], x[1]);
                         });
  auto countZeros = [&](B &body, Value sum) -> Value {
    return arith::ExtUIOp::create(
        body, i64, math::CountLeadingZerosOp::create(body, sum).getResult());
  };
  Value table = createInterpolationTable<double>(
      b, {1.0 / 65535.0, INT16_MIN}, {2.0 / 65535.0},
      [](double x) { return 1.0 / (1.0 + x); });
  Value reciprocals =
      mapElements(b, {sums}, i32, [&](B &body, ValueRange x) -> Value {
        return emitReciprocal(body, table, x[0], countZeros(body, x[0]));
      });
  Value shifts =
      mapElements(b, {sums}, i64, [&](B &body, ValueRange x) -> Value {
        return arith::SubIOp::create(body, constant(body, i64, 31),
                                     countZeros(body, x[0]));
      });
  replaceWithStorage(
      op, rows.map(b, {exps, reciprocals, shifts}, b.getI16Type(),
                   [&](B &body, ValueRange x) -> Value {
                     Value product = arith::MulIOp::create(
                         body, arith::ExtSIOp::create(body, i64, x[0]),
                         arith::ExtSIOp::create(body, i64, x[1]));
                     Value one = constant(body, i64, 1);
                     Value half = arith::ShLIOp::create(
                         body, one, arith::SubIOp::create(body, x[2], one));
                     Value code = arith::ShRSIOp::create(
                         body, arith::AddIOp::create(body, product, half),
                         x[2]);
                     return arith::TruncIOp::create(body, body.getI16Type(),
                                                    bound(body, code, 0));
                   }));
  return success();
}
