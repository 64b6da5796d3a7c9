// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-codegen-prepare-bufferization: workarounds for one-shot bufferization:
// docs/upstream/eliminate-empty-tensors-shared-fill,
// collapse-shape-of-no-elements, fold-memref-alias-ops-of-no-elements

#include "../Fusion/EmptyTensors.h"
#include "Preparations.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_PREPAREBUFFERIZATIONPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

namespace {
struct PrepareBufferizationPass
    : qdq::impl::PrepareBufferizationPassBase<PrepareBufferizationPass> {
  void runOnOperation() override {
    // Casts of folded parameters tell some sizes of 0 late.
    RewritePatternSet patterns(&getContext());
    qdq::populateEmptyTensorPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (failed(qdq::eliminateEmptyTensors(getOperation())) ||
        failed(qdq::declareGlobals(getOperation())))
      return signalPassFailure();
    qdq::markPartialWrites(getOperation());
  }
};
} // namespace
