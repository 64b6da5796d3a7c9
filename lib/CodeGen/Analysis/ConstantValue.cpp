// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that folding computes, and how large constants are.

#include "ConstantValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

/// Of deeper chains nothing is known: recursion has an end.
static constexpr unsigned kMaxDepth = 256;

static Attribute fold(Value value, DenseMap<Value, Attribute> &known,
                      unsigned depth) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  Operation *by = value.getDefiningOp();
  if (!by || by->getNumRegions() != 0 || by->getNumResults() != 1 ||
      !isPure(by) || depth == kMaxDepth)
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : by->getOperands()) {
    operands.push_back(fold(operand, known, depth + 1));
    if (!operands.back())
      return known[value] = {};
  }
  // Folding may change an op.
  OwningOpRef<Operation *> copy(by->clone());
  SmallVector<OpFoldResult> results;
  Attribute result;
  if (succeeded(copy->fold(operands, results)) && results.size() == 1) {
    auto same = dyn_cast<Value>(results.front());
    result =
        same ? fold(same, known, depth + 1) : cast<Attribute>(results.front());
  }
  return known[value] = result;
}

Attribute mlir::qdq::foldWith(Value value, DenseMap<Value, Attribute> &known) {
  return fold(value, known, 0);
}

bool mlir::qdq::mayLayOutConstants(Operation *root) {
  constexpr int64_t kMostBytes = int64_t(1) << 30;
  llvm::SmallPtrSet<const void *, 16> known;
  int64_t bytes = 0;
  root->walk([&](arith::ConstantOp op) {
    auto type = dyn_cast<ShapedType>(op.getType());
    if (type && type.getElementType().isIntOrFloat() &&
        known.insert(op.getValue().getAsOpaquePointer()).second)
      bytes += llvm::divideCeil(
          type.getNumElements() * type.getElementTypeBitWidth(), 8);
  });
  return bytes <= kMostBytes;
}
