// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// torch-mlir's tensor types to builtin ones, where nothing but functions and
// casts has them.

#include "mlir/IR/BuiltinOps.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/TorchTypes/TorchTypes.h"
#include "qdq/IR/TypeRewrite.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTTORCHTYPESPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// The builtin tensor of a `!torch.vtensor`; null for all other types, and
/// where there is none.
static Type toBuiltin(Type type) {
  std::string reason;
  return isTorchTensor(type) ? getBuiltinTensor(type, reason) : TensorType();
}

static bool isCast(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  Type operand = op->getOperand(0).getType(),
       result = op->getResult(0).getType();
  return (name == kToBuiltinTensor && isa<TensorType>(result)) ||
         (name == kFromBuiltinTensor && isa<TensorType>(operand));
}

/// True if a value that `op` uses or defines has a type of which `predicate`
/// holds.
static bool hasValue(Operation *op, function_ref<bool(Type)> predicate) {
  if (llvm::any_of(op->getOperandTypes(), predicate) ||
      llvm::any_of(op->getResultTypes(), predicate))
    return true;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), predicate))
        return true;
  return false;
}

static bool hasNoBuiltin(Type type) {
  return isTorchTensor(type) && !toBuiltin(type);
}

namespace {
struct ConvertTorchTypesPass
    : qdq::impl::ConvertTorchTypesPassBase<ConvertTorchTypesPass> {
  using ConvertTorchTypesPassBase::ConvertTorchTypesPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> casts, carriers;
    WalkResult result = getOperation()->walk([&](Operation *op) {
      if (hasValue(op, hasNoBuiltin))
        return WalkResult::interrupt();
      if (isCast(op))
        casts.push_back(op);
      else if (isTypeAgnostic(op))
        carriers.push_back(op);
      else if (hasValue(op, isTorchTensor))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return;

    TypeRewriter rewriter(toBuiltin, AttributeScope::Own);
    for (Operation *op : carriers)
      rewriter.retype(op);
    for (Operation *op : casts) {
      Value source = op->getOperand(0);
      source.setType(rewriter.rewrite(source.getType()));
      Type type = rewriter.rewrite(op->getResult(0).getType());
      OpBuilder b(op);
      Value cast = castElementType(b, op->getLoc(), source, type);
      op->replaceAllUsesWith(ValueRange(cast));
      op->erase();
    }
  }
};
} // namespace
