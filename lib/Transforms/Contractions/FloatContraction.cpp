// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions and convolutions of floats, by their maps and their body.

#include "FloatContraction.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::qdq;

/// The argument of the body that `value` is, exactly widened or not.
static BlockArgument skipWidening(Value value) {
  if (auto widened = value.getDefiningOp<arith::ExtFOp>())
    value = widened.getIn();
  return dyn_cast<BlockArgument>(value);
}

/// True if the body is `out + a * b`, in any order.
static bool addsProducts(Block &body) {
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  Value out = body.getArgument(2);
  Value term = sum.getLhs() == out ? sum.getRhs() : sum.getLhs();
  if (sum.getLhs() != out && sum.getRhs() != out)
    return false;
  auto product = term.getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  BlockArgument lhs = skipWidening(product.getLhs());
  BlockArgument rhs = skipWidening(product.getRhs());
  return lhs && rhs && lhs.getOwner() == &body && rhs.getOwner() == &body &&
         lhs.getArgNumber() + rhs.getArgNumber() == 1;
}

FailureOr<FloatContraction> FloatContraction::match(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !structured.hasPureTensorSemantics() ||
      structured.getNumDpsInputs() != 2 || structured.getNumDpsInits() != 1 ||
      structured.getNumReductionLoops() == 0 || op->getNumRegions() != 1)
    return failure();
  auto isRanked = [](Value value) {
    return isa<RankedTensorType>(value.getType());
  };
  if (!llvm::all_of(op->getOperands(), isRanked))
    return failure();
  Block *body = structured.getBlock();
  if (body->getNumArguments() != 3 || !addsProducts(*body))
    return failure();
  return FloatContraction{structured};
}

/// True for a constant 0.0 or -0.0, or a tensor of them.
static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat());
}

bool FloatContraction::startsAtZero() {
  Value init = getInit();
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    return isZero(fill.value());
  return isZero(init);
}

bool FloatContraction::isReassociable() {
  auto sum = op.getBlock()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  return sum &&
         bitEnumContainsAll(sum.getFastmath(), arith::FastMathFlags::reassoc);
}

DequantizedOperand DequantizedOperand::find(Value operand) {
  DequantizedOperand result;
  if (auto pad = operand.getDefiningOp<tensor::PadOp>()) {
    Value padding = pad.getConstantPaddingValue();
    if (!padding || !isZero(padding))
      return result;
    result.pad = pad;
    operand = pad.getSource();
  }
  result.op = operand.getDefiningOp<DequantizeOp>();
  return result;
}
