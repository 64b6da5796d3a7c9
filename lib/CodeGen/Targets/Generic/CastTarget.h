// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions of a target for casts from and to small floats.

#ifndef QDQ_LIB_CODEGEN_TARGETS_GENERIC_CASTTARGET_H
#define QDQ_LIB_CODEGEN_TARGETS_GENERIC_CASTTARGET_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/CodeGen/NativeCasts.h"
#include "qdq/Numerics/Scalar.h"

namespace mlir::qdq {

/// Why a target has no instruction for a cast, for a remark; empty if it has
/// one.
using WhyNot = StringRef;

/// The instructions of one target. Codes are vectors of integers of the width
/// of their format, reals vectors of f16 or f32; both have as many lanes as
/// `getLanes` says.
class CastTarget {
public:
  virtual ~CastTarget() = default;

  /// Most targets have the two formats of 8 bits that OCP names.
  virtual WhyNot whyNoDecode(FloatType format) const {
    return isa<Float8E4M3FNType, Float8E5M2Type>(format)
               ? ""
               : "the target does not have the format";
  }
  /// `isBounded` says that no value is beyond the format's largest one.
  virtual WhyNot whyNoEncode(FloatType format, bool isBounded) const {
    return whyNoDecode(format);
  }

  /// Lanes of the largest instruction that is not much longer than `lanes`.
  virtual unsigned getLanes(unsigned lanes) const = 0;

  /// Codes to reals of f16, bf16 or f32, exactly.
  virtual Value decode(ImplicitLocOpBuilder &b, Value codes,
                       FloatType format) const = 0;
  /// Reals of f16 or f32 to codes, to nearest even. What is beyond the largest
  /// value becomes it if `saturate`, else what the format has for an overflow.
  virtual Value encode(ImplicitLocOpBuilder &b, Value reals, FloatType format,
                       bool saturate) const = 0;
};

std::unique_ptr<CastTarget> createNVPTXCasts(bool hasSmallest);
std::unique_ptr<CastTarget> createX86Casts();
std::unique_ptr<CastTarget> createArmCasts();
std::unique_ptr<CastTarget> createRISCVCasts();

/// Null for AMD's, whose instructions upstream makes of `arith` ops.
std::unique_ptr<CastTarget> createCastTarget(NativeTarget target);

/// Why AMD's instructions do not do what `op` does, an `arith` cast.
std::string whyNotAMDGPU(Operation *op, NativeTarget target);

void populateAMDGPUCastsPatterns(RewritePatternSet &patterns,
                                 NativeTarget target, PatternBenefit benefit);

/// A vector of `lanes` elements in the place of that of `like`.
inline VectorType getLanesType(Type element, Value like) {
  return cast<VectorType>(like.getType()).clone(element);
}

/// A vector of f16, bf16 or f32 in f32.
inline Value widenToF32(ImplicitLocOpBuilder &b, Value reals) {
  return Scalar(b, reals).to(b.getF32Type());
}

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_TARGETS_GENERIC_CASTTARGET_H
