// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes that a body cuts from their byte.

#include "SubByteCodes.h"
#include "../Analysis/ConstantValue.h"

using namespace mlir;
using namespace mlir::qdq;

/// The amount in this iteration of the innermost loop; nothing if it
/// depends on more.
static std::optional<int64_t> getAmount(linalg::GenericOp op, Value amount,
                                        int64_t iteration) {
  DenseMap<Value, Attribute> known;
  for (auto index : op.getBody()->getOps<linalg::IndexOp>())
    if (index.getDim() + 1 == op.getNumLoops())
      known[index] = Builder(op).getIndexAttr(iteration);
  auto number = dyn_cast_if_present<IntegerAttr>(foldWith(amount, known));
  return number ? std::optional(number.getInt()) : std::nullopt;
}

std::optional<SubByteCodes> SubByteCodes::get(linalg::GenericOp op,
                                              BlockArgument bytes) {
  if (!bytes.getType().isInteger(8) || !bytes.hasOneUse())
    return std::nullopt;
  auto shift = dyn_cast<arith::ShRUIOp>(*bytes.user_begin());
  if (!shift || shift.getLhs() != bytes || !shift->hasOneUse())
    return std::nullopt;
  auto code = dyn_cast<arith::TruncIOp>(*shift->user_begin());
  if (!code)
    return std::nullopt;
  SubByteCodes result{code, {}};
  int64_t most = 8 - code.getType().getIntOrFloatBitWidth();
  for (int64_t iteration : llvm::seq(op.getStaticLoopRanges().back())) {
    std::optional<int64_t> amount = getAmount(op, shift.getRhs(), iteration);
    if (!amount || *amount < 0 || *amount > most)
      return std::nullopt;
    result.amounts.push_back(*amount);
  }
  return result;
}
