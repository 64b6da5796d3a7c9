// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of TFLite's operators on floats, and the pass.

#include "qdq/Conversion/TFLToLinalg/TFLToLinalg.h"
#include "Operators.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/Conversion/Frontends.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/Walk.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTTFLTOLINALGPASS
#include "qdq/Conversion/Frontends.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

static const OperatorTable &getTable() {
  static const OperatorTable table =
      makeTable({getTFLElementwiseOperators(), getTFLProductOperators(),
                 getTFLPoolOperators(), getTFLReductionOperators(),
                 getTFLShapeOperators(), getTFLResizeOperators()});
  return table;
}

bool mlir::qdq::isTFLFloatOp(Operation *op) {
  return getTable().contains(op->getName().getStringRef()) &&
         !isTFLQuantizationOp(op);
}

namespace {
struct ConvertTFLToLinalgPass
    : qdq::impl::ConvertTFLToLinalgPassBase<ConvertTFLToLinalgPass> {
  using ConvertTFLToLinalgPassBase::ConvertTFLToLinalgPassBase;

  void runOnOperation() override {
    if (!hasAny(getOperation(), isTFLFloatOp))
      return markAllAnalysesPreserved();
    RewritePatternSet patterns(&getContext());
    populateTFLToLinalgPatterns(patterns, {runtimeChecks});
    if (failed(convertByWalk(getOperation(), std::move(patterns), isTFLFloatOp,
                             unconverted)))
      return signalPassFailure();
    eraseDeadStorage(getOperation());
  }
};
} // namespace

void mlir::qdq::populateTFLToLinalgPatterns(RewritePatternSet &patterns,
                                            const FloatOperatorOptions &options,
                                            PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createConvertTFLToLinalgPass());
  for (const auto &entry : getTable())
    patterns.add<OperatorLowering>(*entry.second, options, benefit,
                                   patterns.getContext());
}
