// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The block formats of AMD Quark: what the attributes of BFPQuantizeDequantize
// and MXQuantizeDequantize say.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_QUARKBLOCKFORMAT_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_QUARKBLOCKFORMAT_H

#include "../ForeignOps/QuantizationOps.h"

namespace mlir::qdq {

/// The sign of a result of zero, which integer codes do not hold.
enum class ZeroSign {
  Positive,    // +0
  OfZeroInput, // -0 of an input of -0 only
  OfInput      // that of the input
};

/// A scale 2^k for each block of `block` elements along `axis` (of the input),
/// and codes of `storage`.
struct QuarkBlockFormat {
  int64_t axis, block;
  Type storage;
  /// Of the codes; null where the type bounds them.
  DenseI64ArrayAttr clamp;
  /// A value of 2^e has the scale 2^(e - exponent).
  int64_t exponent;
  Rounding rounding;
  ZeroSign zeroSign;
  /// Elements are rounded to bf16 first.
  bool isBFloat = false;
  /// The scale is doubled where the largest positive code would overflow.
  bool isRaised = false;
  /// BFP prime: each sub-block has its scale, of at least 2^-maxShift times
  /// that of its block; subnormal numbers are zeros, and a NaN or an infinity
  /// makes all of its block NaN. 0 where there are none, and elements that are
  /// not finite stay as they are.
  int64_t subBlock = 0, maxShift = 0;
};

/// The format of a node, whose input has this type.
FailureOr<QuarkBlockFormat> readBFPFormat(const ForeignOp &node,
                                          RankedTensorType input);
FailureOr<QuarkBlockFormat> readMXFormat(const ForeignOp &node,
                                         RankedTensorType input);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_QUARKBLOCKFORMAT_H
