// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts of 8-bit floats as AVX10.2's, from and to f16.

#include "../Generic/CastTarget.h"
#include "../Intrinsic.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Numerics/FloatFormats.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// VCVTPH2HF8, VCVTPH2BF8 and their saturating forms: to nearest even, whatever
/// MXCSR says, subnormals included. VCVTHF82PH is exact.
class X86Casts : public CastTarget {
public:
  unsigned getLanes(unsigned lanes) const override {
    return lanes >= 32 ? 32 : lanes > 8 ? 16 : 8;
  }

  Value decode(ImplicitLocOpBuilder &b, Value codes,
               FloatType format) const override;
  Value encode(ImplicitLocOpBuilder &b, Value reals, FloatType format,
               bool saturate) const override;
};
} // namespace

/// A masked conversion with every lane on. `name` lacks the bits of a vector of
/// f16.
static Value convert(ImplicitLocOpBuilder &b, const Twine &name, Value v,
                     Type result, unsigned lanes) {
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(result));
  Value mask = arith::ConstantIntOp::create(b, b.getIntegerType(lanes), -1);
  return callIntrinsic(b, "x86.avx10.mask." + name + Twine(lanes * 16), result,
                       {v, zeros, mask});
}

static unsigned getSize(Value v) {
  return cast<VectorType>(v.getType()).getNumElements();
}

Value X86Casts::decode(ImplicitLocOpBuilder &b, Value codes,
                       FloatType format) const {
  if (isa<Float8E5M2Type>(format)) {
    // The upper byte of an f16.
    Scalar bits = Scalar(b, codes).toUnsigned(b.getI16Type()) << 8;
    return bits.bitcast(b.getF16Type());
  }
  unsigned lanes = getSize(codes);
  if (lanes == 8) {
    // A register has 16 bytes at least.
    auto bytes = VectorType::get(16, b.getI8Type());
    Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(bytes));
    codes = vector::InsertStridedSliceOp::create(b, codes, zeros, 0, 1);
  }
  return convert(b, "vcvthf82ph", codes, VectorType::get(lanes, b.getF16Type()),
                 lanes);
}

Value X86Casts::encode(ImplicitLocOpBuilder &b, Value reals, FloatType format,
                       bool saturate) const {
  if (getElementTypeOrSelf(reals).isF32())
    reals = emitTruncateToOdd(b, reals, b.getF16Type());
  unsigned lanes = getSize(reals);
  auto bytes = VectorType::get(std::max(lanes, 16u), b.getI8Type());
  std::string name = isa<Float8E5M2Type>(format) ? "vcvtph2bf8" : "vcvtph2hf8";
  Value codes = convert(b, name + (saturate ? "s" : ""), reals, bytes, lanes);
  if (lanes == 8)
    codes = vector::ExtractStridedSliceOp::create(b, codes, 0, 8, 1);
  return codes;
}

std::unique_ptr<CastTarget> mlir::qdq::createX86Casts() {
  return std::make_unique<X86Casts>();
}
