// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of buffers without a rank. Upstream's call a library:
// https://github.com/llvm/llvm-project/pull/94757
// docs/upstream/clone-of-unranked.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_LOWERUNRANKEDCLONESPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// An allocation of the same shape and contents.
static Value emitCopy(ImplicitLocOpBuilder &b, Value source) {
  auto type = cast<UnrankedMemRefType>(source.getType());
  auto getFlatType = [&](Type element) {
    return MemRefType::get({ShapedType::kDynamic}, element);
  };
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value rank = memref::RankOp::create(b, source);
  Value shape = memref::AllocOp::create(b, getFlatType(b.getIndexType()), rank);
  auto loop = scf::ForOp::create(
      b, zero, rank, one, one,
      [&](OpBuilder &nested, Location loc, Value dim, ValueRange product) {
        Value size = memref::DimOp::create(nested, loc, source, dim);
        memref::StoreOp::create(nested, loc, size, shape, dim);
        Value next = arith::MulIOp::create(nested, loc, product[0], size);
        scf::YieldOp::create(nested, loc, next);
      });
  Value count = loop.getResult(0);

  // Buffers without a rank are contiguous and begin at their start.
  auto flatType = getFlatType(type.getElementType());
  Value flat = memref::ReinterpretCastOp::create(
      b, flatType, source, /*offset=*/OpFoldResult(b.getIndexAttr(0)),
      /*sizes=*/ArrayRef<OpFoldResult>(count),
      /*strides=*/ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
  Value copy = memref::AllocOp::create(b, flatType, count);
  memref::CopyOp::create(b, flat, copy);
  Value result = memref::ReshapeOp::create(b, type, copy, shape);
  memref::DeallocOp::create(b, shape);
  return result;
}

/// The same of a buffer whose rank is known, which only its type forgets.
static Value emitRankedCopy(ImplicitLocOpBuilder &b, Value source, Type type) {
  auto ranked = cast<MemRefType>(source.getType());
  auto contiguous =
      MemRefType::get(ranked.getShape(), ranked.getElementType(),
                      MemRefLayoutAttrInterface(), ranked.getMemorySpace());
  Value copy = bufferization::CloneOp::create(b, contiguous, source);
  return memref::CastOp::create(b, type, copy);
}

namespace {
struct LowerUnrankedClonesPass
    : qdq::impl::LowerUnrankedClonesPassBase<LowerUnrankedClonesPass> {
  using LowerUnrankedClonesPassBase::LowerUnrankedClonesPassBase;

  void runOnOperation() override {
    getOperation()->walk([](bufferization::CloneOp op) {
      Value source = op.getInput();
      bool isRanked = isa<MemRefType>(source.getType());
      if (!isa<UnrankedMemRefType>(op.getType()) ||
          (!isRanked && source.getType() != op.getType()))
        return;
      ImplicitLocOpBuilder b(op.getLoc(), op);
      op.replaceAllUsesWith(isRanked ? emitRankedCopy(b, source, op.getType())
                                     : emitCopy(b, source));
      op.erase();
    });
  }
};
} // namespace
