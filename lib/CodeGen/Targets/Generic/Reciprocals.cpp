// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Division by a scale as a product with its reciprocal, and a correction.

#include "Reciprocals.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;
using namespace mlir::qdq;

/// Scales from 2^-60 to 2^60. For these, the corrected quotient is that of a
/// division, or both are below 2^-40, with the sign of x.
static constexpr int kScaleExponent = 60;

/// Fewer divisions by a vector of scales are worth no tensor of reciprocals.
static constexpr unsigned kLeastRepeats = 4;

/// True where the correction is known to be right.
static Scalar emitIsInRange(const Scalar &scale) {
  Scalar isLarge = scale >= std::ldexp(1.0, -kScaleExponent);
  return isLarge & (scale <= std::ldexp(1.0, kScaleExponent));
}

/// 1 / `scale`, or NaN where the correction is not known to be right.
static Scalar emitReciprocal(const Scalar &scale) {
  Scalar isInRange = emitIsInRange(scale), reciprocal = 1.0 / scale;
  return select(isInRange, reciprocal, APFloat::getNaN(APFloat::IEEEsingle()));
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

/// The one value of all lanes of a vector of scales, in f32, or null.
static Value createScalar(ImplicitLocOpBuilder &b, Value scale) {
  Value scalar;
  if (auto broadcast = scale.getDefiningOp<vector::BroadcastOp>()) {
    scalar = broadcast.getSource();
    if (isa<VectorType>(scalar.getType()))
      return Value();
  } else if (auto read = scale.getDefiningOp<vector::TransferReadOp>()) {
    if (read.getMask() || read.hasOutOfBoundsDim() ||
        !isa<TensorType>(read.getBase().getType()) ||
        !llvm::all_of(read.getPermutationMap().getResults(),
                      llvm::IsaPred<AffineConstantExpr>))
      return Value();
    scalar = tensor::ExtractOp::create(b, read.getBase(), read.getIndices());
  }
  if (!scalar || scalar.getType().isF32())
    return scalar;
  if (scalar.getType().getIntOrFloatBitWidth() > 32)
    return Value();
  return arith::ExtFOp::create(b, b.getF32Type(), scalar);
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
  return buildElementwise(
      b, scales, tensor::getMixedSizes(b, b.getLoc(), scales),
      getElementTypeOrSelf(scales),
      [](ImplicitLocOpBuilder &body, ValueRange elements) -> Value {
        return emitReciprocal({body, elements.front()});
      });
}

/// `x / s` by its reciprocal `r`. Signs as they stand keep the zero of x: the
/// remainder of an exact quotient is +0, and its negation adds nothing to
/// either zero.
static Value emitCorrected(const Scalar &x, Value s, Value r) {
  Scalar q = x * r, excess = q.apply<math::FmaOp>(s, -x);
  return (-excess).apply<math::FmaOp>(r, q);
}

/// False if each iteration divides by a scale of its own, as of short blocks.
bool Reciprocals::isShared() const {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return !loop || !changesIn(loop, scale);
}

/// The reciprocals of `scale`, which computes as `s`. Null where they cost as
/// much as the division.
Value Reciprocals::create(ImplicitLocOpBuilder &b, Value s) {
  if (isShared()) {
    if (Value scalar = createScalar(b, scale))
      return vector::BroadcastOp::create(b, s.getType(),
                                         emitReciprocal({b, scalar}));
    if (matchPattern(scale, m_Constant()) ||
        op->getParentOfType<LoopLikeOpInterface>())
      return emitReciprocal({b, s});
  }
  RepeatedRead repeated =
      scale == s ? RepeatedRead::get(scale) : RepeatedRead();
  if (!repeated.loop)
    return Value();
  Value &known = tensors[{repeated.getRoot(), repeated.loop}];
  if (!known) {
    ImplicitLocOpBuilder before(b.getLoc(), repeated.loop);
    known = emitReciprocals(before, repeated.getRoot());
  }
  return repeated.createRead(b, known);
}

static bool isVectorOfF32(Value v) {
  auto type = dyn_cast<VectorType>(v.getType());
  return type && type.getRank() == 1 && !type.isScalable() &&
         type.getElementType().isF32();
}

/// Vectors in which a corrected quotient is NaN are divided.
Value Reciprocals::divide(ImplicitLocOpBuilder &b, Value x, Value s) {
  Value r = isVectorOfF32(x) ? create(b, s) : Value();
  if (!r)
    return Value();
  Value corrected = emitCorrected({b, x}, s, r);
  return scf::IfOp::create(
             b, emitHasNaN(b, corrected),
             [&](OpBuilder &nested, Location loc) {
               Value quotient = arith::DivFOp::create(nested, loc, x, s);
               scf::YieldOp::create(nested, loc, quotient);
             },
             [&](OpBuilder &nested, Location loc) {
               scf::YieldOp::create(nested, loc, corrected);
             })
      .getResult(0);
}

/// The same numbers times the scale bound x: no result is NaN that was none
/// before, and whether the scale is in the range is all that is asked.
Value Reciprocals::divideBounded(ImplicitLocOpBuilder &b, Value x, Value s,
                                 double lo, double hi, Clamp clamp) {
  Value scalar =
      isVectorOfF32(x) && isShared() ? createScalar(b, scale) : Value();
  if (!scalar)
    return Value();
  // Broadcasts of products would cost a block of few vectors 10 %.
  Value r =
      vector::BroadcastOp::create(b, x.getType(), 1.0 / Scalar(b, scalar));
  Value low = lo * Scalar(b, s), high = hi * Scalar(b, s);
  return scf::IfOp::create(
             b, emitIsInRange({b, scalar}),
             [&](OpBuilder &nested, Location loc) {
               ImplicitLocOpBuilder then(loc, nested);
               Value bounded = clamp(then, x, low, high);
               scf::YieldOp::create(then, emitCorrected({then, bounded}, s, r));
             },
             [&](OpBuilder &nested, Location loc) {
               ImplicitLocOpBuilder other(loc, nested);
               auto end = [&](double bound) {
                 return createNumber(other, x.getType(), bound);
               };
               Value quotient = arith::DivFOp::create(other, x, s);
               scf::YieldOp::create(other,
                                    clamp(other, quotient, end(lo), end(hi)));
             })
      .getResult(0);
}
