// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiler with a dialect conversion of its own: the patterns of qdq stand
// beside its pattern, and codes are rounded half away from zero where an op
// does not say otherwise. Reads IR from standard input.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "qdq/Conversion/QDQToLinalg/QDQToLinalg.h"
#include "qdq/IR/QDQ.h"
#include "qdq/InitCore.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace {
/// "npu.relu" as a maximum with zero.
struct LowerRelu : RewritePattern {
  LowerRelu(MLIRContext *ctx) : RewritePattern("npu.relu", 1, ctx) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<ShapedType>(op->getResult(0).getType());
    Value zero = arith::ConstantOp::create(
        rewriter, op->getLoc(),
        DenseElementsAttr::get(type,
                               rewriter.getZeroAttr(type.getElementType())));
    rewriter.replaceOpWithNewOp<arith::MaximumFOp>(op, op->getOperand(0), zero);
    return success();
  }
};
} // namespace

static LogicalResult convert(ModuleOp module) {
  MLIRContext *ctx = module.getContext();
  qdq::QDQToLinalgOptions options;
  options.fields.rounding = qdq::Rounding::NearestAway;

  RewritePatternSet patterns(ctx);
  patterns.add<LowerRelu>(ctx);
  qdq::populateQDQToLinalgPatterns(patterns, options);

  ConversionTarget target(*ctx);
  target.addLegalDialect<arith::ArithDialect, func::FuncDialect,
                         linalg::LinalgDialect, math::MathDialect,
                         tensor::TensorDialect>();
  target.addIllegalDialect<qdq::QDQDialect>();
  target.markUnknownOpDynamicallyLegal(
      [](Operation *op) { return op->getName().getStringRef() != "npu.relu"; });
  return applyPartialConversion(module, target, std::move(patterns));
}

int main() {
  DialectRegistry registry;
  registry.insert<func::FuncDialect>();
  qdq::registerCoreDialects(registry);
  MLIRContext context(registry);
  context.allowUnregisteredDialects();

  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(openInputFile("-"), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module || failed(convert(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
