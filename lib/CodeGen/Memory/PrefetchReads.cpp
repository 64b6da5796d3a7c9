// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors that a later iteration of an outer loop will read.

#include "../Analysis/MayTrap.h"
#include "PrefetchStreams.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_PREFETCHREADSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// In the nearest cache, or the next one.
static constexpr unsigned kNearestCache = 3, kNextCache = 2;

/// Bytes from a read to what it prefetches, at least: those of one iteration
/// of short rows are read before memory answers.
static constexpr uint64_t kReadAhead = 4096;

/// The bytes of what is prefetched, at least: short fields of a record share
/// lines with long ones.
static constexpr uint64_t kLeast = 16;

static uint64_t getBytes(VectorType type) {
  Type element = type.getElementType();
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return llvm::divideCeil(type.getNumElements() * bits, 8);
}

/// The bytes of a read that asks for few lines twice.
static constexpr uint64_t kManyBytes = 32;

/// The cache for what `read` will read. Only the next one waits for as many
/// lines as keep memory busy; codes that are looked up keep the processor busy.
static unsigned getCache(vector::TransferReadOp read) {
  bool looksUp = llvm::any_of(*read->getBlock(), llvm::IsaPred<qdq::LookupOp>);
  return getBytes(read.getVectorType()) >= kManyBytes && !looksUp
             ? kNextCache
             : kNearestCache;
}

/// True for a loop that carries vectors of floats. Products of unsigned bytes,
/// whose sums are integers, took 1.4 times as long with prefetches.
static bool carriesFloats(scf::ForOp loop) {
  return llvm::any_of(loop.getResultTypes(), [](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector && isa<FloatType>(vector.getElementType());
  });
}

/// The loop around all loops around `read`, which carry sums; null if there is
/// none. Notes how often `read` reads in one iteration.
static scf::ForOp getRowLoop(vector::TransferReadOp read, uint64_t &count) {
  auto loop = dyn_cast<scf::ForOp>(read->getParentOp());
  if (!loop || !carriesFloats(loop))
    return {};
  for (count = 1; loop && carriesFloats(loop);
       loop = dyn_cast<scf::ForOp>(loop->getParentOp())) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    count =
        llvm::SaturatingMultiply(count, trips ? trips->getLimitedValue() : 0);
  }
  return loop && !loop.getUnsignedCmp() ? loop : scf::ForOp();
}

/// The innermost dimensions of a read, in the order of the buffer, whose
/// elements lie side by side.
static unsigned countNeighbors(vector::TransferReadOp read) {
  ArrayRef<int64_t> shape = read.getVectorType().getShape();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(cast<MemRefType>(read.getShapedType())
                 .getStridesAndOffset(strides, offset)))
    return 0;
  unsigned count = 0;
  for (int64_t size = 1;
       count < shape.size() && *(strides.end() - 1 - count) == size; ++count)
    size *= *(shape.end() - 1 - count);
  return count;
}

/// Offsets of an element in each line that `read` reads: the last ones, since
/// the first may share a line with what is read now.
static SmallVector<SmallVector<int64_t>>
getPlaces(vector::TransferReadOp read) {
  VectorType type = read.getVectorType();
  ArrayRef<int64_t> shape = type.getShape();
  bool isPlain =
      !read.hasOutOfBoundsDim() && read.getPermutationMap().isMinorIdentity();
  unsigned neighbors = isPlain ? countNeighbors(read) : 0;
  if (neighbors == 0)
    return {SmallVector<int64_t>(shape.size(), 0)};
  int64_t line = computeProduct(shape.take_back(neighbors));
  int64_t bytes = getBytes(VectorType::get(line, type.getElementType()));
  int64_t ofLine = std::max<int64_t>(line * qdq::kLineBytes / bytes, 1);
  SmallVector<int64_t> strides = computeStrides(shape);
  SmallVector<SmallVector<int64_t>> places;
  for (int64_t first = 0; first < type.getNumElements(); first += line)
    for (int64_t last = line - 1; last >= 0; last -= ofLine)
      places.push_back(delinearize(first + last, strides));
  return places;
}

namespace {
/// Values of an iteration of `outer`, as they are in a later one.
class LaterIteration {
public:
  /// The first one that is `kReadAhead` away if each reads as many bytes.
  LaterIteration(scf::ForOp outer, uint64_t bytes)
      : outer(outer),
        distance(bytes > 0 ? llvm::divideCeil(kReadAhead, bytes) : 1) {}

  /// True if there is something to prefetch.
  bool prefetch(vector::TransferReadOp read);

private:
  Value getLater(Value value);
  Value createLaterIndex();

  scf::ForOp outer;
  /// As many iterations later.
  int64_t distance;
  /// Null for what cannot be told.
  DenseMap<Value, Value> known;
};
} // namespace

/// The index of the later iteration, or this one again among the last.
Value LaterIteration::createLaterIndex() {
  auto b = OpBuilder::atBlockBegin(outer.getBody());
  Location loc = outer.getLoc();
  Value index = outer.getInductionVar();
  Value rest = arith::SubIOp::create(b, loc, outer.getUpperBound(), index);
  Value step = outer.getStep();
  std::optional<int64_t> size = getConstantIntValue(step);
  int64_t ahead;
  if (size && distance > 1 && step.getType().isIndex() &&
      !llvm::MulOverflow(distance, *size, ahead))
    step = arith::ConstantIndexOp::create(b, loc, ahead);
  Value isThere =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, step, rest);
  Value later = arith::AddIOp::create(b, loc, index, step);
  return arith::SelectOp::create(b, loc, isThere, later, index);
}

/// `value` in the later iteration of `outer` and the same ones of loops inside;
/// null if it depends on what the loops carry or read.
Value LaterIteration::getLater(Value value) {
  if (!outer->isProperAncestor(value.getParentBlock()->getParentOp()) &&
      value.getParentBlock() != outer.getBody())
    return value;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  Value later;
  if (value == outer.getInductionVar()) {
    later = createLaterIndex();
  } else if (scf::getForInductionVarOwner(value)) {
    later = value;
  } else if (op && !qdq::mayTrap(op) && op->getNumRegions() == 0) {
    IRMapping mapping;
    bool isSame = true, isKnown = true;
    for (Value operand : op->getOperands()) {
      Value laterOperand = getLater(operand);
      isKnown &= static_cast<bool>(laterOperand);
      isSame &= laterOperand == operand;
      mapping.map(operand, laterOperand);
    }
    if (isKnown && !isSame) {
      OpBuilder b(op);
      b.setInsertionPointAfter(op);
      later = b.clone(*op, mapping)
                  ->getResult(cast<OpResult>(value).getResultNumber());
    } else if (isKnown) {
      later = value;
    }
  }
  known[value] = later;
  return later;
}

bool LaterIteration::prefetch(vector::TransferReadOp read) {
  if (!isa<MemRefType>(read.getShapedType()))
    return false;
  Value source = getLater(read.getBase());
  bool isSame = source == read.getBase();
  SmallVector<Value> indices;
  for (Value index : read.getIndices()) {
    indices.push_back(getLater(index));
    isSame &= indices.back() == index;
  }
  if (isSame || !source || llvm::is_contained(indices, Value()))
    return false;
  OpBuilder b(read);
  unsigned cache = getCache(read);
  for (ArrayRef<int64_t> place : getPlaces(read)) {
    SmallVector<Value> at(indices);
    for (auto [index, offset] :
         llvm::zip(llvm::reverse(at), llvm::reverse(place)))
      if (offset != 0)
        index = arith::AddIOp::create(
            b, read.getLoc(), index,
            arith::ConstantIndexOp::create(b, read.getLoc(), offset));
    memref::PrefetchOp::create(b, read.getLoc(), source, at,
                               /*isWrite=*/false, cache,
                               /*isDataCache=*/true);
  }
  return true;
}

namespace {
struct PrefetchReadsPass : qdq::impl::PrefetchReadsPassBase<PrefetchReadsPass> {
  void runOnOperation() override {
    struct Rows {
      SmallVector<vector::TransferReadOp> reads;
      uint64_t bytes = 0;
    };
    llvm::MapVector<scf::ForOp, Rows> loops;
    getOperation()->walk([&](vector::TransferReadOp read) {
      uint64_t count = 0;
      scf::ForOp loop = getRowLoop(read, count);
      if (!loop || !qdq::readsElsewhere(read, loop))
        return;
      uint64_t bytes = getBytes(read.getVectorType());
      Rows &rows = loops[loop];
      rows.bytes = llvm::SaturatingMultiplyAdd(count, bytes, rows.bytes);
      if (bytes >= kLeast)
        rows.reads.push_back(read);
    });
    bool isChanged = false;
    for (auto &[loop, rows] : loops) {
      LaterIteration later(loop, rows.bytes);
      for (vector::TransferReadOp read : rows.reads)
        isChanged |= later.prefetch(read);
    }
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
