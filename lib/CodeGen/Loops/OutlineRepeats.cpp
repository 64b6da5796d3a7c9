// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layers of a network as calls of one function.

#include "ShareOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/CodeGen/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_OUTLINEREPEATSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// Neighbors of a unit that tell it from others like it.
static constexpr size_t kNeighbors = 4;

/// Periods that are tried for one part of a block.
static constexpr size_t kPeriods = 8;

namespace {
/// The ops of a block in their order, without constants and the terminator, in
/// units: ops up to one that makes a tensor or changes memory. The vectors
/// between are for one function.
struct Sequence {
  SmallVector<OpRun> units;
  SmallVector<size_t> hashes;
  /// Ops before each unit, with nested ones.
  SmallVector<size_t> numOps = {0};
  /// Values other than indices that are defined before each unit and read in it
  /// or after it.
  SmallVector<int> numLive;
};

/// `count` runs of `period` units, one behind the other.
struct Repeat {
  size_t begin, period, count;
};
} // namespace

static bool endsUnit(Operation *op) {
  return !isMemoryEffectFree(op) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
}

static Sequence collectSequence(Block &block) {
  Sequence sequence;
  DenseMap<Operation *, size_t> unitOf;
  OpRun unit;
  size_t hash = 0, numOps = 0;
  for (Operation &op : block.without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>())
      continue;
    unsigned nested = 0;
    hash = llvm::hash_combine(hash, hashNestedOps(&op, nested));
    numOps += nested;
    unitOf[&op] = sequence.units.size();
    unit.push_back(&op);
    if (!endsUnit(&op))
      continue;
    sequence.units.push_back(std::exchange(unit, {}));
    sequence.hashes.push_back(std::exchange(hash, 0));
    sequence.numOps.push_back(numOps);
  }
  // At each unit: values that begin to live there, less those that end.
  size_t end = sequence.units.size();
  SmallVector<int> change(end + 1);
  for (auto [position, ops] : llvm::enumerate(sequence.units))
    for (Operation *op : ops)
      for (Value result : op->getResults()) {
        if (result.getType().isIndex())
          continue;
        size_t last = position;
        for (Operation *user : result.getUsers()) {
          auto found = unitOf.find(block.findAncestorOpInBlock(*user));
          last = std::max(last, found == unitOf.end() ? end : found->second);
        }
        ++change[position + 1];
        if (last < end)
          --change[last + 1];
      }
  int live = 0;
  for (int step : change)
    sequence.numLive.push_back(live += step);
  return sequence;
}

/// The distances between equal units with equal neighbors, the one of most ops
/// first.
static SmallVector<size_t> collectPeriods(const Sequence &sequence,
                                          size_t begin, size_t end) {
  DenseMap<size_t, size_t> last;
  llvm::MapVector<size_t, size_t> weights;
  for (size_t i = begin; i + kNeighbors <= end; ++i) {
    size_t hash = llvm::hash_combine_range(
        ArrayRef(sequence.hashes).slice(i, kNeighbors));
    auto [entry, isNew] = last.try_emplace(hash, i);
    if (!isNew)
      weights[i - entry->second] += sequence.numOps[i + 1] - sequence.numOps[i];
    entry->second = i;
  }
  auto order = weights.takeVector();
  llvm::stable_sort(order,
                    [](auto &a, auto &b) { return a.second > b.second; });
  order.resize(std::min(order.size(), kPeriods));
  return llvm::map_to_vector(order, [](auto &entry) { return entry.first; });
}

/// The repeat of this period between two positions that saves most ops. It
/// begins where fewest values are alive.
static std::optional<Repeat> findRepeat(const Sequence &sequence, size_t period,
                                        size_t begin, size_t end) {
  std::optional<Repeat> best;
  size_t saved = 0;
  for (size_t i = begin; i + period < end; ++i) {
    size_t run = i;
    while (i + period < end &&
           sequence.hashes[i] == sequence.hashes[i + period])
      ++i;
    size_t length = i - run + period, count = length / period;
    if (count < 2)
      continue;
    size_t ops =
        sequence.numOps[run + (count - 1) * period] - sequence.numOps[run];
    if (ops <= saved)
      continue;
    saved = ops;
    best = {run, period, count};
    // One run less may be worth a better place to begin.
    size_t least = std::max<size_t>(2, count - 1);
    for (size_t start = run; start < run + period; ++start) {
      size_t left = (run + length - start) / period;
      if (left < least)
        break;
      auto isBetter = [&] {
        int live = sequence.numLive[start + period];
        int other = sequence.numLive[best->begin + period];
        return live < other || (live == other && left > best->count);
      };
      if (isBetter())
        best = {start, period, left};
    }
  }
  return best;
}

namespace {
/// One function whose repeats become calls.
class RepeatOutliner {
public:
  RepeatOutliner(RewriterBase &rewriter, SymbolTable &symbols,
                 func::FuncOp function, size_t minOps)
      : rewriter(rewriter), symbols(symbols), function(function),
        minOps(minOps), sequence(collectSequence(function.getBody().front())) {}

  void run() {
    find(0, sequence.units.size());
    // Constants make better code than arguments.
    if (2 * saved < sequence.numOps.back())
      return;
    // The last first: it may read results of the others.
    llvm::sort(found, [](auto &a, auto &b) { return a.first > b.first; });
    for (auto &[begin, runs] : found)
      runs.share(rewriter, symbols, function);
  }

private:
  void find(size_t begin, size_t end) {
    if (sequence.numOps[end] - sequence.numOps[begin] < minOps)
      return;
    for (size_t period : collectPeriods(sequence, begin, end)) {
      std::optional<Repeat> repeat = findRepeat(sequence, period, begin, end);
      if (!repeat)
        continue;
      auto added = add(*repeat);
      if (!added)
        continue;
      find(begin, added->first);
      find(added->second, end);
      return;
    }
  }

  /// Finds runs of the repeat that are alike, and returns where they begin and
  /// end.
  std::optional<std::pair<size_t, size_t>> add(Repeat repeat) {
    auto getRun = [&](size_t begin) {
      OpRun run;
      for (const OpRun &unit :
           ArrayRef(sequence.units).slice(begin, repeat.period))
        llvm::append_range(run, unit);
      return run;
    };
    // The first layer may compute what the others read.
    for (; repeat.count >= 2; --repeat.count, repeat.begin += repeat.period) {
      AlikeRuns runs(getRun(repeat.begin));
      size_t end = repeat.begin + repeat.period;
      for (size_t i = 1; i < repeat.count && runs.add(getRun(end)); ++i)
        end += repeat.period;
      size_t ops =
          sequence.numOps[end] - sequence.numOps[repeat.begin + repeat.period];
      if (ops < minOps || !runs.returnBuffers())
        continue;
      saved += ops;
      found.emplace_back(repeat.begin, std::move(runs));
      return std::pair(repeat.begin, end);
    }
    return std::nullopt;
  }

  RewriterBase &rewriter;
  SymbolTable &symbols;
  func::FuncOp function;
  size_t minOps;
  Sequence sequence;
  size_t saved = 0;
  SmallVector<std::pair<size_t, AlikeRuns>> found;
};
} // namespace

/// True for ops that only make a tensor to write to.
static bool makesDestination(Operation *op) {
  if (isa<tensor::EmptyOp>(op))
    return true;
  if (!isa<linalg::FillOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    return false;
  Value tensor = isa<linalg::FillOp>(op) ? cast<linalg::FillOp>(op).output()
                                         : op->getOperand(0);
  Operation *source = tensor.getDefiningOp();
  return source && makesDestination(source);
}

/// True if the owner writes to the tensor, or makes another one to write to.
static bool isDestination(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto op = dyn_cast<DestinationStyleOpInterface>(user))
    return op.isDpsInit(&use);
  return isa<LoopLikeOpInterface>(user) || makesDestination(user);
}

/// Gives each writer its own tensor to write to.
static void localizeDestinations(RewriterBase &rewriter, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!makesDestination(&op))
      continue;
    for (OpOperand &use : llvm::make_early_inc_range(op.getUses())) {
      Operation *user = use.getOwner();
      if (!isDestination(use))
        continue;
      rewriter.setInsertionPoint(block.findAncestorOpInBlock(*user));
      rewriter.modifyOpInPlace(
          user, [&] { use.set(rewriter.clone(op)->getResult(0)); });
    }
    if (op.use_empty())
      rewriter.eraseOp(&op);
  }
}

/// Moves each write to a result behind the op that computes it: layers then
/// hold both. One result may have several writes.
static void localizeWrites(RewriterBase &rewriter, Block &block) {
  auto writes = block.getOps<bufferization::MaterializeInDestinationOp>();
  for (auto write : llvm::to_vector(writes)) {
    // Nothing else reads or writes the buffer of a restricted write.
    if (!write.getRestrict() || !write.getDest().hasOneUse())
      continue;
    Operation *source = write.getSource().getDefiningOp();
    Operation *buffer = write.getDest().getDefiningOp();
    if (source && source->getBlock() == &block &&
        (!buffer || buffer->isBeforeInBlock(source)))
      rewriter.moveOpAfter(write, source);
  }
}

static size_t countOps(Operation *root) {
  size_t numOps = 0;
  root->walk([&](Operation *) { ++numOps; });
  return numOps;
}

namespace {
struct OutlineRepeatsPass
    : qdq::impl::OutlineRepeatsPassBase<OutlineRepeatsPass> {
  using OutlineRepeatsPassBase::OutlineRepeatsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    IRRewriter rewriter(&getContext());
    auto functions = getOperation().getOps<func::FuncOp>();
    for (func::FuncOp function : llvm::to_vector(functions)) {
      if (!function.getBody().hasOneBlock() ||
          countOps(function) < 2 * size_t(minOps))
        continue;
      localizeDestinations(rewriter, function.getBody().front());
      localizeWrites(rewriter, function.getBody().front());
      RepeatOutliner(rewriter, symbols, function, minOps).run();
    }
  }
};
} // namespace
