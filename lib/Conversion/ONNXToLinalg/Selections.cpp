// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ArgMax, ArgMin and TopK.

#include "../ForeignOps/Gather.h"
#include "../ForeignOps/TensorOps.h"
#include "Joins.h"
#include "NodeParts.h"
#include "Operators.h"
#include "ShapeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/TensorSlice.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;
using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

/// A tensor of one value that lacks dimension `axis` of `sizes`.
static Value fillWithout(B &b, Sizes sizes, int64_t axis, TypedAttr value) {
  sizes.erase(sizes.begin() + axis);
  return createFilled(b, sizes, value);
}

/// The best element along an axis and its index, both from `inits` on.
/// `isBetter` sees an element, those of `others`, the best one so far and its
/// index, and the place.
static ValueRange
scanAlong(B &b, Value tensor, int64_t axis, ValueRange others,
          ArrayRef<Value> inits,
          function_ref<Value(B &, ValueRange, Value place)> isBetter) {
  int64_t rank = getRankedType(tensor).getRank();
  SmallVector<Value> operands{tensor};
  llvm::append_range(operands, others);
  AffineMap own = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps(others.size() + 3, own.dropResult(axis));
  maps[0] = own;
  return buildGeneric(b, operands, inits, maps,
                      [&](B &body, ValueRange e) -> SmallVector<Value> {
                        Scalar place(body, linalg::IndexOp::create(body, axis));
                        Scalar takes(body, isBetter(body, e, place));
                        Scalar here = place.to(e.back().getType());
                        Value first =
                            select(takes, {body, e[0]}, e[e.size() - 2]);
                        return {first, select(takes, here, e.back())};
                      })
      .getResults();
}

Value mlir::qdq::findBest(B &b, Value tensor, int64_t axis, Type index,
                          function_ref<Value(Scalar, Scalar)> isBetter) {
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), tensor);
  Value inits[] = {
      fillWithout(b, sizes, axis, b.getZeroAttr(getElementTypeOrSelf(tensor))),
      fillWithout(b, sizes, axis, b.getZeroAttr(index))};
  return scanAlong(b, tensor, axis, {}, inits,
                   [&](B &body, ValueRange e, Value place) -> Value {
                     Scalar isFirst = equal(Scalar(body, place), 0);
                     return isFirst | isBetter({body, e[0]}, {body, e[1]});
                   })[1];
}

static LogicalResult translateArg(const ForeignOp &node, const Operator &self) {
  FailureOr<ForeignTensor> x = getRanked(node, 0, "data", 1);
  FailureOr<int64_t> keepsDims = node.getInteger("keepdims", 1);
  FailureOr<int64_t> isLast = node.getInteger("select_last_index", 0);
  if (failed(x) || failed(keepsDims) || failed(isLast))
    return failure();
  FailureOr<int64_t> axis = getAxis(node, 0, x->type.getRank());
  if (failed(axis))
    return failure();
  if (x->type.getDimSize(*axis) == 0)
    return node.refuse("data has type ", x->type,
                       ": expected elements along axis ", *axis);
  Type element = x->type.getElementType();
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  bool isMax = self.name == "onnx.ArgMax";
  B b(node.getLoc(), node.getRewriter());
  Value value = asSignless(b, b.getLoc(), node.materialize(*x));
  Value index = findBest(
      b, value, *axis, b.getI64Type(), [&](Scalar e, Scalar best) -> Value {
        // The better one is greater.
        Type type = getComputeType(e.getType());
        Scalar lhs = (isMax ? e : best).to(type);
        Scalar rhs = (isMax ? best : e).to(type);
        if (!isUnsigned)
          return *isLast ? lhs >= rhs : lhs > rhs;
        return arith::CmpIOp::create(e.getBuilder(), *isLast ? I::uge : I::ugt,
                                     lhs, rhs);
      });
  return replaceBy(node,
                   *keepsDims ? insertUnitDims(b, index, {*axis}) : index);
}

//===----------------------------------------------------------------------===//
// Several elements
//===----------------------------------------------------------------------===//

/// Signed integers in the order of the elements, whose greater ones come first:
/// NaN is greater than all numbers, and -0 is 0.
static Value getSortKeys(B &b, Value x, bool isUnsigned, bool isLargest) {
  Type type = getElementTypeOrSelf(x);
  bool isFloat = isa<FloatType>(type);
  Type wide = getComputeType(type);
  unsigned width = wide.getIntOrFloatBitWidth();
  Type key = b.getIntegerType(width);
  return mapElements(b, {x}, key, [&](Scalar e) {
    auto number = [&](const APInt &value) {
      return Scalar(e.getBuilder(),
                    arith::ConstantOp::create(e.getBuilder(),
                                              b.getIntegerAttr(key, value)));
    };
    Scalar bits = e;
    if (isFloat) {
      Scalar most = number(APInt::getSignedMaxValue(width)), real = e.to(wide);
      Scalar noNumber = isNaN(real);
      // -0 + 0 is 0.
      real = real + 0;
      bits = real.bitcast(key);
      // Of negative numbers, the greater ones have the smaller magnitudes.
      Scalar sign = bits >> (width - 1);
      bits = select(noNumber, most, bits ^ (sign & most));
    } else if (isUnsigned) {
      bits = bits ^ number(APInt::getSignedMinValue(width));
    }
    return isLargest ? bits : bits ^ number(APInt::getAllOnes(width));
  });
}

/// The indices of the `count` greatest keys along an axis, the greatest one
/// first, and of equal ones the first one. -1 behind the last key. Each round
/// looks for the greatest key of those behind the one of the round before.
static Value findGreatest(B &b, Value keys, int64_t axis, OpFoldResult count) {
  auto key = cast<IntegerType>(getElementTypeOrSelf(keys));
  Type index = b.getI64Type();
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), keys), results = sizes;
  results[axis] = count;
  auto fill = [&](TypedAttr value) {
    return fillWithout(b, sizes, axis, value);
  };
  Value none = fill(b.getIntegerAttr(index, -1));
  Value least = fill(b.getZeroAttr(key));
  Value most =
      fill(b.getIntegerAttr(key, APInt::getSignedMaxValue(key.getWidth())));
  Value all = tensor::EmptyOp::create(b, results, index);
  // No slice starts where there are no elements.
  if (llvm::any_of(results, isZeroInteger))
    return all;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(
      b, zero, toValue(b, count), one, ValueRange{most, none, all},
      [&](OpBuilder &nested, Location loc, Value round, ValueRange carried) {
        B body(loc, nested);
        ValueRange next = scanAlong(
            body, keys, axis, carried.take_front(2), {least, none},
            [&](B &inner, ValueRange e, Value place) -> Value {
              Scalar own(inner, e[0]), best(inner, e[4]);
              Scalar here = Scalar(inner, place).to(index);
              Scalar isEqual = equal(own, e[1]), isLater = here > e[2];
              Scalar isNext = isEqual & isLater, isBehind = isNext | own < e[1];
              Scalar minusOne = best.constant(-1), isGreater = own > e[3];
              Scalar isBetter = isGreater | equal(best, minusOne);
              return isBehind & isBetter;
            });
        Value joined = TensorSlice(body, sizes)
                           .cut(axis, round, 1)
                           .put(next[1], carried[2]);
        scf::YieldOp::create(body, ValueRange{next[0], next[1], joined});
      });
  return loop.getResult(2);
}

/// The attribute `k` before opset 10, else the one element of operand 1.
static FailureOr<OpFoldResult> readCount(const ForeignOp &node) {
  B b(node.getLoc(), node.getRewriter());
  if (node.has("k")) {
    FailureOr<int64_t> count = node.getInteger("k", 0);
    if (failed(count))
      return failure();
    return OpFoldResult(b.getIndexAttr(*count));
  }
  FailureOr<ForeignTensor> count = getRanked(node, 1, "K");
  if (failed(count))
    return failure();
  if (!isSingle(count->type) || !count->type.getElementType().isInteger(64))
    return node.refuse("K has type ", count->type,
                       ": expected one element of i64");
  return getIndex(b, readScalar(node, *count));
}

/// Sorted, even where the node does not ask for it.
static LogicalResult translateTopK(const ForeignOp &node) {
  FailureOr<ForeignTensor> x = getRanked(node, 0, "X", 1);
  FailureOr<int64_t> isLargest = node.getInteger("largest", 1);
  if (failed(x) || failed(isLargest))
    return failure();
  FailureOr<int64_t> axis = getAxis(node, -1, x->type.getRank());
  FailureOr<OpFoldResult> given = readCount(node);
  if (failed(axis) || failed(given))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Type element = x->type.getElementType();
  if (element.isInteger(1))
    return node.refuse("X has type ", x->type, ": expected numbers");
  Value value = node.materialize(*x);
  Sizes own = tensor::getMixedSizes(b, b.getLoc(), value), sizes = own;
  std::optional<int64_t> known = getConstantIntValue(*given);
  std::optional<int64_t> size = getConstantIntValue(own[*axis]);
  if (known && (*known < 0 || (size && *known > *size)))
    return node.refuse("K is ", *known, ": expected 0 to the size of X ",
                       x->type, " along axis ", *axis);
  if (node.checksSizes() && !(known && size)) {
    Value fits = arith::CmpIOp::create(b, I::ule, toValue(b, *given),
                                       toValue(b, own[*axis]));
    cf::AssertOp::create(b, fits,
                         "onnx.TopK: K is not from 0 to the size of X");
  }
  sizes[*axis] = clampToSize(b, *given);
  Value places = findGreatest(
      b, getSortKeys(b, value, element.isUnsignedInteger(), *isLargest != 0),
      *axis, sizes[*axis]);
  Value found = gatherPlaces(
      b, value, sizes,
      [&](B &body, ValueRange loops) {
        SmallVector<Value> place(loops);
        Value index = tensor::ExtractOp::create(body, places, loops);
        place[*axis] = wrapIndex(body, index, own[*axis], own[*axis]);
        return place;
      },
      isAnyEmpty(b, own[*axis]));
  return replaceByAll(node, {found, places});
}

ArrayRef<Operator> mlir::qdq::getSelectionOperators() {
  static const Operator kOperators[] = {
      {"onnx.ArgMax", {1}, translateArg},
      {"onnx.ArgMin", {1}, translateArg},
      {"onnx.TopK", {1, 2, 2}, translateTopK},
  };
  return kOperators;
}
