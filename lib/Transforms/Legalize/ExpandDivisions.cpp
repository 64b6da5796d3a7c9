// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions by a scale as a product with its reciprocal, and a correction.

#include "Clamps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_EXPANDDIVISIONSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// Scales from 2^-60 to 2^60. For these, the corrected quotient is that of a
/// division, or both are below 2^-40, with the sign of x.
static constexpr int kScaleExponent = 60, kTinyExponent = -40;

/// Fewer divisions by a vector of scales are worth no tensor of reciprocals.
static constexpr unsigned kLeastRepeats = 4;

static Value createConstant(ImplicitLocOpBuilder &b, APFloat value, Type like) {
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(like), value);
  if (auto shaped = dyn_cast<ShapedType>(like))
    attr = DenseElementsAttr::get(shaped, attr);
  return arith::ConstantOp::create(b, attr);
}

/// True if `compare` asks whether a value is NaN.
static bool isNaNCheck(arith::CmpFOp compare) {
  return compare.getLhs() == compare.getRhs();
}

/// True if `select` clamps `v` to zero, or to what may be zero: -0 passes, what
/// is less does not.
static bool mayClampToZero(arith::SelectOp select, Value v) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare || isNaNCheck(compare) ||
      (compare.getLhs() != v && compare.getRhs() != v))
    return false;
  Value bound = compare.getLhs() == v ? compare.getRhs() : compare.getLhs();
  DenseFPElementsAttr constant;
  return !matchPattern(bound, m_Constant(&constant)) || !constant.isSplat() ||
         constant.getSplatValue<APFloat>().isZero();
}

/// True if every quotient below 2^-40 that stands in place of `v`, of its sign,
/// leads to the same result. `losesSign` says that what is tiny may be zero of
/// either sign: only an integer does not tell. That is so of a sum, which
/// depends on the quotient only where it is itself below 2^-14, and of a clamp
/// to zero.
static bool forgivesTiny(Value v, bool losesSign,
                         DenseSet<std::pair<Value, unsigned>> &seen) {
  if (!seen.insert({v, losesSign}).second)
    return true;
  return llvm::all_of(v.getUsers(), [&](Operation *user) {
    if (isa<math::RoundEvenOp, math::RoundOp, math::TruncOp>(user))
      return !losesSign ||
             llvm::all_of(user->getUsers(),
                          llvm::IsaPred<arith::FPToSIOp, arith::FPToUIOp>);
    // One of two values: what is tiny is so on both sides of the choice.
    if (isa<arith::MaximumFOp, arith::MinimumFOp>(user))
      return forgivesTiny(user->getResult(0), losesSign, seen);
    if (auto select = dyn_cast<arith::SelectOp>(user))
      return forgivesTiny(select.getResult(),
                          losesSign || mayClampToZero(select, v), seen);
    if (isa<arith::AddFOp>(user))
      return !losesSign && user->getOperand(0) != user->getOperand(1) &&
             forgivesTiny(user->getResult(0), /*losesSign=*/true, seen);
    if (auto cast = dyn_cast<arith::TruncFOp>(user)) {
      auto mode =
          cast.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
      auto type = ::cast<FloatType>(getElementTypeOrSelf(cast.getType()));
      APFloat smallest = APFloat::getSmallest(type.getFloatSemantics());
      return !losesSign && mode == arith::RoundingMode::to_nearest_even &&
             ilogb(smallest) > kTinyExponent + 1;
    }
    auto compare = dyn_cast<arith::CmpFOp>(user);
    if (!compare)
      return false;
    if (isNaNCheck(compare))
      return true;
    // A clamp: the choice between the two that are compared.
    return llvm::all_of(compare->getUsers(), [&](Operation *choice) {
      auto select = dyn_cast<arith::SelectOp>(choice);
      if (!select || select.getCondition() != compare.getResult())
        return false;
      Value lhs = compare.getLhs(), rhs = compare.getRhs();
      Value then = select.getTrueValue(), other = select.getFalseValue();
      return (then == lhs && other == rhs) || (then == rhs && other == lhs);
    });
  });
}

/// True where the correction is known to be right.
static Value emitIsInRange(ImplicitLocOpBuilder &b, Value scale) {
  auto power = [&](int exponent) {
    return createConstant(
        b, scalbn(APFloat(1.0f), exponent, APFloat::rmNearestTiesToEven),
        scale.getType());
  };
  auto compare = [&](arith::CmpFPredicate predicate, int exponent) -> Value {
    return arith::CmpFOp::create(b, predicate, scale, power(exponent));
  };
  Value isLarge = compare(arith::CmpFPredicate::OGE, -kScaleExponent);
  Value isSmall = compare(arith::CmpFPredicate::OLE, kScaleExponent);
  return arith::AndIOp::create(b, isLarge, isSmall);
}

static Value emitUncheckedReciprocal(ImplicitLocOpBuilder &b, Value scale) {
  return arith::DivFOp::create(
      b, createConstant(b, APFloat(1.0f), scale.getType()), scale);
}

/// 1 / `scale`, or NaN where the correction is not known to be right.
static Value emitReciprocal(ImplicitLocOpBuilder &b, Value scale) {
  Value isInRange = emitIsInRange(b, scale);
  Value reciprocal = emitUncheckedReciprocal(b, scale);
  Value nan = createConstant(b, APFloat::getNaN(APFloat::IEEEsingle()),
                             scale.getType());
  return arith::SelectOp::create(b, isInRange, reciprocal, nan);
}

/// True if any lane of `v` is NaN. One comparison looks at two registers.
static Value emitHasNaN(ImplicitLocOpBuilder &b, Value v) {
  int64_t lanes = cast<VectorType>(v.getType()).getNumElements();
  Value other = v;
  if (lanes % 32 == 0) {
    auto half = [&](int64_t start) -> Value {
      return vector::ExtractStridedSliceOp::create(b, v, start, lanes / 2, 1);
    };
    Value first = half(0);
    other = half(lanes / 2);
    v = first;
  }
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, v, other);
  return vector::ReductionOp::create(b, vector::CombiningKind::OR, isNaN);
}

/// The one value of all lanes of `vector`, or null.
static Value createScalar(ImplicitLocOpBuilder &b, Value vector) {
  if (auto broadcast = vector.getDefiningOp<vector::BroadcastOp>())
    return broadcast.getSource().getType().isF32() ? broadcast.getSource()
                                                   : Value();
  auto read = vector.getDefiningOp<vector::TransferReadOp>();
  if (!read || read.getMask() || read.hasOutOfBoundsDim() ||
      !isa<TensorType>(read.getBase().getType()) ||
      !llvm::all_of(read.getPermutationMap().getResults(),
                    [](AffineExpr e) { return isa<AffineConstantExpr>(e); }))
    return Value();
  return tensor::ExtractOp::create(b, read.getBase(), read.getIndices());
}

/// True if a loop gives `value`, which is computed in it, another value in each
/// iteration.
static bool changesIn(LoopLikeOpInterface loop, Value value,
                      DenseSet<Value> &seen) {
  if (loop.isDefinedOutsideOfLoop(value) || !seen.insert(value).second)
    return false;
  Operation *op = value.getDefiningOp();
  if (!op)
    return value.getParentBlock()->getParentOp() == loop;
  return op->getNumRegions() > 0 || !isMemoryEffectFree(op) ||
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return changesIn(loop, operand, seen);
         });
}

static bool changesIn(LoopLikeOpInterface loop, Value value) {
  DenseSet<Value> seen;
  return changesIn(loop, value, seen);
}

namespace {
/// The vectors of scales that a loop reads again and again.
struct RepeatedRead {
  vector::TransferReadOp read;
  /// From the read to what is defined outside the loop.
  SmallVector<tensor::ExtractSliceOp> slices;
  LoopLikeOpInterface loop;

  /// Null `loop` where there is none.
  static RepeatedRead get(Value vector);
  Value getRoot() {
    return slices.empty() ? read.getBase() : slices.back().getSource();
  }
  /// The same elements of `tensor`, which has the type of the root.
  Value createRead(OpBuilder &b, Value tensor);
};
} // namespace

RepeatedRead RepeatedRead::get(Value vector) {
  RepeatedRead result;
  result.read = vector.getDefiningOp<vector::TransferReadOp>();
  if (!result.read || !isa<RankedTensorType>(result.read.getBase().getType()) ||
      result.read.getMask() || result.read.hasOutOfBoundsDim())
    return result;
  auto loop = result.read->getParentOfType<LoopLikeOpInterface>();
  for (; loop; loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    std::optional<APInt> count = loop.getStaticTripCount();
    if (changesIn(loop, result.read) || (count && count->ult(kLeastRepeats)))
      continue;
    SmallVector<tensor::ExtractSliceOp> slices;
    Value root = result.read.getBase();
    while (!loop.isDefinedOutsideOfLoop(root)) {
      auto slice = root.getDefiningOp<tensor::ExtractSliceOp>();
      if (!slice)
        return result;
      slices.push_back(slice);
      root = slice.getSource();
    }
    result.slices = slices;
    result.loop = loop;
    break;
  }
  // Reciprocals of the whole tensor, once: before every loop that has it.
  while (result.loop) {
    auto outer = result.loop->getParentOfType<LoopLikeOpInterface>();
    if (!outer || !outer.isDefinedOutsideOfLoop(result.getRoot()))
      break;
    result.loop = outer;
  }
  return result;
}

Value RepeatedRead::createRead(OpBuilder &b, Value tensor) {
  IRMapping mapping;
  mapping.map(getRoot(), tensor);
  for (tensor::ExtractSliceOp slice : llvm::reverse(slices))
    b.clone(*slice, mapping);
  return b.clone(*read, mapping)->getResult(0);
}

/// The reciprocals of all elements of a tensor.
static Value emitReciprocals(ImplicitLocOpBuilder &b, Value scales) {
  auto type = cast<RankedTensorType>(scales.getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), scales);
  Value init = tensor::EmptyOp::create(b, sizes, type.getElementType());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, init.getType(), scales, init, maps, iterators,
             [](OpBuilder &nested, Location loc, ValueRange elements) {
               ImplicitLocOpBuilder body(loc, nested);
               linalg::YieldOp::create(body,
                                       emitReciprocal(body, elements.front()));
             })
      .getResult(0);
}

namespace {
/// Where many values have one scale.
class DivisionExpander {
public:
  LogicalResult expand(arith::DivFOp op);

private:
  /// Where whole numbers bound what is rounded, the same numbers times one
  /// scale bound x, and no quotient is infinite.
  LogicalResult expandClamped(arith::DivFOp op);
  /// The reciprocal of the scale, in the shape of the division. Null where it
  /// costs as much as that.
  Value createReciprocal(arith::DivFOp op);

  /// Tensors and loops, and the reciprocals before those.
  DenseMap<std::pair<Value, Operation *>, Value> reciprocals;
};
} // namespace

Value DivisionExpander::createReciprocal(arith::DivFOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value scale = op.getRhs();
  if (Value scalar = createScalar(b, scale))
    return vector::BroadcastOp::create(b, op.getType(),
                                       emitReciprocal(b, scalar));
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  bool isConstant = matchPattern(scale, m_Constant());
  if (isConstant || (loop && !changesIn(loop, scale)))
    return emitReciprocal(b, scale);
  RepeatedRead repeated = RepeatedRead::get(scale);
  if (!repeated.loop)
    return Value();
  Value &known = reciprocals[{repeated.getRoot(), repeated.loop}];
  if (!known) {
    ImplicitLocOpBuilder before(op.getLoc(), repeated.loop);
    known = emitReciprocals(before, repeated.getRoot());
  }
  return repeated.createRead(b, known);
}

/// `x / s` by its reciprocal `r`. Signs as they stand keep the zero of x: the
/// remainder of an exact quotient is +0, and its negation adds nothing to
/// either zero.
static Value emitCorrected(ImplicitLocOpBuilder &b, Value x, Value s, Value r) {
  Value q = arith::MulFOp::create(b, x, r);
  Value excess = math::FmaOp::create(b, q, s, arith::NegFOp::create(b, x));
  return math::FmaOp::create(b, arith::NegFOp::create(b, excess), r, q);
}

namespace {
/// A choice between a value and an integer that comparing them makes.
struct IntegerClamp {
  arith::CmpFOp compare;
  arith::SelectOp select;
  APFloat bound;
  /// The result is at least the bound, else at most.
  bool isLow;
};
} // namespace

/// Integers up to this one, times a scale and divided by it, round to
/// themselves.
static constexpr int kMostBound = 1 << 20;

/// The clamp that is all that reads `v`.
static std::optional<IntegerClamp> getIntegerClamp(Value v) {
  if (!v.hasNUses(2))
    return std::nullopt;
  auto select = dyn_cast<arith::SelectOp>(*v.user_begin());
  auto compare = dyn_cast<arith::CmpFOp>(*std::next(v.user_begin()));
  if (!select) {
    select = dyn_cast<arith::SelectOp>(*std::next(v.user_begin()));
    compare = dyn_cast<arith::CmpFOp>(*v.user_begin());
  }
  if (!select || !compare || select.getCondition() != compare.getResult() ||
      !compare->hasOneUse() || compare.getLhs() != v)
    return std::nullopt;
  std::optional<bool> isGreater = qdq::asksForGreater(compare.getPredicate());
  if (!isGreater)
    return std::nullopt;
  Value bound = compare.getRhs();
  bool isChoice =
      (select.getTrueValue() == v && select.getFalseValue() == bound) ||
      (select.getTrueValue() == bound && select.getFalseValue() == v);
  DenseFPElementsAttr constant;
  if (!isChoice || !matchPattern(bound, m_Constant(&constant)) ||
      !constant.isSplat())
    return std::nullopt;
  APFloat value = constant.getSplatValue<APFloat>();
  if (!value.isInteger() || abs(value) > APFloat(float(kMostBound)))
    return std::nullopt;
  return IntegerClamp{compare, select, value,
                      *isGreater == (select.getTrueValue() == v)};
}

/// Where `rounded` becomes bytes, and `low` and `high` are the ends of these,
/// says so of the integers: behind a branch nobody sees it, and a narrowing
/// that saturates has this clamp for nothing.
static void emitByteBounds(Operation *rounding, const APFloat &low,
                           const APFloat &high) {
  auto areEnds = [&](float first, float last) {
    return low == APFloat(first) && high == APFloat(last);
  };
  if (!rounding->hasOneUse() || !(areEnds(-128, 127) || areEnds(0, 255)))
    return;
  auto integer = dyn_cast<arith::FPToSIOp>(*rounding->user_begin());
  if (!integer || !getElementTypeOrSelf(integer.getType()).isInteger(32) ||
      !integer->hasOneUse())
    return;
  auto bytes = dyn_cast<arith::TruncIOp>(*integer->user_begin());
  if (!bytes || !getElementTypeOrSelf(bytes.getType()).isInteger(8))
    return;
  ImplicitLocOpBuilder b(bytes.getLoc(), bytes);
  auto constant = [&](const APFloat &bound) -> Value {
    auto type = cast<VectorType>(integer.getType());
    TypedAttr splat = DenseElementsAttr::get(
        type, b.getI32IntegerAttr(int32_t(bound.convertToFloat())));
    return arith::ConstantOp::create(b, splat);
  };
  Value v = arith::MaxSIOp::create(b, integer, constant(low));
  v = arith::MinSIOp::create(b, v, constant(high));
  bytes.getInMutable().assign(v);
}

/// Says of sums of what `rounding` makes that they fit in 32 bits, for the same
/// reason: up to `kMostBound`, and a zero point of at most 16 bits.
static void markSums(Operation *rounding) {
  auto isShort = [](Value v) {
    if (auto broadcast = v.getDefiningOp<vector::BroadcastOp>())
      v = broadcast.getSource();
    Operation *cast = v.getDefiningOp();
    return isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(cast) &&
           getElementTypeOrSelf(cast->getOperand(0)).getIntOrFloatBitWidth() <=
               16;
  };
  for (Operation *cast : rounding->getUsers()) {
    auto integer = dyn_cast<arith::FPToSIOp>(cast);
    if (!integer || !getElementTypeOrSelf(integer.getType()).isInteger(32))
      continue;
    for (Operation *user : integer->getUsers())
      if (auto sum = dyn_cast<arith::AddIOp>(user);
          sum && (isShort(sum.getLhs()) || isShort(sum.getRhs())))
        sum.setOverflowFlags(sum.getOverflowFlags() |
                             arith::IntegerOverflowFlags::nsw);
  }
}

LogicalResult DivisionExpander::expandClamped(arith::DivFOp op) {
  std::optional<IntegerClamp> first = getIntegerClamp(op);
  std::optional<IntegerClamp> second =
      first ? getIntegerClamp(first->select) : std::nullopt;
  if (!second || !llvm::all_of(second->select->getUsers(),
                               llvm::IsaPred<math::RoundEvenOp, math::RoundOp>))
    return failure();
  const IntegerClamp &least = first->isLow ? *first : *second;
  const IntegerClamp &most = first->isLow ? *second : *first;
  if (!least.isLow || most.isLow || least.bound > most.bound)
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), second->select);
  Value scale = createScalar(b, op.getRhs());
  if (!scale)
    return failure();

  auto type = cast<VectorType>(op.getType());
  auto broadcast = [&](Value v) -> Value {
    return vector::BroadcastOp::create(b, type, v);
  };
  Value r = broadcast(emitUncheckedReciprocal(b, scale));
  SmallVector<Value> ends;
  const IntegerClamp clamps[] = {*first, *second};
  for (const IntegerClamp &clamp : clamps)
    ends.push_back(broadcast(arith::MulFOp::create(
        b, createConstant(b, clamp.bound, scale.getType()), scale)));
  auto choice = scf::IfOp::create(b, type, emitIsInRange(b, scale),
                                  /*withElseRegion=*/true);
  for (Operation *rounding : second->select->getUsers()) {
    emitByteBounds(rounding, least.bound, most.bound);
    markSums(rounding);
  }
  second->select.getResult().replaceAllUsesWith(choice.getResult(0));

  b.setInsertionPointToEnd(choice.thenBlock());
  Value x = op.getLhs();
  for (auto [clamp, end] : llvm::zip_equal(clamps, ends)) {
    arith::CmpFOp compare = clamp.compare;
    IRMapping mapping;
    mapping.map(compare.getLhs(), x);
    mapping.map(compare.getRhs(), end);
    b.clone(*compare, mapping);
    arith::SelectOp select = clamp.select;
    x = b.clone(*select, mapping)->getResult(0);
  }
  scf::YieldOp::create(b, emitCorrected(b, x, op.getRhs(), r));

  b.setInsertionPointToEnd(choice.elseBlock());
  auto yield = scf::YieldOp::create(b, second->select.getResult());
  for (Operation *moved :
       {op.getOperation(), first->compare.getOperation(),
        first->select.getOperation(), second->compare.getOperation(),
        second->select.getOperation()})
    moved->moveBefore(yield);
  return success();
}

LogicalResult DivisionExpander::expand(arith::DivFOp op) {
  auto type = dyn_cast<VectorType>(op.getType());
  DenseSet<std::pair<Value, unsigned>> seen;
  if (!type || type.getRank() != 1 || type.isScalable() ||
      !type.getElementType().isF32() ||
      !forgivesTiny(op, /*losesSign=*/false, seen))
    return failure();
  if (succeeded(expandClamped(op)))
    return success();
  Value r = createReciprocal(op);
  if (!r)
    return failure();

  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value x = op.getLhs(), s = op.getRhs();
  Value corrected = emitCorrected(b, x, s, r);
  Value hasNaN = emitHasNaN(b, corrected);
  auto choice = scf::IfOp::create(b, type, hasNaN, /*withElseRegion=*/true);
  op.replaceAllUsesWith(choice.getResult(0));
  b.setInsertionPointToEnd(choice.thenBlock());
  auto yield = scf::YieldOp::create(b, op.getResult());
  op->moveBefore(yield);
  b.setInsertionPointToEnd(choice.elseBlock());
  scf::YieldOp::create(b, corrected);
  return success();
}

namespace {
struct ExpandDivisionsPass
    : qdq::impl::ExpandDivisionsPassBase<ExpandDivisionsPass> {
  void runOnOperation() override {
    SmallVector<arith::DivFOp> divisions;
    getOperation()->walk([&](arith::DivFOp op) { divisions.push_back(op); });
    DivisionExpander expander;
    bool isChanged = false;
    for (arith::DivFOp op : divisions)
      isChanged |= succeeded(expander.expand(op));
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
