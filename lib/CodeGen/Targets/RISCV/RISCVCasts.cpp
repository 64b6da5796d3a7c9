// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts of 8-bit floats as those of RISC-V's Zvfofp8min.

#include "../Generic/CastTarget.h"
#include "../Intrinsic.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// `vfncvt.f.f.q` with a rounding mode of its own, and `vfwcvtbf16.f.f.v`;
/// `altfmt` is E5M2. The extension is not ratified: what overflows is left to
/// the saturating form.
class RISCVCasts : public CastTarget {
public:
  WhyNot whyNoEncode(FloatType format, bool isBounded) const override {
    if (WhyNot reason = whyNoDecode(format); !reason.empty())
      return reason;
    return isBounded ? "" : "no clamp stands before it";
  }
  unsigned getLanes(unsigned lanes) const override {
    return lanes > 8 ? 16 : lanes > 4 ? 8 : 4;
  }

  Value decode(ImplicitLocOpBuilder &b, Value codes,
               FloatType format) const override;
  Value encode(ImplicitLocOpBuilder &b, Value reals, FloatType format,
               bool saturate) const override;
};
} // namespace

/// A vector that has at least the lanes of `like` where registers have 128
/// bits: `vscale` is 2 there.
static VectorType getScalable(Type element, Value like) {
  int64_t lanes = cast<VectorType>(like.getType()).getNumElements();
  return VectorType::get(lanes / 2, element, /*scalableDims=*/true);
}

/// A conversion to `element` in the first lanes of a scalable vector. `name` is
/// the part after `llvm.riscv.`.
static Value convert(ImplicitLocOpBuilder &b, const Twine &name, Value v,
                     Type element, std::optional<int64_t> roundingMode) {
  VectorType source = getScalable(getElementTypeOrSelf(v), v);
  VectorType result = getScalable(element, v);
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, b.getI64Type(),
                                    b.getI64IntegerAttr(value));
  };
  Value rest = LLVM::PoisonOp::create(b, source);
  SmallVector<Value> operands = {
      LLVM::PoisonOp::create(b, result),
      vector::ScalableInsertOp::create(b, v, rest, 0)};
  if (roundingMode)
    operands.push_back(constant(*roundingMode));
  operands.push_back(constant(cast<VectorType>(v.getType()).getNumElements()));
  Value converted = callIntrinsic(b, "riscv." + name, result, operands);
  return vector::ScalableExtractOp::create(
      b, cast<VectorType>(getLanesType(element, v)), converted, 0);
}

Value RISCVCasts::decode(ImplicitLocOpBuilder &b, Value codes,
                         FloatType format) const {
  bool isAlternative = isa<Float8E5M2Type>(format);
  Value upper =
      convert(b, Twine("vfwcvt.f.f.v") + (isAlternative ? ".alt" : ""), codes,
              b.getBF16Type(), std::nullopt);
  // The instruction from bf16 would run while `altfmt` is set.
  Scalar bits =
      Scalar(b, upper).bitcast(b.getI16Type()).toUnsigned(b.getI32Type());
  return (bits << 16).bitcast(b.getF32Type());
}

Value RISCVCasts::encode(ImplicitLocOpBuilder &b, Value reals, FloatType format,
                         bool) const {
  constexpr int64_t kNearestEven = 0;
  reals = widenToF32(b, reals);
  bool isAlternative = isa<Float8E5M2Type>(format);
  return convert(b, Twine("vfncvt.sat.f.f.q") + (isAlternative ? ".alt" : ""),
                 reals, b.getI8Type(), kNearestEven);
}

std::unique_ptr<CastTarget> mlir::qdq::createRISCVCasts() {
  return std::make_unique<RISCVCasts>();
}
