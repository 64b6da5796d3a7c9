// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last word of lower-quant: nothing quantized is left.

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_VERIFYLOWEREDPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

namespace {
struct VerifyLoweredPass : qdq::impl::VerifyLoweredPassBase<VerifyLoweredPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      StringRef dialect = op->getName().getDialectNamespace();
      if (dialect == "quant" || dialect == "qdq") {
        op->emitOpError("is left after lowering");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
