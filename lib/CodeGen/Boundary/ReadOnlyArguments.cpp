// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that callers pass to public functions are not written to.

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_READONLYARGUMENTSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using bufferization::BufferizationDialect;

namespace {
struct ReadOnlyArgumentsPass
    : qdq::impl::ReadOnlyArgumentsPassBase<ReadOnlyArgumentsPass> {
  using ReadOnlyArgumentsPassBase::ReadOnlyArgumentsPassBase;

  void runOnOperation() override {
    constexpr StringLiteral name = BufferizationDialect::kWritableAttrName;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      for (BlockArgument argument : function.getArguments()) {
        unsigned index = argument.getArgNumber();
        if (isa<TensorType>(argument.getType()) &&
            !function.getArgAttr(index, name))
          function.setArgAttr(index, name, BoolAttr::get(&getContext(), false));
      }
    }
  }
};
} // namespace
