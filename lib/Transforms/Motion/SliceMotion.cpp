// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tensor.extract_slice past quantize and dequantize: a slice takes the scales
// and zero points of its elements along.

#include "MotionPatterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// The slice [offset, offset + size) of the parameters along a dimension; what
/// is null here is derived from the slice of the values.
struct Blocks {
  /// Of the sliced values; 0: they all share one.
  int64_t length = 0;
  /// Nothing: the blocks of the slice, from its offset on.
  std::optional<int64_t> onlyBlock;
};

class SliceMotion {
public:
  using Op = tensor::ExtractSliceOp;
  static constexpr PositionChange kPositions = PositionChange::Any;

  SliceMotion(Op op, bool isForward) : op(op), dropped(op.getDroppedDims()) {
    assert(isForward && "a slice does not hold what it left out");
  }

  static Value getSource(Op op) { return op.getSource(); }

  static Value apply(RewriterBase &rewriter, Op op, Value value) {
    return moveLike(rewriter, op, value);
  }

  FailureOr<Granularity> move(const Granularity &granularity,
                              StringRef &reason) {
    SmallVector<int64_t> blockShape;
    if (granularity.isAxis()) {
      int64_t axis = granularity.getAxis();
      parameterDims.push_back(axis);
      blocks.push_back({1, std::nullopt});
      if (dropped.test(axis))
        return Granularity();
      for (int64_t dim = 0, e = axis; dim < e; ++dim)
        axis -= dropped.test(dim);
      return Granularity::alongAxis(axis);
    }
    for (auto [dim, length] : llvm::enumerate(granularity.getBlockShape())) {
      FailureOr<Blocks> sliced = slice(dim, length);
      if (failed(sliced)) {
        reason = "the slice begins or ends within a block, or is not known to "
                 "do neither";
        return failure();
      }
      parameterDims.push_back(dim);
      blocks.push_back(*sliced);
      if (!dropped.test(dim))
        blockShape.push_back(sliced->length);
    }
    // A slice of rank 0 has one element.
    if (granularity.isTensor() || blockShape.empty())
      return Granularity();
    return Granularity::inBlocks(blockShape);
  }

  bool canMove(RankedTensorType, const Granularity &) { return true; }

  Value moveParameter(RewriterBase &rewriter, Value parameter,
                      const Granularity &, Value) {
    Location loc = parameter.getLoc();
    SmallVector<OpFoldResult> offsets, sizes, strides;
    SmallVector<int64_t> shape;
    auto apply = [&](AffineExpr expr, OpFoldResult operand) {
      return affine::makeComposedFoldedAffineApply(rewriter, loc, expr,
                                                   {operand});
    };
    AffineExpr symbol = rewriter.getAffineSymbolExpr(0);
    for (auto [dim, block] : llvm::zip_equal(parameterDims, blocks)) {
      if (block.onlyBlock) {
        offsets.push_back(rewriter.getIndexAttr(*block.onlyBlock));
        sizes.push_back(rewriter.getIndexAttr(1));
        strides.push_back(rewriter.getIndexAttr(1));
      } else {
        offsets.push_back(
            apply(symbol.floorDiv(block.length), op.getMixedOffsets()[dim]));
        sizes.push_back(
            apply(symbol.ceilDiv(block.length), op.getMixedSizes()[dim]));
        strides.push_back(op.getMixedStrides()[dim]);
      }
      if (!dropped.test(dim))
        shape.push_back(
            getConstantIntValue(sizes.back()).value_or(ShapedType::kDynamic));
    }
    RankedTensorType type =
        cast<RankedTensorType>(parameter.getType()).clone(shape);
    return rewriter.createOrFold<tensor::ExtractSliceOp>(
        loc, type, parameter, offsets, sizes, strides);
  }

private:
  /// The blocks of `length` that the slice takes along a dimension.
  FailureOr<Blocks> slice(int64_t dim, int64_t length) {
    if (length == 0)
      return Blocks{0, 0};
    if (length == 1)
      return Blocks{1, std::nullopt};
    std::optional<int64_t> offset =
        getConstantIntValue(op.getMixedOffsets()[dim]);
    std::optional<int64_t> size = getConstantIntValue(op.getMixedSizes()[dim]);
    std::optional<int64_t> stride =
        getConstantIntValue(op.getMixedStrides()[dim]);
    if (!offset)
      return failure();
    if (size && *size > 0 && stride &&
        (*offset + (*size - 1) * *stride) / length == *offset / length)
      return Blocks{0, *offset / length};
    if (stride == 1 && *offset % length == 0)
      return Blocks{length, std::nullopt};
    return failure();
  }

  Op op;
  llvm::SmallBitVector dropped;
  /// Of the value, for each dimension of the parameters, and how it is sliced.
  SmallVector<int64_t> parameterDims;
  SmallVector<Blocks> blocks;
};
} // namespace

void mlir::qdq::populateSliceMotionPatterns(RewritePatternSet &patterns,
                                            MovedValues moved,
                                            PatternBenefit benefit) {
  MLIRContext *ctx = patterns.getContext();
  if (moved == MovedValues::Codes)
    patterns.add<SinkBelow<SliceMotion, DequantizeOp>>(ctx, benefit);
  else
    patterns.add<SinkBelow<SliceMotion, QuantizeOp>>(ctx, benefit);
}
