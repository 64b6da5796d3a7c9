// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts of 8-bit floats as those of AArch64's FEAT_FP8.

#include "../Generic/CastTarget.h"
#include "../Intrinsic.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// FCVTN and F1CVTL, as the register FPMR says: the format, what an overflow
/// becomes, and no scaling. To nearest even.
class ArmCasts : public CastTarget {
public:
  unsigned getLanes(unsigned) const override { return 8; }

  Value decode(ImplicitLocOpBuilder &b, Value codes,
               FloatType format) const override;
  Value encode(ImplicitLocOpBuilder &b, Value reals, FloatType format,
               bool saturate) const override;
};
} // namespace

static void setMode(ImplicitLocOpBuilder &b, int64_t mode) {
  Value value = arith::ConstantIntOp::create(b, b.getI64Type(), mode);
  LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.aarch64.set.fpmr"),
                                value);
}

/// FPMR.F8S1 and FPMR.F8D: 0 is E5M2, 1 is E4M3.
static int64_t getFormatCode(FloatType format) {
  return isa<Float8E4M3FNType>(format);
}

Value ArmCasts::decode(ImplicitLocOpBuilder &b, Value codes,
                       FloatType format) const {
  setMode(b, getFormatCode(format));
  return callIntrinsic(b, "aarch64.neon.fp8.cvtl1",
                       getLanesType(b.getF16Type(), codes), codes);
}

Value ArmCasts::encode(ImplicitLocOpBuilder &b, Value reals, FloatType format,
                       bool saturate) const {
  constexpr int kF8D = 6, kOSC = 15;
  reals = widenToF32(b, reals);
  Value low = vector::ExtractStridedSliceOp::create(b, reals, 0, 4, 1);
  Value high = vector::ExtractStridedSliceOp::create(b, reals, 4, 4, 1);
  setMode(b, getFormatCode(format) << kF8D | int64_t(saturate) << kOSC);
  return callIntrinsic(b, "aarch64.neon.fp8.fcvtn",
                       getLanesType(b.getI8Type(), reals), {low, high});
}

std::unique_ptr<CastTarget> mlir::qdq::createArmCasts() {
  return std::make_unique<ArmCasts>();
}
