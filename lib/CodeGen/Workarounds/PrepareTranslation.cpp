// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-codegen-prepare-translation: workarounds for the translation to LLVM IR,
// and for LLVM.

#include "PrepareTranslation.h"
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
    qdq::convertBF16ToIntegers(getOperation());
    qdq::flattenGlobals(getOperation());
  }
};
} // namespace
