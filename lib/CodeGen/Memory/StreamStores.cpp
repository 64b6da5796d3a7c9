// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of results, stored past the caches where these do not hold them.

#include "PrefetchStreams.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "qdq/CodeGen/Address.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/Walk.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_STREAMSTORESPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// A store past the caches is of whole lines, or, where the address is none of
/// theirs, of parts that LLVM divides the vector into: every allocator gives as
/// much.
static constexpr int64_t kStoredLine = 64, kLeastAlignment = 16;

/// A result is no part of this of what its loops move, but the sums of a
/// product, which a cache holds.
static constexpr int64_t kLeastShare = 16;

/// The buffer that `memref` is a view of.
static Value getRoot(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// The bytes of a value of `type`, 0 if it does not fill them.
static int64_t getBytes(Type type) {
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  return bits >= 8 && llvm::isPowerOf2_32(bits) ? bits / 8 : 0;
}

/// True if `op` writes a whole vector to neighboring bytes.
static bool writesPlainVector(vector::TransferWriteOp op) {
  if (!movesNeighbors(op) || op.hasOutOfBoundsDim())
    return false;
  VectorType type = op.getVectorType();
  int64_t bytes = type.getNumElements() * getBytes(type.getElementType());
  return bytes > 0 && bytes % kLeastAlignment == 0;
}

/// The writes in `nest` to the first of the buffers from outside it that it
/// writes vectors to. What it reads again, such as codes in bytes, of a buffer
/// made for that, the caches hold.
static SmallVector<vector::TransferWriteOp> collectWrites(scf::ForOp nest) {
  DenseSet<Value> read;
  nest.walk(
      [&](vector::TransferReadOp op) { read.insert(getRoot(op.getBase())); });
  SmallVector<vector::TransferWriteOp> writes;
  nest.walk([&](vector::TransferWriteOp op) {
    Value root = getRoot(op.getBase());
    bool isOwn = root.getDefiningOp<memref::AllocOp>() && read.contains(root);
    if (writesPlainVector(op) && isa<MemRefType>(root.getType()) &&
        nest.isDefinedOutsideOfLoop(root) && !isOwn &&
        (writes.empty() || getRoot(writes.front().getBase()) == root))
      writes.push_back(op);
  });
  return writes;
}

/// `value`, in a form that LLVM does not recognize as a truncation: it makes
/// one op of that and the store, which goes to the caches (22.1).
static Value hideTruncation(ImplicitLocOpBuilder &b, Value value) {
  auto type = cast<VectorType>(value.getType());
  int64_t width = type.getElementTypeBitWidth();
  if (!type.getElementType().isInteger() || width >= 32)
    return value;
  auto words =
      VectorType::get(type.getNumElements() * width / 32, b.getF32Type());
  Value bits = vector::BitCastOp::create(b, words, value);
  Value fence =
      LLVM::CallIntrinsicOp::create(
          b, words, b.getStringAttr("llvm.arithmetic.fence"), ValueRange{bits})
          .getResults();
  return vector::BitCastOp::create(b, type, fence);
}

/// Stores past the caches, in the longest parts that the address permits.
static void streamWrite(vector::TransferWriteOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value address = createAddress(b, op.getBase(), op.getIndices());
  Value value = hideTruncation(b, op.getVector());
  VectorType type = op.getVectorType();
  int64_t bytes = type.getNumElements() * getBytes(type.getElementType());
  for (int64_t alignment : {kStoredLine, kLeastAlignment}) {
    if (bytes % alignment != 0)
      continue;
    Value rest = arith::AndIOp::create(
        b, address, arith::ConstantIndexOp::create(b, alignment - 1));
    Value isAligned =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest,
                              arith::ConstantIndexOp::create(b, 0));
    auto choice = scf::IfOp::create(b, isAligned, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    vector::StoreOp::create(b, value, op.getBase(), op.getIndices(),
                            /*nontemporal=*/true, llvm::MaybeAlign(alignment));
    op->moveBefore(choice.elseBlock()->getTerminator());
    b.setInsertionPoint(op);
  }
}

/// All `writes` in `nest`, and what makes them visible to other threads. What
/// is read once, too, comes from memory.
static void streamWrites(scf::ForOp nest,
                         ArrayRef<vector::TransferWriteOp> writes) {
  for (vector::TransferWriteOp write : writes)
    streamWrite(write);
  prefetchStreams(nest);
  OpBuilder b(nest.getContext());
  b.setInsertionPointAfter(nest);
  LLVM::FenceOp::create(b, nest.getLoc(), LLVM::AtomicOrdering::seq_cst);
}

/// The buffers from outside `nest` that it reads and writes.
static SetVector<Value> collectBuffers(scf::ForOp nest) {
  SetVector<Value> buffers;
  nest.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Value root = getRoot(operand);
      if (isa<MemRefType>(root.getType()) && nest.isDefinedOutsideOfLoop(root))
        buffers.insert(root);
    }
  });
  return buffers;
}

/// The bytes of `buffer` if its type says them.
static std::optional<int64_t> getStaticBytes(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.hasStaticShape())
    return std::nullopt;
  return type.getNumElements() * getBytes(type.getElementType());
}

/// The bytes of `buffer`, as an index.
static Value createBytes(ImplicitLocOpBuilder &b, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Value bytes =
      arith::ConstantIndexOp::create(b, getBytes(type.getElementType()));
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    bytes =
        arith::MulIOp::create(b, bytes, memref::DimOp::create(b, buffer, dim));
  return bytes;
}

/// Streams what `nest` writes if it moves at least `minBytes`, of which the
/// result is a good part. Where only the run knows that, the nest as it is
/// stays beside it.
static void streamNest(scf::ForOp nest, int64_t minBytes) {
  SmallVector<vector::TransferWriteOp> writes = collectWrites(nest);
  if (writes.empty() || nest.getNumResults() > 0)
    return;
  Value result = getRoot(writes.front().getBase());
  int64_t known = 0;
  SmallVector<Value> others;
  for (Value buffer : collectBuffers(nest)) {
    if (std::optional<int64_t> bytes = getStaticBytes(buffer))
      known += *bytes;
    else
      others.push_back(buffer);
  }
  if (others.empty()) {
    if (known >= minBytes && *getStaticBytes(result) >= known / kLeastShare)
      streamWrites(nest, writes);
    return;
  }
  ImplicitLocOpBuilder b(nest.getLoc(), nest);
  Value bytes = arith::ConstantIndexOp::create(b, known);
  for (Value buffer : others)
    bytes = arith::AddIOp::create(b, bytes, createBytes(b, buffer));
  Value isLarge =
      arith::CmpIOp::create(b, arith::CmpIPredicate::uge, bytes,
                            arith::ConstantIndexOp::create(b, minBytes));
  Value share = arith::DivUIOp::create(
      b, bytes, arith::ConstantIndexOp::create(b, kLeastShare));
  Value isResult = arith::CmpIOp::create(b, arith::CmpIPredicate::uge,
                                         createBytes(b, result), share);
  isLarge = arith::AndIOp::create(b, isLarge, isResult);
  auto choice = scf::IfOp::create(b, isLarge, /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.thenBlock());
  auto clone = cast<scf::ForOp>(b.clone(*nest));
  nest->moveBefore(choice.elseBlock()->getTerminator());
  streamWrites(clone, collectWrites(clone));
}

static bool isParallel(Operation *op) {
  return isa<scf::ForallOp, scf::ParallelOp>(op);
}

/// True for the outermost of the loops that one thread runs: the fence after
/// them is of the thread that stores.
static bool isNest(scf::ForOp loop) {
  if (hasAny(loop, isParallel))
    return false;
  for (Operation *parent = loop->getParentOp(); parent && !isParallel(parent);
       parent = parent->getParentOp())
    if (auto outer = dyn_cast<scf::ForOp>(parent);
        outer && !hasAny(outer, isParallel))
      return false;
  return true;
}

namespace {
struct StreamStoresPass : qdq::impl::StreamStoresPassBase<StreamStoresPass> {
  using StreamStoresPassBase::StreamStoresPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> nests;
    getOperation()->walk([&](scf::ForOp loop) {
      if (isNest(loop))
        nests.push_back(loop);
    });
    for (scf::ForOp nest : nests)
      streamNest(nest, minBytes);
  }
};
} // namespace
