// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.softmax of signed 16 bits: LiteRT's kernel has lines for exp(x) and for
// 1 / (1 + x). Exponentials have 15 places.

#include "../ForeignOps/Rows.h"
#include "../ForeignOps/TensorOps.h"
#include "KernelTables.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

/// exp(-10) is the smallest number of its table.
static constexpr double kStep = 10.0 / 65535.0;

static Scalar bound(Scalar value, int64_t lowest) {
  return min(max(value, lowest), INT16_MAX);
}

/// The exponentials [..., N] as i32, of differences to the largest code.
static Value createExps(const ForeignOp &op, const Stamp &stamp,
                        const Rows &rows, const SumRescaling &rescaling) {
  B b(op.getLoc(), op.getRewriter());
  Type i32 = b.getI32Type();
  Value differences =
      rows.map(b, {rows.codes, rows.largest}, i32,
               [&](Scalar x, Scalar y) { return x.to(i32) - y.to(i32); });
  Value table =
      createInterpolationTable<double>(b, {kStep, INT16_MAX}, {2.0 / 65535.0},
                                       [](double x) { return std::exp(x); });
  return mapElements(b, {createRescaled(op, stamp, differences, rescaling)},
                     i32, [&](Scalar x) {
                       return interpolate(table,
                                          bound(x + INT16_MAX, INT16_MIN));
                     });
}

/// 2^15 / m, where m in [1, 2) are the bits of the sum.
static Scalar emitReciprocal(Value table, Scalar sum, Scalar zeros) {
  Scalar mantissa = sum.toUnsigned(zeros.getType()) << (zeros - 1);
  // To 16 places, with 1 as the lowest code.
  Scalar places = (mantissa + (1 << 13)) >> 14;
  Scalar code = bound(places - ((1 << 15) + (1 << 16)), INT16_MIN);
  return interpolate(table, code.to(sum.getType()));
}

LogicalResult mlir::qdq::translateSoftmax16(const ForeignOp &op,
                                            const Stamp &stamp,
                                            const CodeTensor &input,
                                            const CodeType &result,
                                            float beta) {
  float resultScale = result.getFloatScale();
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
    return op.refuse("has the input scale ", input.getFloatScale(),
                     " and beta ", beta,
                     ", whose differences the 32 bits of its kernel do not "
                     "hold");

  B b(op.getLoc(), op.getRewriter());
  Rows rows(b, input.getCodes(op), input.isSigned(), rank - 1);
  rows.findLargest(b);
  Value exps = createExps(op, stamp, rows, rescaling);
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value sums = rows.fold(b, {exps}, b.getI32IntegerAttr(0),
                         [](Scalar x, Scalar sum) { return x + sum; });
  Value table = createInterpolationTable<double>(
      b, {1.0 / 65535.0, INT16_MIN}, {2.0 / 65535.0},
      [](double x) { return 1.0 / (1.0 + x); });
  Value reciprocals = mapElements(b, {sums}, i32, [&](Scalar sum) {
    return emitReciprocal(table, sum, getHeadroom(sum));
  });
  Value shifts = mapElements(b, {sums}, i64, [&](Scalar sum) {
    Scalar bits(sum.getBuilder(), createNumber(sum.getBuilder(), i64, 31));
    return bits - getHeadroom(sum);
  });
  return replaceWithStorage(
      op,
      rows.map(b, {exps, reciprocals, shifts}, b.getI16Type(),
               [&](Scalar x, Scalar reciprocal, Scalar shift) {
                 Scalar product = x.to(i64) * reciprocal.to(i64);
                 Scalar one = product.constant(1);
                 Scalar half = one << (shift - one);
                 return bound((product + half) >> shift, 0).to(b.getI16Type());
               }));
}
