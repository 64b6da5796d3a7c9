// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-codegen-prepare-translation: bf16 that LLVM copies or
// narrows wrong (docs/upstream/x86-bf16-copies, fptrunc-of-bf16-products), and
// globals that it translates slowly.

#include "Preparations.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_PREPARETRANSLATIONPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

namespace {
struct PrepareTranslationPass
    : qdq::impl::PrepareTranslationPassBase<PrepareTranslationPass> {
  void runOnOperation() override {
    qdq::extendBF16ByShifts(getOperation());
    qdq::convertBF16ToIntegers(getOperation());
    qdq::flattenGlobals(getOperation());
  }
};
} // namespace
