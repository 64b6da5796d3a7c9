// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one registration of the project.

#include "qdq/InitAll.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/Conversion/Frontends.h"
#include "qdq/InitCore.h"
#include "qdq/Pipelines/Pipelines.h"
#include "qdq/TransformOps/QDQTransformOps.h"

using namespace mlir;

void mlir::qdq::registerAllDialects(DialectRegistry &registry) {
  registerCoreDialects(registry);
  registerTransformDialectExtension(registry);
}

void mlir::qdq::registerAllPasses() {
  registerCorePasses();
  registerQDQFrontendsPasses();
  registerQDQCodeGenPasses();
  registerQuantToLLVMPipeline();
}
