// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of products, which share what they read.

#include "../Vectorize/LaneLoops.h"
#include "PartSizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::qdq;

/// A product in vectors takes this fraction of the time of other iterations,
/// unless its codes have parameters.
static constexpr int64_t kSpeed = 4;

/// Many threads find a part; each costs a call, and reads its rows again.
static constexpr int64_t kMaxParts = 32;

/// Tiles of columns, see ../ByteDots/ByteTiling.cpp: the widest of them, and
/// the most rows that they have.
static constexpr int64_t kWidth = 256;
static constexpr int64_t kWideRows = 4;

/// Columns whose codes have parameters: see ../Dots/ColumnKernel.cpp.
static constexpr int64_t kLanes = 16;

/// Rows that are worth what all parts do for the columns.
static constexpr int64_t kMinRows = 12;

/// True if the innermost results are elements of storage words.
static bool hasSubByteColumns(linalg::LinalgOp op, AffineMap result) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  unsigned rank = result.getNumResults();
  return generic && rank > 1 &&
         countsFields(generic, result.getDimPosition(rank - 1));
}

/// True if a factor is codes of 8 bits, or bytes that hold codes, with or
/// without parameters.
static bool multipliesCodes(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInputs(), [](Value input) {
    return getElementTypeOrSelf(input).isInteger(8);
  });
}

std::optional<ProductLoops> ProductLoops::get(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return std::nullopt;
  AffineMap result = op.getIndexingMapsArray().back();
  // All other parallel loops are in the result.
  if (!result.isProjectedPermutation() || result.getNumResults() == 0 ||
      result.getNumResults() != op.getNumParallelLoops())
    return std::nullopt;
  // Elements of a word stay together: columns are words. Their parameters are
  // operands.
  bool isSubByte = hasSubByteColumns(op, result);
  ArrayRef<AffineExpr> outer = result.getResults().drop_back(isSubByte ? 2 : 1);
  ProductLoops loops;
  loops.column = result.getDimPosition(outer.size());
  loops.hasParameters = !isSubByte && op.getNumDpsInputs() != 2;
  if (loops.hasParameters && !multipliesCodes(op))
    return std::nullopt;
  auto hasColumn = [&](OpOperand *operand) {
    return op.getMatchingIndexingMap(operand).isFunctionOfDim(loops.column);
  };
  SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
  auto shared = llvm::make_filter_range(inputs, std::not_fn(hasColumn));
  auto own = llvm::make_filter_range(inputs, hasColumn);
  if (shared.empty() || own.empty())
    return std::nullopt;
  for (AffineExpr expr : outer) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    auto hasLoop = [&](OpOperand *operand) {
      return op.getMatchingIndexingMap(operand).isFunctionOfDim(loop);
    };
    bool isBatch = llvm::any_of(shared, hasLoop) && llvm::any_of(own, hasLoop);
    (isBatch ? loops.batches : loops.rows).push_back(loop);
  }
  return loops;
}

/// The columns of the widest tile, or those that vectors of columns beside
/// parameters fill.
static int64_t getColumnUnit(ArrayRef<int64_t> ranges,
                             const ProductLoops &loops) {
  if (loops.hasParameters)
    return kLanes;
  int64_t rows = 1;
  for (unsigned loop : loops.rows)
    rows = std::min(rows * ranges[loop], kWideRows);
  return kWidth / llvm::bit_floor(uint64_t(rows));
}

static SmallVector<int64_t> chooseStatic(ArrayRef<int64_t> ranges,
                                         const ProductLoops &loops,
                                         int64_t minPart) {
  int64_t total = 1;
  for (int64_t range : ranges)
    total *= range;
  int64_t speed = loops.hasParameters ? 1 : kSpeed;
  int64_t wanted = std::min(total / (speed * minPart), kMaxParts);
  if (wanted < 2)
    return {};
  SmallVector<int64_t> sizes(ranges.size(), 0);
  // Divides a loop into parts of a multiple of `unit`, at least `least`. With
  // `isEven`, all are alike.
  auto divide = [&](unsigned loop, int64_t unit, int64_t least, bool isEven) {
    int64_t size = ranges[loop];
    int64_t first = std::max(
        llvm::alignTo(llvm::divideCeil(size, wanted), unit), uint64_t(least));
    int64_t part = first;
    while (part < 2 * first && size % part != 0)
      part += unit;
    if (part >= 2 * first) {
      if (isEven)
        return;
      part = first;
    }
    if (part >= size)
      return;
    sizes[loop] = part;
    wanted = std::max<int64_t>(wanted / llvm::divideCeil(size, part), 1);
  };
  int64_t unit = getColumnUnit(ranges, loops);
  for (unsigned loop : loops.batches)
    divide(loop, 1, 1, /*isEven=*/false);
  divide(loops.column, unit, unit, /*isEven=*/true);
  for (unsigned loop : loops.rows)
    divide(loop, 1, loop == loops.rows.back() ? kMinRows : 1,
           /*isEven=*/false);
  auto isWhole = [](int64_t size) { return size == 0; };
  if (llvm::all_of(sizes, isWhole))
    divide(loops.column, unit, unit, /*isEven=*/false);
  return llvm::all_of(sizes, isWhole) ? SmallVector<int64_t>() : sizes;
}

/// The columns are divided, if a single row is worth it, or the outermost batch
/// or the rows of a dynamic number.
static SmallVector<OpFoldResult> chooseDynamic(OpBuilder &b,
                                               linalg::LinalgOp op,
                                               const ProductLoops &loops,
                                               int64_t minPart) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges(), least = ranges;
  auto isDynamic = [&](unsigned loop) {
    return ShapedType::isDynamic(ranges[loop]);
  };
  auto openRows = llvm::make_filter_range(loops.rows, isDynamic);
  for (unsigned loop : openRows)
    least[loop] = 1;
  if (llvm::none_of(least, ShapedType::isDynamic))
    if (SmallVector<int64_t> parts = chooseStatic(least, loops, minPart);
        !parts.empty())
      return getAsIndexOpFoldResult(b.getContext(), parts);
  // Loops, and how many iterations their parts have at least.
  SmallVector<std::pair<unsigned, int64_t>> units;
  if (auto batch = llvm::find_if(loops.batches, isDynamic);
      batch != loops.batches.end())
    units.push_back({*batch, 1});
  else
    for (unsigned loop : openRows)
      units.push_back({loop, loop == loops.rows.back() ? kMinRows : 1});
  if (units.empty())
    units.push_back({loops.column, kWidth / kWideRows});
  SmallVector<bool> divisible(ranges.size(), false);
  for (auto [loop, unit] : units)
    divisible[loop] = true;
  SmallVector<OpFoldResult> sizes =
      PartSizes(b, op.getLoc(), kSpeed * minPart)
          .choose(op.createLoopRanges(b, op.getLoc()), divisible);
  if (sizes.empty())
    return sizes;
  for (auto [loop, unit] : units)
    sizes[loop] = affine::makeComposedFoldedAffineApply(
        b, op.getLoc(), b.getAffineDimExpr(0).ceilDiv(unit) * unit,
        {sizes[loop]});
  return sizes;
}

SmallVector<OpFoldResult>
mlir::qdq::chooseProductParts(OpBuilder &b, linalg::LinalgOp op,
                              const ProductLoops &loops, int64_t minPart) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return chooseDynamic(b, op, loops, minPart);
  return getAsIndexOpFoldResult(b.getContext(),
                                chooseStatic(ranges, loops, minPart));
}
