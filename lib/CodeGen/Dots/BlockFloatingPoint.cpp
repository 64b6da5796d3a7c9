// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products with short codes, of numbers in block floating point.

#include "../Plan/Tiles.h"
#include "../Vectorize/ElementTiles.h"
#include "BlockKernel.h"
#include "DotTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_BLOCKFLOATINGPOINTPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// Replaces `op` by a choice: vectors of bytes where block floating point holds
/// the reals, or the sum as it is.
static void toBlockFloatingPoint(IRRewriter &rewriter, BlockProduct product) {
  linalg::GenericOp op = product.op;
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  b.setInsertionPoint(op);
  BlockFloats floats = product.createFloats(b, product.cut);
  auto choice = scf::IfOp::create(b, op.getResultTypes(), floats.createCheck(),
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.thenBlock());
  Value init = op.getDpsInits().front();
  scf::YieldOp::create(
      b, createBlockProducts(b, product, floats, init, b.getIndexAttr(0)));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, b.clone(*op)->getResults());
  rewriter.replaceOp(op, choice.getResults());
}

LogicalResult mlir::qdq::planBlockFloatingPoint(TileRewriter &rewriter,
                                                Operation *root,
                                                int64_t vectorBits) {
  if (vectorBits != 128 && vectorBits != 256 && vectorBits != 512)
    return emitError(root->getLoc())
           << "vector-bits is " << vectorBits << ": expected 128, 256 or 512";
  root->walk([&](linalg::GenericOp op) { expandBodyAffine(rewriter, op); });
  auto pays = [&](linalg::GenericOp op) {
    auto product = BlockProduct::get(op, vectorBits, /*isPlanned=*/false);
    return succeeded(product) && !product->multipliesCodes();
  };
  for (linalg::GenericOp op : collectGenerics(root, pays))
    rewriter.setPlan(op, {TileStrategy::BlockFloatingPoint});
  return success();
}

void mlir::qdq::applyBlockFloatingPoint(TileRewriter &rewriter, Operation *root,
                                        int64_t vectorBits) {
  for (linalg::GenericOp op :
       rewriter.getTiles(root, TileStrategy::BlockFloatingPoint)) {
    auto product = BlockProduct::get(op, vectorBits, /*isPlanned=*/true);
    if (succeeded(product))
      toBlockFloatingPoint(rewriter, *product);
  }
}

namespace {
struct BlockFloatingPointPass
    : qdq::impl::BlockFloatingPointPassBase<BlockFloatingPointPass> {
  using BlockFloatingPointPassBase::BlockFloatingPointPassBase;

  void runOnOperation() override {
    TileRewriter rewriter(&getContext());
    if (failed(planBlockFloatingPoint(rewriter, getOperation(), vectorBits)))
      return signalPassFailure();
    applyBlockFloatingPoint(rewriter, getOperation(), vectorBits);
  }
};
} // namespace
