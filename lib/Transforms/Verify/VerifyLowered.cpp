// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last word of lower-quant: nothing quantized is left.

#include "mlir/IR/Diagnostics.h"
#include "qdq/Conversion/ONNXToQDQ/ONNXToQDQ.h"
#include "qdq/Conversion/OneDNNToQDQ/OneDNNToQDQ.h"
#include "qdq/Conversion/QuantToQDQ/QuantizedTypes.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_VERIFYLOWEREDPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// More errors than this tell nothing new.
static constexpr unsigned kMaxErrors = 10;

namespace {
struct VerifyLoweredPass : qdq::impl::VerifyLoweredPassBase<VerifyLoweredPass> {
  using VerifyLoweredPassBase::VerifyLoweredPassBase;

  void runOnOperation() override {
    qdq::QuantizedTypeFinder finder;
    unsigned errors = 0;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      StringRef dialect = op->getName().getDialectNamespace();
      bool isLeft = dialect == "quant" || dialect == "qdq" ||
                    qdq::isONNXQuantizationOp(op) ||
                    qdq::isOneDNNQuantizationOp(op);
      quant::QuantizedType type = isLeft ? nullptr : finder.find(op);
      if ((!isLeft && !type) || ++errors > kMaxErrors)
        return;
      if (isLeft)
        op->emitOpError("is not lowered");
      else
        op->emitOpError() << "still has the quantized type "
                          << qdq::describe(type);
    });
    if (errors > kMaxErrors)
      emitError(getOperation().getLoc())
          << errors - kMaxErrors << " more ops are not lowered";
    if (errors)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
