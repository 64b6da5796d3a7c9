// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// (placeholder while this file is written)
#include "qdq/Transforms/Passes.h"
namespace mlir::qdq {
#define GEN_PASS_DEF_STRIPSIGNEDNESSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq
namespace {
struct StripSignednessPass : mlir::qdq::impl::StripSignednessPassBase<StripSignednessPass> {
  using StripSignednessPassBase::StripSignednessPassBase;
  void runOnOperation() override {}
};
} // namespace
