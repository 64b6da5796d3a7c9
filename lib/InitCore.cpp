// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registration of what lowers quantized IR to linalg and arith.

#include "qdq/InitCore.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/QDQToLinalg/PartialReduction.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/Sharding.h"
#include "qdq/Pipelines/Pipelines.h"
#include "qdq/Transforms/Passes.h"

using namespace mlir;

void mlir::qdq::registerCoreDialects(DialectRegistry &registry) {
  registry.insert<QDQDialect, affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, linalg::LinalgDialect,
                  math::MathDialect, quant::QuantDialect, scf::SCFDialect,
                  tensor::TensorDialect, vector::VectorDialect>();
  registerPartialReductionModels(registry);
  registerShardingModels(registry);
}

void mlir::qdq::registerCorePasses() {
  registerQDQConversionPasses();
  registerQDQTransformsPasses();
  registerLowerQuantPipeline();
}
