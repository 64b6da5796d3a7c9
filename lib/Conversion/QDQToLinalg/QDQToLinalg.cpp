// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// (placeholder while this file is written)
#include "qdq/Conversion/Passes.h"
namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTQDQTOLINALGPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq
namespace {
struct ConvertQDQToLinalgPass : mlir::qdq::impl::ConvertQDQToLinalgPassBase<ConvertQDQToLinalgPass> {
  using ConvertQDQToLinalgPassBase::ConvertQDQToLinalgPassBase;
  void runOnOperation() override {}
};
} // namespace
