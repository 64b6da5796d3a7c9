// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that a body computes from a code of few bits alone.

#include "CodeTable.h"
#include "../Analysis/MayTrap.h"
#include "LaneOps.h"
#include "LaneValue.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::qdq;

/// The widest codes that tables are made of.
static constexpr unsigned kTableBits = 4;

CodeTable CodeTable::get(linalg::GenericOp tile, const LaneLoops &loops,
                         Operation *end) {
  for (auto code : tile.getBody()->getOps<ExtractFieldOp>()) {
    CodeTable table{code, {}, {}};
    if (sharesByte(code.getType()) &&
        code.getType().getIntOrFloatBitWidth() <= kTableBits &&
        table.fill(tile, loops, end))
      return table;
  }
  return {};
}

bool CodeTable::fill(linalg::GenericOp tile, const LaneLoops &loops,
                     Operation *end) {
  bool isSum = isa<arith::AddFOp, math::FmaOp>(end);
  DenseSet<Value> lanes;
  for (OpOperand &operand : tile->getOpOperands())
    // Operands that the loops cannot classify may differ as well.
    if (loops.classify(tile.getMatchingIndexingMap(&operand)) !=
        LaneOperand::Scalar)
      lanes.insert(tile.getMatchingBlockArgument(&operand));
  for (Operation &op : *tile.getBody()) {
    auto isIn = [](DenseSet<Value> &values) {
      return [&](Value v) { return values.contains(v); };
    };
    auto index = dyn_cast<linalg::IndexOp>(op);
    bool differs = llvm::any_of(op.getOperands(), isIn(lanes)) ||
                   (index && loops.isLane(index.getDim()));
    bool isLast = &op == end;
    if (&op == code) {
      entries.insert(op.getResult(0));
    } else if (differs || isLast) {
      for (Value operand : op.getOperands())
        if (entries.contains(operand)) {
          if ((result && result != operand) || (!isLast && !isSum))
            return false;
          result = operand;
        }
      if (isLast)
        break;
      lanes.insert(op.getResult(0));
    } else if (llvm::any_of(op.getOperands(), isIn(entries))) {
      // A table has entries for codes that no element has.
      auto read = dyn_cast<tensor::ExtractOp>(op);
      if (mayTrap(&op) && !(read && getTableAtCode(read)))
        return false;
      entries.insert(op.getResult(0));
    }
  }
  if (!result || result.getDefiningOp() == code)
    return false;
  // A byte of zeros and the code is one instruction.
  auto byte = result.getDefiningOp<arith::ExtUIOp>();
  return !(byte && byte.getIn() == code.getField() &&
           byte.getType().isInteger(8)) &&
         (!isSum || isa<FloatType>(result.getType()));
}
