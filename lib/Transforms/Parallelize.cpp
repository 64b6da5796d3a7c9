// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structured ops in parts that can run at the same time.

#include "Vectorize/Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_PARALLELIZEPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// True for loops that may be divided among threads: each output has a
/// dimension for the loop, so that two parts write no element both.
static SmallVector<bool> getDivisibleLoops(linalg::LinalgOp op) {
  SmallVector<bool> divisible;
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isDivisible = linalg::isParallelIterator(type);
    for (OpOperand &output : op.getDpsInitsMutable()) {
      AffineMap map = op.getMatchingIndexingMap(&output);
      isDivisible &= map.isProjectedPermutation() && map.isFunctionOfDim(loop);
    }
    divisible.push_back(isDivisible);
  }
  return divisible;
}

namespace {
/// Chooses how many iterations of each loop are in a part: whole inner loops,
/// and of one loop around them as many as make up `minPart` elements.
class PartSizes {
public:
  PartSizes(OpBuilder &b, Location loc, int64_t minPart)
      : b(b), loc(loc), minPart(minPart) {}

  /// One size for each loop; 0 leaves it whole. Empty if there would be no more
  /// than one part.
  SmallVector<OpFoldResult> choose(ArrayRef<Range> loops,
                                   ArrayRef<bool> divisible);

private:
  Value makeIndex(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value toValue(OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(b, loc, size);
  }
  OpFoldResult chooseStatic(int64_t size);
  OpFoldResult chooseDynamic(Value size, Value isSmall);
  Value isSmall(ArrayRef<Range> loops);

  OpBuilder &b;
  Location loc;
  int64_t minPart;
  /// The iterations that are still to be found.
  OpFoldResult rest;
};
} // namespace

/// True if all loops together are not worth two parts.
Value PartSizes::isSmall(ArrayRef<Range> loops) {
  Value total = makeIndex(1);
  for (const Range &loop : loops)
    total = b.createOrFold<arith::MulIOp>(loc, total, toValue(loop.size));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, total,
                               makeIndex(2 * minPart));
}

OpFoldResult PartSizes::chooseStatic(int64_t size) {
  std::optional<int64_t> wanted = getConstantIntValue(rest);
  if (!wanted) { // Loops further in are dynamic.
    OpFoldResult part =
        b.createOrFold<arith::MinUIOp>(loc, toValue(rest), makeIndex(size));
    rest = b.createOrFold<arith::MaxUIOp>(
        loc,
        b.createOrFold<arith::DivUIOp>(loc, toValue(rest), makeIndex(size)),
        makeIndex(1));
    return part;
  }
  if (size < 2 * *wanted) {
    rest = b.getIndexAttr(std::max<int64_t>(*wanted / size, 1));
    return b.getIndexAttr(0);
  }
  rest = b.getIndexAttr(1);
  return b.getIndexAttr(getEvenPart(size, *wanted));
}

OpFoldResult PartSizes::chooseDynamic(Value size, Value isSmall) {
  // A part of nothing would be no step.
  Value atLeastOne = b.createOrFold<arith::MaxUIOp>(loc, size, makeIndex(1));
  Value wanted = toValue(rest);
  Value part = b.createOrFold<arith::MinUIOp>(loc, atLeastOne, wanted);
  Value left = b.createOrFold<arith::DivUIOp>(loc, wanted, atLeastOne);
  rest = b.createOrFold<arith::MaxUIOp>(loc, left, makeIndex(1));
  return b.createOrFold<arith::SelectOp>(loc, isSmall, atLeastOne, part);
}

SmallVector<OpFoldResult> PartSizes::choose(ArrayRef<Range> loops,
                                            ArrayRef<bool> divisible) {
  int64_t total = 1;
  bool isDynamic = false;
  for (const Range &loop : loops) {
    if (std::optional<int64_t> size = getConstantIntValue(loop.size))
      total *= *size;
    else
      isDynamic = true;
  }
  // Nothing at all is a total of 0.
  if (total == 0 || (!isDynamic && total < 2 * minPart))
    return {};
  Value small = isDynamic ? isSmall(loops) : Value();

  rest = b.getIndexAttr(minPart);
  SmallVector<OpFoldResult> parts(loops.size(), b.getIndexAttr(0));
  auto visit = [&](bool isDivisible) {
    for (int64_t loop = loops.size() - 1; loop >= 0; --loop) {
      if (divisible[loop] != isDivisible)
        continue;
      std::optional<int64_t> size = getConstantIntValue(loops[loop].size);
      OpFoldResult part = size
                              ? chooseStatic(*size)
                              : chooseDynamic(toValue(loops[loop].size), small);
      if (isDivisible)
        parts[loop] = part;
    }
  };
  // Each iteration of the others runs through the indivisible ones.
  visit(/*isDivisible=*/false);
  visit(/*isDivisible=*/true);
  if (llvm::all_of(
          parts, [](OpFoldResult part) { return isConstantIntValue(part, 0); }))
    return {};
  return parts;
}

namespace {
struct ParallelizePass : qdq::impl::ParallelizePassBase<ParallelizePass> {
  using ParallelizePassBase::ParallelizePassBase;

  void runOnOperation() override {
    if (minPart < 1) {
      getOperation()->emitError()
          << "min-part is " << minPart.getValue() << ": expected at least 1";
      return signalPassFailure();
    }
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && op.getNumLoops() > 0 &&
          !op->getParentOfType<scf::ForallOp>() &&
          !op->getParentOfType<scf::ParallelOp>())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    bool isChanged = false;
    // Backwards: a fill moves into the parts of its only reader.
    for (linalg::LinalgOp op : llvm::reverse(ops))
      isChanged |= divide(rewriter, op);
    if (!isChanged)
      markAllAnalysesPreserved();
  }

private:
  bool divide(IRRewriter &rewriter, linalg::LinalgOp op) {
    SmallVector<bool> divisible = getDivisibleLoops(op);
    if (llvm::none_of(divisible, [](bool loop) { return loop; }))
      return false;
    if (isa<linalg::FillOp>(op) && op->use_empty()) {
      rewriter.eraseOp(op);
      return true;
    }
    rewriter.setInsertionPoint(op);
    auto tiling = cast<TilingInterface>(op.getOperation());
    SmallVector<OpFoldResult> parts =
        PartSizes(rewriter, op.getLoc(), minPart)
            .choose(tiling.getIterationDomain(rewriter), divisible);
    if (parts.empty())
      return false;
    SmallVector<linalg::FillOp> fills = takeFills(rewriter, op);
    scf::SCFTilingOptions options;
    options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
    options.setTileSizes(parts);
    FailureOr<scf::SCFTilingResult> tiled =
        scf::tileUsingSCF(rewriter, tiling, options);
    // What upstream cannot tile stays whole.
    if (failed(tiled)) {
      putFills(rewriter, op, fills);
      return false;
    }
    putFills(rewriter, cast<linalg::LinalgOp>(tiled->tiledOps.front()), fills);
    rewriter.replaceOp(op, tiled->replacements);
    return true;
  }

  /// The fills that `op` starts from, one for each init or null. The op starts
  /// from what they would have filled.
  static SmallVector<linalg::FillOp> takeFills(IRRewriter &rewriter,
                                               linalg::LinalgOp op) {
    SmallVector<linalg::FillOp> fills;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      auto fill = init.get().getDefiningOp<linalg::FillOp>();
      fills.push_back(fill);
      if (fill)
        rewriter.modifyOpInPlace(op, [&] { init.set(fill.output()); });
    }
    return fills;
  }

  /// The same fills before `op`, on what it starts from.
  static void putFills(IRRewriter &rewriter, linalg::LinalgOp op,
                       MutableArrayRef<linalg::FillOp> fills) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    for (auto [index, fill] : llvm::enumerate(fills)) {
      if (!fill)
        continue;
      OpOperand &init = op.getDpsInitsMutable()[index];
      auto part = linalg::FillOp::create(rewriter, fill.getLoc(), fill.value(),
                                         init.get());
      rewriter.modifyOpInPlace(op, [&] { init.set(part.getResult(0)); });
    }
  }
};
} // namespace
