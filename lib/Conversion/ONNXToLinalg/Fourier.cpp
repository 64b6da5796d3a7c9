// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DFT: products with constant matrices, one for each factor of the length.

#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/TensorSlice.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

namespace {
struct Fourier {
  ForeignTensor input;
  /// Of the transform, and the number of results that are kept.
  int64_t axis, length, kept;
  bool isInverse;
};
} // namespace

/// A matrix has 16 entries for each square of a factor: 64 MiB of f32.
static constexpr int64_t kLargestFactor = 1024;

/// The largest factor of at most 64, else the smallest one.
static int64_t chooseFactor(int64_t n) {
  for (int64_t factor = std::min<int64_t>(n, 64); factor > 1; --factor)
    if (n % factor == 0)
      return factor;
  int64_t factor = std::min<int64_t>(n, 65);
  while (n % factor)
    ++factor;
  return factor;
}

/// The axis is an attribute before opset 20, and an operand from then on.
static FailureOr<int64_t> readFourierAxis(const ForeignOp &node, int64_t rank) {
  if (getOpset(node) < 20)
    return getAxis(node, 1, rank);
  int64_t axis = -2;
  if (node.getOperand(2)) {
    auto given = getKnownIntegers(node, 2);
    if (!given || given->size() != 1)
      return node.refuse("axis is not constant: expected one constant integer");
    axis = given->front();
  }
  auto axes = normalizeAxes(node, {axis}, rank);
  return failed(axes) ? FailureOr<int64_t>(failure()) : axes->front();
}

static FailureOr<Fourier> readFourier(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getFloats(node, 0, "input", 2);
  FailureOr<int64_t> isInverse = node.getInteger("inverse", 0);
  FailureOr<int64_t> isOneSided = node.getInteger("onesided", 0);
  if (failed(input) || failed(isInverse) || failed(isOneSided))
    return failure();
  int64_t rank = input->type.getRank();
  int64_t parts = input->type.getShape().back();
  FailureOr<int64_t> axis = readFourierAxis(node, rank);
  if (failed(axis))
    return failure();
  if (*axis == rank - 1 || (parts != 1 && parts != 2))
    return node.refuse("input has type ", input->type, ", axis is ", *axis,
                       ": expected real or complex numbers, whose 1 or 2 parts "
                       "are another dimension, the last one");
  if (*isOneSided && (*isInverse || parts == 2))
    return node.refuse("has onesided = 1: expected real numbers, not inverse");
  int64_t size = input->type.getDimSize(*axis), length = size;
  if (node.getOperand(1)) {
    auto given = getKnownIntegers(node, 1);
    if (!given || given->size() != 1)
      return node.refuse(
          "dft_length is not constant: expected one constant integer");
    length = given->front();
  }
  if (ShapedType::isDynamic(size) || length < 1)
    return node.refuse("input has type ", input->type,
                       ": expected a static size along axis ", *axis,
                       " and a positive length");
  for (int64_t rest = length; rest > 1; rest /= chooseFactor(rest))
    if (chooseFactor(rest) > kLargestFactor)
      return node.refuse("has the length ", length,
                         ": expected no prime factor above ", kLargestFactor);
  return Fourier{*input, *axis, length, *isOneSided ? length / 2 + 1 : length,
                 *isInverse != 0};
}

/// The matrices [n2, n1, parts, 2 * n1] that take the numbers j1, of `parts`,
/// of each j2 to the numbers k1 of 2 parts: w^(k1 (n2 j1 + j2)), where w is the
/// root of unity of order n1 n2.
static Value createRoots(B &b, FloatType type, int64_t n1, int64_t n2,
                         int64_t parts, bool isInverse) {
  SmallVector<APFloat> elements;
  auto add = [&](double value) {
    APFloat element(value);
    bool isInexact;
    element.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &isInexact);
    elements.push_back(element);
  };
  double turn = (isInverse ? 2 : -2) * llvm::numbers::pi / (n1 * n2);
  for (int64_t j2 = 0; j2 < n2; ++j2)
    for (int64_t j1 = 0; j1 < n1; ++j1)
      for (int64_t part = 0; part < parts; ++part)
        for (int64_t k1 = 0; k1 < n1; ++k1) {
          double angle = turn * (k1 * (n2 * j1 + j2) % (n1 * n2));
          add(part == 0 ? std::cos(angle) : -std::sin(angle));
          add(part == 0 ? std::sin(angle) : std::cos(angle));
        }
  auto shape = RankedTensorType::get({n2, n1, parts, 2 * n1}, type);
  return arith::ConstantOp::create(b, DenseElementsAttr::get(shape, elements));
}

/// The transforms [rows, n, 2] of `x` [rows, n, parts]. With j = n2 j1 + j2 and
/// k = k1 + n1 k2, sums over j1 give the numbers [k1, j2] whose transforms of
/// length n2 are the results, as Cooley and Tukey have it.
static Value transform(B &b, Value x, int64_t n, bool isInverse) {
  RankedTensorType xType = getRankedType(x);
  int64_t parts = xType.getDimSize(2);
  auto type = cast<FloatType>(xType.getElementType());
  int64_t n1 = chooseFactor(n), n2 = n / n1;
  OpFoldResult rows = tensor::getMixedSize(b, b.getLoc(), x, 0);
  auto size = [&](int64_t number) { return b.getIndexAttr(number); };
  auto shape = [&](Value value, ArrayRef<OpFoldResult> sizes) {
    return reshapeTo(b, value, tensor::getMixedSizes(b, b.getLoc(), value),
                     sizes);
  };
  x = shape(x, {rows, size(n1), size(n2), size(parts)});
  AffineExpr row, j2, k1, j1, part;
  bindDims(b.getContext(), row, j2, k1, j1, part);
  auto maps = AffineMap::inferFromExprList({ArrayRef{row, j1, j2, part},
                                            ArrayRef{j2, j1, part, k1},
                                            ArrayRef{row, j2, k1}},
                                           b.getContext());
  Value init = createZeros(b, {rows, size(n2), size(2 * n1)}, type);
  Value y =
      createGeneric(b, {x, createRoots(b, type, n1, n2, parts, isInverse)},
                    init, maps, [](Scalar number, Scalar root, Scalar sum) {
                      return sum + number * root;
                    });
  if (n2 == 1)
    return shape(y, {rows, size(n), size(2)});
  y = shape(y, {rows, size(n2), size(n1), size(2)});
  y = transpose(b, y, {0, 2, 1, 3});
  y = shape(y, {multiplySizes(b, {rows, size(n1)}), size(n2), size(2)});
  y = transform(b, y, n2, isInverse);
  y = shape(y, {rows, size(n1), size(n2), size(2)});
  return shape(transpose(b, y, {0, 2, 1, 3}), {rows, size(n), size(2)});
}

/// The first `count` elements of dimension 1, with zeros behind the last one.
static Value resizeRows(B &b, Value x, int64_t count) {
  RankedTensorType type = getRankedType(x);
  TensorSlice rows(b, x);
  Sizes zeros(3, b.getIndexAttr(0)), high = zeros;
  int64_t size = type.getDimSize(1);
  if (count > size) {
    high[1] = b.getIndexAttr(count - size);
    Value zero = createNumber(b, type.getElementType(), 0);
    return tensor::PadOp::create(b, Type(), x, zeros, high, zero);
  }
  return count == size ? x : rows.cut(1, 0, count).take(x);
}

LogicalResult mlir::qdq::translateDFT(const ForeignOp &node) {
  FailureOr<Fourier> n = readFourier(node);
  if (failed(n))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Type element = n->input.type.getElementType();
  Value x = castFloats(b, node.materialize(n->input), getComputeType(element));
  // As [rows, numbers, parts].
  int64_t rank = n->input.type.getRank();
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    if (dim != n->axis)
      order.push_back(dim);
  order.append({n->axis, rank - 1});
  x = transpose(b, x, order);
  Sizes own = tensor::getMixedSizes(b, b.getLoc(), x), sizes = own;
  Sizes flat = {multiplySizes(b, ArrayRef(own).drop_back(2)), own[rank - 2],
                own.back()};
  x = resizeRows(b, reshapeTo(b, x, own, flat), n->length);
  x = resizeRows(b, transform(b, x, n->length, n->isInverse), n->kept);
  if (n->isInverse)
    x = mapFloats(b, {x}, [&](Scalar sum) { return sum / n->length; });
  sizes[rank - 2] = flat[1] = b.getIndexAttr(n->kept);
  sizes.back() = flat[2] = b.getIndexAttr(2);
  x = transpose(b, reshapeTo(b, x, flat, sizes),
                invertPermutationVector(order));
  return replaceBy(node, castFloats(b, x, element));
}
