// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that folding computes.

#include "ConstantValue.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

Attribute mlir::qdq::foldWith(Value value, DenseMap<Value, Attribute> &known) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  Operation *by = value.getDefiningOp();
  if (!by || by->getNumRegions() != 0 || by->getNumResults() != 1 ||
      !isPure(by))
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : by->getOperands()) {
    operands.push_back(foldWith(operand, known));
    if (!operands.back())
      return known[value] = {};
  }
  // Folding may change an op.
  OwningOpRef<Operation *> copy(by->clone());
  SmallVector<OpFoldResult> results;
  Attribute result;
  if (succeeded(copy->fold(operands, results)) && results.size() == 1) {
    auto same = dyn_cast<Value>(results.front());
    result = same ? foldWith(same, known) : cast<Attribute>(results.front());
  }
  return known[value] = result;
}
