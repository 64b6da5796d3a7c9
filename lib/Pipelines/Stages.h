// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages of quant-to-llvm.

#ifndef QDQ_LIB_PIPELINES_STAGES_H
#define QDQ_LIB_PIPELINES_STAGES_H

#include "qdq/CodeGen/TargetInfo.h"
#include "qdq/Pipelines/Pipelines.h"

namespace mlir::qdq {

/// Adds the passes of `stage`, behind a check of its input, to a pass manager
/// of modules.
void addStage(OpPassManager &pm, Stage stage, const QuantToLLVMOptions &options,
              const TargetInfo &target);

/// A pass on modules that changes nothing. Fails, with an error at the op that
/// an earlier stage should have replaced, unless `stage` can begin.
std::unique_ptr<Pass> createCheckStagePass(Stage stage,
                                           const QuantToLLVMOptions &options);

} // namespace mlir::qdq

#endif // QDQ_LIB_PIPELINES_STAGES_H
