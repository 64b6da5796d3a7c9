// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors that a later iteration of an outer loop will read.

#include "../Analysis/MayTrap.h"
#include "PrefetchStreams.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_PREFETCHREADSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// In the nearest cache: it is read soon.
static constexpr unsigned kNearestCache = 3;

/// Bytes from a read to what it prefetches, at least: those of one iteration
/// of short rows are read before memory answers.
static constexpr uint64_t kReadAhead = 4096;

/// The bytes of what is prefetched, at least: short fields of a record share
/// lines with long ones.
static constexpr uint64_t kLeast = 16;

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

static uint64_t getBytes(VectorType type) {
  Type element = type.getElementType();
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return llvm::divideCeil(type.getNumElements() * bits, 8);
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
  // The last element: the first may share a line with what is read now.
  if (!read.hasOutOfBoundsDim() && read.getPermutationMap().isMinorIdentity())
    for (auto [index, size] :
         llvm::zip(llvm::reverse(indices),
                   llvm::reverse(read.getVectorType().getShape()))) {
      if (size == 1)
        continue;
      Value last = arith::ConstantIndexOp::create(b, read.getLoc(), size - 1);
      index = arith::AddIOp::create(b, read.getLoc(), index, last);
    }
  memref::PrefetchOp::create(b, read.getLoc(), source, indices,
                             /*isWrite=*/false, kNearestCache,
                             /*isDataCache=*/true);
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
