// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages of quant-to-llvm: docs/CodeGeneration.md describes each.

#ifndef QDQ_PIPELINES_STAGE_H
#define QDQ_PIPELINES_STAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

namespace mlir::qdq {

enum class Stage {
#define QDQ_STAGE(Name, name, result) Name,
#include "qdq/Pipelines/Stages.def"
};

inline llvm::StringLiteral stringifyStage(Stage stage) {
  switch (stage) {
#define QDQ_STAGE(Name, name, result)                                          \
  case Stage::Name:                                                            \
    return name;
#include "qdq/Pipelines/Stages.def"
  }
  llvm_unreachable("unknown Stage");
}

} // namespace mlir::qdq

#endif // QDQ_PIPELINES_STAGE_H
