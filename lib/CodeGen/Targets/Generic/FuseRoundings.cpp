// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding to even and conversion to an integer as one op of LLVM.

#include "../LowerToTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

/// The rounding that only `op` reads, if one op does both: f32 to i32, in a
/// type of LLVM. Else null.
static math::RoundEvenOp getRounding(arith::FPToSIOp op) {
  Type type = op.getType();
  auto vector = dyn_cast<VectorType>(type);
  bool isLLVMType =
      vector ? vector.getRank() == 1 : type.isSignlessIntOrFloat();
  auto rounding = op.getIn().getDefiningOp<math::RoundEvenOp>();
  if (!isLLVMType || !rounding || !rounding->hasOneUse() ||
      !getElementTypeOrSelf(op.getIn()).isF32() ||
      !getElementTypeOrSelf(type).isInteger(32))
    return {};
  return rounding;
}

LogicalResult mlir::qdq::fuseRoundings(Operation *root) {
  // In a graph region, a rounding may come after what reads it: a walk would
  // have it next.
  SmallVector<arith::FPToSIOp> ops;
  root->walk([&](arith::FPToSIOp op) { ops.push_back(op); });
  IRRewriter rewriter(root->getContext());
  for (arith::FPToSIOp op : ops) {
    math::RoundEvenOp rounding = getRounding(op);
    if (!rounding)
      continue;
    rewriter.setInsertionPoint(op);
    // It rounds in the mode that is set. As all arithmetic of LLVM, it takes
    // half to even for set.
    rewriter.replaceOpWithNewOp<LLVM::LrintOp>(op, op.getType(),
                                               rounding.getOperand());
    rewriter.eraseOp(rounding);
  }
  return success();
}
