// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants that movements bring in (padding, initial values), on both sides of
// a conversion.

#ifndef QDQ_LIB_TRANSFORMS_MOTION_MOTIONCONSTANTS_H
#define QDQ_LIB_TRANSFORMS_MOTION_MOTIONCONSTANTS_H

#include "../Analysis/ElementFunctions.h"
#include "MotionPatterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <functional>

namespace mlir::qdq {

/// A conversion of one element; nothing where the semantics define none.
using ElementFunction = std::function<std::optional<Number>(const Number &)>;

/// The conversion of each group of elements, or of all where they are alike.
/// Fails, with a reason, unless parameters and semantics decide them.
FailureOr<SmallVector<ElementFunction>>
getElementFunctions(QuantizeOp op, PatternRewriter &rewriter);
FailureOr<SmallVector<ElementFunction>>
getElementFunctions(DequantizeOp op, PatternRewriter &rewriter);

/// The common result of `functions` on `value`, bit for bit; nothing where they
/// differ.
std::optional<Number> getCommonImage(ArrayRef<ElementFunction> functions,
                                     const Number &value);

/// A value of which `op` makes `image` in every group, bit for bit. Tries the
/// one that converts back, so that others are not found.
std::optional<Number> getCommonPreimage(QuantizeOp op, const Number &image,
                                        PatternRewriter &rewriter);
std::optional<Number> getCommonPreimage(DequantizeOp op, const Number &image,
                                        PatternRewriter &rewriter);

/// A constant of the signless form of `type`.
Value createConstant(RewriterBase &rewriter, Location loc, const Number &number,
                     Type type);

/// `pad` of another value with other padding.
Value createPad(RewriterBase &rewriter, tensor::PadOp pad, Value value,
                const Number &padding);

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_MOTION_MOTIONCONSTANTS_H
