// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-codegen-prepare-bufferization: workarounds for one-shot bufferization:
// docs/upstream/eliminate-empty-tensors-shared-fill.

#include "PrepareBufferization.h"
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
    if (failed(qdq::eliminateEmptyTensors(getOperation())) ||
        failed(qdq::declareGlobals(getOperation())))
      signalPassFailure();
  }
};
} // namespace
