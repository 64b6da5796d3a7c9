// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prefetches of what loops read from memory once.

#include "PrefetchStreams.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/IR/Walk.h"

using namespace mlir;
using namespace mlir::qdq;

/// Bytes from a read to what it prefetches: half as many gain a third less,
/// twice as many no more.
static constexpr int64_t kAhead = 4096;

/// To all caches.
static constexpr unsigned kLocality = 3;

bool mlir::qdq::readsElsewhere(vector::TransferReadOp read, scf::ForOp loop) {
  bool dependsOnLoop = false;
  auto visit = [&](Value value, function_ref<void(Value)> add) {
    dependsOnLoop |= value == loop.getInductionVar();
    if (Operation *op = value.getDefiningOp();
        op && !loop.isDefinedOutsideOfLoop(value))
      llvm::for_each(op->getOperands(), add);
  };
  walkValues(read.getBase(), visit);
  for (Value index : read.getIndices())
    walkValues(index, visit);
  return dependsOnLoop;
}

/// True if every loop from `nest` to `read` changes where it reads.
static bool readsOnce(vector::TransferReadOp read, scf::ForOp nest) {
  for (auto loop = read->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>()) {
    if (!readsElsewhere(read, loop))
      return false;
    if (loop == nest)
      return true;
  }
  return false;
}

/// The bytes of an element of `read`, which reads whole lines of neighbors,
/// else 0.
static int64_t getElementBytes(vector::TransferReadOp read) {
  if (!movesNeighbors(read))
    return 0;
  VectorType type = read.getVectorType();
  int64_t bits = type.getElementTypeBitWidth();
  return bits % 8 == 0 && type.getNumElements() * bits % (8 * kLineBytes) == 0
             ? bits / 8
             : 0;
}

void mlir::qdq::prefetchStreams(scf::ForOp nest) {
  SmallVector<vector::TransferReadOp> reads;
  nest.walk([&](vector::TransferReadOp read) {
    auto isSame = [&](vector::TransferReadOp other) {
      return other->getBlock() == read->getBlock() &&
             other.getBase() == read.getBase() &&
             other.getIndices() == read.getIndices();
    };
    if (getElementBytes(read) > 0 && readsOnce(read, nest) &&
        llvm::none_of(reads, isSame))
      reads.push_back(read);
  });
  for (vector::TransferReadOp read : reads) {
    ImplicitLocOpBuilder b(read.getLoc(), read);
    int64_t bytes = getElementBytes(read);
    int64_t end = kAhead + read.getVectorType().getNumElements() * bytes;
    for (int64_t ahead = kAhead; ahead < end; ahead += kLineBytes) {
      // Behind the end of a row the next one begins, as a rule. A prefetch of
      // an absent address does nothing.
      SmallVector<Value> indices(read.getIndices());
      indices.back() = arith::AddIOp::create(
          b, indices.back(), arith::ConstantIndexOp::create(b, ahead / bytes));
      memref::PrefetchOp::create(b, read.getBase(), indices, /*isWrite=*/false,
                                 kLocality, /*isDataCache=*/true);
    }
  }
}
