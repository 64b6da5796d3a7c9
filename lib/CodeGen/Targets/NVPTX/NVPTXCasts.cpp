// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts of small floats as NVIDIA's `cvt`, two at a time.

#include "../Generic/CastTarget.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

static bool isF8(FloatType format) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(format);
}
static bool isF6(FloatType format) {
  return isa<Float6E2M3FNType, Float6E3M2FNType>(format);
}

namespace {
/// PTX ISA, `cvt`: to nearest even, `satfinite`, which gives the largest value
/// for what is beyond it, infinity included. A NaN stays one; without one in
/// the format it becomes the largest value.
class NVPTXCasts : public CastTarget {
public:
  explicit NVPTXCasts(bool hasSmallest) : hasSmallest(hasSmallest) {}

  WhyNot whyNoDecode(FloatType format) const override {
    if (hasSmallest && isa<Float8E8M0FNUType>(format))
      return "";
    return whyNoFormat(format);
  }
  WhyNot whyNoEncode(FloatType format, bool isBounded) const override {
    if (WhyNot reason = whyNoFormat(format); !reason.empty())
      return reason;
    bool hasNaN = APFloat::semanticsHasNaN(format.getFloatSemantics());
    return isBounded || !hasNaN ? ""
                                : "it saturates, and no clamp stands before it";
  }
  unsigned getLanes(unsigned) const override { return 2; }

  Value decode(ImplicitLocOpBuilder &b, Value codes,
               FloatType format) const override;
  Value encode(ImplicitLocOpBuilder &b, Value reals, FloatType format,
               bool saturate) const override;

private:
  WhyNot whyNoFormat(FloatType format) const {
    if (isF8(format))
      return "";
    if (!isF6(format) && !isa<Float4E2M1FNType>(format))
      return "the target does not have the format";
    return hasSmallest ? "" : "the format is of sm_100a and later";
  }

  bool hasSmallest;
};
} // namespace

/// Two codes of 4 bits as a byte, the first one low.
static Value packNibbles(ImplicitLocOpBuilder &b, Value codes) {
  Value bytes =
      arith::ExtUIOp::create(b, getLanesType(b.getI8Type(), codes), codes);
  Value high =
      arith::ShLIOp::create(b, vector::ExtractOp::create(b, bytes, 1),
                            arith::ConstantIntOp::create(b, b.getI8Type(), 4));
  return arith::OrIOp::create(b, vector::ExtractOp::create(b, bytes, 0), high);
}

static Value unpackNibbles(ImplicitLocOpBuilder &b, Value byte) {
  Value high = arith::ShRUIOp::create(
      b, byte, arith::ConstantIntOp::create(b, b.getI8Type(), 4));
  auto bytes = VectorType::get(2, b.getI8Type());
  Value both = vector::FromElementsOp::create(b, bytes, ValueRange{byte, high});
  return arith::TruncIOp::create(b, getLanesType(b.getI4Type(), both), both);
}

/// The parameters of the op's other builders differ between versions of MLIR.
template <typename OpTy>
static Value createDecode(ImplicitLocOpBuilder &b, Type type, Value codes,
                          FloatType format) {
  NamedAttribute source = b.getNamedAttr("srcType", TypeAttr::get(format));
  return OpTy::create(b, TypeRange(type), ValueRange(codes), source);
}

Value NVPTXCasts::decode(ImplicitLocOpBuilder &b, Value codes,
                         FloatType format) const {
  Type f16 = getLanesType(b.getF16Type(), codes);
  if (isa<Float8E8M0FNUType>(format))
    return createDecode<NVVM::ConvertF8x2ToBF16x2Op>(
        b, getLanesType(b.getBF16Type(), codes), codes, format);
  if (isF8(format))
    return createDecode<NVVM::ConvertF8x2ToF16x2Op>(b, f16, codes, format);
  if (!isF6(format))
    return createDecode<NVVM::ConvertF4x2ToF16x2Op>(
        b, f16, packNibbles(b, codes), format);
  Value bytes =
      arith::ExtUIOp::create(b, getLanesType(b.getI8Type(), codes), codes);
  return createDecode<NVVM::ConvertF6x2ToF16x2Op>(b, f16, bytes, format);
}

Value NVPTXCasts::encode(ImplicitLocOpBuilder &b, Value reals, FloatType format,
                         bool) const {
  auto target = TypeAttr::get(format);
  auto relu = b.getBoolAttr(false);
  Type bytes = getLanesType(b.getI8Type(), reals);
  if (getElementTypeOrSelf(reals).isF16() && isF8(format))
    return NVVM::ConvertF16x2ToF8x2Op::create(b, bytes, reals, relu, target);
  reals = widenToF32(b, reals);
  // The first operand becomes the upper half.
  Value high = vector::ExtractOp::create(b, reals, 1);
  Value low = vector::ExtractOp::create(b, reals, 0);
  if (isF8(format))
    return NVVM::ConvertF32x2ToF8x2Op::create(
        b, bytes, high, low,
        NVVM::FPRoundingModeAttr::get(b.getContext(), NVVM::FPRoundingMode::RN),
        NVVM::SaturationModeAttr::get(b.getContext(),
                                      NVVM::SaturationMode::SATFINITE),
        relu, target);
  if (!isF6(format))
    return unpackNibbles(b, NVVM::ConvertF32x2ToF4x2Op::create(
                                b, b.getI8Type(), high, low, relu, target));
  Value codes =
      NVVM::ConvertF32x2ToF6x2Op::create(b, bytes, high, low, relu, target);
  return arith::TruncIOp::create(b, getLanesType(b.getIntegerType(6), codes),
                                 codes);
}

std::unique_ptr<CastTarget> mlir::qdq::createNVPTXCasts(bool hasSmallest) {
  return std::make_unique<NVPTXCasts>(hasSmallest);
}
