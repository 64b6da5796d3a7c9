// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tensor.expand_shape and tensor.collapse_shape past quantize and dequantize:
// groups of elements that lie together before and after.

#include "MotionPatterns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Blocks of one dimension, and of the dimensions that it is split into
//===----------------------------------------------------------------------===//

/// The blocks of `length` of one dimension, as blocks of the dimensions of
/// these sizes that replace it. False where a block ends within one of them.
static bool splitBlocks(int64_t length, ArrayRef<int64_t> sizes,
                        MutableArrayRef<int64_t> blocks) {
  if (length == 0) {
    llvm::fill(blocks, 0);
    return true;
  }
  // From the innermost dimension outwards; `length` counts its elements.
  for (int64_t i = sizes.size() - 1; i >= 0; --i) {
    bool isOutermost =
        llvm::all_of(sizes.take_front(i), [](int64_t n) { return n == 1; });
    if (length == 1 || isOutermost) {
      blocks[i] = length;
      length = 1;
    } else if (ShapedType::isDynamic(sizes[i])) {
      return false;
    } else if (length % sizes[i] == 0) {
      blocks[i] = 0;
      length /= sizes[i];
    } else if (sizes[i] % length == 0) {
      blocks[i] = length;
      length = 1;
    } else {
      return false;
    }
  }
  return true;
}

/// The inverse: the block length of the one dimension, or nothing where its
/// groups are no blocks.
static std::optional<int64_t> mergeBlocks(ArrayRef<int64_t> sizes,
                                          ArrayRef<int64_t> blocks) {
  // Innermost, the dimensions that lie in one block whole.
  int64_t i = sizes.size() - 1, length = 1;
  for (; i >= 0; --i) {
    bool isStatic = !ShapedType::isDynamic(sizes[i]);
    bool isWhole = blocks[i] == 0 || (isStatic && sizes[i] <= blocks[i]);
    if (!isWhole)
      break;
    if (length != ShapedType::kDynamic)
      length = isStatic ? length * sizes[i] : ShapedType::kDynamic;
  }
  if (i < 0)
    return 0;
  if (length == ShapedType::kDynamic)
    return std::nullopt;
  // Then one that has blocks; then such as have no two elements in a block.
  bool divides = blocks[i] == 1 || (!ShapedType::isDynamic(sizes[i]) &&
                                    sizes[i] % blocks[i] == 0);
  for (int64_t outer = 0; outer < i; ++outer)
    if (sizes[outer] != 1 && (blocks[outer] != 1 || !divides))
      return std::nullopt;
  return length * blocks[i];
}

/// Block lengths as the simplest granularity of a value of this shape.
static Granularity fromBlocks(ArrayRef<int64_t> blocks,
                              ArrayRef<int64_t> shape) {
  SmallVector<int64_t> axes, unitAxes;
  for (auto [dim, length, size] : llvm::enumerate(blocks, shape)) {
    if (length != 0 && size != 1)
      axes.push_back(dim);
    else if (length == 1)
      unitAxes.push_back(dim);
  }
  if (axes.size() == 1 && blocks[axes[0]] == 1)
    return Granularity::alongAxis(axes[0]);
  if (axes.empty() && !unitAxes.empty())
    return Granularity::alongAxis(unitAxes[0]);
  return Granularity::inBlocks(blocks);
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The groups of dimensions in which a parameter of one rank becomes one of the
/// other rank; `groups` are those of the reshaped value.
static SmallVector<ReassociationIndices>
getParameterGroups(int64_t from, int64_t to,
                   ArrayRef<ReassociationIndices> groups) {
  if (std::min(from, to) != 1)
    return SmallVector<ReassociationIndices>(groups);
  return {llvm::to_vector<2>(llvm::seq<int64_t>(std::max(from, to)))};
}

/// The expanded type of a parameter. What the value's shape leaves dynamic may
/// follow from the parameter's own sizes; nothing where it does not, or where
/// the parameter's size is the unknown one.
static RankedTensorType getExpandedType(RankedTensorType parameter,
                                        ArrayRef<int64_t> shape,
                                        ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> sizes(shape);
  for (auto [size, group] : llvm::zip_equal(parameter.getShape(), groups)) {
    int64_t known = 1;
    SmallVector<int64_t> unknown;
    for (int64_t dim : group) {
      if (ShapedType::isDynamic(shape[dim]))
        unknown.push_back(dim);
      else
        known *= shape[dim];
    }
    if (ShapedType::isDynamic(size)) {
      if (unknown.empty())
        return {};
    } else if (unknown.size() == 1 && known != 0 && size % known == 0) {
      sizes[unknown[0]] = size / known;
    } else if (!unknown.empty() || known != size) {
      return {};
    }
  }
  return parameter.clone(sizes);
}

namespace {
template <typename ReshapeOp>
class ReshapeMotion {
public:
  using Op = ReshapeOp;
  static PositionChange getPositionChange(Op) { return PositionChange::None; }
  static constexpr bool kIsExpansion =
      std::is_same_v<Op, tensor::ExpandShapeOp>;

  ReshapeMotion(Op op, bool isForward)
      : isExpansion(isForward == kIsExpansion),
        expanded(kIsExpansion ? op.getResultType() : op.getSrcType()),
        collapsed(kIsExpansion ? op.getSrcType() : op.getResultType()),
        groups(op.getReassociationIndices()) {}

  static Value getSource(Op op) { return op.getSrc(); }

  static Value apply(RewriterBase &rewriter, Op op, Value value) {
    return moveLike(rewriter, op, value);
  }

  FailureOr<Granularity> move(const Granularity &granularity,
                              StringRef &reason) {
    if (granularity.isTensor())
      return granularity;
    if (llvm::is_contained(expanded.getShape(), 0)) {
      reason = "is on an empty tensor";
      return failure();
    }
    RankedTensorType from = isExpansion ? collapsed : expanded;
    RankedTensorType to = isExpansion ? expanded : collapsed;
    SmallVector<int64_t> blocks(granularity.getBlockShape());
    if (granularity.isAxis()) {
      blocks.assign(from.getRank(), 0);
      blocks[granularity.getAxis()] = 1;
    }
    SmallVector<int64_t> moved(to.getRank());
    // An expansion of rank 0 has no groups.
    for (auto [dim, group] : llvm::enumerate(groups)) {
      int64_t first = group.front(), count = group.size();
      ArrayRef<int64_t> sizes = expanded.getShape().slice(first, count);
      if (isExpansion) {
        if (!splitBlocks(blocks[dim], sizes,
                         MutableArrayRef(moved).slice(first, count))) {
          reason = "has blocks that end within a dimension of the other shape";
          return failure();
        }
        continue;
      }
      std::optional<int64_t> length =
          mergeBlocks(sizes, ArrayRef(blocks).slice(first, count));
      if (!length) {
        reason = "has parameters that would have to be repeated, or blocks "
                 "that do not lie together, in the collapsed shape";
        return failure();
      }
      moved[dim] = *length;
    }
    return fromBlocks(moved, to.getShape());
  }

  bool canMove(RankedTensorType parameter, const Granularity &moved) {
    int64_t rank = moved.getParameterRank();
    if (rank <= parameter.getRank())
      return true;
    return static_cast<bool>(
        getExpandedType(parameter, getParameterShape(moved),
                        getParameterGroups(parameter.getRank(), rank, groups)));
  }

  Value moveParameter(RewriterBase &rewriter, Value parameter,
                      const Granularity &moved, Value input) {
    Location loc = parameter.getLoc();
    auto type = cast<RankedTensorType>(parameter.getType());
    int64_t rank = moved.getParameterRank();
    if (rank == type.getRank())
      return parameter;
    SmallVector<ReassociationIndices> reassociation =
        getParameterGroups(type.getRank(), rank, groups);
    if (rank < type.getRank())
      return rewriter.createOrFold<tensor::CollapseShapeOp>(loc, parameter,
                                                            reassociation);
    RankedTensorType result =
        getExpandedType(type, getParameterShape(moved), reassociation);
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(result.getShape())) {
      if (!ShapedType::isDynamic(size)) {
        sizes.push_back(rewriter.getIndexAttr(size));
        continue;
      }
      // A dynamic size is that of the value's dimension, or of its blocks.
      int64_t length = moved.isBlock() ? moved.getBlockShape()[dim] : 1;
      sizes.push_back(affine::makeComposedFoldedAffineApply(
          rewriter, loc, rewriter.getAffineSymbolExpr(0).ceilDiv(length),
          {tensor::getMixedSize(rewriter, loc, input, dim)}));
    }
    return rewriter.createOrFold<tensor::ExpandShapeOp>(loc, result, parameter,
                                                        reassociation, sizes);
  }

private:
  SmallVector<int64_t> getParameterShape(const Granularity &moved) {
    return moved.getParameterShape(
        (isExpansion ? expanded : collapsed).getShape());
  }

  /// The change of the parameters: the movement or its inverse.
  bool isExpansion;
  RankedTensorType expanded, collapsed;
  SmallVector<ReassociationIndices, 4> groups;
};
} // namespace

void mlir::qdq::populateReshapeMotionPatterns(RewritePatternSet &patterns,
                                              MovedValues moved,
                                              PatternBenefit benefit) {
  addMotion<ReshapeMotion<tensor::ExpandShapeOp>>(patterns, moved, benefit);
  addMotion<ReshapeMotion<tensor::CollapseShapeOp>>(patterns, moved, benefit);
}
