// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signed and unsigned integer types to signless.

#include "qdq/IR/TypeRewrite.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_STRIPSIGNEDNESSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// The signless integer type of the same width; null for all other types.
static Type stripElement(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSignless())
    return nullptr;
  return IntegerType::get(type.getContext(), integer.getWidth());
}

namespace {
struct StripSignednessPass
    : qdq::impl::StripSignednessPassBase<StripSignednessPass> {
  using StripSignednessPassBase::StripSignednessPassBase;

  void runOnOperation() override {
    qdq::TypeRewriter rewriter(stripElement, qdq::AttributeScope::Own);
    rewriter.retypeAgnosticOps(getOperation());
  }
};
} // namespace
