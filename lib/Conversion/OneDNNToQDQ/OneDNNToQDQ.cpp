// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDNN Graph Quantize, Dequantize, DynamicQuantize and DynamicDequantize to
// qdq.

#include "qdq/Conversion/OneDNNToQDQ/OneDNNToQDQ.h"
#include "DataTypes.h"
#include "Placement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTONEDNNTOQDQPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// What one op says: operands of a qdq op and where they apply. `zps` is null
/// where there are none.
struct Parameters {
  Value scales, zps;
  OneDNNPlacement placement;
};

/// An op of the dialect.
struct Kind {
  StringLiteral name;
  bool isQuantize, isDynamic;
};
} // namespace

static constexpr Kind kKinds[] = {
    {"onednn_graph.quantize", true, false},
    {"onednn_graph.dequantize", false, false},
    {"onednn_graph.dynamic_quantize", true, true},
    {"onednn_graph.dynamic_dequantize", false, true},
};

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Numbers as a constant: a scalar for one number per tensor, where arith has
/// such a scalar.
static Value makeConstant(const OneDNNOp &op, DenseElementsAttr elements,
                          bool isTensor) {
  TypedAttr attr = elements;
  Type type = elements.getElementType();
  if (isTensor) {
    attr = elements.reshape(RankedTensorType::get({}, type));
    if (!type.isUnsignedInteger() && !type.isSignedInteger())
      attr = elements.getSplatValue<TypedAttr>();
  }
  return arith::ConstantOp::create(op.getRewriter(), op.getLoc(), attr);
}

/// From the attributes `scales` and `zps`.
static FailureOr<Parameters> getStaticParameters(const OneDNNOp &op,
                                                 TensorType src, Type storage) {
  FailureOr<SmallVector<float>> scales = op.getFloats("scales");
  if (failed(scales))
    return failure();
  int64_t count = scales->size();
  auto scalesType =
      RankedTensorType::get({count}, op.getRewriter().getF32Type());
  FailureOr<OneDNNPlacement> placement =
      getOneDNNPlacement(op, src, scalesType, /*allowsGroups=*/false);
  if (failed(placement))
    return failure();

  SmallVector<APInt> zps;
  if (op.has("zps")) {
    FailureOr<SmallVector<int64_t>> values = op.getIntegers("zps");
    if (failed(values))
      return failure();
    if (static_cast<int64_t>(values->size()) != count)
      return op.refuse("zps has ", values->size(), " elements: expected ",
                       count, ", as in scales");
    auto [lo, hi] = getIntegerBounds(storage);
    for (auto [index, value] : llvm::enumerate(*values)) {
      if (value < lo || value > hi)
        return op.refuse("zps[", index, "] is ", value, ", outside of ",
                         getDataTypeName(storage), ", which holds ", lo, " to ",
                         hi);
      zps.push_back(APInt(storage.getIntOrFloatBitWidth(), value,
                          /*isSigned=*/lo < 0));
    }
  }
  bool isTensor = placement->isTensor();
  Parameters result{
      makeConstant(op, DenseElementsAttr::get(scalesType, ArrayRef(*scales)),
                   isTensor),
      nullptr, *placement};
  if (op.has("zps"))
    result.zps = makeConstant(
        op,
        DenseElementsAttr::get(RankedTensorType::get({count}, storage), zps),
        isTensor);
  return result;
}

/// From the operands `scales` and `zps`.
static FailureOr<Parameters> getDynamicParameters(const OneDNNOp &op,
                                                  TensorType src, Type storage,
                                                  bool allowsGroups) {
  TypedValue<TensorType> scales = op.getOperand(1), zps = op.getOperand(2);
  FailureOr<OneDNNPlacement> placement =
      getOneDNNPlacement(op, src, scales.getType(), allowsGroups);
  if (failed(placement))
    return failure();
  bool isSingleZps = zps && isSingle(zps.getType());
  if (zps && !isSingleZps &&
      (placement->isTensor() ||
       failed(verifyCompatibleShape(zps.getType(), scales.getType())) ||
       !zps.getType().hasRank()))
    return op.refuse("zps has type ", zps.getType(),
                     ": expected one element, or the shape of scales, ",
                     scales.getType());
  std::string foreign =
      describeForeignZeroPoint(ConstantElements::get(zps), storage);
  if (!foreign.empty())
    return op.refuse(foreign);
  Parameters result{scales, zps, *placement};
  if (placement->isTensor())
    result.scales = op.toSingle(scales);
  if (isSingleZps)
    result.zps = op.toSingle(zps);
  return result;
}

//===----------------------------------------------------------------------===//
// Pattern and pass
//===----------------------------------------------------------------------===//

template <typename OpTy>
static Value create(const OneDNNOp &op, Type type, Value src,
                    const Parameters &parameters, SemanticsAttr semantics) {
  auto result = OpTy::create(op.getRewriter(), op.getLoc(), type, src,
                             parameters.scales, parameters.zps);
  result.setAxisAttr(parameters.placement.axis);
  result.setBlockShapeAttr(parameters.placement.blockShape);
  result.setSemanticsAttr(semantics);
  return result;
}

static LogicalResult translate(const OneDNNOp &op, const Kind &kind,
                               const SemanticsOptions &options) {
  PatternRewriter &rewriter = op.getRewriter();
  if (failed(op.checkSignature(kind.isDynamic ? 2 : 1, kind.isDynamic ? 3 : 1)))
    return failure();
  TypedValue<TensorType> src = op.getOperand(0);
  TensorType srcType = src.getType(), dstType = op.getResultType();
  if (failed(kind.isDynamic ? checkDynamicTypes(op, kind.isQuantize)
                            : checkStaticTypes(op, kind.isQuantize)))
    return failure();
  if (failed(verifyCompatibleShape(srcType, dstType)))
    return op.refuse("src ", srcType, " and dst ", dstType, " differ in shape");
  Type dst = dstType.getElementType();
  Type storage = kind.isQuantize ? dst : srcType.getElementType();
  Type expressed = kind.isQuantize ? srcType.getElementType() : dst;
  FailureOr<Parameters> parameters =
      kind.isDynamic
          ? getDynamicParameters(op, srcType, storage, !kind.isQuantize)
          : getStaticParameters(op, srcType, storage);
  if (failed(parameters))
    return failure();

  ElementTypes types{
      kind.isQuantize ? Direction::Quantize : Direction::Dequantize, expressed,
      cast<FloatType>(getElementTypeOrSelf(parameters->scales))};
  auto semantics = SemanticsAttr::get(
      rewriter.getContext(),
      options.stamp(getProfileFields(Profile::OneDNN, types), types));
  Type resultType = srcType.clone(dst);
  Value result =
      kind.isQuantize
          ? create<QuantizeOp>(op, resultType, src, *parameters, semantics)
          : create<DequantizeOp>(op, resultType, src, *parameters, semantics);
  op.replace(result);
  return success();
}

namespace {
/// One op of the dialect to the qdq op of its direction.
struct OneDNNOpLowering : RewritePattern {
  OneDNNOpLowering(MLIRContext *ctx, const Kind &kind,
                   const SemanticsOptions &options, PatternBenefit benefit)
      : RewritePattern(kind.name, benefit, ctx), kind(kind), options(options) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    return translate(OneDNNOp(op, rewriter), kind, options);
  }

  const Kind &kind;
  SemanticsOptions options;
};
} // namespace

void mlir::qdq::populateOneDNNToQDQPatterns(RewritePatternSet &patterns,
                                            const SemanticsOptions &options,
                                            PatternBenefit benefit) {
  for (const Kind &kind : kKinds)
    patterns.add<OneDNNOpLowering>(patterns.getContext(), kind, options,
                                   benefit);
}

namespace {
struct ConvertOneDNNToQDQPass
    : qdq::impl::ConvertOneDNNToQDQPassBase<ConvertOneDNNToQDQPass> {
  using ConvertOneDNNToQDQPassBase::ConvertOneDNNToQDQPassBase;

  void runOnOperation() override {
    auto isQuantization = [](Operation *op) {
      return llvm::any_of(kKinds, [&](const Kind &kind) {
        return op->getName().getStringRef() == kind.name;
      });
    };
    RewritePatternSet patterns(&getContext());
    populateOneDNNToQDQPatterns(patterns, SemanticsOptions::from(*this));
    if (failed(
            convertByWalk(getOperation(), std::move(patterns), isQuantization)))
      signalPassFailure();
  }
};
} // namespace
