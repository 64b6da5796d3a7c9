// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The quant dialect to qdq: quantized types become storage types, and casts qdq
// ops.

#include "qdq/Conversion/QuantToQDQ/QuantToQDQ.h"
#include "Parameters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/QuantToQDQ/QuantizedTypes.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/TypeRewrite.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTQUANTTOQDQPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;
using quant::QuantizedType;

/// The storage type of a uniform type; null for all other types.
static Type toStorageType(Type type) {
  if (isa<quant::UniformQuantizedType, quant::UniformQuantizedPerAxisType,
          quant::UniformQuantizedSubChannelType>(type))
    return getStorageType(cast<QuantizedType>(type));
  return nullptr;
}

//===----------------------------------------------------------------------===//
// One cast
//===----------------------------------------------------------------------===//

namespace {
/// Scale and zero point of a type as values; no zero point where it is zero.
struct Constants {
  Value scale, zeroPoint;
};
} // namespace

static Constants createConstants(OpBuilder &b, Location loc,
                                 const QuantizedTypeParameters &of) {
  Constants result{arith::ConstantOp::create(b, loc, of.scale), Value()};
  if (of.zeroPoint)
    result.zeroPoint =
        castElementType(b, loc, arith::ConstantOp::create(b, loc, of.zeroPoint),
                        of.zeroPointType);
  return result;
}

/// The qdq op of a cast, with its location and discardable attributes.
template <typename OpTy>
static Value createOp(OpBuilder &b, Operation *cast, QuantizedType type,
                      Type resultType, Value input, Constants constants,
                      const QuantizedTypeParameters &of,
                      const SemanticsOptions &options) {
  constexpr Direction direction = std::is_same_v<OpTy, QuantizeOp>
                                      ? Direction::Quantize
                                      : Direction::Dequantize;
  ElementTypes types{direction, type.getExpressedType(),
                     llvm::cast<FloatType>(type.getExpressedType())};
  SemanticsFields semantics =
      options.stamp(/*spelled=*/{}, Profile::Quant, types);
  auto op = OpTy::create(b, cast->getLoc(), resultType, input, constants.scale,
                         constants.zeroPoint);
  if (DictionaryAttr attributes = cast->getDiscardableAttrDictionary();
      !attributes.empty())
    op->setDiscardableAttrs(llvm::cast<DictionaryAttr>(
        TypeRewriter(toStorageType, AttributeScope::All).rewrite(attributes)));
  op.setAxisAttr(of.axis);
  op.setBlockShapeAttr(of.blockShape);
  op.setClampAttr(of.clamp);
  op.setSemanticsAttr(SemanticsAttr::get(b.getContext(), semantics));
  return op;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// `quant.qcast` or `quant.dcast`, with the parameters of its type as
/// constants.
template <typename CastOp, typename OpTy>
struct CastLowering : OpConversionPattern<CastOp> {
  CastLowering(const TypeConverter &converter, MLIRContext *ctx,
               const SemanticsOptions &options,
               std::shared_ptr<ParametersCache> parameters,
               PatternBenefit benefit)
      : OpConversionPattern<CastOp>(converter, ctx, benefit), options(options),
        parameters(std::move(parameters)) {}

  LogicalResult
  matchAndRewrite(CastOp op, typename CastOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    QuantizedType type = op.getQuantizedType();
    Type resultType =
        this->getTypeConverter()->convertType(op.getResult().getType());
    std::string reason;
    const QuantizedTypeParameters *of = parameters->get(type, reason);
    if (!of || !resultType)
      return rewriter.notifyMatchFailure(op, reason);
    rewriter.replaceOp(
        op, createOp<OpTy>(rewriter, op, type, resultType, adaptor.getInput(),
                           createConstants(rewriter, op.getLoc(), *of), *of,
                           options));
    return success();
  }

private:
  SemanticsOptions options;
  /// What has been read of a type, which is the same for everybody.
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

void mlir::qdq::populateQuantToQDQPatterns(const TypeConverter &converter,
                                           RewritePatternSet &patterns,
                                           const SemanticsOptions &options,
                                           PatternBenefit benefit) {
  MLIRContext *ctx = patterns.getContext();
  auto parameters = std::make_shared<ParametersCache>();
  patterns.add<CastLowering<quant::QuantizeCastOp, QuantizeOp>,
               CastLowering<quant::DequantizeCastOp, DequantizeOp>>(
      converter, ctx, options, parameters, benefit);
  patterns.add<StorageCastLowering>(converter, ctx, benefit);
  populateTypeAgnosticOpPatterns(converter, patterns, toStorageType,
                                 AttributeScope::All, benefit);
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
// Whole modules
//===----------------------------------------------------------------------===//

namespace {
class QuantConversion {
public:
  QuantConversion(const SemanticsOptions &options) : options(options) {}

  LogicalResult run(Operation *root);

private:
  LogicalResult check(Operation *op);
  LogicalResult checkCast(Operation *op, QuantizedType type);
  Constants getConstants(Operation *user, QuantizedType type);
  Value convert(Operation *op, QuantizedType type);

  const SemanticsOptions &options;
  TypeRewriter rewriter{toStorageType, AttributeScope::All};
  QuantizedTypeFinder finder;
  ParametersCache parameters;
  /// The casts with their quantized types, which the values are about to lose.
  SmallVector<std::pair<Operation *, QuantizedType>> casts;
  /// The ops that mention quantized types.
  SmallVector<Operation *> typedOps;
  /// One pair of constants for each type in each isolated region, at its start.
  DenseMap<std::pair<Region *, Type>, Constants> constants;
  DenseMap<Region *, Operation *> lastConstants;
};
} // namespace

static LogicalResult emitNoScale(Operation *op, QuantizedType type) {
  return op->emitOpError()
         << "has the type " << describe(type)
         << ", which gives no scale: expected a '!quant.uniform' type";
}

LogicalResult QuantConversion::checkCast(Operation *op, QuantizedType type) {
  if (!toStorageType(type))
    return emitNoScale(op, type);
  casts.emplace_back(op, type);
  std::string reason;
  if (isa<quant::StorageCastOp>(op) || parameters.get(type, reason))
    return success();
  return op->emitOpError() << reason;
}

LogicalResult QuantConversion::check(Operation *op) {
  QuantizedType type = finder.find(op);
  if (!type)
    return success();
  if (isa<quant::QuantizeCastOp, quant::StorageCastOp>(op) ||
      isa<quant::DequantizeCastOp>(op)) {
    if (failed(checkCast(op, type)))
      return failure();
  } else if (!isTypeAgnostic(op)) {
    return op->emitOpError()
           << "has the quantized type " << describe(type)
           << "; what it means by it is not known: put 'quant.dcast' and "
              "'quant.qcast' around it, or lower it first";
  } else {
    typedOps.push_back(op);
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

/// The outermost region around `op` whose values it may use.
static Region *getIsolatedRegion(Operation *op) {
  Region *region = op->getParentRegion();
  while (!region->getParentOp()->mightHaveTrait<OpTrait::IsIsolatedFromAbove>())
    region = region->getParentRegion();
  return region;
}

Constants QuantConversion::getConstants(Operation *user, QuantizedType type) {
  Region *region = getIsolatedRegion(user);
  auto known = constants.find({region, type});
  if (known != constants.end())
    return known->second;

  OpBuilder b(user->getContext());
  Operation *&last = lastConstants[region];
  if (last)
    b.setInsertionPointAfter(last);
  else
    b.setInsertionPointToStart(&region->front());
  std::string reason;
  Constants result =
      createConstants(b, user->getLoc(), *parameters.get(type, reason));
  last = (result.zeroPoint ? result.zeroPoint : result.scale).getDefiningOp();
  return constants[{region, type}] = result;
}

Value QuantConversion::convert(Operation *op, QuantizedType type) {
  OpBuilder b(op);
  Value input = op->getOperand(0);
  Type resultType = op->getResult(0).getType();
  if (isa<quant::StorageCastOp>(op))
    return castElementType(b, op->getLoc(), input, resultType);
  std::string reason;
  auto create = isa<quant::QuantizeCastOp>(op) ? createOp<QuantizeOp>
                                               : createOp<DequantizeOp>;
  return create(b, op, type, resultType, input, getConstants(op, type),
                *parameters.get(type, reason), options);
}

LogicalResult QuantConversion::run(Operation *root) {
  bool failed = false;
  root->walk([&](Operation *op) { failed |= mlir::failed(check(op)); });
  if (failed)
    return failure();

  for (Operation *op : typedOps)
    rewriter.retype(op);
  for (auto [op, type] : casts)
    rewriter.retype(op);
  for (auto [op, type] : casts) {
    op->replaceAllUsesWith(ValueRange(convert(op, type)));
    op->erase();
  }
  for (Operation *op : typedOps)
    eraseIfIdentityCast(op);
  return success();
}

LogicalResult mlir::qdq::convertQuantToQDQ(Operation *root,
                                           const SemanticsOptions &options) {
  return QuantConversion(options).run(root);
}

namespace {
struct ConvertQuantToQDQPass
    : qdq::impl::ConvertQuantToQDQPassBase<ConvertQuantToQDQPass> {
  using ConvertQuantToQDQPassBase::ConvertQuantToQDQPassBase;

  void runOnOperation() override {
    if (failed(
            convertQuantToQDQ(getOperation(), SemanticsOptions::from(*this))))
      signalPassFailure();
  }
};
} // namespace
