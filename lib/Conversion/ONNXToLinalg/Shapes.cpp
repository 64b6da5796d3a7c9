// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that change shapes, or compute them.

#include "../ForeignOps/Broadcast.h"
#include "../ForeignOps/ForeignConstant.h"
#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/SizeSource.h"
#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "ShapeValues.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/Numerics/Storage.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

/// The size of a dimension: what it was computed from, if that is no difference
/// that might be negative.
static OpFoldResult getSize(B &b, Value x, int64_t dim) {
  OpFoldResult source = getSourceSize(b, x, dim);
  return isNonNegative(source) ? source
                               : tensor::getMixedSize(b, b.getLoc(), x, dim);
}

static Sizes getSizes(B &b, Value x) {
  Sizes sizes;
  for (int64_t dim = 0; dim < getRankedType(x).getRank(); ++dim)
    sizes.push_back(getSize(b, x, dim));
  return sizes;
}

/// Sizes that are all known.
static std::optional<Sizes> getStaticSizes(B &b, RankedTensorType type) {
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  return getAsIndexOpFoldResult(b.getContext(), type.getShape());
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// The sizes of a list, which may hold a -1 that only the values tell: it
/// stands for the elements that the others leave.
static void inferAtRunTime(B &b, ArrayRef<OpFoldResult> own, Sizes &sizes) {
  auto isOpen = [](OpFoldResult size) { return !isNonNegative(size); };
  if (llvm::none_of(sizes, isOpen))
    return;
  Scalar one(b, arith::ConstantIndexOp::create(b, 1)), product = one;
  Scalar zero(b, arith::ConstantIndexOp::create(b, 0));
  for (OpFoldResult size : sizes) {
    Scalar value(b, toValue(b, size));
    if (isOpen(size))
      value = select(value < zero, one, value);
    product = product * value;
  }
  Scalar all(b, toValue(b, multiplySizes(b, own)));
  Scalar rest = all.apply<arith::DivUIOp>(product.apply<arith::MaxUIOp>(one));
  for (OpFoldResult &size : sizes)
    if (isOpen(size)) {
      Scalar value(b, cast<Value>(size));
      size = Value(select(value < zero, rest, value));
    }
}

/// The quotient of two products of sizes. Sizes that are in both go.
static OpFoldResult divideSizes(B &b, Sizes sizes, ArrayRef<OpFoldResult> by) {
  Sizes divisors;
  for (OpFoldResult size : by) {
    auto *found = llvm::find_if(
        sizes, [&](OpFoldResult own) { return isSameSize(own, size); });
    if (found == sizes.end())
      divisors.push_back(size);
    else
      sizes.erase(found);
  }
  // A size that is known to be divided stays the value that it is.
  if (auto values = getConstantIntValues(divisors))
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(),
        b.getAffineDimExpr(0).floorDiv(ShapedType::getNumElements(*values)),
        multiplySizes(b, sizes));
  auto multiply = [&](ArrayRef<OpFoldResult> factors) {
    return toValue(b, multiplySizes(b, factors));
  };
  // Where a size is 0, there are no elements.
  Value least = arith::MaxUIOp::create(b, multiply(divisors),
                                       arith::ConstantIndexOp::create(b, 1));
  return arith::DivUIOp::create(b, multiply(sizes), least).getResult();
}

/// The sizes of a Reshape to `list`, where 0 copies a size, unless
/// `allowsZero`, and -1 is what the others leave.
static FailureOr<Sizes> getReshapedSizes(const ForeignOp &node, B &b,
                                         ArrayRef<OpFoldResult> own,
                                         ArrayRef<OpFoldResult> list,
                                         bool allowsZero) {
  Sizes sizes;
  // The rest of the input's sizes, without those that are copied; and the sizes
  // of the list.
  Sizes rest(own), given;
  std::optional<size_t> inferred;
  int64_t product = 1;
  for (auto [index, item] : llvm::enumerate(list)) {
    std::optional<int64_t> size = getConstantIntValue(item);
    if (!size) {
      OpFoldResult open = item;
      if (!allowsZero && index < own.size() && !isNonNegative(item)) {
        Scalar given(b, cast<Value>(item)), isZero = equal(given, 0);
        Scalar copied(b, toValue(b, own[index]));
        open = Value(select(isZero, copied, given));
      }
      given.push_back(open);
      sizes.push_back(open);
      continue;
    }
    if (*size == 0 && !allowsZero) {
      if (index >= own.size())
        return node.refuse("shape has 0 at position ", index,
                           ": expected a dimension of the input to copy");
      sizes.push_back(own[index]);
      rest[index] = b.getIndexAttr(1);
      continue;
    }
    if (*size < -1 || (*size == -1 && inferred))
      return node.refuse("shape has ", *size, " at position ", index,
                         ": expected sizes, and -1 once");
    if (*size == -1)
      inferred = index;
    else if (llvm::MulOverflow(product, *size, product))
      return node.refuse("shape has more elements than 64 bits count");
    sizes.push_back(item);
  }
  if (!inferred) {
    inferAtRunTime(b, own, sizes);
    return sizes;
  }
  if (product == 0)
    return node.refuse("shape has -1 beside 0: expected sizes that tell it");
  given.push_back(b.getIndexAttr(product));
  sizes[*inferred] = divideSizes(b, rest, given);
  return sizes;
}

static LogicalResult translateReshape(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "data");
  FailureOr<int64_t> allowsZero = node.getInteger("allowzero", 0);
  if (failed(input) || failed(allowsZero))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  RankedTensorType result = getResultShape(node);
  std::optional<Sizes> sizes = getStaticSizes(b, result);
  Sizes list;
  if (!sizes) {
    FailureOr<Sizes> given = readIntegers(node, 1, "shape");
    if (failed(given))
      return failure();
    list = *given;
    bool isKnown = getConstantIntValues(list).has_value();
    if (!isKnown && result &&
        result.getRank() != static_cast<int64_t>(list.size()))
      return node.refuse("has a shape of ", list.size(), " sizes, and result ",
                         result);
    // Types know more than values, but for 0, which copies a size; and one open
    // size is what the others leave.
    if (!isKnown && result && !llvm::is_contained(result.getShape(), 0)) {
      bool isOne = result.getNumDynamicDims() == 1;
      for (auto [size, known] : llvm::zip_equal(list, result.getShape()))
        if (ShapedType::isStatic(known) || isOne)
          size = b.getIndexAttr(ShapedType::isStatic(known) ? known : -1);
    }
  }
  Value x = node.materialize(*input);
  Sizes own = getSizes(b, x);
  if (!sizes) {
    FailureOr<Sizes> read =
        getReshapedSizes(node, b, own, list, *allowsZero != 0);
    if (failed(read))
      return failure();
    sizes = *read;
  }
  auto from = getConstantIntValues(own), to = getConstantIntValues(*sizes);
  if (from && to &&
      ShapedType::getNumElements(*from) != ShapedType::getNumElements(*to))
    return node.refuse(
        "data ", input->type, " has ", ShapedType::getNumElements(*from),
        " elements, and its result ", ShapedType::getNumElements(*to));
  assertSameCount(node, own, *sizes);
  return replaceBy(node, reshapeTo(b, x, own, *sizes));
}

/// [product of the sizes before the axis, product of the others].
static LogicalResult translateFlatten(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input");
  FailureOr<int64_t> axis = node.getInteger("axis", 1);
  if (failed(input) || failed(axis))
    return failure();
  int64_t rank = input->type.getRank();
  if (*axis < -rank || *axis > rank)
    return node.refuse("axis is ", *axis, ": expected ", -rank, " to ", rank);
  int64_t first = *axis < 0 ? *axis + rank : *axis;
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(*input);
  Sizes own = getSizes(b, x);
  ArrayRef<OpFoldResult> all(own);
  // A product of one is the size itself.
  auto multiply = [&](ArrayRef<OpFoldResult> sizes) {
    return sizes.size() == 1 ? sizes[0] : multiplySizes(b, sizes);
  };
  return replaceBy(node, reshapeTo(b, x, own,
                                   {multiply(all.take_front(first)),
                                    multiply(all.drop_front(first))}));
}

static LogicalResult translateSqueeze(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "data");
  auto given = getIntegerList(node, "axes", 1);
  if (failed(input) || failed(given))
    return failure();
  ArrayRef<int64_t> shape = input->type.getShape();
  SmallVector<int64_t> axes;
  if (*given) {
    auto normal = normalizeAxes(node, **given, shape.size());
    if (failed(normal))
      return failure();
    axes = *normal;
    llvm::sort(axes);
  } else if (!input->type.hasStaticShape()) {
    return node.refuse("has no axes, and data is ", input->type,
                       ": expected axes, or static sizes");
  } else {
    for (auto [dim, size] : llvm::enumerate(shape))
      if (size == 1)
        axes.push_back(dim);
  }
  for (int64_t axis : axes)
    if (differ(shape[axis], 1))
      return node.refuse("dimension ", axis, " of data has size ", shape[axis],
                         ": expected 1");
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(*input);
  for (int64_t axis : axes)
    assertSize(node, {x, axis, "data"}, 1);
  return replaceBy(node, dropUnitDims(b, x, axes));
}

static LogicalResult translateUnsqueeze(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "data");
  auto given = getIntegerList(node, "axes", 1);
  if (failed(input) || failed(given))
    return failure();
  if (!*given)
    return node.refuse("has no axes");
  auto axes =
      normalizeAxes(node, **given, input->type.getRank() + (*given)->size());
  if (failed(axes))
    return failure();
  llvm::sort(*axes);
  B b(node.getLoc(), node.getRewriter());
  return replaceBy(node, insertUnitDims(b, node.materialize(*input), *axes));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static LogicalResult translateTranspose(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "data");
  auto given = getIntegerList(node, "perm", std::nullopt);
  if (failed(input) || failed(given))
    return failure();
  int64_t rank = input->type.getRank();
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
  if (*given) {
    auto normal = normalizeAxes(node, **given, rank);
    if (failed(normal))
      return failure();
    order = *normal;
  }
  if (static_cast<int64_t>(order.size()) != rank)
    return node.refuse("perm has ", order.size(), " axes: expected ", rank);
  B b(node.getLoc(), node.getRewriter());
  return replaceBy(node, transpose(b, node.materialize(*input), order));
}

/// DepthToSpace: [N, C, H, W] in blocks of channels to places. SpaceToDepth is
/// the way back.
static LogicalResult translateBlocks(const ForeignOp &node,
                                     const Operator &self) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input");
  FailureOr<int64_t> block = node.getInteger("blocksize", 0);
  FailureOr<StringRef> mode = node.getString("mode", "DCR");
  if (failed(input) || failed(block) || failed(mode))
    return failure();
  bool toSpace = self.name == "onnx.DepthToSpace";
  ArrayRef<int64_t> shape = input->type.getShape();
  if (*block < 1 || *block > INT16_MAX || shape.size() != 4 ||
      ShapedType::isDynamicShape(shape.drop_front()))
    return node.refuse("has blocksize ", *block, " and input ", input->type,
                       ": expected a positive one, rank 4, and static sizes "
                       "but for the batch");
  if (*mode != "DCR" && *mode != "CRD")
    return node.refuse("mode is '", *mode, "': expected DCR or CRD");
  int64_t channels = shape[1], height = shape[2], width = shape[3];
  bool fits = toSpace ? channels % (*block * *block) == 0
                      : height % *block == 0 && width % *block == 0;
  if (!fits)
    return node.refuse("input ", input->type, " is not divided by blocks of ",
                       *block);
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(*input);
  OpFoldResult batch = tensor::getMixedSize(b, b.getLoc(), x, 0);
  auto reshape = [&](ArrayRef<int64_t> rest) {
    auto withBatch = [&](ArrayRef<int64_t> shape) {
      Sizes sizes = {batch};
      llvm::append_range(sizes, getAsIndexOpFoldResult(b.getContext(), shape));
      return sizes;
    };
    ArrayRef<int64_t> shape = getRankedType(x).getShape().drop_front();
    x = reshapeTo(b, x, withBatch(shape), withBatch(rest));
  };
  int64_t s = *block;
  if (!toSpace) {
    reshape({channels, height / s, s, width / s, s});
    if (*mode == "DCR")
      x = transpose(b, x, {0, 3, 5, 1, 2, 4});
    else
      x = transpose(b, x, {0, 1, 3, 5, 2, 4});
    reshape({channels * s * s, height / s, width / s});
    return replaceBy(node, x);
  }
  int64_t depth = channels / (s * s);
  if (*mode == "DCR") {
    reshape({s, s, depth, height, width});
    x = transpose(b, x, {0, 3, 4, 1, 5, 2});
  } else {
    reshape({depth, s, s, height, width});
    x = transpose(b, x, {0, 1, 4, 2, 5, 3});
  }
  reshape({depth, height * s, width * s});
  return replaceBy(node, x);
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

/// The sizes that operand `index` holds.
static FailureOr<Sizes> readSizes(const ForeignOp &node, B &b, unsigned index,
                                  StringRef name) {
  FailureOr<Sizes> sizes = readIntegers(node, index, name);
  if (failed(sizes))
    return failure();
  for (OpFoldResult &size : *sizes) {
    if (std::optional<int64_t> known = getConstantIntValue(size);
        known && *known < 0)
      return node.refuse(name, " has ", *known, ": expected sizes");
    size = clampToSize(b, size);
  }
  return sizes;
}

static LogicalResult translateExpand(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input");
  if (failed(input))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  FailureOr<Sizes> asked = readSizes(node, b, 1, "shape");
  if (failed(asked))
    return failure();
  int64_t own = input->type.getRank(), count = asked->size();
  int64_t rank = std::max(own, count);
  RankedTensorType result = getResultShape(node);
  if (result && result.getRank() != rank)
    return node.refuse("has the result ", result, ": expected rank ", rank);
  Value x = node.materialize(*input);
  Sizes sizes;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t at = dim - (rank - count), from = dim - (rank - own);
    int64_t size = from < 0 ? 1 : input->type.getDimSize(from);
    OpFoldResult wanted = at < 0 ? b.getIndexAttr(1) : (*asked)[at];
    std::optional<int64_t> known = getConstantIntValue(wanted);
    if (size == 1) {
      if (result && !result.isDynamicDim(dim) && !known)
        wanted = b.getIndexAttr(result.getDimSize(dim));
      sizes.push_back(wanted);
      continue;
    }
    if (known && *known != 1 && differ(*known, size))
      return node.refuse("input ", input->type, " does not broadcast to ",
                         *known, " in dimension ", dim);
    OpFoldResult open = tensor::getMixedSize(b, b.getLoc(), x, from);
    if (ShapedType::isStatic(size) || known == 1) {
      sizes.push_back(open);
      continue;
    }
    if (!known && areSameIfBroadcast(findSizeSource(x, from),
                                     findSizeSource(cast<Value>(wanted)))) {
      sizes.push_back(wanted);
      continue;
    }
    // One element is repeated, where there is one.
    if (!known)
      wanted = chooseSize(b, cast<Value>(open), cast<Value>(wanted));
    x = repeatIfSingle(b, x, from, wanted);
    sizes.push_back(wanted);
  }
  return replaceBy(node, broadcastTo(b, x, sizes));
}

static LogicalResult translateTile(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input");
  if (failed(input))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  FailureOr<Sizes> repeats = readSizes(node, b, 1, "repeats");
  if (failed(repeats))
    return failure();
  auto isTooLarge = [](OpFoldResult n) {
    return getConstantIntValue(n).value_or(0) > INT32_MAX;
  };
  if (static_cast<int64_t>(repeats->size()) != input->type.getRank() ||
      llvm::any_of(*repeats, isTooLarge))
    return node.refuse("repeats are not one for each of the ",
                       input->type.getRank(),
                       " dimensions, and from 0 to 2^31 - 1");
  Value x = node.materialize(*input);
  Sizes own = getSizes(b, x), sizes;
  for (auto [size, times] : llvm::zip(own, *repeats))
    sizes.push_back(multiplySizes(b, {size, times}));
  return replaceBy(
      node, gatherPlaces(b, x, sizes, [&](B &body, ValueRange indices) {
        SmallVector<Value> place;
        for (auto [index, size] : llvm::zip(indices, own))
          place.push_back(
              arith::RemUIOp::create(body, index, toValue(body, size)));
        return place;
      }));
}

//===----------------------------------------------------------------------===//
// Shapes as values
//===----------------------------------------------------------------------===//

static LogicalResult translateShape(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "data");
  if (failed(input))
    return failure();
  int64_t rank = input->type.getRank();
  FailureOr<int64_t> start = node.getInteger("start", 0);
  FailureOr<int64_t> end = node.getInteger("end", rank);
  if (failed(start) || failed(end))
    return failure();
  auto clampDim = [&](int64_t dim) {
    return std::clamp<int64_t>(dim < 0 ? dim + rank : dim, 0, rank);
  };
  B b(node.getLoc(), node.getRewriter());
  Value x;
  SmallVector<Value> sizes;
  for (int64_t dim = clampDim(*start); dim < clampDim(*end); ++dim) {
    if (!input->type.isDynamicDim(dim)) {
      sizes.push_back(
          createNumber(b, b.getI64Type(), input->type.getDimSize(dim)));
      continue;
    }
    x = x ? x : node.materialize(*input);
    sizes.push_back(arith::IndexCastOp::create(b, b.getI64Type(),
                                               toValue(b, getSize(b, x, dim))));
  }
  auto type = RankedTensorType::get(sizes.size(), b.getI64Type());
  return replaceBy(node, tensor::FromElementsOp::create(b, type, sizes));
}

/// The number of elements.
static LogicalResult translateSize(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "data");
  if (failed(input))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Sizes sizes = getSizes(b, node.materialize(*input));
  OpFoldResult count = multiplySizes(b, sizes);
  Value number =
      isa<Attribute>(count)
          ? createNumber(b, b.getI64Type(), *getConstantIntValue(count))
          : arith::IndexCastOp::create(b, b.getI64Type(), cast<Value>(count))
                .getResult();
  auto type = RankedTensorType::get({}, b.getI64Type());
  return replaceBy(node, tensor::FromElementsOp::create(b, type, number));
}

/// The number of steps from `start` to before `limit`. A step of 0, which ONNX
/// does not allow, counts as 1.
static OpFoldResult countSteps(Scalar start, Scalar limit, Scalar step) {
  B &b = start.getBuilder();
  if (start.isFloat()) {
    Type f64 = b.getF64Type();
    Scalar length = limit - start, count = length.to(f64) / step.to(f64);
    // NaN is 0, too.
    count = count.apply<math::CeilOp>().apply<arith::MaxNumFOp>(0);
    count = count.apply<arith::MinNumFOp>(int64_t(1) << 62);
    return Value(count.to(b.getI64Type()).to(b.getIndexType()));
  }
  bool isFromZero = isConstantIntValue(OpFoldResult(start), 0);
  Scalar length = isFromZero ? limit : limit - start;
  if (!isConstantIntValue(OpFoldResult(step), 1)) {
    Scalar isBack = equal(step, -1), isUnit = isBack | equal(step, 0);
    Scalar by = select(isUnit, step.constant(1), step), back = start - limit;
    length = select(isBack, back, length.apply<arith::CeilDivSIOp>(by));
  }
  return clampToSize(b, getIndex(b, length));
}

/// start, start + delta, ... before the limit.
static LogicalResult translateRange(const ForeignOp &node) {
  B b(node.getLoc(), node.getRewriter());
  SmallVector<Scalar> scalars;
  for (auto [index, name] :
       {std::pair(0, "start"), {1, "limit"}, {2, "delta"}}) {
    FailureOr<ForeignTensor> operand = getRanked(node, index, name);
    if (failed(operand))
      return failure();
    Type type = operand->type.getElementType();
    bool isNumber = type.isSignlessInteger() || type.isF32() || type.isF64();
    if (!isSingle(operand->type) || !isNumber ||
        (!scalars.empty() && scalars[0].getType() != type))
      return node.refuse(name, " has type ", operand->type,
                         ": expected one integer, f32 or f64, as start");
    scalars.emplace_back(b, readScalar(node, *operand));
  }
  Type type = scalars[0].getType();
  auto widen = [&](Scalar x) { return x.isFloat() ? x : x.to(b.getI64Type()); };
  OpFoldResult count =
      countSteps(widen(scalars[0]), widen(scalars[1]), widen(scalars[2]));
  if (RankedTensorType result = getResultShape(node);
      result && result.hasStaticShape() && result.getRank() == 1)
    count = b.getIndexAttr(result.getDimSize(0));
  Value init = tensor::EmptyOp::create(b, count, type);
  Value range = createGeneric(
      b, {}, init, b.getMultiDimIdentityMap(1), [&](B &body, ValueRange) {
        Scalar index(body, linalg::IndexOp::create(body, 0));
        Scalar place = index.to(body.getI64Type()).to(type);
        return Scalar(body, scalars[0]) + place * scalars[2];
      });
  return replaceBy(node, range);
}

static LogicalResult translateConstantOfShape(const ForeignOp &node) {
  B b(node.getLoc(), node.getRewriter());
  TypedAttr value = b.getF32FloatAttr(0);
  if (Attribute given = node.getAttr("value")) {
    auto elements = dyn_cast<DenseElementsAttr>(given);
    if (!elements || elements.getNumElements() != 1 ||
        !elements.getElementType().isIntOrFloat())
      return node.refuse("attribute 'value' is ", given,
                         ": expected one number");
    value = elements.getSplatValue<TypedAttr>();
  }
  std::optional<Sizes> sizes = getStaticSizes(b, getResultShape(node));
  if (!sizes) {
    FailureOr<Sizes> read = readSizes(node, b, 0, "input");
    if (failed(read))
      return failure();
    sizes = *read;
  }
  SmallVector<int64_t> known;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(*sizes, open, known);
  Type type = value.getType();
  if (type.isInteger() && !type.isSignlessInteger())
    value =
        b.getIntegerAttr(toSignless(type), cast<IntegerAttr>(value).getValue());
  Value element = arith::ConstantOp::create(b, value);
  Value splat = tensor::SplatOp::create(
      b, RankedTensorType::get(known, value.getType()), element, open);
  return replaceBy(node, splat);
}

/// The first operand: Identity, and Dropout where nobody trains.
static LogicalResult translateIdentity(const ForeignOp &node) {
  if (node.getOperand(2)) {
    auto type = dyn_cast<RankedTensorType>(node.getOperand(2).getType());
    auto value = type ? dyn_cast_or_null<DenseElementsAttr>(
                            getConstant(node.getOperand(2), type))
                      : DenseElementsAttr();
    if (!value || !type.getElementType().isInteger(1) || !value.isSplat() ||
        value.getSplatValue<bool>())
      return node.refuse("training_mode is not constantly false");
  }
  FailureOr<ForeignTensor> input = node.getTensor(0, "input");
  if (failed(input))
    return failure();
  return replaceBy(node, node.materialize(*input));
}

ArrayRef<Operator> mlir::qdq::getShapeOperators() {
  static const Operator kOperators[] = {
      {"onnx.ConstantOfShape", {1}, translateConstantOfShape},
      {"onnx.DepthToSpace", {1}, translateBlocks},
      {"onnx.Dropout", {1, 3}, translateIdentity},
      {"onnx.Expand", {2}, translateExpand},
      {"onnx.Flatten", {1}, translateFlatten},
      {"onnx.Identity", {1, 3}, translateIdentity},
      {"onnx.Range", {3}, translateRange},
      {"onnx.Reshape", {1, 2}, translateReshape},
      {"onnx.Shape", {1}, translateShape},
      {"onnx.Size", {1}, translateSize},
      {"onnx.SpaceToDepth", {1}, translateBlocks},
      {"onnx.Squeeze", {1, 2}, translateSqueeze},
      {"onnx.Tile", {2}, translateTile},
      {"onnx.Transpose", {1}, translateTranspose},
      {"onnx.Unsqueeze", {1, 2}, translateUnsqueeze},
  };
  return kOperators;
}
