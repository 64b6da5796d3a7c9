// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop-invariant code motion of transpositions.

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_HOISTTRANSPOSITIONSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// True for a transposition and its destination: nothing that could trap in a
/// loop that is not entered.
static bool isLayout(Operation *op) {
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    return transpose.hasPureTensorSemantics();
  auto empty = dyn_cast<tensor::EmptyOp>(op);
  return empty && empty.getType().hasStaticShape();
}

namespace {
struct HoistTranspositionsPass
    : qdq::impl::HoistTranspositionsPassBase<HoistTranspositionsPass> {
  void runOnOperation() override {
    bool isChanged = false;
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      isChanged |=
          moveLoopInvariantCode(
              loop.getLoopRegions(),
              [&](Value value, Region *) {
                return loop.isDefinedOutsideOfLoop(value);
              },
              [](Operation *op, Region *) { return isLayout(op); },
              [&](Operation *op, Region *) { loop.moveOutOfLoop(op); }) > 0;
    });
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
