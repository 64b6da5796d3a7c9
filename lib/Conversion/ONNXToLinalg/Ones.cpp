// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of one value, but for another one at places that indices tell:
// EyeLike and OneHot.

#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "Operators.h"
#include "ShapeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

/// A tensor of `sizes` with `on` at the places for which `isOn` holds, and
/// `off` elsewhere. `isOn` sees the loops and the element of `operands`, whose
/// maps are given.
static Value
placeOnes(B &b, ArrayRef<OpFoldResult> sizes, Value off, Value on,
          ValueRange operands, SmallVector<AffineMap> maps,
          function_ref<Scalar(ArrayRef<Scalar> loops, ValueRange)> isOn) {
  int64_t rank = sizes.size();
  Value init = tensor::EmptyOp::create(b, sizes, on.getType());
  maps.push_back(b.getMultiDimIdentityMap(rank));
  return createGeneric(b, operands, init, maps, [&](B &body, ValueRange e) {
    SmallVector<Scalar> loops;
    for (int64_t dim = 0; dim < rank; ++dim)
      loops.emplace_back(body, linalg::IndexOp::create(body, dim));
    return select(isOn(loops, e), {body, on}, off);
  });
}

/// Ones on a diagonal of a matrix, `k` behind the main one.
static LogicalResult translateEyeLike(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input", 2);
  FailureOr<TensorType> result = node.getResultType(0);
  FailureOr<int64_t> shift = node.getInteger("k", 0);
  if (failed(input) || failed(result) || failed(shift))
    return failure();
  Type element = toSignless(result->getElementType());
  if (input->type.getRank() != 2 || !element.isIntOrFloat())
    return node.refuse("has the input ", input->type, " and the result ",
                       *result, ": expected matrices of numbers");
  B b(node.getLoc(), node.getRewriter());
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), node.materialize(*input));
  return replaceBy(node, placeOnes(b, sizes, createNumber(b, element, 0),
                                   createNumber(b, element, 1), {}, {},
                                   [&](ArrayRef<Scalar> loops, ValueRange) {
                                     // Index arithmetic wraps: far away there
                                     // is no place.
                                     Scalar distance = loops[1] - loops[0];
                                     Value wanted =
                                         arith::ConstantIndexOp::create(
                                             distance.getBuilder(), *shift);
                                     return equal(distance, wanted);
                                   }));
}

/// A number, an element of `tensor` but signless, as an index.
static Value toIndex(B &b, Value number, TensorType tensor) {
  Type index = b.getIndexType();
  if (isa<FloatType>(number.getType()))
    number = toInteger(b, number, b.getI64Type(), /*isUnsigned=*/false);
  if (tensor.getElementType().isUnsignedInteger())
    return arith::IndexCastUIOp::create(b, index, number);
  return arith::IndexCastOp::create(b, index, number);
}

/// `values[1]` at each index along a new axis of `depth` elements, `values[0]`
/// elsewhere. Indices from -depth on count from the back; others are nowhere.
static LogicalResult translateOneHot(const ForeignOp &node) {
  FailureOr<ForeignTensor> indices = getRanked(node, 0, "indices");
  FailureOr<ForeignTensor> depth = getRanked(node, 1, "depth");
  FailureOr<ForeignTensor> values = getRanked(node, 2, "values", 1);
  if (failed(indices) || failed(depth) || failed(values))
    return failure();
  if (!isSingle(depth->type))
    return node.refuse("depth has type ", depth->type,
                       ": expected one element");
  if (values->type.getRank() != 1 || differ(values->type.getDimSize(0), 2))
    return node.refuse("values have type ", values->type,
                       ": expected two elements");
  int64_t rank = indices->type.getRank();
  FailureOr<int64_t> axis = getAxis(node, -1, rank + 1);
  if (failed(axis))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Value places = asSignless(b, b.getLoc(), node.materialize(*indices));
  Value count = readScalar(node, *depth);
  bool isI64 = count.getType().isInteger(64);
  OpFoldResult size =
      clampToSize(b, isI64 ? getIndex(b, count)
                           : OpFoldResult(toIndex(b, count, depth->type)));
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), places);
  sizes.insert(sizes.begin() + *axis, size);
  Value pair = asSignless(b, b.getLoc(), node.materialize(*values));
  auto read = [&](int64_t place) {
    Value at = arith::ConstantIndexOp::create(b, place);
    return tensor::ExtractOp::create(b, pair, at).getResult();
  };
  Value off = read(0), on = read(1);
  AffineMap map = b.getMultiDimIdentityMap(rank + 1).dropResult(*axis);
  return replaceBy(
      node, placeOnes(b, sizes, off, on, places, {map},
                      [&](ArrayRef<Scalar> loops, ValueRange e) {
                        B &body = loops[0].getBuilder();
                        Scalar own(body, toIndex(body, e[0], indices->type));
                        Scalar isNegative = own < 0;
                        Scalar fromBack = own + toValue(body, size);
                        own = select(isNegative, fromBack, own);
                        return equal(own, loops[*axis]);
                      }));
}

ArrayRef<Operator> mlir::qdq::getOneOperators() {
  static const Operator kOperators[] = {
      {"onnx.EyeLike", {1}, translateEyeLike},
      {"onnx.OneHot", {3}, translateOneHot},
  };
  return kOperators;
}
