// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts in which the factors of products of bytes lie together.

#include "../Plan/Tiles.h"
#include "ByteLayouts.h"
#include "ByteProduct.h"
#include "Transposition.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::qdq;

/// Sums in a vector, at most.
static constexpr int64_t kLanes = 16;

/// Loops that should be innermost, for both inputs and the result.
using LastLoops = SmallVector<SmallVector<unsigned>>;

/// The longest of the loops that `filter` accepts; one that is not known counts
/// as long.
static std::optional<unsigned>
findLongest(linalg::GenericOp op, function_ref<bool(unsigned)> filter) {
  std::optional<unsigned> longest;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto getSize = [&](unsigned loop) {
    return ShapedType::isDynamic(ranges[loop]) ? INT64_MAX : ranges[loop];
  };
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (filter(loop) && (!longest || getSize(loop) > getSize(*longest)))
      longest = loop;
  return longest;
}

static std::optional<LastLoops> getWanted(linalg::GenericOp op, unsigned rows,
                                          unsigned columns) {
  AffineMap rowsMap = op.getIndexingMapsArray()[rows];
  AffineMap columnsMap = op.getIndexingMapsArray()[columns];
  AffineMap resultMap = op.getIndexingMapsArray().back();
  if (!columnsMap.isProjectedPermutation() ||
      !resultMap.isProjectedPermutation())
    return std::nullopt;
  auto isReduction = [&](unsigned loop) {
    return linalg::isReductionIterator(op.getIteratorTypesArray()[loop]);
  };
  std::optional<unsigned> depth = findLongest(op, [&](unsigned loop) {
    return isReduction(loop) && findOwnDim(rowsMap, loop) &&
           findOwnDim(columnsMap, loop);
  });
  std::optional<unsigned> column = findLongest(op, [&](unsigned loop) {
    return !isReduction(loop) && findOwnDim(columnsMap, loop) &&
           !rowsMap.isFunctionOfDim(loop);
  });
  if (!depth || !column)
    return std::nullopt;
  LastLoops last(3);
  last[rows] = {*depth};
  last[columns] = {*depth, *column};
  last.back() = {*column};
  return last;
}

/// The channels of a depthwise convolution that should be lanes: a dimension of
/// all operands that is whole vectors, where the innermost one of the result is
/// not, or steps through a line.
static std::optional<LastLoops> getChannels(linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap result = maps.back();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!result.isProjectedPermutation() || result.getNumResults() == 0)
    return std::nullopt;
  auto isWhole = [&](unsigned loop) {
    return !ShapedType::isDynamic(ranges[loop]) && ranges[loop] % kLanes == 0;
  };
  unsigned line = result.getDimPosition(result.getNumResults() - 1);
  auto isStep = [&](AffineMap map) {
    AffineExpr dim = getAffineDimExpr(line, op.getContext());
    // A step of the line is one of the innermost dimension.
    return !map.isFunctionOfDim(line) ||
           simplifyAffineExpr(map.getResults().back() -
                                  map.getResults().back().replace(dim, dim - 1),
                              op.getNumLoops(), 0) == 1;
  };
  if (isWhole(line) && llvm::all_of(maps, isStep))
    return std::nullopt;
  std::optional<unsigned> channels = findLongest(op, [&](unsigned loop) {
    return loop != line && isWhole(loop) &&
           llvm::all_of(maps, [&](AffineMap map) {
             return findOwnDim(map, loop).has_value();
           });
  });
  return channels ? std::optional(LastLoops(3, {*channels})) : std::nullopt;
}

void mlir::qdq::layOutByteContractions(IRRewriter &rewriter, Operation *root) {
  auto isOther = [](linalg::GenericOp op) {
    return ByteProduct::multipliesBytes(op) &&
           !ByteProduct::get(op, /*acceptsWindows=*/false);
  };
  for (linalg::GenericOp op : collectGenerics(root, isOther)) {
    std::optional<LastLoops> last = getWanted(op, 0, 1);
    if (!last)
      last = getWanted(op, 1, 0);
    if (!last)
      last = getChannels(op);
    if (last)
      transposeContraction(rewriter, op, *last);
  }
}
