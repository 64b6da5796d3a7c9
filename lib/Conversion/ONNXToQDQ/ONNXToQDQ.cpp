// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// (placeholder while this file is written)
#include "qdq/Conversion/Passes.h"
namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTONNXTOQDQPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq
namespace {
struct ConvertONNXToQDQPass : mlir::qdq::impl::ConvertONNXToQDQPassBase<ConvertONNXToQDQPass> {
  using ConvertONNXToQDQPassBase::ConvertONNXToQDQPassBase;
  void runOnOperation() override {}
};
} // namespace
