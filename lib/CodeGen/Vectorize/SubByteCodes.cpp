// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes that a body cuts from their byte.

#include "SubByteCodes.h"
#include "../Analysis/ConstantValue.h"

using namespace mlir;
using namespace mlir::qdq;

/// The lowest bit in this iteration of the innermost loop; nothing if it
/// depends on more.
static std::optional<int64_t>
getLowestBit(linalg::GenericOp op, ExtractFieldOp code, int64_t iteration) {
  DenseMap<Value, Attribute> known;
  for (auto index : op.getBody()->getOps<linalg::IndexOp>())
    if (index.getDim() + 1 == op.getNumLoops())
      known[index] = Builder(op).getIndexAttr(iteration);
  int64_t bit = 0;
  for (auto [slot, stride] :
       llvm::zip_equal(code.getSlots(), code.getStrides())) {
    auto number = dyn_cast_if_present<IntegerAttr>(foldWith(slot, known));
    if (!number)
      return std::nullopt;
    bit += number.getInt() * stride;
  }
  return bit;
}

std::optional<SubByteCodes> SubByteCodes::get(linalg::GenericOp op,
                                              BlockArgument bytes) {
  if (!bytes.getType().isInteger(8) || !bytes.hasOneUse())
    return std::nullopt;
  auto code = dyn_cast<ExtractFieldOp>(*bytes.user_begin());
  if (!code || code.getParts().size() != 1)
    return std::nullopt;
  SubByteCodes result{code, {}};
  int64_t most = 8 - code.getType().getIntOrFloatBitWidth();
  for (int64_t iteration : llvm::seq(op.getStaticLoopRanges().back())) {
    std::optional<int64_t> bit = getLowestBit(op, code, iteration);
    if (!bit || *bit < 0 || *bit > most)
      return std::nullopt;
    result.amounts.push_back(*bit);
  }
  return result;
}
