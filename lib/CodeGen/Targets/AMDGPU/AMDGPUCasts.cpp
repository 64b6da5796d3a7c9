// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts of small floats as the arith ops of which upstream's
// convert-arith-to-amdgpu makes instructions.

#include "../Generic/CastTarget.h"
#include "../Generic/FloatClamp.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/Numerics/FloatFormats.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;
using namespace mlir::qdq;

static FloatType getFormat(Value v) {
  return cast<FloatType>(getElementTypeOrSelf(v));
}

/// 8-bit floats that convert from and to f32 without a scale.
static bool hasFormat(NativeTarget target, FloatType format) {
  if (target == NativeTarget::GFX942)
    return isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(format);
  return isa<Float8E4M3FNType, Float8E5M2Type>(format);
}

/// The formats of v_cvt_scalef32_*. Upstream's op of 6-bit floats fails its own
/// verifier: docs/upstream/amdgpu-scaled-f6.
static bool hasScaledFormat(FloatType format) {
  return isa<Float4E2M1FNType, Float8E4M3FNType, Float8E5M2Type>(format);
}

static bool hasFixedShape(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? !vector.isScalable() : isa<FloatType>(type);
}

/// The f8E8M0FNU that `v` is, in f32, where all lanes that one instruction
/// takes visibly have one scale. Null for others.
static Value getBlockScale(Value v) {
  auto extension = v.getDefiningOp<arith::ExtFOp>();
  if (!extension || !getFormat(v).isF32())
    return {};
  Value scale = extension.getIn();
  if (!isa<Float8E8M0FNUType>(getFormat(scale)))
    return {};
  if (isa<VectorType>(scale.getType()) &&
      !scale.getDefiningOp<vector::BroadcastOp>())
    return {};
  return scale;
}

/// `v` in the shape of `like`.
static Value broadcastLike(ImplicitLocOpBuilder &b, Value v, Value like) {
  auto vector = dyn_cast<VectorType>(like.getType());
  if (!vector)
    return v;
  return vector::BroadcastOp::create(b, vector.clone(getElementTypeOrSelf(v)),
                                     v);
}

/// The f8E8M0FNU 1 in the shape of `like`.
static Value getUnitScale(ImplicitLocOpBuilder &b, Value like) {
  constexpr int64_t kOne = 127;
  Value scale = arith::BitcastOp::create(
      b, Float8E8M0FNUType::get(b.getContext()),
      arith::ConstantIntOp::create(b, b.getI8Type(), kOne));
  return broadcastLike(b, scale, like);
}

/// The 4-bit codes of `x / scale`. A NaN has the largest code; none of `x`
/// reaches the instruction, which has no rule for it.
static Value emitScaledF4(ImplicitLocOpBuilder &b, Value isNaN, Value x,
                          Value scale, Type result) {
  Value infinity =
      createNumber(b, x.getType(), APFloat::getInf(APFloat::IEEEsingle()));
  x = arith::SelectOp::create(b, isNaN, infinity, x);
  return arith::ScalingTruncFOp::create(b, result, x, scale,
                                        arith::RoundingModeAttr(),
                                        arith::FastMathFlagsAttr());
}

/// The same where a scale may be a NaN: once for all its lanes, it becomes the
/// largest scale, by which infinity stays infinite.
static Value emitScaledF4(ImplicitLocOpBuilder &b, Value x, Value scale,
                          Type result) {
  constexpr int64_t kNaN = 255;
  auto broadcast = scale.getDefiningOp<vector::BroadcastOp>();
  Value source = broadcast ? broadcast.getSource() : scale;
  Scalar codes = Scalar(b, source).bitcast(b.getI8Type());
  Scalar isNaNCode = equal(codes, kNaN);
  Value finite = minUnsigned(codes, kNaN - 1).bitcast(getFormat(source));
  Value isNaNLane = isNaN({b, x}) | broadcastLike(b, isNaNCode, x);
  return emitScaledF4(b, isNaNLane, x, broadcastLike(b, finite, x), result);
}

/// The value of which `op` is the code, if it rounds once, to nearest even,
/// from f32, and has its own format's code for what is beyond the largest one.
/// Null for others.
static Value getEncoded(arith::TruncFOp op) {
  if (!hasFixedShape(op.getType()) || !getFormat(op.getIn()).isF32() ||
      op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
          arith::RoundingMode::to_nearest_even)
    return {};
  FloatType format = getFormat(op.getOut());
  std::optional<FloatClamp> clamp = matchFloatClamp(op.getIn());
  if (!isa<Float4E2M1FNType>(format) || !clamp)
    return op.getIn();
  // The cast itself has the largest code for these, and for a NaN.
  double largest =
      APFloat::getLargest(format.getFloatSemantics()).convertToDouble();
  return clamp->isSymmetric(largest) && clamp->nan != FloatClamp::NaN::Low
             ? clamp->source
             : op.getIn();
}

namespace {
/// The codes and the block scale that a product multiplies. Null for others.
struct ScaledCodes {
  explicit ScaledCodes(arith::MulFOp op);

  Value codes, scale;
};
} // namespace

ScaledCodes::ScaledCodes(arith::MulFOp op) {
  if (!hasFixedShape(op.getType()))
    return;
  Value lhs = op.getLhs(), rhs = op.getRhs();
  for (auto [x, y] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
    auto extension = x.getDefiningOp<arith::ExtFOp>();
    Value blockScale = getBlockScale(y);
    if (!extension || !blockScale ||
        !hasScaledFormat(getFormat(extension.getIn())))
      continue;
    codes = extension.getIn();
    scale = blockScale;
  }
}

/// A product with a block scale.
static LogicalResult decodeScaled(arith::MulFOp op, PatternRewriter &rewriter) {
  ScaledCodes scaled(op);
  if (!scaled.codes)
    return rewriter.notifyMatchFailure(op, "does not scale codes by blocks");
  rewriter.replaceOpWithNewOp<arith::ScalingExtFOp>(
      op, op.getType(), scaled.codes, scaled.scale, arith::FastMathFlagsAttr());
  return success();
}

/// The product in bf16, which holds every scale: one rounding in either type.
static LogicalResult decodeScaledToBF16(arith::TruncFOp op,
                                        PatternRewriter &rewriter) {
  auto scaled = op.getIn().getDefiningOp<arith::ScalingExtFOp>();
  if (!scaled || !getFormat(op.getOut()).isBF16() || op.getRoundingmode() ||
      !isa<Float8E8M0FNUType>(getFormat(scaled.getScale())))
    return rewriter.notifyMatchFailure(op, "is no scaled code in bf16");
  rewriter.replaceOpWithNewOp<arith::ScalingExtFOp>(
      op, op.getType(), scaled.getIn(), scaled.getScale(),
      arith::FastMathFlagsAttr());
  return success();
}

/// A quotient by a block scale.
static LogicalResult encodeScaled(arith::TruncFOp op,
                                  PatternRewriter &rewriter) {
  FloatType format = getFormat(op.getOut());
  Value encoded = getEncoded(op);
  if (!encoded || !hasScaledFormat(format))
    return rewriter.notifyMatchFailure(op, "has no instruction");
  auto quotient = encoded.getDefiningOp<arith::DivFOp>();
  Value scale = quotient ? getBlockScale(quotient.getRhs()) : Value();
  if (!scale)
    return rewriter.notifyMatchFailure(op, "is not scaled by blocks");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value x = quotient.getLhs();
  rewriter.replaceOp(
      op, isa<Float4E2M1FNType>(format)
              ? emitScaledF4(b, x, scale, op.getType())
              : arith::ScalingTruncFOp::create(b, op.getType(), x, scale,
                                               arith::RoundingModeAttr(),
                                               arith::FastMathFlagsAttr()));
  return success();
}

/// The scales of the first `rank` dimensions.
static Value readScales(ImplicitLocOpBuilder &b, vector::TransferReadOp op,
                        size_t rank) {
  if (rank == 0)
    return isa<TensorType>(op.getShapedType())
               ? tensor::ExtractOp::create(b, op.getBase(), op.getIndices())
                     .getResult()
               : memref::LoadOp::create(b, op.getBase(), op.getIndices())
                     .getResult();
  VectorType type = op.getVectorType();
  SmallVector<int64_t> shape(type.getShape().take_front(rank));
  AffineMap map = op.getPermutationMap();
  auto once = vector::TransferReadOp::create(
      b, VectorType::get(shape, type.getElementType()), op.getBase(),
      op.getIndices(),
      AffineMap::get(map.getNumDims(), 0, map.getResults().take_front(rank),
                     b.getContext()),
      op.getPadding(), /*mask=*/Value(),
      b.getArrayAttr(op.getInBounds().getValue().take_front(rank)));
  shape.resize(type.getRank(), 1);
  return vector::ShapeCastOp::create(
      b, VectorType::get(shape, type.getElementType()), once);
}

/// A read that repeats scales along its innermost dimensions, as a read of each
/// once and a broadcast in sight.
static LogicalResult broadcastScale(vector::TransferReadOp op,
                                    PatternRewriter &rewriter) {
  VectorType type = op.getVectorType();
  ArrayRef<AffineExpr> map = op.getPermutationMap().getResults();
  auto isRepeated = llvm::IsaPred<AffineConstantExpr>;
  auto repeated = llvm::find_if(map, isRepeated);
  if (!isa<Float8E8M0FNUType>(type.getElementType()) || type.isScalable() ||
      op.getMask() || repeated == map.end() ||
      !std::all_of(repeated, map.end(), isRepeated))
    return rewriter.notifyMatchFailure(op, "does not repeat scales");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  rewriter.replaceOpWithNewOp<vector::BroadcastOp>(
      op, type, readScales(b, op, repeated - map.begin()));
  return success();
}

/// 4 bits have no instruction without a scale.
static LogicalResult decodeUnscaledF4(arith::ExtFOp op,
                                      PatternRewriter &rewriter) {
  if (!hasFixedShape(op.getType()) || getFormat(op.getOut()).getWidth() < 16 ||
      getFormat(op.getOut()).isF64() ||
      !isa<Float4E2M1FNType>(getFormat(op.getIn())))
    return rewriter.notifyMatchFailure(op, "is not a code of 4 bits");
  if (llvm::any_of(op->getUsers(), [](Operation *user) {
        auto product = dyn_cast<arith::MulFOp>(user);
        return product && ScaledCodes(product).codes;
      }))
    return rewriter.notifyMatchFailure(op, "is scaled by blocks");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  rewriter.replaceOpWithNewOp<arith::ScalingExtFOp>(
      op, op.getType(), op.getIn(), getUnitScale(b, op.getIn()),
      arith::FastMathFlagsAttr());
  return success();
}

static LogicalResult encodeUnscaledF4(arith::TruncFOp op,
                                      PatternRewriter &rewriter) {
  Value encoded = getEncoded(op);
  if (!encoded || !isa<Float4E2M1FNType>(getFormat(op.getOut())))
    return rewriter.notifyMatchFailure(op, "is not from f32 to f4E2M1FN");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  rewriter.replaceOp(op, emitScaledF4(b, isNaN({b, encoded}), encoded,
                                      getUnitScale(b, encoded), op.getType()));
  return success();
}

/// Upstream goes from f64 through f32, and rounds twice:
/// docs/upstream/amdgpu-truncf-of-f64.
static LogicalResult encodeF64(arith::TruncFOp op, PatternRewriter &rewriter,
                               NativeTarget target) {
  if (!getFormat(op.getIn()).isF64() || op.getRoundingmode() ||
      !hasFixedShape(op.getType()) ||
      !hasFormat(target, getFormat(op.getOut())))
    return rewriter.notifyMatchFailure(op, "is not from f64 to 8 bits");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value odd = emitTruncateToOdd(b, op.getIn(), b.getF32Type());
  rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), odd);
  return success();
}

std::string mlir::qdq::whyNotAMDGPU(Operation *op, NativeTarget target) {
  Value in = op->getOperand(0), out = op->getResult(0);
  if (!hasFixedShape(out.getType()))
    return "it is neither on a scalar nor on a vector of fixed size";
  bool isExtension = isa<arith::ExtFOp>(op);
  FloatType format = getFormat(isExtension ? in : out);
  FloatType real = getFormat(isExtension ? out : in);
  if (real.getWidth() < 16)
    return "it is from one small float to another";
  if (isExtension && isa<Float8E8M0FNUType>(format))
    return "no instruction takes its scale: the elements have another format, "
           "or "
           "it is not visibly broadcast";
  if (!hasFormat(target, format))
    return "the target does not have the format";
  auto truncation = dyn_cast<arith::TruncFOp>(op);
  if (truncation && truncation.getRoundingmode())
    return "it names a rounding mode";
  return "";
}

void mlir::qdq::populateAMDGPUCastsPatterns(RewritePatternSet &patterns,
                                            NativeTarget target,
                                            PatternBenefit benefit) {
  MLIRContext *ctx = patterns.getContext();
  patterns.add<FunctionPattern<encodeF64>>(ctx, target, benefit);
  if (target != NativeTarget::GFX950)
    return;
  PatternBenefit scaled(benefit.getBenefit() + 1);
  patterns
      .add<FunctionPattern<decodeScaled>, FunctionPattern<decodeScaledToBF16>,
           FunctionPattern<encodeScaled>, FunctionPattern<broadcastScale>>(
          ctx, scaled);
  patterns.add<FunctionPattern<decodeUnscaledF4>,
               FunctionPattern<encodeUnscaledF4>>(ctx, benefit);
}
