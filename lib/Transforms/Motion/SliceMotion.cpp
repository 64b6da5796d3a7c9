// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tensor.extract_slice past quantize and dequantize: a slice takes the scales
// and zero points of its elements along.

#include "MotionPatterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qdq/IR/TileBounds.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// The lengths of blocks along a dimension, as in `block_shape`, before and
/// after the slice.
struct Blocks {
  int64_t from, to;
};

class SliceMotion {
public:
  using Op = tensor::ExtractSliceOp;
  /// A position names a box of the whole, whose leading dimensions it may lack.
  static PositionChange getPositionChange(Op op) {
    llvm::SmallBitVector dropped = op.getDroppedDims();
    int first = dropped.find_first_unset();
    bool isBox = op.hasUnitStride() &&
                 dropped.find_last() <
                     (first < 0 ? op.getSourceType().getRank() : first);
    return isBox ? PositionChange::Part : PositionChange::Any;
  }

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
      blocks.push_back({1, 1});
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
        blockShape.push_back(sliced->to);
    }
    // A slice of rank 0 has one element.
    if (granularity.isTensor() || blockShape.empty())
      return Granularity();
    return Granularity::inBlocks(blockShape);
  }

  /// A value of open sizes accepts a slice that lies outside the parameter.
  bool canMove(RankedTensorType parameter, const Granularity &) {
    SmallVector<int64_t> offsets, sizes, strides;
    for (auto [dim, block] : llvm::zip_equal(parameterDims, blocks)) {
      auto begin = getConstantIntValue(op.getMixedOffsets()[dim]);
      auto count = getConstantIntValue(op.getMixedSizes()[dim]);
      auto stride = getConstantIntValue(op.getMixedStrides()[dim]);
      int64_t open = ShapedType::kDynamic;
      offsets.push_back(block.from == 0 ? 0
                        : begin         ? *begin / block.from
                                        : open);
      sizes.push_back(block.to == 0 ? 1
                      : count       ? llvm::divideCeil(*count, block.to)
                                    : open);
      strides.push_back(block.to == 0 ? 1 : stride.value_or(open));
    }
    return verifyInBoundsSlice(parameter.getShape(), offsets, sizes, strides)
        .isValid;
  }

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
      OpFoldResult one = rewriter.getIndexAttr(1);
      offsets.push_back(block.from == 0 ? rewriter.getIndexAttr(0)
                                        : apply(symbol.floorDiv(block.from),
                                                op.getMixedOffsets()[dim]));
      sizes.push_back(block.to == 0 ? one
                                    : apply(symbol.ceilDiv(block.to),
                                            op.getMixedSizes()[dim]));
      strides.push_back(block.to == 0 ? one : op.getMixedStrides()[dim]);
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
    if (length <= 1)
      return Blocks{length, length};
    OpFoldResult offset = op.getMixedOffsets()[dim];
    std::optional<int64_t> begin = getConstantIntValue(offset);
    std::optional<int64_t> count = getConstantIntValue(op.getMixedSizes()[dim]);
    std::optional<int64_t> stride =
        getConstantIntValue(op.getMixedStrides()[dim]);
    if (begin && count && *count > 0 && stride) {
      auto last = llvm::checkedMulAdd(*count - 1, *stride, *begin);
      if (last && *last / length == *begin / length)
        return Blocks{length, 0};
    }
    if (stride != 1)
      return failure();
    int64_t divisor = getKnownDivisor(offset);
    if (divisor % length == 0)
      return Blocks{length, length};
    // A step of a divisor of the block does not leave it.
    if (!begin && count && *count > 0 && *count <= divisor &&
        length % divisor == 0)
      return Blocks{length, 0};
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
    patterns.add<FunctionPattern<sinkBelow<SliceMotion, DequantizeOp>>>(
        ctx, benefit);
  else
    patterns.add<FunctionPattern<sinkBelow<SliceMotion, QuantizeOp>>>(ctx,
                                                                      benefit);
}
