// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QONNX's Trunc to qdq: codes of 32 bits, shifted to the right.

#include "QONNXNode.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

/// Shifts to the left stay in an i32 multiplier.
static constexpr int64_t kMaxLeftShift = 30;
/// How far the logarithm of a power of two may be from an integer.
static constexpr double kNearPower = 1e-3;

static double toDouble(const Number &number) {
  return std::get<APFloat>(number).convertToDouble();
}

/// True for types whose elements stand beside each other in any tensor that
/// they broadcast to.
static bool areAlike(TensorType lhs, TensorType rhs) {
  auto isShared = [](int64_t size) { return size == 1; };
  return lhs.getShape().drop_while(isShared) ==
         rhs.getShape().drop_while(isShared);
}

/// The exponent of `outer / inner`, the same power of two for all elements.
static FailureOr<int64_t> readShift(const ForeignOp &node,
                                    const ForeignTensor &inner,
                                    const ForeignTensor &outer) {
  std::optional<ConstantElements> from =
      ConstantElements::get(getConstant(inner));
  std::optional<ConstantElements> to =
      ConstantElements::get(getConstant(outer));
  if (!from || !to)
    return node.refuse(from ? "output scale" : "scale", " has type ",
                       (from ? outer : inner).type,
                       " and is no constant: expected constant scales, which "
                       "decide the shift");
  int64_t numFrom = from->getNumDistinct(), numTo = to->getNumDistinct();
  bool isAlike = numFrom == numTo && areAlike(inner.type, outer.type);
  std::optional<int64_t> shift;
  for (int64_t i = 0; i < numFrom; ++i)
    for (int64_t j : isAlike ? llvm::seq(i, i + 1) : llvm::seq(numTo)) {
      double inside = toDouble((*from)[i]), outside = toDouble((*to)[j]);
      double exponent = std::log2(outside / inside);
      // NaN, too, is no shift.
      if (!(std::abs(exponent - std::nearbyint(exponent)) < kNearPower))
        return node.refuse("output scale is ", outside, " where the scale is ",
                           inside, ": expected the scale times a power of two");
      int64_t own = std::nearbyint(exponent);
      if (shift && *shift != own)
        return node.refuse("output scale is 2^", own,
                           " times the scale, and "
                           "elsewhere 2^",
                           *shift, " times: expected one factor");
      shift = own;
    }
  if (!shift)
    return node.refuse("scale has no elements: expected at least one");
  return *shift;
}

/// `codes / 2^shift`, rounded, as codes of `storage`.
static FailureOr<Value> createShift(const ForeignOp &node, const Stamp &stamp,
                                    Value codes, int64_t shift,
                                    Rounding rounding, Type storage,
                                    DenseI64ArrayAttr clamp) {
  if (-shift > kMaxLeftShift)
    return node.refuse("shifts codes to the left by ", -shift,
                       ": expected at most ", kMaxLeftShift);
  PatternRewriter &b = node.getRewriter();
  auto createI32 = [&](int64_t value) -> Value {
    return node.create<arith::ConstantOp>(b.getI32IntegerAttr(value));
  };
  FloatType f32 = b.getF32Type();
  SemanticsFields spelled;
  spelled.rounding = rounding;
  auto type = cast<TensorType>(codes.getType()).clone(storage);
  Value shifted = node.create<RequantizeOp>(
      type, codes, Rescale::Exact,
      createI32(shift < 0 ? int64_t(1) << -shift : 1),
      createI32(std::max<int64_t>(shift, 0)), /*fraction=*/nullptr,
      /*zero_point=*/nullptr, /*axis=*/nullptr, /*block_shape=*/nullptr,
      /*limit=*/nullptr, clamp,
      stamp({Direction::Quantize, f32, f32}, spelled));
  return shifted;
}

/// A constant zero point divided by `2^shift`, which need not be an integer.
static FailureOr<ForeignTensor> scaleZeroPoint(const ForeignOp &node,
                                               const ForeignTensor &zeroPoint,
                                               int64_t shift) {
  if (shift == 0)
    return zeroPoint;
  auto elements = dyn_cast_or_null<DenseElementsAttr>(getConstant(zeroPoint));
  if (!elements)
    return node.refuse("zero point has type ", zeroPoint.type,
                       " and is no constant: expected one, which is shifted "
                       "with the codes");
  auto scaled = elements.mapValues(
      zeroPoint.type.getElementType(), [&](const APFloat &own) {
        return scalbn(own, -shift, APFloat::rmNearestTiesToEven)
            .bitcastToAPInt();
      });
  return toForeign(scaled);
}

/// The codes of the input, to nearest even, with room for all widths.
static Value createWideCodes(const ForeignOp &node, const Stamp &stamp,
                             const ForeignTensor &input,
                             QuantizationParameters parameters) {
  Type storage = node.getRewriter().getI32Type();
  parameters.zeroPoint = toStoredZeroPoint(node, parameters.zeroPoint, storage);
  SemanticsFields spelled;
  spelled.rounding = Rounding::NearestEven;
  return quantizeF32(node, stamp, input, storage, parameters, spelled);
}

/// Operands: x, scale, zero point, input bits, output bits. Nothing bounds the
/// codes; scale and zero point stay.
static LogicalResult translateTrunc1(const ForeignOp &node, const Stamp &stamp,
                                     const ForeignTensor &input,
                                     QuantizationParameters parameters) {
  FailureOr<int64_t> from = readQONNXBitWidth(node, 3, "input bit width");
  FailureOr<int64_t> to = readQONNXBitWidth(node, 4, "output bit width");
  FailureOr<Rounding> rounding =
      readQONNXRounding(node, "FLOOR", /*isSigned=*/true);
  if (failed(from) || failed(to) || failed(rounding))
    return failure();
  Type storage = node.getRewriter().getI32Type();
  Value wide = createWideCodes(node, stamp, input, parameters);
  FailureOr<Value> codes = createShift(node, stamp, wide, *from - *to,
                                       *rounding, storage, /*clamp=*/nullptr);
  if (failed(codes))
    return failure();
  parameters.zeroPoint = toStoredZeroPoint(node, parameters.zeroPoint, storage);
  return node.replace(
      dequantizeF32(node, stamp, toForeign(*codes), parameters));
}

/// Operands: x, scale, zero point, input bits, output scale, output bits. The
/// codes are bounded; the zero point is shifted as they are.
static LogicalResult translateTrunc2(const ForeignOp &node, const Stamp &stamp,
                                     const ForeignTensor &input,
                                     const QuantizationParameters &parameters) {
  Reader read;
  QONNXRange range;
  range.isSigned = read(node.getInteger("signed", 1)) != 0;
  range.isNarrow = read(node.getInteger("narrow", 0)) != 0;
  range.width = read(readQONNXBitWidth(node, 5, "output bit width"));
  if (failed(read))
    return failure();
  Rounding rounding = read(readQONNXRounding(node, "FLOOR", range.isSigned));
  ForeignTensor scale = read(node.getTensor(1, "scale"));
  ForeignTensor outer = read(node.getTensor(4, "output scale"));
  QuantizationParameters result =
      read(readQONNXParameters(node, input.type, /*scale=*/4, /*zeroPoint=*/2));
  if (failed(read))
    return failure();
  FailureOr<int64_t> shift = readShift(node, scale, outer);
  if (failed(shift))
    return failure();
  MLIRContext *ctx = node.getRewriter().getContext();
  Type storage = range.getStorage(ctx);
  FailureOr<ForeignTensor> zeroPoint =
      scaleZeroPoint(node, result.zeroPoint, *shift);
  if (failed(zeroPoint))
    return failure();
  result.zeroPoint = toStoredZeroPoint(node, *zeroPoint, storage);
  Value wide = createWideCodes(node, stamp, input, parameters);
  FailureOr<Value> codes = createShift(node, stamp, wide, *shift, rounding,
                                       storage, range.getClamp(ctx));
  if (failed(codes))
    return failure();
  return node.replace(dequantizeF32(node, stamp, toForeign(*codes), result));
}

LogicalResult mlir::qdq::translateQONNXTrunc(const ForeignOp &node,
                                             const Stamp &stamp) {
  constexpr unsigned kOperandsOfVersion2 = 6;
  return node.attempt([&]() -> LogicalResult {
    FailureOr<ForeignTensor> input = readQONNXInput(node);
    if (failed(input))
      return failure();
    FailureOr<QuantizationParameters> parameters =
        readQONNXParameters(node, input->type, /*scale=*/1, /*zeroPoint=*/2);
    if (failed(parameters))
      return failure();
    if (node.getOperation()->getNumOperands() < kOperandsOfVersion2)
      return translateTrunc1(node, stamp, *input, *parameters);
    return translateTrunc2(node, stamp, *input, *parameters);
  });
}
