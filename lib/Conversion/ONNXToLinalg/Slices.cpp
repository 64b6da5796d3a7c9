// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that take parts of tensors, or put them together.

#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/SizeSource.h"
#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "ShapeValues.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Numerics/Storage.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

/// Beyond this, sums of sizes might overflow.
static constexpr int64_t kFar = int64_t(1) << 40;

static OpFoldResult apply(B &b, AffineExpr expr,
                          ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands);
}
static OpFoldResult clampBelow(B &b, AffineExpr expr, AffineExpr least,
                               ArrayRef<OpFoldResult> operands) {
  auto map = AffineMap::get(operands.size(), 0, {expr, least}, b.getContext());
  return affine::makeComposedFoldedAffineMax(b, b.getLoc(), map, operands);
}
static OpFoldResult clampAbove(B &b, AffineExpr expr, AffineExpr most,
                               ArrayRef<OpFoldResult> operands) {
  auto map = AffineMap::get(operands.size(), 0, {expr, most}, b.getContext());
  return affine::makeComposedFoldedAffineMin(b, b.getLoc(), map, operands);
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

namespace {
/// The part of one dimension that a slice reads.
struct Part {
  OpFoldResult start, size;
  int64_t step;
};
} // namespace

/// A place that counts from the back where it is negative, clamped to
/// [lowest, highest(size)].
static OpFoldResult clampPlace(B &b, OpFoldResult given, OpFoldResult size,
                               int64_t lowest, AffineExpr highest) {
  AffineExpr count = b.getAffineDimExpr(0);
  if (std::optional<int64_t> known = getConstantIntValue(given)) {
    int64_t place = std::clamp(*known, -kFar, kFar);
    // No size is below 0 or so large.
    if (highest == count && place == 0)
      return b.getIndexAttr(0);
    if (highest == count && place == kFar)
      return size;
    if (place < 0)
      return clampBelow(b, count + place, b.getAffineConstantExpr(lowest),
                        {size});
    return clampAbove(b, b.getAffineConstantExpr(place), highest, {size});
  }
  if (isNonNegative(given))
    return isSameSize(given, size) && highest == count
               ? size
               : clampAbove(b, b.getAffineDimExpr(1), highest, {size, given});
  Scalar place(b, cast<Value>(given)), isBack = place < 0;
  place = select(isBack, place + toValue(b, size), place);
  place = max(place, lowest);
  return Value(min(place, toValue(b, apply(b, highest, {size}))));
}

/// From start to before end, in a dimension of `size` elements.
static Part getPart(B &b, OpFoldResult size, OpFoldResult start,
                    OpFoldResult end, int64_t step) {
  AffineExpr count = b.getAffineDimExpr(0);
  int64_t lowest = step > 0 ? 0 : -1;
  AffineExpr highest = step > 0 ? count : count - 1;
  OpFoldResult from = clampPlace(b, start, size, lowest, highest);
  OpFoldResult to = clampPlace(b, end, size, lowest, highest);
  if (isConstantIntValue(from, 0) && step == 1)
    return {from, to, step};
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  AffineExpr length =
      step > 0 ? (d1 - d0).ceilDiv(step) : (d0 - d1).ceilDiv(-step);
  return {from, clampBelow(b, length, b.getAffineConstantExpr(0), {from, to}),
          step};
}

/// A part of a tensor. One without elements may begin at its end, where no
/// extract_slice does.
static Value slice(B &b, Value x, ArrayRef<OpFoldResult> offsets,
                   ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> steps) {
  if (llvm::any_of(sizes, isZeroInteger))
    return tensor::EmptyOp::create(b, sizes, getElementTypeOrSelf(x));
  return tensor::ExtractSliceOp::create(b, x, offsets, sizes, steps);
}

static LogicalResult translateSlice(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "data");
  auto starts = readIntegers(node, 1, "starts");
  auto ends = readIntegers(node, 2, "ends");
  auto givenAxes = getIntegerList(node, "axes", 3);
  auto givenSteps = getIntegerList(node, "steps", 4);
  if (failed(input) || failed(starts) || failed(ends) || failed(givenAxes) ||
      failed(givenSteps))
    return failure();
  size_t count = starts->size();
  SmallVector<int64_t> axes =
      *givenAxes ? **givenAxes : llvm::to_vector(llvm::seq<int64_t>(0, count));
  SmallVector<int64_t> steps =
      *givenSteps ? **givenSteps : SmallVector<int64_t>(count, 1);
  if (ends->size() != count || axes.size() != count || steps.size() != count)
    return node.refuse("has ", count, " starts, ", ends->size(), " ends, ",
                       axes.size(), " axes and ", steps.size(),
                       " steps: expected one number of each");
  auto normal = normalizeAxes(node, axes, input->type.getRank());
  if (failed(normal))
    return failure();
  for (int64_t step : steps)
    if (step == 0 || step < -INT32_MAX || step > INT32_MAX)
      return node.refuse("has the step ", step,
                         ": expected one of 32 bits, and no 0");
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(*input);
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  Sizes offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<int64_t> strides(sizes.size(), 1);
  for (size_t i = 0; i < count; ++i) {
    int64_t dim = (*normal)[i];
    Part part = getPart(b, sizes[dim], (*starts)[i], (*ends)[i], steps[i]);
    offsets[dim] = part.start;
    sizes[dim] = part.size;
    strides[dim] = part.step;
  }
  if (llvm::all_of(strides, [](int64_t step) { return step > 0; })) {
    Sizes by = getAsIndexOpFoldResult(b.getContext(), strides);
    return replaceBy(node, slice(b, x, offsets, sizes, by));
  }
  // No view goes backwards.
  return replaceBy(
      node, gatherPlaces(b, x, sizes, [&](B &body, ValueRange indices) {
        SmallVector<Value> places;
        for (auto [index, offset, step] :
             llvm::zip(indices, offsets, strides)) {
          AffineExpr place =
              body.getAffineDimExpr(0) * step + body.getAffineDimExpr(1);
          places.push_back(getValueOrCreateConstantIndexOp(
              body, body.getLoc(), apply(body, place, {index, offset})));
        }
        return places;
      }));
}

static LogicalResult translateSplit(const ForeignOp &node) {
  Operation *op = node.getOperation();
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input", 1);
  if (failed(input))
    return failure();
  FailureOr<int64_t> axis = getAxis(node, 0, input->type.getRank());
  auto given = getIntegerList(node, "split", 1);
  if (failed(axis) || failed(given))
    return failure();
  int64_t count = op->getNumResults(), size = input->type.getDimSize(*axis);
  SmallVector<int64_t> parts;
  if (*given) {
    parts = **given;
  } else if (ShapedType::isDynamic(size)) {
    return node.refuse("has no split, and input is ", input->type,
                       ": expected split, or a static size in dimension ",
                       *axis);
  } else {
    // The last part is smaller where they are not even.
    int64_t part = llvm::divideCeilSigned(size, std::max<int64_t>(count, 1));
    for (int64_t left = size; static_cast<int64_t>(parts.size()) < count;
         left -= part)
      parts.push_back(std::clamp<int64_t>(left, 0, part));
  }
  int64_t total = 0;
  for (int64_t part : parts)
    if (part < 0 || total < 0 || llvm::AddOverflow(total, part, total))
      total = -1;
  if (static_cast<int64_t>(parts.size()) != count || differ(total, size) ||
      total < 0)
    return node.refuse("has ", count, " results and ", parts.size(),
                       " parts of ", total, " elements, of ", size,
                       " in dimension ", *axis);
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(*input);
  assertSize(node, {x, *axis, "input"}, total);
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  Sizes offsets(sizes.size(), b.getIndexAttr(0));
  Sizes ones(sizes.size(), b.getIndexAttr(1));
  SmallVector<Value> results;
  int64_t offset = 0;
  for (int64_t part : parts) {
    offsets[*axis] = b.getIndexAttr(offset);
    sizes[*axis] = b.getIndexAttr(part);
    results.push_back(slice(b, x, offsets, sizes, ones));
    offset += part;
  }
  return replaceByAll(node, results);
}

//===----------------------------------------------------------------------===//
// Concat, Pad
//===----------------------------------------------------------------------===//

static LogicalResult translateConcat(const ForeignOp &node) {
  SmallVector<ForeignTensor> inputs;
  for (unsigned i = 0; i < node.getOperation()->getNumOperands(); ++i) {
    FailureOr<ForeignTensor> input =
        getRanked(node, i, "input " + std::to_string(i), 1);
    if (failed(input))
      return failure();
    inputs.push_back(*input);
  }
  TensorType first = inputs[0].type;
  FailureOr<int64_t> axis = getAxis(node, 1, first.getRank());
  if (failed(axis))
    return failure();
  for (const ForeignTensor &input : inputs) {
    bool fits = input.type.getElementType() == first.getElementType() &&
                input.type.getRank() == first.getRank();
    for (int64_t dim = 0; fits && dim < first.getRank(); ++dim)
      fits = dim == *axis ||
             !differ(input.type.getDimSize(dim), first.getDimSize(dim));
    if (!fits)
      return node.refuse("has inputs ", first, " and ", input.type,
                         ", which differ beside axis ", *axis);
  }
  B b(node.getLoc(), node.getRewriter());
  SmallVector<Value> values;
  for (const ForeignTensor &input : inputs)
    values.push_back(node.materialize(input));
  if (values.size() == 1)
    return replaceBy(node, values[0]);
  assertSameShapes(node, values, *axis);
  return replaceBy(node, tensor::ConcatOp::create(b, *axis, values));
}

/// The place in a dimension of `size` elements for one that lies outside of it.
static Scalar wrapPlace(StringRef mode, Scalar place, OpFoldResult size) {
  B &b = place.getBuilder();
  Scalar count(b, toValue(b, size)), zero = count.constant(0);
  Scalar one = count.constant(1), last = count - one;
  if (mode == "wrap") {
    Scalar rest = place.apply<arith::RemSIOp>(count), isNegative = rest < zero;
    return select(isNegative, rest + count, rest);
  }
  if (mode == "reflect") {
    // -1 is 1, and count is count - 2.
    place = max(place, zero - place);
    Scalar twice = last + last;
    place = min(place, twice - place);
  }
  return min(max(place, zero), last);
}

/// The value of the padding, as a signless scalar.
static FailureOr<Value> getPadding(const ForeignOp &node, B &b, Type element) {
  Type type = toSignless(element);
  if (node.getOperand(2)) {
    FailureOr<ForeignTensor> value =
        getSingle(node, 2, "constant_value", element);
    if (failed(value))
      return failure();
    return toScalar(b, node.materializeSingle(*value));
  }
  FailureOr<float> value = node.getFloat("value", 0);
  if (failed(value))
    return failure();
  if (*value != 0 && !isa<FloatType>(element))
    return node.refuse("attribute 'value' is ", *value, " beside elements of ",
                       element);
  return createNumber(b, type, *value);
}

/// A signless tensor with `padding` around it. Pads below 0 cut elements off.
static Value padConstant(B &b, Value x, Value padding, ArrayRef<int64_t> axes,
                         ArrayRef<OpFoldResult> pads) {
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  Sizes ones(sizes.size(), b.getIndexAttr(1));
  Sizes offsets(sizes.size(), b.getIndexAttr(0)), lows = offsets,
                                                  highs = offsets;
  AffineExpr d0 = b.getAffineDimExpr(0);
  auto cut = [&](OpFoldResult pad) {
    return clampToSize(b, apply(b, -d0, pad));
  };
  bool cuts = false;
  for (auto [index, axis] : llvm::enumerate(axes)) {
    OpFoldResult low = pads[index], high = pads[axes.size() + index];
    lows[axis] = clampToSize(b, low);
    highs[axis] = clampToSize(b, high);
    if (isNonNegative(low) && isNonNegative(high))
      continue;
    cuts = true;
    offsets[axis] = cut(low);
    sizes[axis] = clampBelow(
        b, d0 - b.getAffineDimExpr(1) - b.getAffineDimExpr(2),
        b.getAffineConstantExpr(0), {sizes[axis], offsets[axis], cut(high)});
  }
  if (cuts)
    x = slice(b, x, offsets, sizes, ones);
  return tensor::PadOp::create(b, Type(), x, lows, highs, padding);
}

static LogicalResult translatePad(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "data");
  FailureOr<Sizes> given = readIntegers(node, 1, "pads");
  auto givenAxes = getIntegerList(node, "axes", 3);
  FailureOr<StringRef> mode = node.getString("mode", "constant");
  if (failed(input) || failed(given) || failed(givenAxes) || failed(mode))
    return failure();
  int64_t rank = input->type.getRank();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (*givenAxes) {
    auto normal = normalizeAxes(node, **givenAxes, rank);
    if (failed(normal))
      return failure();
    axes = *normal;
  }
  if (given->size() != 2 * axes.size())
    return node.refuse("has ", given->size(),
                       " pads: expected two for each of ", axes.size(),
                       " axes");
  if (*mode != "constant" && *mode != "edge" && *mode != "reflect" &&
      *mode != "wrap")
    return node.refuse("mode is '", *mode,
                       "': expected constant, edge, reflect or wrap");
  auto pads = getConstantIntValues(*given);
  if (!pads && *mode != "constant")
    return node.refuse("mode is '", *mode,
                       "' and pads are not constant: expected constants");
  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  for (auto [index, axis] : llvm::enumerate(axes)) {
    if (!pads)
      break;
    low[axis] = (*pads)[index];
    high[axis] = (*pads)[axes.size() + index];
    int64_t size = input->type.getDimSize(axis);
    int64_t most = std::max(low[axis], high[axis]);
    if (most > INT32_MAX || std::min(low[axis], high[axis]) < -INT32_MAX)
      return node.refuse("has pads beyond 2^31");
    if (*mode != "constant" && most > 0 && ShapedType::isDynamic(size))
      return node.refuse("mode is '", *mode, "' and dimension ", axis,
                         " of data is open: expected a static size");
    if (*mode == "reflect" && ShapedType::isStatic(size) && most >= size)
      return node.refuse("reflects ", most, " elements of dimension ", axis,
                         ", which has ", size, ": expected fewer than that");
    if (*mode != "constant" && most > 0 && size == 0)
      return node.refuse("dimension ", axis,
                         " of data is empty: expected elements to repeat");
    if (ShapedType::isStatic(size) && size + low[axis] + high[axis] < 0)
      return node.refuse("takes ", -low[axis] - high[axis],
                         " elements from dimension ", axis, ", which has ",
                         size);
    if (ShapedType::isDynamic(size) && std::min(low[axis], high[axis]) < 0)
      return node.refuse("has negative pads in dimension ", axis,
                         ", whose size is open: expected a static one");
  }
  B b(node.getLoc(), node.getRewriter());
  FailureOr<Value> padding = getPadding(node, b, input->type.getElementType());
  if (failed(padding))
    return failure();
  Value result = onSignless(b, node.materialize(*input), [&](Value x) -> Value {
    if (*mode == "constant")
      return padConstant(b, x, *padding, axes, *given);
    Sizes own = tensor::getMixedSizes(b, b.getLoc(), x), sizes;
    for (int64_t dim = 0; dim < rank; ++dim)
      sizes.push_back(
          apply(b, b.getAffineDimExpr(0) + low[dim] + high[dim], own[dim]));
    return gatherPlaces(b, x, sizes, [&](B &body, ValueRange indices) {
      SmallVector<Value> places;
      for (int64_t dim = 0; dim < rank; ++dim) {
        if (low[dim] == 0 && high[dim] <= 0) {
          places.push_back(indices[dim]);
          continue;
        }
        Scalar index(body, indices[dim]);
        places.push_back(wrapPlace(*mode, index - low[dim], own[dim]));
      }
      return places;
    });
  });
  return replaceBy(node, result);
}

/// The elements on one side of a diagonal of the last two dimensions; 0 on the
/// other one.
static LogicalResult translateTrilu(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input", 2);
  FailureOr<int64_t> isUpper = node.getInteger("upper", 1);
  auto given = getIntegerList(node, "k", 1);
  if (failed(input) || failed(isUpper) || failed(given))
    return failure();
  int64_t shift = *given && (*given)->size() == 1 ? (**given)[0] : 0;
  shift = std::clamp(shift, -kFar, kFar);
  int64_t rank = input->type.getRank();
  B b(node.getLoc(), node.getRewriter());
  Type element = toSignless(input->type.getElementType());
  auto predicate =
      *isUpper ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle;
  Value result = mapElements(
      b, {node.materialize(*input)}, element,
      [&](B &body, ValueRange x) -> Value {
        Scalar row(body, linalg::IndexOp::create(body, rank - 2));
        Value column = linalg::IndexOp::create(body, rank - 1);
        Scalar isKept(
            body, arith::CmpIOp::create(body, predicate, column, row + shift));
        return select(isKept, {body, x[0]}, 0);
      });
  return replaceBy(node, result);
}

ArrayRef<Operator> mlir::qdq::getSliceOperators() {
  static const Operator kOperators[] = {
      {"onnx.Concat", {1, kMany}, translateConcat},
      {"onnx.Pad", {1, 4}, translatePad},
      {"onnx.Slice", {1, 5}, translateSlice},
      {"onnx.Split", {0, kMany, kMany}, translateSplit},
      {"onnx.Trilu", {1, 2}, translateTrilu},
  };
  return kOperators;
}
