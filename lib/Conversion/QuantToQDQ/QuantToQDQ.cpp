// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// (placeholder while this file is written)
#include "qdq/Conversion/Passes.h"
namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTQUANTTOQDQPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq
namespace {
struct ConvertQuantToQDQPass : mlir::qdq::impl::ConvertQuantToQDQPassBase<ConvertQuantToQDQPass> {
  using ConvertQuantToQDQPassBase::ConvertQuantToQDQPassBase;
  void runOnOperation() override {}
};
} // namespace
