// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats that are multiplied with dequantized weights, rounded to 8 bits.

#include "qdq/Transforms/QuantizeActivations.h"
#include "Contractions/FloatContraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_QUANTIZEACTIVATIONSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// Elements of a block of ggml's Q8_0.
static constexpr int64_t kQ8Block = 32;

namespace {
/// Blocks of a tensor: `length` elements of dimension `dim`, one of all others.
struct ActivationBlocks {
  unsigned dim;
  int64_t length;

  DenseI64ArrayAttr getShape(Builder &b, unsigned rank) const {
    SmallVector<int64_t> shape(rank, 1);
    shape[dim] = length;
    return b.getDenseI64ArrayAttr(shape);
  }
};
} // namespace

namespace {
/// A tensor that is dequantized, and reshaped afterwards or not.
struct Weight {
  DequantizeOp op;
  RankedTensorType type;
  bool isReshaped = false;

  static Weight find(Value operand) {
    Weight result{{}, cast<RankedTensorType>(operand.getType())};
    while (Operation *op = operand.getDefiningOp()) {
      if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
        break;
      result.isReshaped = true;
      operand = op->getOperand(0);
    }
    result.op = operand.getDefiningOp<DequantizeOp>();
    return result;
  }

  /// The length of blocks along a dimension; 0 or 1 if there are none, or if a
  /// reshape leaves none.
  int64_t getLength(unsigned dim);
};
} // namespace

int64_t Weight::getLength(unsigned dim) {
  DenseI64ArrayAttr shape = op.getBlockShapeAttr();
  if (!shape)
    return 0;
  if (!isReshaped)
    return shape[dim];
  // Rows that are whole blocks are that in another shape, too.
  auto source = cast<RankedTensorType>(op.getType());
  int64_t row = source.getShape().back(), size = type.getDimSize(dim);
  int64_t length = shape.asArrayRef().back();
  if (length == 0)
    length = row;
  bool isWhole = ShapedType::isStatic(row) && ShapedType::isStatic(size) &&
                 length > 0 && row % length == 0 && size % length == 0;
  bool isInnermost = dim + 1 == type.getRank() &&
                     llvm::all_of(shape.asArrayRef().drop_back(),
                                  [](int64_t other) { return other == 1; });
  return isWhole && isInnermost ? length : 0;
}

/// The blocks of an operand of a contraction that meet those of the other one,
/// a weight. Fails where these lie along no summed dimension, or along several,
/// or where the operand has none of its own for it.
static FailureOr<ActivationBlocks> findBlocks(FloatContraction contraction,
                                              unsigned operand, Weight weight,
                                              ActivationFormat format) {
  AffineMap map = contraction.getMap(operand);
  AffineMap weightMap = contraction.getMap(1 - operand);
  auto iterators = contraction.op.getIteratorTypesArray();
  bool ofWeight = format == ActivationFormat::Blocks;
  std::optional<ActivationBlocks> found;
  for (auto [dim, expr] : llvm::enumerate(weightMap.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    bool isSummed =
        loop && linalg::isReductionIterator(iterators[loop.getPosition()]);
    int64_t length = ofWeight ? weight.getLength(dim) : kQ8Block;
    if (length <= 1 || (!ofWeight && !isSummed))
      continue;
    std::optional<unsigned> own = map.getResultPosition(expr);
    if (!isSummed || found || !own)
      return failure();
    found = ActivationBlocks{*own, length};
  }
  if (!found)
    return failure();
  return *found;
}

/// The tensor in codes, dequantized again.
static Value quantize(ImplicitLocOpBuilder &b, Value x, ActivationBlocks blocks,
                      ActivationFormat format) {
  auto type = cast<RankedTensorType>(x.getType());
  DenseI64ArrayAttr shape = blocks.getShape(b, type.getRank());
  SmallVector<int64_t> sizes(type.getShape());
  if (!type.isDynamicDim(blocks.dim))
    sizes[blocks.dim] =
        llvm::divideCeilSigned(sizes[blocks.dim], blocks.length);
  RankedTensorType scaleType = type.clone(sizes);
  SemanticsFields fields;
  if (format == ActivationFormat::Q8_0) {
    fields.rounding = Rounding::NearestAway;
    fields.division = Division::Reciprocal;
  }
  fields.compute = Compute::F32;
  auto semantics = SemanticsAttr::get(b.getContext(), fields);
  auto chosen = ChooseParamsOp::create(
      b, scaleType, Type(), x, RangeMode::Symmetric, /*axis=*/nullptr, shape,
      /*clamp=*/nullptr, semantics, TypeAttr::get(b.getI8Type()),
      /*power_of_two=*/nullptr);
  Value scale = chosen.getScale();
  Value codes = QuantizeOp::create(
      b, type.clone(b.getI8Type()), x, scale, /*zero_point=*/nullptr,
      /*axis=*/nullptr, shape, /*clamp=*/nullptr,
      /*zero_point_domain=*/nullptr, semantics, /*seed=*/nullptr,
      /*runtime_seed=*/nullptr);
  if (format == ActivationFormat::Q8_0)
    scale = arith::TruncFOp::create(b, scaleType.clone(b.getF16Type()), scale);
  return DequantizeOp::create(b, type, codes, scale, /*zero_point=*/nullptr,
                              /*axis=*/nullptr, shape, /*clamp=*/nullptr,
                              /*zero_point_domain=*/nullptr, semantics);
}

namespace {
struct QuantizeActivation : OpInterfaceRewritePattern<linalg::LinalgOp> {
  QuantizeActivation(MLIRContext *context, ActivationFormat format,
                     PatternBenefit benefit)
      : OpInterfaceRewritePattern(context, benefit), format(format) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    auto contraction = FloatContraction::match(op);
    if (failed(contraction))
      return rewriter.notifyMatchFailure(op, "is no contraction of floats");
    Weight sources[] = {Weight::find(contraction->getOperand(0)),
                        Weight::find(contraction->getOperand(1))};
    if (bool(sources[0].op) == bool(sources[1].op))
      return rewriter.notifyMatchFailure(
          op, "multiplies no weight with an activation");
    unsigned operand = sources[0].op ? 1 : 0;
    Value x = contraction->getOperand(operand);
    if (!getElementTypeOrSelf(x).isF32())
      return rewriter.notifyMatchFailure(op, "its activation is not f32");
    FailureOr<ActivationBlocks> blocks =
        findBlocks(*contraction, operand, sources[1 - operand], format);
    if (failed(blocks))
      return rewriter.notifyMatchFailure(
          op, "has no blocks along one summed dimension");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value rounded = quantize(b, x, *blocks, format);
    rewriter.modifyOpInPlace(
        op, [&] { op.getDpsInputOperand(operand)->set(rounded); });
    return success();
  }

private:
  ActivationFormat format;
};

struct QuantizeActivationsPass
    : qdq::impl::QuantizeActivationsPassBase<QuantizeActivationsPass> {
  using QuantizeActivationsPassBase::QuantizeActivationsPassBase;

  void runOnOperation() override {
    if (format == ActivationFormat::None)
      return;
    RewritePatternSet patterns(&getContext());
    populateQuantizeActivationsPatterns(patterns, format);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

void mlir::qdq::populateQuantizeActivationsPatterns(RewritePatternSet &patterns,
                                                    ActivationFormat format,
                                                    PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createQuantizeActivationsPass());
  patterns.add<QuantizeActivation>(patterns.getContext(), format, benefit);
}
