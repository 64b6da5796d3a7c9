// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bf16 arithmetic in f32, rounded after every op. LLVM for x86 converts by an
// instruction that flushes subnormals:
// https://github.com/llvm/llvm-project/pull/221052
// docs/upstream/x86-bf16-subnormals, docs/upstream/x86-bf16-vectors.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_EMULATEBF16PASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// Calls `function` on every arith.extf and arith.truncf.
template <typename Function>
static void forEachCast(Operation *root, Function function) {
  root->walk([&](Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      function(cast<arith::ArithFastMathInterface>(op));
  });
}

namespace {
struct EmulateBF16Pass : qdq::impl::EmulateBF16PassBase<EmulateBF16Pass> {
  using EmulateBF16PassBase::EmulateBF16PassBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    DenseSet<Operation *> casts;
    forEachCast(root, [&](Operation *op) { casts.insert(op); });

    Builder b(&getContext());
    TypeConverter converter;
    SmallVector<Type> types{b.getBF16Type()};
    if (includeF16)
      types.push_back(b.getF16Type());
    arith::populateEmulateUnsupportedFloatsConversions(converter, types,
                                                       b.getF32Type());
    RewritePatternSet patterns(&getContext());
    arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
    ConversionTarget target(getContext());
    arith::populateEmulateUnsupportedFloatsLegality(target, converter);
    if (failed(applyPartialConversion(root, target, std::move(patterns))))
      return signalPassFailure();

    // Upstream's casts allow contraction, which folds the rounding between two
    // ops away.
    forEachCast(root, [&](arith::ArithFastMathInterface op) {
      if (!casts.contains(op))
        op->removeAttr(op.getFastMathAttrName());
    });
  }
};
} // namespace
