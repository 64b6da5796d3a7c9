// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum that a reduction forms.

#include "SumOfProducts.h"

using namespace mlir;
using namespace mlir::qdq;

std::optional<SumOfProducts> SumOfProducts::get(linalg::GenericOp op) {
  return op.getNumResults() == 1 ? getOfBody(op) : std::nullopt;
}

std::optional<SumOfProducts> SumOfProducts::getOfBody(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
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

int64_t mlir::qdq::countSharing(linalg::GenericOp op, AffineMap map,
                                int64_t open) {
  int64_t count = 1;
  auto kinds = op.getIteratorTypesArray();
  for (auto [loop, range] : llvm::enumerate(op.getStaticLoopRanges()))
    if (linalg::isParallelIterator(kinds[loop]) && !map.isFunctionOfDim(loop))
      count *= ShapedType::isDynamic(range) ? open : range;
  return count;
}

int64_t mlir::qdq::countTerms(linalg::GenericOp op, int64_t open) {
  int64_t count = 1;
  for (auto [range, kind] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (linalg::isReductionIterator(kind))
      count *= ShapedType::isDynamic(range) ? open : range;
  return count;
}
