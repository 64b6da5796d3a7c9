// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that change shapes, or compute them.

#include "../ForeignOps/ForeignConstant.h"
#include "../ForeignOps/SizeChecks.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/Numerics/Storage.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;
using Sizes = SmallVector<OpFoldResult>;

/// Sizes that are all known.
static std::optional<Sizes> getStaticSizes(B &b, RankedTensorType type) {
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  return getAsIndexOpFoldResult(b.getContext(), type.getShape());
}

static OpFoldResult divide(B &b, OpFoldResult size, OpFoldResult by) {
  AffineExpr quotient =
      b.getAffineDimExpr(0).floorDiv(b.getAffineSymbolExpr(0));
  return affine::makeComposedFoldedAffineApply(b, b.getLoc(), quotient,
                                               {size, by});
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// The sizes of a Reshape to `list`, where 0 copies a size, unless
/// `allowsZero`, and -1 is what the others leave.
static FailureOr<Sizes> getReshapedSizes(const ForeignOp &node, B &b,
                                         ArrayRef<OpFoldResult> own,
                                         ArrayRef<int64_t> list,
                                         bool allowsZero) {
  Sizes sizes;
  // The rest of the input's sizes, without those that are copied.
  Sizes rest(own);
  std::optional<size_t> inferred;
  int64_t product = 1;
  for (auto [index, size] : llvm::enumerate(list)) {
    if (size == 0 && !allowsZero) {
      if (index >= own.size())
        return node.refuse("shape has 0 at position ", index,
                           ": expected a dimension of the input to copy");
      sizes.push_back(own[index]);
      rest[index] = b.getIndexAttr(1);
      continue;
    }
    if (size < -1 || (size == -1 && inferred))
      return node.refuse("shape has ", size, " at position ", index,
                         ": expected sizes, and -1 once");
    if (size == -1)
      inferred = index;
    else if (llvm::MulOverflow(product, size, product))
      return node.refuse("shape has more elements than 64 bits count");
    sizes.push_back(b.getIndexAttr(size));
  }
  if (!inferred)
    return sizes;
  if (product == 0)
    return node.refuse("shape has -1 beside 0: expected sizes that tell it");
  // A single open size stays the value that it is.
  SmallVector<OpFoldResult> open;
  int64_t known = 1;
  for (OpFoldResult size : rest) {
    if (std::optional<int64_t> value = getConstantIntValue(size))
      known *= *value;
    else
      open.push_back(size);
  }
  if (open.size() == 1 && known == product)
    sizes[*inferred] = open[0];
  else
    sizes[*inferred] =
        divide(b, multiplySizes(b, rest), b.getIndexAttr(product));
  return sizes;
}

static LogicalResult translateReshape(const ForeignOp &node, const Operator &) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "data");
  FailureOr<int64_t> allowsZero = node.getInteger("allowzero", 0);
  if (failed(input) || failed(allowsZero))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  RankedTensorType result = getResultShape(node);
  std::optional<Sizes> sizes = getStaticSizes(b, result);
  std::optional<SmallVector<int64_t>> list;
  if (!sizes) {
    auto given = getIntegerList(node, "shape", 1);
    // One open size is what the others leave.
    if (failed(given) || !*given) {
      if (!result || result.getNumDynamicDims() != 1)
        return failed(given) ? failure() : node.refuse("has no shape");
      list.emplace(result.getShape());
      for (int64_t &size : *list)
        size = ShapedType::isDynamic(size) ? -1 : size;
      if (llvm::is_contained(*list, 0))
        return node.refuse("result ", result,
                           " has no elements: expected "
                           "static sizes");
    } else {
      list = **given;
    }
  }
  Value x = node.materialize(*input);
  Sizes own = tensor::getMixedSizes(b, b.getLoc(), x);
  if (!sizes) {
    FailureOr<Sizes> read =
        getReshapedSizes(node, b, own, *list, *allowsZero != 0);
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
static LogicalResult translateFlatten(const ForeignOp &node, const Operator &) {
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
  Sizes own = tensor::getMixedSizes(b, b.getLoc(), x);
  ArrayRef<OpFoldResult> all(own);
  // A product of one is the size itself.
  auto multiply = [&](ArrayRef<OpFoldResult> sizes) {
    return sizes.size() == 1 ? sizes[0] : multiplySizes(b, sizes);
  };
  return replaceBy(node, reshapeTo(b, x, own,
                                   {multiply(all.take_front(first)),
                                    multiply(all.drop_front(first))}));
}

static LogicalResult translateSqueeze(const ForeignOp &node, const Operator &) {
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

static LogicalResult translateUnsqueeze(const ForeignOp &node,
                                        const Operator &) {
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

static LogicalResult translateTranspose(const ForeignOp &node,
                                        const Operator &) {
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

/// Refuses a shape that is no list of i64 with a static number of dimensions.
static LogicalResult checkList(const ForeignOp &node,
                               const ForeignTensor &shape) {
  if (shape.type.getRank() == 1 && shape.type.hasStaticShape() &&
      shape.type.getElementType().isSignlessInteger(64))
    return success();
  return node.refuse("shape has type ", shape.type,
                     ": expected a static number of i64");
}

/// Refuses a constant shape that holds no sizes.
static LogicalResult checkSizes(const ForeignOp &node, ArrayRef<int64_t> list) {
  for (int64_t size : list)
    if (size < 0)
      return node.refuse("shape has ", size, ": expected sizes");
  return success();
}

/// The elements of a shape that only the values tell.
static Sizes readSizes(const ForeignOp &node, B &b, unsigned index,
                       int64_t count) {
  Value list = asSignless(b, b.getLoc(), node.getOperand(index));
  Sizes sizes;
  for (int64_t i = 0; i < count; ++i) {
    Value place = arith::ConstantIndexOp::create(b, i);
    Value size = tensor::ExtractOp::create(b, list, place);
    size = arith::IndexCastOp::create(b, b.getIndexType(), size);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    sizes.push_back(arith::MaxSIOp::create(b, size, zero).getResult());
  }
  return sizes;
}

static LogicalResult translateExpand(const ForeignOp &node, const Operator &) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input");
  FailureOr<ForeignTensor> shape = getRanked(node, 1, "shape", 1);
  if (failed(input) || failed(shape) || failed(checkList(node, *shape)))
    return failure();
  RankedTensorType result = getResultShape(node);
  auto given = getIntegerList(node, "shape", 1);
  bool isConstant = succeeded(given) && *given;
  if (isConstant && failed(checkSizes(node, **given)))
    return failure();
  int64_t own = input->type.getRank();
  int64_t count = isConstant ? (*given)->size() : shape->type.getDimSize(0);
  int64_t rank = std::max(own, count);
  if (result && result.getRank() != rank)
    return node.refuse("has the result ", result, ": expected rank ", rank);
  SmallVector<int64_t> known(rank, ShapedType::kDynamic);
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t at = dim - (rank - count), from = dim - (rank - own);
    if (result)
      known[dim] = result.getDimSize(dim);
    int64_t size = from < 0 ? 1 : input->type.getDimSize(from);
    int64_t asked = at < 0       ? 1
                    : isConstant ? (**given)[at]
                                 : ShapedType::kDynamic;
    if (ShapedType::isStatic(size) && size != 1) {
      if (differ(asked, size) && asked != 1)
        return node.refuse("input ", input->type, " does not broadcast to ",
                           asked, " in dimension ", dim);
      known[dim] = size;
    } else if (ShapedType::isStatic(asked) && (size == 1 || asked == 1)) {
      known[dim] = size == 1 ? asked : size;
    } else if (ShapedType::isDynamic(size)) {
      return node.refuse("input ", input->type,
                         " has an open size in "
                         "dimension ",
                         from,
                         ": expected a static one, or 1 "
                         "in shape");
    }
  }
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(*input);
  Sizes asked;
  if (!isConstant)
    asked = readSizes(node, b, 1, count);
  Sizes sizes;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t at = dim - (rank - count), from = dim - (rank - own);
    if (ShapedType::isStatic(known[dim]))
      sizes.push_back(b.getIndexAttr(known[dim]));
    else if (from >= 0 && input->type.isDynamicDim(from))
      sizes.push_back(tensor::getMixedSize(b, b.getLoc(), x, from));
    else
      sizes.push_back(asked[at]);
  }
  return replaceBy(node, broadcastTo(b, x, sizes));
}

static LogicalResult translateTile(const ForeignOp &node, const Operator &) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input");
  auto repeats = getIntegerList(node, "repeats", 1);
  if (failed(input) || failed(repeats))
    return failure();
  size_t rank = input->type.getRank();
  if (!*repeats || (*repeats)->size() != rank ||
      llvm::any_of(**repeats, [](int64_t n) { return n < 0 || n > INT32_MAX; }))
    return node.refuse("repeats are not one for each of the ", rank,
                       " dimensions, and from 0 to 2^31 - 1");
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(*input);
  Sizes own = tensor::getMixedSizes(b, b.getLoc(), x), sizes;
  for (auto [size, times] : llvm::zip(own, **repeats))
    sizes.push_back(multiplySizes(b, {size, b.getIndexAttr(times)}));
  return replaceBy(
      node, gatherPlaces(b, x, sizes, [&](B &body, ValueRange indices) {
        SmallVector<Value> place;
        for (auto [index, size] : llvm::zip(indices, own))
          place.push_back(arith::RemUIOp::create(
              body, index,
              getValueOrCreateConstantIndexOp(body, body.getLoc(), size)));
        return place;
      }));
}

//===----------------------------------------------------------------------===//
// Shapes as values
//===----------------------------------------------------------------------===//

static LogicalResult translateShape(const ForeignOp &node, const Operator &) {
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
    sizes.push_back(arith::IndexCastOp::create(
        b, b.getI64Type(), tensor::DimOp::create(b, x, dim)));
  }
  auto type = RankedTensorType::get(sizes.size(), b.getI64Type());
  return replaceBy(node, tensor::FromElementsOp::create(b, type, sizes));
}

static LogicalResult translateConstantOfShape(const ForeignOp &node,
                                              const Operator &) {
  FailureOr<ForeignTensor> shape = getRanked(node, 0, "input", 1);
  if (failed(shape) || failed(checkList(node, *shape)))
    return failure();
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
  auto given = getIntegerList(node, "input", 0);
  bool isConstant = succeeded(given) && *given;
  if (isConstant && failed(checkSizes(node, **given)))
    return failure();
  std::optional<Sizes> sizes = getStaticSizes(b, getResultShape(node));
  if (isConstant)
    sizes = getAsIndexOpFoldResult(b.getContext(), **given);
  else if (!sizes)
    sizes = readSizes(node, b, 0, shape->type.getDimSize(0));
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
static LogicalResult translateIdentity(const ForeignOp &node,
                                       const Operator &) {
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
      {"onnx.Reshape", {1, 2}, translateReshape},
      {"onnx.Shape", {1}, translateShape},
      {"onnx.SpaceToDepth", {1}, translateBlocks},
      {"onnx.Squeeze", {1, 2}, translateSqueeze},
      {"onnx.Tile", {2}, translateTile},
      {"onnx.Transpose", {1}, translateTranspose},
      {"onnx.Unsqueeze", {1, 2}, translateUnsqueeze},
  };
  return kOperators;
}
