// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on bf16 and f16 in f32, rounded after every op. LLVM for x86
// converts to bf16 by an instruction that flushes subnormals:
// https://github.com/llvm/llvm-project/pull/221052
// docs/upstream/x86-bf16-subnormals, docs/upstream/x86-bf16-vectors.

#include "../Targets/LowerToTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

/// Calls `function` on every arith.extf and arith.truncf.
template <typename Function>
static void forEachCast(Operation *root, Function function) {
  root->walk([&](Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      function(cast<arith::ArithFastMathInterface>(op));
  });
}

/// Arithmetic on `type` in f32.
static LogicalResult emulate(Operation *root, Type type) {
  DenseSet<Operation *> casts;
  forEachCast(root, [&](Operation *op) { casts.insert(op); });

  MLIRContext *context = root->getContext();
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(converter, type,
                                                     Float32Type::get(context));
  RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  ConversionTarget target(*context);
  arith::populateEmulateUnsupportedFloatsLegality(target, converter);
  if (failed(applyPartialConversion(root, target, std::move(patterns))))
    return failure();

  // Upstream's casts allow contraction, which folds the rounding between two
  // ops away.
  forEachCast(root, [&](arith::ArithFastMathInterface op) {
    if (!casts.contains(op))
      op->removeAttr(op.getFastMathAttrName());
  });
  return success();
}

LogicalResult mlir::qdq::emulateBF16(Operation *root) {
  return emulate(root, BFloat16Type::get(root->getContext()));
}

LogicalResult mlir::qdq::emulateF16(Operation *root) {
  return emulate(root, Float16Type::get(root->getContext()));
}
