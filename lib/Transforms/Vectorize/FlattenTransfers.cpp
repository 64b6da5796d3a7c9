// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector transfers of contiguous memory, by vectors of rank 1.

#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_FLATTENTRANSFERSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

namespace {
struct FlattenTransfersPass
    : qdq::impl::FlattenTransfersPassBase<FlattenTransfersPass> {
  using FlattenTransfersPassBase::FlattenTransfersPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    vector::populateFlattenVectorTransferPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
