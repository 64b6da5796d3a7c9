// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts in which the factors of products of bytes lie together.

#include "LayOutByteContractions.h"
#include "../Plan/ConsumerFusion.h"
#include "../Plan/Tiles.h"
#include "ByteProduct.h"
#include "Transposition.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// Sums in a vector, at most.
static constexpr int64_t kLanes = 16;

namespace {
/// The loops that should be innermost.
struct WantedLoops {
  unsigned rows, columns;
  unsigned depth, column;
};
} // namespace

/// Where in `map` a loop is, if it is a dimension of its own.
static std::optional<unsigned> findDim(AffineMap map, unsigned loop) {
  std::optional<unsigned> found;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(loop))
      continue;
    if (found || !isa<AffineDimExpr>(expr))
      return std::nullopt;
    found = i;
  }
  return found;
}

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

static std::optional<WantedLoops> getWanted(linalg::GenericOp op, unsigned rows,
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
    return isReduction(loop) && findDim(rowsMap, loop) &&
           findDim(columnsMap, loop);
  });
  std::optional<unsigned> column = findLongest(op, [&](unsigned loop) {
    return !isReduction(loop) && findDim(columnsMap, loop) &&
           !rowsMap.isFunctionOfDim(loop);
  });
  if (!depth || !column)
    return std::nullopt;
  return WantedLoops{rows, columns, *depth, *column};
}

/// The dimensions of a tensor, those of these loops last.
static SmallVector<int64_t> getOrder(AffineMap map, ArrayRef<unsigned> last) {
  SmallVector<int64_t> order;
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
    auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
    if (!expr || !llvm::is_contained(last, expr.getPosition()))
      order.push_back(dim);
  }
  for (unsigned loop : last)
    order.push_back(*findDim(map, loop));
  return order;
}

/// The initial values of the sums, in another order.
static Value transposeInit(IRRewriter &rewriter, Location loc, Value init,
                           ArrayRef<int64_t> order) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return createTransposition(rewriter, loc, init, order);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, fill.output());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, applyPermutation(sizes, order),
      cast<ShapedType>(init.getType()).getElementType());
  return linalg::FillOp::create(rewriter, loc, fill.value(), empty)
      .getResult(0);
}

/// The elementwise op that alone uses the sums, if its loops may be reordered
/// with the dimensions of its result.
static linalg::GenericOp getEpilogue(linalg::GenericOp op) {
  linalg::GenericOp user = getElementwiseConsumer(op);
  bool fits = user && user.getNumDpsInits() == 1 && !user.hasIndexSemantics() &&
              user.getMatchingIndexingMap(&*op->getResult(0).use_begin())
                  .isIdentity() &&
              user.getIndexingMapsArray().back().isIdentity() &&
              !user.payloadUsesValueFromOperand(&user.getDpsInitsMutable()[0]);
  return fits ? user : linalg::GenericOp();
}

/// Computes the epilogue of sums in another order, and transposes its result.
static void transposeEpilogue(IRRewriter &rewriter, linalg::GenericOp epilogue,
                              Value sums, Value transposed,
                              ArrayRef<int64_t> order) {
  Location loc = epilogue.getLoc();
  rewriter.setInsertionPoint(epilogue);
  SmallVector<int64_t> back = invertPermutationVector(order);
  // Loop `order[i]` becomes loop i.
  AffineMap renamed = AffineMap::getPermutationMap(back, rewriter.getContext());
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (OpOperand *operand : epilogue.getDpsInputOperands()) {
    AffineMap map = epilogue.getMatchingIndexingMap(operand);
    Value input = operand->get();
    // Another tensor of the result's shape may come from such sums as well.
    if (input == sums)
      input = transposed;
    else if (map.isIdentity())
      input = createTransposition(rewriter, loc, input, order);
    maps.push_back(map.isIdentity() ? map : map.compose(renamed));
    inputs.push_back(input);
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(order.size()));
  Value init = epilogue.getDpsInits().front();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, init);
  auto type = cast<RankedTensorType>(init.getType());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, applyPermutation(sizes, order), type.getElementType());
  linalg::GenericOp computed =
      rebuildGeneric(rewriter, epilogue, inputs, empty, maps,
                     epilogue.getIteratorTypesArray());
  // Its user has the same order.
  if (linalg::GenericOp next = getEpilogue(epilogue)) {
    transposeEpilogue(rewriter, next, epilogue->getResult(0),
                      computed.getResult(0), order);
    rewriter.eraseOp(epilogue);
    return;
  }
  rewriter.replaceOp(epilogue, createTransposition(
                                   rewriter, loc, computed.getResult(0), back));
}

/// Replaces `op` by the same sums of operands whose last dimensions are those
/// of the loops `last`, for the inputs and the result.
static void layOut(IRRewriter &rewriter, linalg::GenericOp op,
                   ArrayRef<SmallVector<unsigned>> last) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<SmallVector<int64_t>> orders;
  for (auto [map, loops] : llvm::zip_equal(maps, last)) {
    orders.push_back(getOrder(map, loops));
    map = permuteResults(map, orders.back());
  }
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < 2; ++i)
    inputs.push_back(
        createTransposition(rewriter, loc, op->getOperand(i), orders[i]));
  ArrayRef<int64_t> order = orders.back();
  Value init = transposeInit(rewriter, loc, op.getDpsInits().front(), order);
  linalg::GenericOp epilogue = getEpilogue(op);
  linalg::GenericOp product = rebuildGeneric(rewriter, op, inputs, init, maps,
                                             op.getIteratorTypesArray());
  bool isMoved = !isIdentityPermutation(order);
  if (isMoved && epilogue) {
    transposeEpilogue(rewriter, epilogue, op->getResult(0),
                      product.getResult(0), order);
    rewriter.eraseOp(op);
    return;
  }
  rewriter.replaceOp(op,
                     createTransposition(rewriter, loc, product.getResult(0),
                                         invertPermutationVector(order)));
}

static void layOut(IRRewriter &rewriter, linalg::GenericOp op,
                   const WantedLoops &wanted) {
  SmallVector<SmallVector<unsigned>> last(3);
  last[wanted.rows] = {wanted.depth};
  last[wanted.columns] = {wanted.depth, wanted.column};
  last.back() = {wanted.column};
  layOut(rewriter, op, last);
}

/// The channels of a depthwise convolution that should be lanes: a dimension of
/// all operands that is whole vectors, where the innermost one of the result is
/// not, or steps through a line.
static std::optional<unsigned> getChannels(linalg::GenericOp op) {
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
             return findDim(map, loop).has_value();
           });
  });
  return channels;
}

void mlir::qdq::layOutByteContractions(IRRewriter &rewriter, Operation *root) {
  auto isOther = [](linalg::GenericOp op) {
    return ByteProduct::multipliesBytes(op) &&
           !ByteProduct::get(op, /*acceptsWindows=*/false);
  };
  for (linalg::GenericOp op : collectGenerics(root, isOther)) {
    std::optional<WantedLoops> wanted = getWanted(op, 0, 1);
    if (!wanted)
      wanted = getWanted(op, 1, 0);
    if (wanted)
      layOut(rewriter, op, *wanted);
    else if (std::optional<unsigned> channels = getChannels(op))
      layOut(rewriter, op, SmallVector<SmallVector<unsigned>>(3, {*channels}));
  }
}
