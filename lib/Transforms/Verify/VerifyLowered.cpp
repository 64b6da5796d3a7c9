// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last word of lower-quant: nothing quantized is left, or left unsaid.

#include "ForeignQuantizedOps.h"
#include "qdq/Conversion/ONNXToQDQ/ONNXToQDQ.h"
#include "qdq/Conversion/OneDNNToQDQ/OneDNNToQDQ.h"
#include "qdq/Conversion/QuantizedTypes/QuantizedTypes.h"
#include "qdq/Conversion/StableHLOToQDQ/StableHLOToQDQ.h"
#include "qdq/Conversion/TOSAToQDQ/TOSAToQDQ.h"
#include "qdq/Conversion/TorchToQDQ/TorchToQDQ.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_VERIFYLOWEREDPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// More errors than this tell nothing new.
static constexpr unsigned kMaxErrors = 10;

/// Ops that the conversions take, and that were not taken all the same.
static bool isSource(Operation *op) {
  return qdq::isONNXQuantizationOp(op) || qdq::isOneDNNQuantizationOp(op) ||
         qdq::isStableHLOQuantizationOp(op) || qdq::isTOSAQuantizationOp(op) ||
         qdq::isTorchQuantizationOp(op);
}

/// Most ops of a lowered module, of which no system takes any.
static bool isOfTarget(StringRef dialect) {
  return llvm::is_contained({"arith", "linalg", "math", "tensor"}, dialect);
}

/// One diagnostic for all, which is at the first op.
static void report(const qdq::Tally &tally, DiagnosticSeverity severity,
                   StringRef hint = "") {
  if (tally.kinds.empty())
    return;
  InFlightDiagnostic diagnostic =
      tally.report(severity, "quantized ops are not lowered: ");
  diagnostic << hint;
  for (const auto &[name, kind] : llvm::drop_begin(tally.kinds))
    diagnostic.attachNote(kind.first->getLoc())
        << "the first " << name.getValue();
}

namespace {
struct VerifyLoweredPass : qdq::impl::VerifyLoweredPassBase<VerifyLoweredPass> {
  using VerifyLoweredPassBase::VerifyLoweredPassBase;

  void runOnOperation() override {
    qdq::QuantizedTypeFinder finder;
    bool mayStay = unconverted == qdq::Unconverted::Keep;
    qdq::Tally known, unknown;
    unsigned errors = 0;
    auto report = [&](Operation *op, const Twine &message) {
      if (++errors <= kMaxErrors)
        op->emitOpError(message);
    };
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // Where it is still here, a target expands it.
      if (qdq::isElementOp(op))
        return;
      StringRef dialect = op->getName().getDialectNamespace();
      qdq::ForeignOperator foreign;
      bool isKnown = false;
      if (!isOfTarget(dialect)) {
        foreign = qdq::ForeignOperator::get(op);
        // TFLite's ops are those of a component that need not be linked.
        isKnown = isSource(op) || (dialect == "tfl" && finder.find(op));
      }
      if (dialect == "quant" || dialect == "qdq" || (isKnown && !mayStay))
        report(op, "is not lowered");
      else if (isKnown && !foreign)
        known.add(op->getName().getStringRef(), op);
      else if (isKnown || foreign.isQuantized())
        (foreign.isOfKnownDomain() ? known : unknown).add(foreign.str(), op);
      else if (quant::QuantizedType type = finder.find(op))
        report(op, "still has the quantized type " + qdq::describe(type));
    });
    if (errors > kMaxErrors)
      emitError(getOperation().getLoc())
          << errors - kMaxErrors << " more ops are not lowered";
    ::report(known, getSeverity(unconverted),
             mayStay ? "" : "; unconverted=keep leaves them as they are");
    // Nobody knows what these do.
    ::report(unknown, DiagnosticSeverity::Remark);
    if (errors || (!known.kinds.empty() && !mayStay))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
