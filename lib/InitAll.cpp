// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one registration of the project.

#include "qdq/InitAll.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/QDQToLinalg/PartialReduction.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/Sharding.h"
#include "qdq/Pipelines/Pipelines.h"
#include "qdq/TransformOps/QDQTransformOps.h"
#include "qdq/Transforms/Passes.h"

using namespace mlir;

void mlir::qdq::registerAllDialects(DialectRegistry &registry) {
  registry.insert<QDQDialect>();
  registerPartialReductionModels(registry);
  registerShardingModels(registry);
  registerTransformDialectExtension(registry);
}

void mlir::qdq::registerAllPasses() {
  registerQDQConversionPasses();
  registerQDQTransformsPasses();
  registerPipelines();
}
