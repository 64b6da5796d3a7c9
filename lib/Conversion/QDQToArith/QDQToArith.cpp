// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq ops on scalars and vectors to arith and math ops of the same shape.

#include "qdq/Conversion/QDQToArith/QDQToArith.h"
#include "../EncodeElement.h"
#include "../IdleProfile.h"
#include "Lowerings.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/QDQToArith/Fields.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/IR/Walk.h"
#include "qdq/IR/ZeroPoints.h"
#include "qdq/Numerics/Emitter.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTQDQTOARITHPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// The most elements of a vector whose positions are a constant.
static constexpr int64_t kMaxPositions = 1 << 20;

/// The indices of all elements in one dimension, or in all of them for `dim` =
/// -1, row-major.
static Value emitIndices(ImplicitLocOpBuilder &b, Type valueType,
                         int64_t dim = -1) {
  auto vectorType = dyn_cast<VectorType>(valueType);
  if (!vectorType)
    return arith::ConstantIntOp::create(b, 0, 64);
  int64_t stride = 1, size = vectorType.getNumElements();
  if (dim >= 0) {
    size = vectorType.getDimSize(dim);
    stride =
        ShapedType::getNumElements(vectorType.getShape().drop_front(dim + 1));
  }
  auto indices = llvm::map_to_vector(
      llvm::seq<int64_t>(0, vectorType.getNumElements()),
      [&](int64_t position) { return position / stride % size; });
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(vectorType.clone(b.getI64Type()),
                                ArrayRef<int64_t>(indices)));
}

/// The row-major position of each element in the whole, as i64.
static Value emitPositions(ImplicitLocOpBuilder &b, QuantizeOp op) {
  Type type = op.getInput().getType();
  if (!op.hasPosition())
    return emitIndices(b, type);
  auto vectorType = dyn_cast<VectorType>(type);
  // One number for all elements.
  auto splat = [&](OpFoldResult number) -> Value {
    Value value = arith::IndexCastOp::create(
        b, b.getI64Type(),
        getValueOrCreateConstantIndexOp(b, b.getLoc(), number));
    if (!vectorType)
      return value;
    return vector::BroadcastOp::create(b, vectorType.clone(b.getI64Type()),
                                       value);
  };
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  int64_t outer = offsets.size() - (vectorType ? vectorType.getRank() : 0);
  Value position;
  for (auto [dim, size] : llvm::enumerate(op.getMixedWholeSizes())) {
    int64_t inner = static_cast<int64_t>(dim) - outer;
    Value index = splat(offsets[dim]);
    if (inner >= 0)
      index = arith::AddIOp::create(b, index, emitIndices(b, type, inner));
    if (position)
      index = arith::AddIOp::create(
          b, arith::MulIOp::create(b, position, splat(size)), index);
    position = index;
  }
  return position ? position : emitIndices(b, type);
}

/// `qdq.quantize` or `qdq.dequantize` on a scalar or vector.
template <typename OpTy>
static LogicalResult lowerElements(OpTy op, PatternRewriter &rewriter,
                                   const SemanticsOptions &options,
                                   bool elementOps) {
  Type valueType = op.getInput().getType();
  if (isa<TensorType>(valueType))
    return rewriter.notifyMatchFailure(op, "is on a tensor");
  auto vectorType = dyn_cast<VectorType>(valueType);
  if (vectorType && vectorType.isScalable() &&
      !isSingleElement(op.getScale().getType()))
    return rewriter.notifyMatchFailure(
        op, "has one parameter per axis or block on a scalable vector");

  Semantics semantics = op.resolveSemantics(options);
  if (vectorType && semantics.rounding == Rounding::Stochastic) {
    if (vectorType.isScalable())
      return rewriter.notifyMatchFailure(
          op, "rounds stochastically on a scalable vector");
    auto isLong = [](int64_t size) { return size > kMaxPositions; };
    if (llvm::any_of(vectorType.getShape(), isLong) ||
        isLong(vectorType.getNumElements()))
      return rewriter.notifyMatchFailure(
          op, "rounds stochastically more than 2^20 elements of a vector");
  }
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Granularity granularity = op.getGranularity();
  auto prepare = [&](Value parameter) {
    return spreadParameter(b, asSignless(b, b.getLoc(), parameter), granularity,
                           valueType);
  };
  ZeroPoint zeroPoint;
  if (op.getZeroPoint() && !isNeutralZeroPoint(op, semantics))
    zeroPoint = {prepare(op.getZeroPoint()),
                 isSignedStorage(getElementTypeOrSelf(op.getZeroPoint())),
                 op.getDomain()};
  Value input = asSignless(b, b.getLoc(), op.getInput());
  Value scale = prepare(op.getScale());
  Value result;
  if constexpr (std::is_same_v<OpTy, QuantizeOp>) {
    auto index = [&] { return emitPositions(b, op); };
    Value seed = op.getRuntimeSeed();
    if (seed && semantics.rounding == Rounding::Stochastic)
      seed = prepare(seed);
    ElementEncoder encoder{semantics, op.getStorageElementType(),
                           op.getClampAttr(), elementOps};
    result = encoder.emit(b, input, scale, zeroPoint, {index, seed},
                          isSignedStorage(op.getElementTypes().expressed));
  } else {
    result =
        emitDequantize(b, semantics, op.getStorage(),
                       cast<FloatType>(getElementTypeOrSelf(op.getResult())),
                       input, scale, zeroPoint);
  }
  rewriter.replaceOp(
      op, castElementType(b, b.getLoc(), result, op.getResult().getType()));
  return success();
}

static LogicalResult lowerEncode(EncodeOp op, PatternRewriter &rewriter,
                                 const SemanticsOptions &options) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  rewriter.replaceOp(op, expandEncode(b, op, options.contractionProof));
  return success();
}

template <typename OpTy>
static LogicalResult lowerField(OpTy op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  rewriter.replaceOp(op, expandField(b, op));
  return success();
}

static LogicalResult lowerLookup(LookupOp op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  rewriter.replaceOp(op, expandLookup(b, op));
  return success();
}

namespace {
struct ConvertQDQToArithPass
    : qdq::impl::ConvertQDQToArithPassBase<ConvertQDQToArithPass> {
  using ConvertQDQToArithPassBase::ConvertQDQToArithPassBase;

  void runOnOperation() override {
    auto isIllegal = [&](Operation *op) {
      if (isElementOp(op))
        return !elementOps;
      return isa<QuantizeOp, DequantizeOp, RequantizeOp>(op) &&
             !isa<TensorType>(op->getOperand(0).getType());
    };
    if (!hasAny(getOperation(), isIllegal))
      return markAllAnalysesPreserved();
    RewritePatternSet patterns(&getContext());
    auto semantics = SemanticsOptions::from(*this);
    semantics.contractionProof = contractionProof;
    populateQDQToArithPatterns(patterns, semantics, /*benefit=*/1, elementOps);
    warnOfIdleProfile(getOperation(), semantics, isIllegal);
    if (failed(convertByWalk(getOperation(), std::move(patterns), isIllegal)))
      signalPassFailure();
  }
};
} // namespace

void mlir::qdq::populateQDQToArithPatterns(RewritePatternSet &patterns,
                                           const SemanticsOptions &options,
                                           PatternBenefit benefit,
                                           bool elementOps) {
  MLIRContext *ctx = patterns.getContext();
  loadDependentDialects(ctx, createConvertQDQToArithPass());
  patterns.add<FunctionPattern<lowerElements<QuantizeOp>>,
               FunctionPattern<lowerElements<DequantizeOp>>>(
      ctx, options, elementOps, benefit);
  if (!elementOps) {
    patterns.add<FunctionPattern<lowerEncode>>(ctx, options, benefit);
    patterns.add<FunctionPattern<lowerField<ExtractFieldOp>>,
                 FunctionPattern<lowerField<DepositFieldOp>>,
                 FunctionPattern<lowerLookup>>(ctx, benefit);
  }
  patterns.add<FunctionPattern<lowerRequantize>>(ctx, options, benefit);
}
