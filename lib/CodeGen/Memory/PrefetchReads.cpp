// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors that the next iteration of an outer loop will read.

#include "../Analysis/MayTrap.h"
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

/// In the nearest cache: the next iteration reads it.
static constexpr unsigned kLocality = 3;

/// True for a loop that carries vectors of floats, and holds no other. Products
/// of unsigned bytes, whose sums are integers, took 1.4 times as long with
/// prefetches.
static bool carriesFloats(scf::ForOp loop) {
  return llvm::any_of(loop.getResultTypes(),
                      [](Type type) {
                        auto vector = dyn_cast<VectorType>(type);
                        return vector &&
                               isa<FloatType>(vector.getElementType());
                      }) &&
         loop.getBody()->getOps<LoopLikeOpInterface>().empty();
}

namespace {
/// Values of an iteration of `outer`, as they are in the one that follows.
class NextIteration {
public:
  NextIteration(scf::ForOp outer, scf::ForOp inner)
      : outer(outer), inner(inner) {}

  /// True if there is something to prefetch.
  bool prefetch(vector::TransferReadOp read);

private:
  Value getNext(Value value);
  Value createNextIndex();

  scf::ForOp outer, inner;
  /// Null for what cannot be told.
  DenseMap<Value, Value> known;
};
} // namespace

/// The index of the next iteration, or this one again in the last.
Value NextIteration::createNextIndex() {
  auto b = OpBuilder::atBlockBegin(outer.getBody());
  Location loc = outer.getLoc();
  Value index = outer.getInductionVar();
  Value rest = arith::SubIOp::create(b, loc, outer.getUpperBound(), index);
  Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        outer.getStep(), rest);
  Value next = arith::AddIOp::create(b, loc, index, outer.getStep());
  return arith::SelectOp::create(b, loc, isThere, next, index);
}

/// `value` in the next iteration of `outer` and the same one of `inner`; null
/// if it depends on what the loops carry or read.
Value NextIteration::getNext(Value value) {
  if (!outer->isProperAncestor(value.getParentBlock()->getParentOp()) &&
      value.getParentBlock() != outer.getBody())
    return value;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  Value next;
  if (value == outer.getInductionVar()) {
    next = createNextIndex();
  } else if (value == inner.getInductionVar()) {
    next = value;
  } else if (op && !qdq::mayTrap(op) && op->getNumRegions() == 0) {
    IRMapping mapping;
    bool isSame = true, isKnown = true;
    for (Value operand : op->getOperands()) {
      Value nextOperand = getNext(operand);
      isKnown &= static_cast<bool>(nextOperand);
      isSame &= nextOperand == operand;
      mapping.map(operand, nextOperand);
    }
    if (isKnown && !isSame) {
      OpBuilder b(op);
      b.setInsertionPointAfter(op);
      next = b.clone(*op, mapping)
                 ->getResult(cast<OpResult>(value).getResultNumber());
    } else if (isKnown) {
      next = value;
    }
  }
  known[value] = next;
  return next;
}

bool NextIteration::prefetch(vector::TransferReadOp read) {
  if (!isa<MemRefType>(read.getShapedType()))
    return false;
  Value source = getNext(read.getBase());
  bool isSame = source == read.getBase();
  SmallVector<Value> indices;
  for (Value index : read.getIndices()) {
    indices.push_back(getNext(index));
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
                             /*isWrite=*/false, kLocality,
                             /*isDataCache=*/true);
  return true;
}

namespace {
struct PrefetchReadsPass : qdq::impl::PrefetchReadsPassBase<PrefetchReadsPass> {
  void runOnOperation() override {
    bool isChanged = false;
    getOperation()->walk([&](scf::ForOp inner) {
      auto outer = dyn_cast<scf::ForOp>(inner->getParentOp());
      if (!outer || outer.getUnsignedCmp() || !carriesFloats(inner))
        return;
      NextIteration next(outer, inner);
      for (auto read :
           llvm::to_vector(inner.getBody()->getOps<vector::TransferReadOp>()))
        isChanged |= next.prefetch(read);
    });
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
