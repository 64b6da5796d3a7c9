// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum that a reduction forms.

#include "SumOfProducts.h"

using namespace mlir;
using namespace mlir::qdq;

std::optional<SumOfProducts> SumOfProducts::get(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumResults() != 1 ||
      op.getNumReductionLoops() == 0 ||
      !llvm::all_of(*op.getBody(),
                    [](Operation &by) { return isMemoryEffectFree(&by); }))
    return std::nullopt;
  Operation *sum = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  Value out = op.getRegionOutputArgs().front();
  if (!isa_and_present<arith::AddFOp, arith::AddIOp, math::FmaOp>(sum) ||
      !out.hasOneUse() || *out.user_begin() != sum)
    return std::nullopt;
  if (auto fma = dyn_cast<math::FmaOp>(sum))
    return fma.getC() == out ? std::optional(SumOfProducts{fma, {}})
                             : std::nullopt;
  return SumOfProducts{sum, sum->getOperand(sum->getOperand(0) == out)};
}

bool SumOfProducts::isReassociable() const {
  arith::AddFOp floats = getFloatSum();
  return floats && arith::bitEnumContainsAll(floats.getFastmath(),
                                             arith::FastMathFlags::reassoc);
}
