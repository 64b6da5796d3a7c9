// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data movement past quantize and dequantize, for other passes.

#ifndef QDQ_TRANSFORMS_MOTION_H
#define QDQ_TRANSFORMS_MOTION_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// The side of a quantize or dequantize on which data is moved.
enum class MovedValues {
  /// A quantize goes above a movement, a dequantize below: codes are smaller,
  /// and a product of quantized values sees its dequantize.
  Codes,
  /// A quantize goes below a movement, a dequantize above.
  Reals
};

/// `tensor.expand_shape` and `tensor.collapse_shape`. Parameters per axis
/// become parameters in blocks, and the other way round, where the shape asks
/// for it. Not where a block would end within a dimension of either shape, or
/// where parameters would have to be repeated.
void populateReshapeMotionPatterns(RewritePatternSet &patterns,
                                   MovedValues moved,
                                   PatternBenefit benefit = 1);

/// `linalg.transpose`, and a `linalg.generic` that does the same.
void populateTransposeMotionPatterns(RewritePatternSet &patterns,
                                     MovedValues moved,
                                     PatternBenefit benefit = 1);

/// `tensor.extract_slice`, always towards its source: the conversion that
/// follows `moved` and goes below is applied to fewer elements. Not where a
/// slice begins or ends within a block of which it takes another one too.
void populateSliceMotionPatterns(RewritePatternSet &patterns, MovedValues moved,
                                 PatternBenefit benefit = 1);

/// `tensor.pad` with a constant, which is converted too. Only where that
/// constant is the exact counterpart, bit for bit, in every group of elements
/// that is padded.
void populatePadMotionPatterns(RewritePatternSet &patterns, MovedValues moved,
                               PatternBenefit benefit = 1);

/// The max poolings of linalg, towards codes only. Only where no code falls as
/// its real value grows (tried, or known of the semantics), every window has
/// one scale and zero point, and NaN, infinities, zeros and the initial value
/// give the same bits.
void populateMaxPoolMotionPatterns(RewritePatternSet &patterns,
                                   PatternBenefit benefit = 1);

/// Elementwise ops above a `tensor.collapse_shape`, where they lead from a
/// contraction, such as a convolution in groups, to a quantize.
void populateElementwiseMotionPatterns(RewritePatternSet &patterns,
                                       PatternBenefit benefit = 1);

/// All of the above, as `qdq-motion` applies them. Each leaves every bit of
/// every result as it was. Apply one direction at a time: the two undo each
/// other.
void populateMotionPatterns(RewritePatternSet &patterns, MovedValues moved,
                            PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_MOTION_H
