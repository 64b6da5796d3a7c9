// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-codegen-attach-target: the processor as an attribute of the module.

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/CodeGen/TargetInfo.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

namespace {
struct AttachTargetPass : qdq::impl::AttachTargetPassBase<AttachTargetPass> {
  using AttachTargetPassBase::AttachTargetPassBase;

  void runOnOperation() override {
    if (failed(qdq::attachTarget(getOperation(),
                                 {triple, cpu, features, without})))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
