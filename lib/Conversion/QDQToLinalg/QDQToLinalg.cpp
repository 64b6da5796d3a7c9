// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.quantize and qdq.dequantize on tensors to one linalg.generic each.

#include "qdq/Conversion/QDQToLinalg/QDQToLinalg.h"
#include "IterationSpace.h"
#include "Lowerings.h"
#include "mlir/IR/Matchers.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/IR/ZeroPoints.h"
#include "qdq/Numerics/Emitter.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTQDQTOLINALGPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// A parameter in the body of the generic: a constant made there, a scalar from outside, an operand, or an element that the body loads.
class BodyParameter {
public:
  BodyParameter(ImplicitLocOpBuilder &b, const IterationSpace &space,
                Value value, SmallVectorImpl<Value> &inputs,
                SmallVectorImpl<AffineMap> &maps) {
    if (!value)
      return;
    DenseElementsAttr elements;
    if (matchPattern(value, m_Constant(&elements)) && elements.isSplat()) {
      constant = toSignlessScalar(elements);
      return;
    }
    TypedAttr attr;
    if (matchPattern(value, m_Constant(&attr)) &&
        isa<IntegerAttr, FloatAttr>(attr)) {
      constant = attr;
      return;
    }
    value = asSignless(b, b.getLoc(), value);
    if (!isa<TensorType>(value.getType())) {
      scalar = value;
      return;
    }
    MappedParameter mapped = space.mapParameter(b, value);
    if (!mapped.map.isProjectedPermutation()) {
      loaded = mapped;
      return;
    }
    position = inputs.size();
    inputs.push_back(mapped.tensor);
    maps.push_back(mapped.map);
  }

  /// The scalar for one element.
  Value get(ImplicitLocOpBuilder &b, ValueRange arguments) const {
    if (constant)
      return arith::ConstantOp::create(b, constant);
    if (loaded)
      return load(b);
    return scalar || !position ? scalar : arguments[*position];
  }

private:
  static TypedAttr toSignlessScalar(DenseElementsAttr elements) {
    Type type = toSignless(elements.getElementType());
    if (isa<FloatType>(type))
      return FloatAttr::get(type, elements.getSplatValue<APFloat>());
    return IntegerAttr::get(type, elements.getSplatValue<APInt>());
  }

  /// Not an operand with a `floordiv` map: tiling would slice it as if each tile began at the start of a block.
  Value load(ImplicitLocOpBuilder &b) const {
    SmallVector<OpFoldResult> loops;
    for (unsigned loop = 0; loop < loaded->map.getNumDims(); ++loop)
      loops.push_back(linalg::IndexOp::create(b, loop).getResult());
    SmallVector<Value> indices;
    for (AffineExpr index : loaded->map.getResults())
      indices.push_back(getValueOrCreateConstantIndexOp(
          b, b.getLoc(),
          affine::makeComposedFoldedAffineApply(
              b, b.getLoc(), AffineMap::get(loops.size(), 0, index), loops)));
    return tensor::ExtractOp::create(b, loaded->tensor, indices);
  }

  TypedAttr constant;
  Value scalar;
  std::optional<MappedParameter> loaded;
  std::optional<unsigned> position;
};
} // namespace

/// The row-major position in loops of these sizes, as i64. The sizes come from outside the body, so tiling does not change them.
static Value emitLinearIndex(ImplicitLocOpBuilder &b,
                             ArrayRef<OpFoldResult> sizes) {
  Value position = arith::ConstantIndexOp::create(b, 0);
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    Value extent = getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
    position =
        arith::AddIOp::create(b, arith::MulIOp::create(b, position, extent),
                              linalg::IndexOp::create(b, loop));
  }
  return arith::IndexCastOp::create(b, b.getI64Type(), position);
}

template <typename OpTy>
static Value emitElement(ImplicitLocOpBuilder &b, OpTy op,
                         const Semantics &semantics, const Storage &storage,
                         Value input, Value scale, ZeroPoint zeroPoint,
                         ArrayRef<OpFoldResult> sizes) {
  if constexpr (std::is_same_v<OpTy, QuantizeOp>) {
    auto index = [&] { return emitLinearIndex(b, sizes); };
    return emitQuantize(b, semantics, storage, input, scale, zeroPoint,
                        {index, op.getRuntimeSeed()});
  } else {
    return emitDequantize(b, semantics, storage,
                          cast<FloatType>(getElementTypeOrSelf(op.getResult())),
                          input, scale, zeroPoint);
  }
}

template <typename OpTy>
FailureOr<Value> mlir::qdq::lowerToGeneric(ImplicitLocOpBuilder &b, OpTy op,
                                           const QDQToLinalgOptions &options,
                                           std::string &reason) {
  Storage storage = op.getStorage();
  Semantics semantics = op.resolveSemantics(options.semantics);
  Value input = op.getInput();
  FailureOr<IterationSpace> space = IterationSpace::get(
      cast<RankedTensorType>(input.getType()), op.getGranularity(),
      op.getScale().getType(), options.blockForm, reason);
  if (failed(space))
    return failure();

  Value zeroPointTensor = op.getZeroPoint();
  if (zeroPointTensor && isNeutralZeroPoint(op, semantics))
    zeroPointTensor = Value();
  if (options.runtimeChecks)
    emitShapeChecks(b, op.getGranularity(), input,
                    {op.getScale(), zeroPointTensor});

  Value expanded = space->expand(b, asSignless(b, b.getLoc(), input));
  AffineMap identity = b.getMultiDimIdentityMap(space->getNumLoops());
  SmallVector<Value> inputs = {expanded};
  SmallVector<AffineMap> maps = {identity};
  BodyParameter scale(b, *space, op.getScale(), inputs, maps);
  BodyParameter zeroPoint(b, *space, zeroPointTensor, inputs, maps);
  maps.push_back(identity);

  auto resultType =
      cast<RankedTensorType>(toSignless(op.getResult().getType()));
  Value init =
      tensor::EmptyOp::create(b, tensor::getMixedSizes(b, b.getLoc(), expanded),
                              resultType.getElementType());
  SmallVector<OpFoldResult> sizes;
  if (semantics.rounding == Rounding::Stochastic)
    sizes = tensor::getMixedSizes(b, b.getLoc(), expanded);
  SmallVector<utils::IteratorType> iterators(space->getNumLoops(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, init.getType(), inputs, init, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder body(loc, nested);
        ZeroPoint z;
        if (zeroPointTensor)
          z = {zeroPoint.get(body, arguments),
               isSignedStorage(getElementTypeOrSelf(zeroPointTensor)),
               op.getDomain()};
        Value result =
            emitElement(body, op, semantics, storage, arguments.front(),
                        scale.get(body, arguments), z, sizes);
        linalg::YieldOp::create(body, result);
      });
  // The static sizes of operand and result may differ.
  auto collapsedType = cast<RankedTensorType>(input.getType())
                           .clone(resultType.getElementType());
  Value result = space->collapse(b, generic.getResult(0), collapsedType);
  if (result.getType() != resultType)
    result = tensor::CastOp::create(b, resultType, result);
  return castElementType(b, b.getLoc(), result, op.getResult().getType());
}

template FailureOr<Value> mlir::qdq::lowerToGeneric(ImplicitLocOpBuilder &,
                                                    QuantizeOp,
                                                    const QDQToLinalgOptions &,
                                                    std::string &);
template FailureOr<Value> mlir::qdq::lowerToGeneric(ImplicitLocOpBuilder &,
                                                    DequantizeOp,
                                                    const QDQToLinalgOptions &,
                                                    std::string &);

namespace {
/// `qdq.quantize` or `qdq.dequantize` on a ranked or unranked tensor.
template <typename OpTy>
struct ConversionOpLowering : OpRewritePattern<OpTy> {
  ConversionOpLowering(MLIRContext *ctx, const QDQToLinalgOptions &options,
                       PatternBenefit benefit)
      : OpRewritePattern<OpTy>(ctx, benefit), options(options) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getInput().getType();
    if (!isa<TensorType>(type))
      return rewriter.notifyMatchFailure(op, "is not on a tensor");
    if (op->hasAttr(kTileAttr) &&
        op.resolveSemantics(options.semantics).rounding == Rounding::Stochastic)
      return rewriter.notifyMatchFailure(
          op, "rounds stochastically, but was tiled: the draws follow the "
              "position in the whole tensor; lower first, then tile");

    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    if (isa<UnrankedTensorType>(type)) {
      rewriter.replaceOp(op, lowerUnranked(b, op, options));
      return success();
    }
    std::string reason;
    FailureOr<Value> result = lowerToGeneric(b, op, options, reason);
    if (failed(result))
      return rewriter.notifyMatchFailure(op, reason);
    rewriter.replaceOp(op, *result);
    return success();
  }

private:
  QDQToLinalgOptions options;
};

struct ConvertQDQToLinalgPass
    : qdq::impl::ConvertQDQToLinalgPassBase<ConvertQDQToLinalgPass> {
  using ConvertQDQToLinalgPassBase::ConvertQDQToLinalgPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateQDQToLinalgPatterns(
        patterns, {SemanticsOptions::from(*this), blockForm, runtimeChecks});
    auto isIllegal = [](Operation *op) {
      return isa_and_nonnull<QDQDialect>(op->getDialect()) &&
             isa<TensorType>(op->getOperand(0).getType());
    };
    if (failed(convertByWalk(getOperation(), std::move(patterns), isIllegal)))
      signalPassFailure();
  }
};
} // namespace

void mlir::qdq::populateQDQToLinalgPatterns(RewritePatternSet &patterns,
                                            const QDQToLinalgOptions &options,
                                            PatternBenefit benefit) {
  patterns.add<ConversionOpLowering<QuantizeOp>,
               ConversionOpLowering<DequantizeOp>>(patterns.getContext(),
                                                   options, benefit);
  populateChooseParamsToLinalgPatterns(patterns, options, benefit);
  populatePackingToLinalgPatterns(patterns, benefit);
}
