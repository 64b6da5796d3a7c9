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
template <typename ConvertOp>
FailureOr<SmallVector<ElementFunction>>
getElementFunctions(ConvertOp op, PatternRewriter &rewriter) {
  if (!op.getSemanticsFields().isComplete())
    return rewriter.notifyMatchFailure(op, "leaves semantics open");
  auto parameters = getConstantParameters(op);
  if (!parameters)
    return rewriter.notifyMatchFailure(op, "parameters are not constant");
  Semantics semantics = resolve(op.getSemanticsFields(), op.getElementTypes());
  SmallVector<ElementFunction> functions;
  for (const GroupParameters &group : *parameters)
    functions.push_back(getFunction(op, semantics, group));
  return functions;
}

/// The common result of `functions` on `value`, bit for bit; nothing where they
/// differ.
std::optional<Number> getCommonImage(ArrayRef<ElementFunction> functions,
                                     const Number &value);

/// A value of which `op` makes `image` in every group, bit for bit. Tries the
/// one that converts back, so that others are not found.
template <typename ConvertOp>
std::optional<Number> getCommonPreimage(ConvertOp op, const Number &image,
                                        PatternRewriter &rewriter);

/// A constant of the signless form of `type`.
Value createConstant(RewriterBase &rewriter, Location loc, const Number &number,
                     Type type);

/// `pad` of another value with other padding.
Value createPad(RewriterBase &rewriter, tensor::PadOp pad, Value value,
                const Number &padding);

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_MOTION_MOTIONCONSTANTS_H
