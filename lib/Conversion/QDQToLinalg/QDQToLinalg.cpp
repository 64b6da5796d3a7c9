// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.quantize and qdq.dequantize on tensors to one linalg.generic each.

#include "qdq/Conversion/QDQToLinalg/QDQToLinalg.h"
#include "../EncodeElement.h"
#include "../IdleProfile.h"
#include "ElementGeneric.h"
#include "Lowerings.h"
#include "NeighborSplits.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/FoldUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/IR/Walk.h"
#include "qdq/IR/ZeroPoints.h"
#include "qdq/Numerics/Emitter.h"
#include "qdq/Numerics/Scalar.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTQDQTOLINALGPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// The row-major position in loops of these sizes, as i64. The sizes come from
/// outside the body, so tiling does not change them. A part of a whole has its
/// position in the whole, to which the first loops of a dimension belong.
static Value emitLinearIndex(ImplicitLocOpBuilder &b, QuantizeOp op,
                             const IterationSpace &space,
                             ArrayRef<OpFoldResult> sizes) {
  Scalar position(b, arith::ConstantIndexOp::create(b, 0));
  auto extend = [&](OpFoldResult size, Value index) {
    Value extent = getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
    position = position * extent + index;
  };
  if (!op.hasPosition()) {
    for (auto [loop, size] : llvm::enumerate(sizes))
      extend(size, linalg::IndexOp::create(b, loop));
    return position.to(b.getI64Type());
  }
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  int64_t outer =
      offsets.size() - cast<ShapedType>(op.getInput().getType()).getRank();
  for (auto [dim, whole] : llvm::enumerate(op.getMixedWholeSizes())) {
    Value index = getValueOrCreateConstantIndexOp(b, b.getLoc(), offsets[dim]);
    int64_t inner = static_cast<int64_t>(dim) - outer;
    if (inner >= 0)
      for (auto [loop, stride] :
           llvm::zip(space.getLoops(inner), space.getStrides(inner)))
        index = Scalar(b, index) +
                Scalar(b, linalg::IndexOp::create(b, loop)) * stride;
    extend(whole, index);
  }
  return position.to(b.getI64Type());
}

namespace {
/// The computation of a generic's body for one element.
template <typename OpTy>
class ElementBody {
public:
  ElementBody(ImplicitLocOpBuilder &b, OpTy op, const IterationSpace &space,
              const QDQToLinalgOptions &options,
              SmallVectorImpl<MappedParameter> &operands)
      : op(op), space(space), semantics(op.resolveSemantics(options)),
        elementOps(options.elementOps), zeroPointTensor(getZeroPointTensor()),
        scale(b, space, op.getScale(), space.getParameterDims(), operands),
        zeroPoint(b, space, zeroPointTensor, space.getParameterDims(),
                  operands) {}

  /// The element for `input`; `arguments` belong to the operands, `sizes` are
  /// the extents of the loops.
  Value emit(ImplicitLocOpBuilder &b, Value input, ValueRange arguments,
             ArrayRef<OpFoldResult> sizes) {
    ZeroPoint z;
    if (zeroPointTensor)
      z = {zeroPoint.get(b, arguments),
           isSignedStorage(getElementTypeOrSelf(zeroPointTensor)),
           op.getDomain()};
    Value s = scale.get(b, arguments);
    if constexpr (std::is_same_v<OpTy, QuantizeOp>) {
      auto index = [&] { return emitLinearIndex(b, op, space, sizes); };
      ElementEncoder encoder{semantics, op.getStorageElementType(),
                             op.getClampAttr(), elementOps};
      return encoder.emit(b, input, s, z, {index, op.getRuntimeSeed()},
                          isSignedStorage(op.getElementTypes().expressed));
    } else {
      return emitDequantize(
          b, semantics, op.getStorage(),
          cast<FloatType>(getElementTypeOrSelf(op.getResult())), input, s, z);
    }
  }

private:
  OpTy op;
  const IterationSpace &space;
  Semantics semantics;
  bool elementOps;
  /// Null where it changes nothing.
  Value zeroPointTensor;
  BodyParameter scale, zeroPoint;

  Value getZeroPointTensor() {
    if (op.getZeroPoint() && isNeutralZeroPoint(op, semantics))
      return Value();
    return op.getZeroPoint();
  }
};
} // namespace

/// The loops on which the neighbor that holds the codes works too.
static IterationSpace::Splits getCodeSplits(QuantizeOp op) {
  return getConsumerSplits(op.getResult());
}
static IterationSpace::Splits getCodeSplits(DequantizeOp op) {
  return getProducerSplits(op.getInput());
}

/// The loops on which neighbors work too: those that hold the codes, and those
/// that hold a packed zero point.
template <typename OpTy>
static IterationSpace::Splits getWishes(OpTy op) {
  IterationSpace::Splits wishes = getCodeSplits(op);
  if (!op.getZeroPoint())
    return wishes;
  IterationSpace::Splits slots = getUnpackSplits(op.getZeroPoint());
  Granularity granularity = op.getGranularity();
  for (auto [dim, lengths] : llvm::enumerate(slots)) {
    int64_t block =
        granularity.isBlock() ? granularity.getBlockShape()[dim] : 1;
    int64_t to = granularity.isAxis() ? granularity.getAxis() : dim;
    for (int64_t length : lengths)
      if (block > 0)
        wishes[to].push_back(length * block);
  }
  return wishes;
}

/// The generic of an op on a ranked tensor, and the value that replaces the
/// op's result.
template <typename OpTy>
static Value lowerRanked(ImplicitLocOpBuilder &b, OpTy op,
                         const IterationSpace &space,
                         const QDQToLinalgOptions &options) {
  Value input = op.getInput();
  if (options.runtimeChecks)
    emitShapeChecks(b, op.getGranularity(), input,
                    {op.getScale(), op.getZeroPoint()});
  ElementGeneric generic(b, op, space);
  ElementBody<OpTy> body(b, op, space, options, generic.operands);
  return generic.create(b, [&](ImplicitLocOpBuilder &nested, Value element,
                               ValueRange arguments) {
    return body.emit(nested, element, arguments, generic.extents);
  });
}

/// The constants that `dims` ask for: one of each in a function.
static void shareDimIndices(ArrayRef<tensor::DimOp> dims, MLIRContext *ctx) {
  OperationFolder folder(ctx);
  for (tensor::DimOp dim : dims)
    if (auto index = dim.getIndex().getDefiningOp<arith::ConstantOp>())
      folder.insertKnownConstant(index);
}

/// `qdq.quantize` or `qdq.dequantize` on a ranked tensor.
template <typename OpTy>
static LogicalResult lowerConversion(OpTy op, PatternRewriter &rewriter,
                                     const QDQToLinalgOptions &options) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type)
    return rewriter.notifyMatchFailure(op, "is not on a ranked tensor");
  std::string reason;
  FailureOr<IterationSpace> space =
      IterationSpace::get(type, op.getGranularity(), op.getScale().getType(),
                          options.blockForm, reason, getWishes(op));
  if (failed(space))
    return rewriter.notifyMatchFailure(op, reason);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  rewriter.replaceOp(op, lowerRanked(b, op, *space, options));
  return success();
}

namespace {
/// Forgets which ops were there before, once they go: others may take their
/// places in memory.
struct FusionListener : DeadProducers {
  FusionListener(DenseSet<Operation *> &kept) : kept(kept) {}

  void notifyOperationErased(Operation *op) override {
    kept.erase(op);
    DeadProducers::notifyOperationErased(op);
  }

  DenseSet<Operation *> &kept;
};

struct ConvertQDQToLinalgPass
    : qdq::impl::ConvertQDQToLinalgPassBase<ConvertQDQToLinalgPass> {
  using ConvertQDQToLinalgPassBase::ConvertQDQToLinalgPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    auto semantics = SemanticsOptions::from(*this);
    semantics.contractionProof = contractionProof;
    populateQDQToLinalgPatterns(
        patterns, {semantics, blockForm, runtimeChecks, elementOps});
    auto isIllegal = [](Operation *op) {
      return isa_and_nonnull<QDQDialect>(op->getDialect()) &&
             isa<TensorType>(op->getOperand(0).getType());
    };
    if (!hasAny(getOperation(), isIllegal))
      return markAllAnalysesPreserved();
    warnOfIdleProfile(getOperation(), semantics, isIllegal);
    // Only generics that the conversion makes take over what others compute.
    DenseSet<Operation *> before;
    auto forEachLinalg = [&](auto fn) {
      getOperation()->walk([&](Operation *op) {
        if (isa<linalg::GenericOp, tensor::BitcastOp, tensor::DimOp,
                tensor::EmptyOp, tensor::ExpandShapeOp,
                tensor::CollapseShapeOp>(op))
          fn(op);
      });
    };
    forEachLinalg([&](Operation *op) { before.insert(op); });
    if (failed(convertByWalk(getOperation(), std::move(patterns), isIllegal)))
      return signalPassFailure();
    SmallVector<Operation *> made;
    DenseSet<Operation *> kept;
    forEachLinalg([&](Operation *op) {
      if (before.contains(op))
        kept.insert(op);
      else
        made.push_back(op);
    });
    RewritePatternSet fusion(&getContext());
    // Vectors need the loop over blocks, which packed zero points would split.
    populateQDQFusionPatterns(fusion, /*benefit=*/1,
                              /*unpackParameters=*/!elementOps);
    GreedyRewriteConfig config;
    FusionListener listener(kept);
    config.enableConstantCSE(false)
        .setStrictness(GreedyRewriteStrictness::ExistingAndNewOps)
        .setListener(&listener);
    bool hasDims = llvm::any_of(made, llvm::IsaPred<tensor::DimOp>);
    if (failed(applyOpPatternsGreedily(made, std::move(fusion), config)))
      signalPassFailure();
    listener.erase(&getContext());
    if (!hasDims)
      return;
    SmallVector<tensor::DimOp> dims;
    getOperation()->walk([&](tensor::DimOp dim) {
      if (!kept.contains(dim))
        dims.push_back(dim);
    });
    shareDimIndices(dims, &getContext());
  }
};
} // namespace

void mlir::qdq::populateQDQToLinalgPatterns(RewritePatternSet &patterns,
                                            const QDQToLinalgOptions &options,
                                            PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createConvertQDQToLinalgPass());
  patterns.add<FunctionPattern<lowerConversion<QuantizeOp>>,
               FunctionPattern<lowerConversion<DequantizeOp>>>(
      patterns.getContext(), options, benefit);
  populateUnrankedPatterns(patterns, benefit);
  patterns.add<FunctionPattern<lowerRequantize>,
               FunctionPattern<lowerChooseParams>>(patterns.getContext(),
                                                   options, benefit);
  populatePackingToLinalgPatterns(patterns, options, benefit);
}
