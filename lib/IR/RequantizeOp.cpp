// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameter view and the verifier of requantize.

#include "OpChecks.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/Rescale.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Parameter view
//===----------------------------------------------------------------------===//

Type RequantizeOp::getStorageElementType() {
  return getElementTypeOrSelf(getResult());
}

/// The quantize at the end: of an f32, or an f64, by the last of the scales.
ElementTypes RequantizeOp::getElementTypes() {
  auto first =
      dyn_cast<FloatType>(getElementTypeOrSelf(getMultipliers().front()));
  auto scale =
      dyn_cast<FloatType>(getElementTypeOrSelf(getMultipliers().back()));
  FloatType single = Float32Type::get(getContext());
  return {Direction::Quantize, first && first.isF64() ? first : single,
          scale ? scale : single};
}

Semantics RequantizeOp::resolveSemantics(const SemanticsOptions &options) {
  return options.resolve(getSemanticsFields(), getElementTypes());
}

Granularity RequantizeOp::getGranularityOf(Value parameter) {
  if (isSingleElement(parameter.getType()))
    return Granularity();
  Granularity granularity = getGranularity();
  if (!granularity.isBlock())
    return granularity;
  SmallVector<int64_t> lengths(granularity.getBlockShape());
  for (auto [length, size] : llvm::zip_equal(
           lengths, cast<ShapedType>(parameter.getType()).getShape()))
    if (size == 1)
      length = 0;
  return Granularity::inBlocks(lengths);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
/// The numbers of multipliers that a kind takes.
struct MultiplierCounts {
  SmallVector<size_t, 2> counts;
  StringRef description;
};
} // namespace

static MultiplierCounts getMultiplierCounts(Rescale rescale) {
  switch (rescale) {
  case Rescale::QDQ:
    return {{2}, "two (the scale of the input, the scale of the result)"};
  case Rescale::F32:
  case Rescale::F64:
    return {{1, 3},
            "one, or three (the scales of both factors, the scale of the "
            "result)"};
  case Rescale::Separate:
    return {{3}, "three (the scales of both factors, the scale of the result)"};
  case Rescale::Exact:
  case Rescale::Fixed31Double:
  case Rescale::Fixed31Single:
  case Rescale::Fixed15:
    return {{1}, "one"};
  }
  llvm_unreachable("unknown rescale");
}

/// Which operands go with the kind.
static LogicalResult verifyKind(RequantizeOp op) {
  Rescale rescale = op.getRescale();
  StringRef kind = stringifyEnum(rescale);
  bool isFixed = isFixedPoint(rescale);
  size_t count = op.getMultipliers().size();
  MultiplierCounts expected = getMultiplierCounts(rescale);
  if (!llvm::is_contained(expected.counts, count))
    return op.emitOpError()
           << "has " << count << " multipliers: 'rescale <" << kind
           << ">' takes " << expected.description << " (Q4.1, Q4.2)";
  for (Value multiplier : op.getMultipliers()) {
    Type type = getElementTypeOrSelf(multiplier);
    if (isa<IntegerType>(type) != isFixed)
      return op.emitOpError()
             << "multiplier has element type " << type << ": 'rescale <" << kind
             << ">' takes "
             << (isFixed ? "an integer (Q4.2)" : "floats (Q4.1)");
    bool isSingle = rescale == Rescale::F32 || rescale == Rescale::Separate;
    if (isSingle && type.isF64())
      return op.emitOpError()
             << "multiplier has element type " << type << ", but 'rescale <"
             << kind << ">' computes in f32 (Q4.1)";
  }
  if (static_cast<bool>(op.getShift()) != isFixed)
    return op.emitOpError()
           << (isFixed ? "has no 'shift': 'rescale <"
                       : "has a 'shift', but 'rescale <")
           << kind
           << (isFixed
                   ? ">' multiplies by an integer over a power of two (Q4.2)"
                   : ">' multiplies by floats (Q4.1)");
  if (op.getFraction() && rescale != Rescale::Exact)
    return op.emitOpError()
           << "has a 'fraction', which is for 'rescale <exact>' only (Q4.2)";
  if (op.getLimit() && !isFixed)
    return op.emitOpError() << "has a 'limit', which is for integer "
                               "multipliers only (Q4.2)";
  if (IntegerAttr limit = op.getLimitAttr(); limit && limit.getInt() < 0)
    return op.emitOpError()
           << "limit is " << limit.getInt() << ": expected a magnitude (Q4.2)";
  return success();
}

LogicalResult RequantizeOp::verify() {
  Type input = getInput().getType(), result = getResult().getType();
  if (failed(verifySameShape(*this, input, result)) ||
      failed(verifyClamp(*this, getStorageElementType())) ||
      failed(verifyKind(*this)))
    return failure();
  if (getSemanticsFields().rounding == Rounding::Stochastic)
    return emitOpError("has stochastic rounding, which needs draws that this "
                       "op does not number: take 'qdq.dequantize' and "
                       "'qdq.quantize' (Q4.3)");
  if (getZeroPoint() && isFixedPoint(getRescale()) &&
      !isa<IntegerType>(getElementTypeOrSelf(getZeroPoint())))
    return emitOpError() << "zero point has element type "
                         << getElementTypeOrSelf(getZeroPoint())
                         << ": an integer multiplier goes with an integer "
                            "zero point (Q4.3)";

  FailureOr<Granularity> granularity = parseGranularity(*this);
  if (failed(granularity))
    return failure();
  auto verifyParameter = [&](StringRef name, Value parameter) {
    auto type = dyn_cast<ShapedType>(parameter.getType());
    Granularity own = *granularity;
    bool isShared = own.isBlock() && type && type.hasRank() &&
                    type.getRank() == own.getParameterRank();
    if (isShared)
      own = getGranularityOf(parameter);
    return own.verifyParameter(name, input, parameter.getType(),
                               /*allowsTensor=*/true,
                               [&] { return emitOpError(); });
  };
  for (Value multiplier : getMultipliers())
    if (failed(verifyParameter("multiplier", multiplier)))
      return failure();
  return success(
      (!getShift() || succeeded(verifyParameter("shift", getShift()))) &&
      (!getFraction() ||
       succeeded(verifyParameter("fraction", getFraction()))) &&
      (!getZeroPoint() ||
       succeeded(verifyParameter("zero point", getZeroPoint()))));
}
