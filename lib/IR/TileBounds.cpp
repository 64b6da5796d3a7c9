// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Known facts about the offset and the size of a tile.

#include "qdq/IR/TileBounds.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <numeric>

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// The largest numbers known to divide values, each found once.
class Divisors {
public:
  int64_t get(OpFoldResult value);

private:
  int64_t compute(Value value);
  int64_t compute(AffineExpr expr, affine::AffineApplyOp apply);

  /// Of deeper chains nothing is known: recursion has an end.
  static constexpr unsigned kMaxDepth = 256;

  unsigned depth = 0;
  DenseMap<Value, int64_t> known;
};
} // namespace

/// A divisor of a constant: its magnitude, half of it beyond 64 bits.
static int64_t getMagnitude(int64_t value) {
  return value == INT64_MIN ? int64_t(1) << 62 : std::abs(value);
}

/// A divisor of a product; 1 beyond 64 bits.
static int64_t multiply(int64_t lhs, int64_t rhs) {
  int64_t product;
  return llvm::MulOverflow(lhs, rhs, product) ? 1 : product;
}

/// A divisor of the index that `loop` passes as `argument`.
static int64_t getDivisorOfIndex(LoopLikeOpInterface loop,
                                 BlockArgument argument) {
  std::optional<SmallVector<Value>> variables = loop.getLoopInductionVars();
  if (!variables)
    return 1;
  auto position = llvm::find(*variables, argument);
  if (position == variables->end())
    return 1;
  unsigned index = std::distance(variables->begin(), position);
  std::optional<SmallVector<OpFoldResult>> lowers = loop.getLoopLowerBounds();
  std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
  if (!lowers || !steps)
    return 1;
  auto lower = getConstantIntValue((*lowers)[index]);
  auto step = getConstantIntValue((*steps)[index]);
  return lower && step ? std::gcd(getMagnitude(*lower), getMagnitude(*step))
                       : 1;
}

int64_t Divisors::get(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getMagnitude(*constant);
  auto [position, isNew] = known.try_emplace(cast<Value>(value), 1);
  if (!isNew || depth == kMaxDepth)
    return position->second;
  ++depth;
  int64_t divisor = compute(cast<Value>(value));
  --depth;
  return known[cast<Value>(value)] = divisor;
}

int64_t Divisors::compute(Value value) {
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>())
    return compute(apply.getAffineMap().getResult(0), apply);
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    return multiply(get(product.getLhs()), get(product.getRhs()));
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return std::gcd(get(sum.getLhs()), get(sum.getRhs()));
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop =
      argument
          ? dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp())
          : LoopLikeOpInterface();
  return loop ? getDivisorOfIndex(loop, argument) : 1;
}

/// Of an expression of the operands of `apply`.
int64_t Divisors::compute(AffineExpr expr, affine::AffineApplyOp apply) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return getMagnitude(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return get(apply.getMapOperands()[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return get(apply.getSymbolOperands()[symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = compute(binary.getLHS(), apply);
  int64_t rhs = compute(binary.getRHS(), apply);
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    return multiply(lhs, rhs);
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    return isa<AffineConstantExpr>(binary.getRHS()) && rhs && lhs % rhs == 0
               ? lhs / rhs
               : 1;
  default:
    return std::gcd(lhs, rhs);
  }
}

int64_t mlir::qdq::getKnownDivisor(OpFoldResult offset) {
  return Divisors().get(offset);
}

bool mlir::qdq::areEqual(const Bound &lhs, const Bound &rhs) {
  FailureOr<bool> result = ValueBoundsConstraintSet::areEqual(lhs, rhs);
  return succeeded(result) && *result;
}

static Bound getConstant(MLIRContext *ctx, int64_t value) {
  return OpFoldResult(Builder(ctx).getIndexAttr(value));
}

bool mlir::qdq::isAtMost(OpFoldResult size, int64_t bound) {
  return ValueBoundsConstraintSet::compare(
      size, ValueBoundsConstraintSet::LE,
      getConstant(size.getContext(), bound));
}

/// `bound`, one of those of `minimum`, and the offset of the tile.
static Bound getEnd(affine::AffineMinOp minimum, AffineExpr bound,
                    OpFoldResult offset) {
  SmallVector<Bound> operands(minimum.getDimOperands());
  unsigned dim = operands.size();
  operands.push_back(offset);
  llvm::append_range(operands, minimum.getSymbolOperands());
  return {AffineMap::get(dim + 1, minimum.getMap().getNumSymbols(),
                         bound + getAffineDimExpr(dim, bound.getContext())),
          operands};
}

bool mlir::qdq::holdsWholeGroups(OpFoldResult offset, OpFoldResult size,
                                 const Bound &whole, int64_t length) {
  if (length == 1)
    return true;
  if (getKnownDivisor(offset) % length != 0)
    return false;
  std::optional<int64_t> begin = getConstantIntValue(offset);
  std::optional<int64_t> constant = getConstantIntValue(size);
  if (constant && (*constant % length == 0 || !begin))
    return *constant % length == 0;
  if (constant) {
    std::optional<int64_t> end = llvm::checkedAdd(*begin, *constant);
    return end && areEqual(getConstant(size.getContext(), *end), whole);
  }
  auto minimum = cast<Value>(size).getDefiningOp<affine::AffineMinOp>();
  if (!minimum)
    return begin == 0 && areEqual(size, whole);
  return llvm::all_of(minimum.getMap().getResults(), [&](AffineExpr bound) {
    return bound.isMultipleOf(length) ||
           areEqual(getEnd(minimum, bound, offset), whole);
  });
}
