// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// (placeholder while this file is written)
#include "qdq/Conversion/Passes.h"
namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTQDQTOARITHPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq
namespace {
struct ConvertQDQToArithPass : mlir::qdq::impl::ConvertQDQToArithPassBase<ConvertQDQToArithPass> {
  using ConvertQDQToArithPassBase::ConvertQDQToArithPassBase;
  void runOnOperation() override {}
};
} // namespace
