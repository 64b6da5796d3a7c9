// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.quantize and qdq.dequantize on tensors to one linalg.generic each.

#include "qdq/Conversion/QDQToLinalg/QDQToLinalg.h"
#include "BodyParameter.h"
#include "Lowerings.h"
#include "PackedContainers.h"
#include "PackingLoops.h"
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

/// The row-major position in loops of these sizes, as i64. The sizes come from
/// outside the body, so tiling does not change them.
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

namespace {
/// What the body of a generic computes for one conversion.
template <typename OpTy>
class ConversionBody {
public:
  ConversionBody(ImplicitLocOpBuilder &b, OpTy op, const IterationSpace &space,
                 const QDQToLinalgOptions &options,
                 SmallVectorImpl<MappedParameter> &operands)
      : op(op), semantics(op.resolveSemantics(options.semantics)),
        zeroPointTensor(getZeroPointTensor()),
        scale(b, space, op.getScale(), space.getParameterDims(), options,
              operands),
        zeroPoint(b, space, zeroPointTensor, space.getParameterDims(), options,
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
    Storage storage = op.getStorage();
    if constexpr (std::is_same_v<OpTy, QuantizeOp>) {
      auto index = [&] { return emitLinearIndex(b, sizes); };
      return emitQuantize(b, semantics, storage, input, s, z,
                          {index, op.getRuntimeSeed()},
                          isSignedStorage(op.getElementTypes().expressed));
    } else {
      return emitDequantize(
          b, semantics, storage,
          cast<FloatType>(getElementTypeOrSelf(op.getResult())), input, s, z);
    }
  }

private:
  OpTy op;
  Semantics semantics;
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

/// The containers that `op` unpacks, in the shape of an axis.
static Value getContainers(ImplicitLocOpBuilder &b, UnpackOp op,
                           ArrayRef<OpFoldResult> sizes) {
  Value containers = asSignless(b, b.getLoc(), op.getContainers());
  BitLayout layout = op.getLayout();
  return layout.hasAxis() ? containers
                          : unflattenContainers(b, layout, containers, sizes);
}

template <typename OpTy>
FailureOr<Value> mlir::qdq::lowerToGeneric(ImplicitLocOpBuilder &b, OpTy op,
                                           const QDQToLinalgOptions &options,
                                           std::string &reason) {
  Value input = op.getInput();
  FailureOr<ConversionSpace> conversion = getSpace(op, options, reason);
  if (failed(conversion))
    return failure();
  const IterationSpace &space = conversion->space;
  const std::optional<SlotDigits> &digits = conversion->digits;
  if (options.runtimeChecks)
    emitShapeChecks(b, op.getGranularity(), input,
                    {op.getScale(), op.getZeroPoint()});

  auto inputType = cast<RankedTensorType>(toSignless(input.getType()));
  AffineMap identity = b.getMultiDimIdentityMap(space.getNumLoops());
  SmallVector<MappedParameter> operands;
  SmallVector<OpFoldResult> extents;
  if (digits) {
    auto unpack = input.getDefiningOp<UnpackOp>();
    unpack->setAttr(kFoldedAttr, b.getUnitAttr());
    SmallVector<OpFoldResult> sizes = getElementSizes(b, unpack);
    extents = space.getExtents(b, sizes);
    operands.push_back(
        digits->mapContainers(b, space, getContainers(b, unpack, sizes)));
  } else {
    Value expanded = space.expand(b, asSignless(b, b.getLoc(), input));
    extents = tensor::getMixedSizes(b, b.getLoc(), expanded);
    operands.push_back({expanded, identity});
  }
  ConversionBody<OpTy> conversionBody(b, op, space, options, operands);

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const MappedParameter &operand : operands) {
    inputs.push_back(operand.tensor);
    maps.push_back(operand.map);
  }
  maps.push_back(identity);
  auto resultType =
      cast<RankedTensorType>(toSignless(op.getResult().getType()));
  Value init = tensor::EmptyOp::create(b, extents, resultType.getElementType());
  SmallVector<utils::IteratorType> iterators(space.getNumLoops(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, init.getType(), inputs, init, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder body(loc, nested);
        Value element = arguments.front();
        if (digits)
          element = emitFromStored(body, digits->getLayout(),
                                   digits->emitUnpack(body, space, element),
                                   inputType.getElementType());
        linalg::YieldOp::create(
            body, conversionBody.emit(body, element, arguments, extents));
      });
  // The static sizes of operand and result may differ.
  auto collapsedType = inputType.clone(resultType.getElementType());
  Value result = space.collapse(b, generic.getResult(0), collapsedType);
  if (result.getType() != resultType)
    result = tensor::CastOp::create(b, resultType, result);
  return castElementType(b, b.getLoc(), result, op.getResult().getType());
}

Value mlir::qdq::lowerPackedQuantize(ImplicitLocOpBuilder &b, PackOp op,
                                     const ConversionSpace &conversion,
                                     const QDQToLinalgOptions &options) {
  const IterationSpace &space = conversion.space;
  auto quantize = op.getElements().getDefiningOp<QuantizeOp>();
  quantize->setAttr(kFoldedAttr, b.getUnitAttr());
  Value input = asSignless(b, b.getLoc(), quantize.getInput());
  SmallVector<MappedParameter> operands = {
      {space.expand(b, input), b.getMultiDimIdentityMap(space.getNumLoops())}};
  ConversionBody<QuantizeOp> body(b, quantize, space, options, operands);
  return emitPackingLoops(
      b, *conversion.digits, space, operands,
      tensor::getMixedSizes(b, b.getLoc(), input),
      [&](ImplicitLocOpBuilder &nested, ValueRange arguments) {
        return body.emit(nested, arguments.front(), arguments, {});
      });
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

    if (failed(waitForUsers(op, rewriter)))
      return failure();
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

  /// Fails for an op that its users lower in their own generics.
  LogicalResult waitForUsers(QuantizeOp op, PatternRewriter &rewriter) const {
    if (isPackedByUser(op, options))
      return rewriter.notifyMatchFailure(op, "is lowered with its 'qdq.pack'");
    return success();
  }
  LogicalResult waitForUsers(DequantizeOp op, PatternRewriter &rewriter) const {
    if (isComputedByUsers(op, options))
      return rewriter.notifyMatchFailure(
          op, "is lowered with the op that it scales");
    return success();
  }
};

/// An op that has become part of its users' generics.
template <typename OpTy>
struct EraseFolded : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    // No reason for the user to read: the other patterns say what is wrong with
    // an op.
    if (!op->use_empty() || !op->hasAttr(kFoldedAttr))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
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
  populatePackingToLinalgPatterns(patterns, options, benefit);
  patterns.add<EraseFolded<QuantizeOp>, EraseFolded<DequantizeOp>,
               EraseFolded<UnpackOp>>(patterns.getContext(),
                                      benefit.getBenefit() + 1);
}
