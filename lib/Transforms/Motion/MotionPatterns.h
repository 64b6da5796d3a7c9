// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by all motions: when a conversion may pass, and the two patterns.

#ifndef QDQ_LIB_TRANSFORMS_MOTION_MOTIONPATTERNS_H
#define QDQ_LIB_TRANSFORMS_MOTION_MOTIONPATTERNS_H

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/Transforms/Motion.h"

namespace mlir::qdq {

/// A movement that a conversion passes: the element at one position moves to
/// another one.
enum class PositionChange {
  /// Row-major positions stay: reshapes.
  None,
  /// The elements are a part of the whole, which knows where it lies: slices.
  Part,
  /// All others.
  Any
};

/// Fails, with a reason, unless `op` is a conversion of a ranked tensor that
/// may pass `movement` as far as the op itself knows.
template <typename ConvertOp>
LogicalResult checkMotion(ConvertOp op, Operation *movement,
                          PositionChange change, PatternRewriter &rewriter);

/// Says where in the input of `op` its slice lies, if `part`, the moved
/// conversion, draws by positions.
void placePart(RewriterBase &rewriter, Operation *op,
               OffsetSizeAndStrideOpInterface slice, Operation *part);

/// `op` on another input, with other scales and zero points (null: none), whose
/// granularity it has. All else about it stays, but a position that it does not
/// need.
template <typename ConvertOp>
Value convert(RewriterBase &rewriter, ConvertOp op, Value input, Value scale,
              Value zeroPoint, const Granularity &granularity);

/// A type of the same shape.
inline RankedTensorType withElementType(Type shaped, Type elementType) {
  return cast<RankedTensorType>(shaped).clone(elementType);
}

/// `movement`, an op that only moves elements of its first operand, of another
/// value of the same shape.
template <typename Movement>
Value moveLike(RewriterBase &rewriter, Movement movement, Value value) {
  SmallVector<Value> operands(movement->getOperands());
  operands[0] = value;
  Type type = withElementType(movement.getType(), getElementTypeOrSelf(value));
  return clone(rewriter, movement, type, operands)->getResult(0);
}

/// A tensor of integers without signedness, which `arith` and `linalg` take,
/// with the same bits; the type that `value` had.
inline Value toSignless(RewriterBase &rewriter, Value value) {
  return castElementType(rewriter, value.getLoc(), value,
                         toSignless(value.getType()));
}
inline Value fromSignless(RewriterBase &rewriter, Value value,
                          Type elementType) {
  return castElementType(rewriter, value.getLoc(), value,
                         withElementType(value.getType(), elementType));
}

/// The effect of a movement on the moved value and on parameters. A
/// `Motion` is made of its op and gives:
///
/// - `Op`, the op; `static PositionChange getPositionChange(Op)`;
/// - `static Value getSource(Op)`: null if this op moves nothing;
/// - `static Value apply(RewriterBase &, Op, Value)`: the movement of another
///    value of the same shape;
/// - `Motion(Op, bool isForward)`: how parameters follow, from the source to
///   the result of the movement, or back;
/// - `FailureOr<Granularity> move(const Granularity &, StringRef &reason)`;
/// - `bool canMove(RankedTensorType parameter, const Granularity &moved)`;
/// - `Value moveParameter(RewriterBase &, Value parameter, const Granularity
///   &moved, Value input)`: `input` is what the moved conversion takes.
///
/// The parameters of `op` after a motion. Changes nothing before all is known
/// to go.
template <typename Motion, typename ConvertOp>
FailureOr<Granularity> checkParameters(ConvertOp op, Motion &motion,
                                       PatternRewriter &rewriter) {
  StringRef reason;
  FailureOr<Granularity> moved = motion.move(op.getGranularity(), reason);
  if (failed(moved))
    return rewriter.notifyMatchFailure(op, reason);
  for (Value parameter : {op.getScale(), op.getZeroPoint()})
    if (parameter && !isSingleElement(parameter.getType()) &&
        !motion.canMove(cast<RankedTensorType>(parameter.getType()), *moved))
      return rewriter.notifyMatchFailure(
          op, "the sizes of a parameter are not known well enough");
  return moved;
}

template <typename Motion, typename ConvertOp>
Value convertMoved(ConvertOp op, Motion &motion, const Granularity &moved,
                   Value input, PatternRewriter &rewriter) {
  auto follow = [&](Value parameter) -> Value {
    if (!parameter || isSingleElement(parameter.getType()))
      return parameter;
    return motion.moveParameter(rewriter, parameter, moved, input);
  };
  Value scale = follow(op.getScale());
  Value zeroPoint = follow(op.getZeroPoint());
  return convert(rewriter, op, input, scale, zeroPoint, moved);
}

/// `move(convert(x))` to `convert(move(x))`.
template <typename Motion, typename ConvertOp>
LogicalResult sinkBelow(typename Motion::Op movement,
                        PatternRewriter &rewriter) {
  Value source = Motion::getSource(movement);
  auto op = source ? source.getDefiningOp<ConvertOp>() : ConvertOp();
  if (!op)
    return rewriter.notifyMatchFailure(movement,
                                       "does not move the result of a " +
                                           ConvertOp::getOperationName());
  // A dequantize may be made twice: it is cheap, and its users take it in.
  if (isa<QuantizeOp>(op) && !op->hasOneUse())
    return rewriter.notifyMatchFailure(op, "has other uses");
  PositionChange change = Motion::getPositionChange(movement);
  if (failed(checkMotion(op, movement, change, rewriter)))
    return failure();
  Motion motion(movement, /*isForward=*/true);
  FailureOr<Granularity> moved = checkParameters(op, motion, rewriter);
  if (failed(moved))
    return failure();
  Value input = Motion::apply(rewriter, movement, op.getInput());
  Value converted = convertMoved(op, motion, *moved, input, rewriter);
  if constexpr (std::is_same_v<typename Motion::Op, tensor::ExtractSliceOp>)
    if (change == PositionChange::Part)
      placePart(rewriter, op, movement, converted.getDefiningOp());
  rewriter.replaceOp(movement, converted);
  return success();
}

/// `convert(move(x))` to `move(convert(x))`.
template <typename Motion, typename ConvertOp>
LogicalResult hoistAbove(ConvertOp op, PatternRewriter &rewriter) {
  auto movement = op.getInput().template getDefiningOp<typename Motion::Op>();
  Value source = movement ? Motion::getSource(movement) : Value();
  if (!source)
    return rewriter.notifyMatchFailure(op, "does not convert the result of a " +
                                               Motion::Op::getOperationName());
  if (!movement->hasOneUse())
    return rewriter.notifyMatchFailure(movement, "has other uses");
  if (failed(checkMotion(op, movement, Motion::getPositionChange(movement),
                         rewriter)))
    return failure();
  Motion motion(movement, /*isForward=*/false);
  FailureOr<Granularity> moved = checkParameters(op, motion, rewriter);
  if (failed(moved))
    return failure();
  Value converted = convertMoved(op, motion, *moved, source, rewriter);
  rewriter.replaceOp(op, Motion::apply(rewriter, movement, converted));
  return success();
}

/// The pattern of each conversion that makes `moved` the side of the movement.
template <typename Motion>
void addMotion(RewritePatternSet &patterns, MovedValues moved,
               PatternBenefit benefit) {
  MLIRContext *ctx = patterns.getContext();
  if (moved == MovedValues::Codes)
    patterns.add<FunctionPattern<sinkBelow<Motion, DequantizeOp>>,
                 FunctionPattern<hoistAbove<Motion, QuantizeOp>>>(ctx, benefit);
  else
    patterns.add<FunctionPattern<sinkBelow<Motion, QuantizeOp>>,
                 FunctionPattern<hoistAbove<Motion, DequantizeOp>>>(ctx,
                                                                    benefit);
}

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_MOTION_MOTIONPATTERNS_H
