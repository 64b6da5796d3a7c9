// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The index at which the body of a generic loads a parameter of blocks.

#include "BlockIndex.h"
#include "../Analysis/BodySlice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "qdq/IR/TileBounds.h"
#include <numeric>

using namespace mlir;
using namespace mlir::qdq;

/// Takes `value` for the sum: what each op is multiplied by is known when its
/// users are read.
bool BlockIndex::setSum(linalg::GenericOp op, Value value) {
  SetVector<Value> slice = getBodySlice(op, value);
  DenseMap<Value, int64_t> factors{{value, 1}};
  auto add = [&](int64_t &sum, int64_t factor) {
    return !llvm::AddOverflow(sum, factor, sum);
  };
  for (Operation &by : llvm::reverse(*op.getBody())) {
    auto isPart = [&](Value result) { return slice.contains(result); };
    if (llvm::none_of(by.getResults(), isPart) ||
        by.hasTrait<OpTrait::ConstantLike>())
      continue;
    auto found = factors.find(by.getResult(0));
    if (found == factors.end())
      return false;
    int64_t factor = found->second;
    factors.erase(found);
    APInt constant;
    if (auto index = dyn_cast<linalg::IndexOp>(by)) {
      if (!add(strides[index.getDim()], factor))
        return false;
    } else if (auto sum = dyn_cast<arith::AddIOp>(by)) {
      if (!add(factors[sum.getLhs()], factor) ||
          !add(factors[sum.getRhs()], factor))
        return false;
    } else if (auto product = dyn_cast<arith::MulIOp>(by)) {
      if (!matchPattern(product.getRhs(), m_ConstantInt(&constant)) ||
          !constant.isStrictlyPositive() ||
          llvm::MulOverflow(factor, constant.getSExtValue(), factor) ||
          !add(factors[product.getLhs()], factor))
        return false;
    } else {
      return false;
    }
  }
  // Summands that no loop is part of.
  for (auto [summand, factor] : factors) {
    int64_t divisor;
    if ((summand.getParentBlock() == op.getBody() &&
         !matchPattern(summand, m_Constant())) ||
        llvm::MulOverflow(factor, getKnownDivisor(summand), divisor))
      return false;
    offset = std::gcd(offset, divisor);
  }
  return true;
}

std::optional<BlockIndex> BlockIndex::get(linalg::GenericOp op, Value index) {
  BlockIndex result;
  result.strides.assign(op.getNumLoops(), 0);
  APInt length;
  auto division = index.getDefiningOp<arith::DivUIOp>();
  if (division && division->getBlock() == op.getBody() &&
      matchPattern(division.getRhs(), m_ConstantInt(&length)) &&
      length.isStrictlyPositive()) {
    result.length = length.getSExtValue();
    index = division.getLhs();
  }
  if (!result.setSum(op, index))
    return std::nullopt;
  return result;
}
