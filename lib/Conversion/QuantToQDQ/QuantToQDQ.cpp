// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The quant dialect to qdq: quantized types become storage types, and casts qdq
// ops.

#include "qdq/Conversion/QuantToQDQ/QuantToQDQ.h"
#include "../ForeignOps/TensorOps.h"
#include "../QuantizedTypes/Parameters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/FoldUtils.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/QuantizedTypes/QuantizedTypes.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/IR/Walk.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTQUANTTOQDQPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;
using quant::QuantizedType;

static bool isUniform(Type type) {
  return isa<quant::UniformQuantizedType, quant::UniformQuantizedPerAxisType,
             quant::UniformQuantizedSubChannelType>(type);
}

/// The type of the codes of a uniform type; null for all other types.
static Type toStorageType(Type type) {
  return isUniform(type) ? getCodeType(cast<QuantizedType>(type)) : Type();
}

/// Why a cast does not look quantiles up, or nothing.
static std::optional<StringRef> refuseLookUp(Operation *cast) {
  if (isa<quant::QuantizeCastOp>(cast))
    return "stores quantiles, and no text says which code a value between two "
           "of them has: expected only 'quant.dcast' of such a type";
  if (isa<UnrankedTensorType>(cast->getOperand(0).getType()))
    return "looks quantiles up for an unranked tensor: expected a ranked one";
  return std::nullopt;
}

/// The quantiles at the places `codes`: a scalar, or a ranked tensor.
static Value lookUp(ImplicitLocOpBuilder &b, Value codes,
                    DenseElementsAttr quantiles) {
  Value table = arith::ConstantOp::create(b, quantiles);
  if (!isa<ShapedType>(codes.getType()))
    return readEntry(table, {b, asSignless(b, b.getLoc(), codes)});
  return mapElements(b, {codes}, quantiles.getElementType(),
                     [&](Scalar code) { return readEntry(table, code); });
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// `quant.qcast` or `quant.dcast`, with the parameters of its type as
/// constants, its location and discardable attributes.
template <typename CastOp, typename OpTy, Direction direction>
struct CastLowering : OpConversionPattern<CastOp> {
  CastLowering(const TypeConverter &converter, MLIRContext *ctx,
               const SemanticsOptions &options,
               std::shared_ptr<ParametersCache> parameters,
               PatternBenefit benefit)
      : OpConversionPattern<CastOp>(converter, ctx, benefit), options(options),
        parameters(std::move(parameters)) {}

  LogicalResult
  matchAndRewrite(CastOp cast, typename CastOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    QuantizedType type = cast.getQuantizedType();
    Type resultType = this->getTypeConverter()->convertType(cast.getType());
    std::string reason;
    const QuantizedTypeParameters *of = parameters->get(type, reason);
    if (!of || !resultType)
      return rewriter.notifyMatchFailure(cast, reason);
    if (std::optional<StringRef> refusal;
        of->quantiles && (refusal = refuseLookUp(cast)))
      return rewriter.notifyMatchFailure(cast, *refusal);
    Location loc = cast.getLoc();
    Value scale = arith::ConstantOp::create(rewriter, loc, of->scale),
          zeroPoint;
    if (of->zeroPoint)
      zeroPoint = castElementType(rewriter, loc,
                                  createConstant(rewriter, loc, of->zeroPoint),
                                  of->zeroPointType);
    ElementTypes types{direction, type.getExpressedType(),
                       llvm::cast<FloatType>(type.getExpressedType())};
    SemanticsFields semantics =
        options.stamp(/*spelled=*/{}, Profile::Quant, types);
    Value input = adaptor.getInput();
    if (of->quantiles) {
      ImplicitLocOpBuilder b(loc, rewriter);
      input = lookUp(b, input, of->quantiles);
    }
    auto op = OpTy::create(rewriter, loc, resultType, input, scale, zeroPoint);
    op.setAxisAttr(of->axis);
    op.setBlockShapeAttr(of->blockShape);
    op.setClampAttr(of->clamp);
    op.setSemanticsAttr(SemanticsAttr::get(rewriter.getContext(), semantics));
    op->setDiscardableAttrs(llvm::cast<DictionaryAttr>(
        TypeRewriter(toStorageType, AttributeScope::All)
            .rewrite(cast->getDiscardableAttrDictionary())));
    rewriter.replaceOp(cast, op);
    return success();
  }

private:
  SemanticsOptions options;
  /// The parameters of types that have been read, the same for all ops.
  std::shared_ptr<ParametersCache> parameters;
};

/// `quant.scast`: the storage itself, up to signedness.
struct StorageCastLowering : OpConversionPattern<quant::StorageCastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(quant::StorageCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!toStorageType(op.getQuantizedType()))
      return rewriter.notifyMatchFailure(op, "is of no uniform type");
    Type type = getTypeConverter()->convertType(op.getResult().getType());
    rewriter.replaceOp(
        op, castElementType(rewriter, op.getLoc(), adaptor.getInput(), type));
    return success();
  }
};
} // namespace

void mlir::qdq::populateQuantToQDQConversions(TypeConverter &converter) {
  populateElementTypeConversions(converter, toStorageType);
}

static void addPatterns(const TypeConverter &converter,
                        RewritePatternSet &patterns,
                        const SemanticsOptions &options, PatternBenefit benefit,
                        const std::shared_ptr<ParametersCache> &parameters) {
  MLIRContext *ctx = patterns.getContext();
  patterns
      .add<CastLowering<quant::QuantizeCastOp, QuantizeOp, Direction::Quantize>,
           CastLowering<quant::DequantizeCastOp, DequantizeOp,
                        Direction::Dequantize>>(converter, ctx, options,
                                                parameters, benefit);
  patterns.add<StorageCastLowering>(converter, ctx, benefit);
  populateTypeAgnosticOpPatterns(converter, patterns, toStorageType,
                                 AttributeScope::All, benefit);
}

void mlir::qdq::populateQuantToQDQPatterns(const TypeConverter &converter,
                                           RewritePatternSet &patterns,
                                           const SemanticsOptions &options,
                                           PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createConvertQuantToQDQPass());
  addPatterns(converter, patterns, options, benefit,
              std::make_shared<ParametersCache>());
}

void mlir::qdq::populateQuantToQDQLegality(ConversionTarget &target,
                                           const TypeConverter &converter) {
  auto rewriter =
      std::make_shared<TypeRewriter>(toStorageType, AttributeScope::All);
  target.addIllegalDialect<quant::QuantDialect>();
  target.markUnknownOpDynamicallyLegal([&converter, rewriter](Operation *op) {
    return rewriter->isLegal(op, converter);
  });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static LogicalResult emitNoScale(Operation *op, QuantizedType type) {
  if (isUniform(type))
    return op->emitOpError() << "has the type " << describe(type)
                             << ", whose storage is no integer or float";
  return op->emitOpError()
         << "has the type " << describe(type)
         << ", which gives no scale: expected a '!quant.uniform' type";
}

namespace {
/// Says why ops cannot be converted, before any is.
struct Checker {
  LogicalResult check(Operation *op);

  TypeRewriter rewriter{toStorageType, AttributeScope::All};
  QuantizedTypeFinder finder;
  std::shared_ptr<ParametersCache> parameters =
      std::make_shared<ParametersCache>();
};

/// Keeps the qdq ops that are made.
struct MadeOps : RewriterBase::Listener {
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    if (!previous.isSet() && isa<QuantizeOp, DequantizeOp>(op))
      ops.push_back(op);
  }

  SmallVector<Operation *> ops;
};
} // namespace

LogicalResult Checker::check(Operation *op) {
  QuantizedType type = finder.find(op);
  if (!type)
    return success();
  if (isa<quant::QuantizeCastOp, quant::DequantizeCastOp, quant::StorageCastOp>(
          op)) {
    std::string reason;
    if (!toStorageType(type))
      return emitNoScale(op, type);
    if (!isa<quant::StorageCastOp>(op)) {
      const QuantizedTypeParameters *of = parameters->get(type, reason);
      if (!of)
        return op->emitOpError() << reason;
      if (std::optional<StringRef> refusal;
          of->quantiles && (refusal = refuseLookUp(op)))
        return op->emitOpError() << *refusal;
    }
  } else if (!isTypeAgnostic(op)) {
    return op->emitOpError()
           << "has the quantized type " << describe(type)
           << "; what it means by it is not known: put 'quant.dcast' and "
              "'quant.qcast' around it, or lower it first";
  }
  QuantizedType left = finder.find(op, &rewriter);
  if (!left)
    return success();
  if (!toStorageType(left))
    return emitNoScale(op, left);
  return op->emitOpError()
         << "has the quantized type " << describe(left)
         << " where it cannot be replaced: inside a type of another dialect, "
            "or on a dense attribute of strings";
}

LogicalResult mlir::qdq::convertQuantToQDQ(Operation *root,
                                           const SemanticsOptions &options) {
  Checker checker;
  bool failed = false;
  root->walk([&](Operation *op) { failed |= mlir::failed(checker.check(op)); });
  if (failed)
    return failure();

  MLIRContext *ctx = root->getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  populateQuantToQDQConversions(converter);
  RewritePatternSet patterns(ctx);
  addPatterns(converter, patterns, options, /*benefit=*/1, checker.parameters);
  ConversionTarget target(*ctx);
  populateQuantToQDQLegality(target, converter);
  MadeOps made;
  if (mlir::failed(convertTypes(root, target, std::move(patterns), &made)))
    return failure();

  // Constants of one value are one constant of the function.
  OperationFolder folder(ctx);
  for (Operation *op : made.ops)
    for (Value parameter : op->getOperands().drop_front())
      if (auto constant = parameter.getDefiningOp<arith::ConstantOp>())
        folder.insertKnownConstant(constant);
  return success();
}

namespace {
struct ConvertQuantToQDQPass
    : qdq::impl::ConvertQuantToQDQPassBase<ConvertQuantToQDQPass> {
  using ConvertQuantToQDQPassBase::ConvertQuantToQDQPassBase;

  void runOnOperation() override {
    QuantizedTypeFinder finder;
    auto hasType = [&](Operation *op) { return finder.find(op) != nullptr; };
    if (!hasAny(getOperation(), hasType))
      return markAllAnalysesPreserved();
    if (failed(
            convertQuantToQDQ(getOperation(), SemanticsOptions::from(*this))))
      signalPassFailure();
  }
};
} // namespace
