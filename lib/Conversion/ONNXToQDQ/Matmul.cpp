// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of quantized matrices: shapes and parameters.

#include "Matmul.h"
#include "../ForeignOps/Broadcast.h"
#include "../ForeignOps/TensorOps.h"
#include "CodeOperands.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

/// The dimension of an operand that is summed.
static int64_t getSummed(RankedTensorType type, bool isLeft) {
  int64_t rank = type.getRank();
  return isLeft || rank == 1 ? rank - 1 : rank - 2;
}

/// The dimension that only this operand has, or nothing for a vector.
static std::optional<int64_t> getOwn(RankedTensorType type, bool isLeft) {
  int64_t rank = type.getRank();
  if (rank == 1)
    return std::nullopt;
  return isLeft ? rank - 2 : rank - 1;
}

FailureOr<Matmul> mlir::qdq::readMatmul(const ForeignOp &node, unsigned aIndex,
                                        unsigned bIndex, bool allowsFloat8) {
  FailureOr<ForeignTensor> a = getCodes(node, aIndex, "a", allowsFloat8);
  FailureOr<ForeignTensor> b = getCodes(node, bIndex, "b", allowsFloat8);
  if (failed(a) || failed(b))
    return failure();
  return makeMatmul(node, *a, *b);
}

FailureOr<Matmul> mlir::qdq::makeMatmul(const ForeignOp &node,
                                        const ForeignTensor &a,
                                        const ForeignTensor &b) {
  Matmul matmul{a, {}, b, {}, {}};
  RankedTensorType lhs = matmul.getA(), rhs = matmul.getB();
  if (lhs.getRank() == 0 || rhs.getRank() == 0)
    return node.refuse("has operands ", lhs, " and ", rhs,
                       ": expected rank 1 or more");
  auto batches = broadcastShapes(
      lhs.getShape().drop_back(std::min<int64_t>(2, lhs.getRank())),
      rhs.getShape().drop_back(std::min<int64_t>(2, rhs.getRank())));
  int64_t left = lhs.getShape().back();
  int64_t right = rhs.getDimSize(getSummed(rhs, /*isLeft=*/false));
  if (failed(batches) || differ(left, right))
    return node.refuse("has operands ", lhs, " and ", rhs,
                       ", whose shapes do not fit together as those of "
                       "numpy.matmul");
  matmul.shape = *batches;
  if (lhs.getRank() > 1)
    matmul.shape.push_back(lhs.getDimSize(lhs.getRank() - 2));
  if (rhs.getRank() > 1)
    matmul.shape.push_back(rhs.getShape().back());
  return matmul;
}

LogicalResult mlir::qdq::checkParameter(const ForeignOp &node, StringRef name,
                                        const ForeignTensor &parameter,
                                        const Matmul &matmul, bool isLeft) {
  if (!parameter || isSingle(parameter.type))
    return success();
  RankedTensorType codes = isLeft ? matmul.getA() : matmul.getB();
  std::optional<int64_t> own = getOwn(codes, isLeft);
  TensorType type = parameter.type;
  bool fits = false;
  if (own && type.getRank() == 1)
    fits = !differ(type.getDimSize(0), codes.getDimSize(*own));
  else if (type.getRank() == codes.getRank() && own)
    fits = llvm::all_of(llvm::enumerate(type.getShape()), [&](auto dim) {
      int64_t index = dim.index(), size = dim.value();
      if (index == getSummed(codes, isLeft))
        return size == 1;
      return size == 1 || !differ(size, codes.getDimSize(index));
    });
  if (fits)
    return success();
  return node.refuse(name, " has type ", type,
                     ": expected one element, or one for each ",
                     isLeft ? "row of a, " : "column of b, ", codes);
}

LogicalResult mlir::qdq::readZeroPoints(const ForeignOp &node, Matmul &matmul,
                                        unsigned aIndex, unsigned bIndex) {
  Reader read;
  ForeignTensor &a = matmul.aZeroPoint, &b = matmul.bZeroPoint;
  a = read(getZeroPointOf(node, aIndex, "a_zero_point",
                          matmul.a.type.getElementType()));
  b = read(getZeroPointOf(node, bIndex, "b_zero_point",
                          matmul.b.type.getElementType()));
  if (failed(read) ||
      failed(checkParameter(node, "a_zero_point", a, matmul, true)))
    return failure();
  return checkParameter(node, "b_zero_point", b, matmul, false);
}

FailureOr<Value> mlir::qdq::createProduct(const ForeignOp &node,
                                          const Matmul &matmul,
                                          Accumulator accumulator) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  ProductOperand lhs{node.materialize(matmul.a)};
  ProductOperand rhs{node.materialize(matmul.b)};
  lhs.zeroPoint = node.materialize(matmul.aZeroPoint);
  rhs.zeroPoint = node.materialize(matmul.bZeroPoint);
  repeatOpenSizes(b, lhs.codes, rhs.codes, /*numOwn=*/2);
  std::string reason;
  FailureOr<Value> product =
      buildIntegerMatmul(b, lhs, rhs, accumulator, reason);
  if (failed(product))
    return node.refuse(reason);
  return product;
}

Value mlir::qdq::createRealProduct(const ForeignOp &node, Value a, Value b) {
  ImplicitLocOpBuilder builder(node.getLoc(), node.getRewriter());
  repeatOpenSizes(builder, a, b, /*numOwn=*/2);
  IntegerProduct product = describeMatmul(builder, a, b);
  dropUnitDims(builder, product.a.codes, product.aMap);
  dropUnitDims(builder, product.b.codes, product.bMap);
  Type sum = builder.getF32Type();
  if (getElementTypeOrSelf(a).isF64())
    sum = builder.getF64Type();
  Value init = createZeros(builder, product.resultSizes, sum);
  return linalg::ContractOp::create(
             builder, ValueRange{product.a.codes, product.b.codes}, init,
             builder.getAffineMapArrayAttr(
                 {product.aMap, product.bMap, product.resultMap}))
      .getResult(0);
}

Placement mlir::qdq::getOperandPlacement(const ForeignOp &node,
                                         TensorType parameter,
                                         const Matmul &matmul, bool isLeft) {
  if (isSingle(parameter))
    return {};
  Builder &b = node.getRewriter();
  RankedTensorType codes = isLeft ? matmul.getA() : matmul.getB();
  if (parameter.getRank() == 1)
    return {b.getI64IntegerAttr(*getOwn(codes, isLeft)), nullptr};
  // A block of all of a dimension, or of one element.
  SmallVector<int64_t> lengths;
  for (int64_t size : parameter.getShape())
    lengths.push_back(size != 1);
  return {nullptr, b.getDenseI64ArrayAttr(lengths)};
}

/// The dimension of the result in which each dimension of a parameter lies;
/// nothing for the summed one, where no other operand has a place there.
static SmallVector<std::optional<int64_t>>
getPlaces(RankedTensorType parameter, const Matmul &matmul, bool isLeft) {
  int64_t rank = matmul.shape.size();
  bool hasRow = matmul.getA().getRank() > 1;
  bool hasColumn = matmul.getB().getRank() > 1;
  std::optional<int64_t> row, column;
  if (hasColumn)
    column = rank - 1;
  if (hasRow)
    row = rank - 1 - hasColumn;
  if (parameter.getRank() == 1)
    return {isLeft ? row : column};
  int64_t batches = parameter.getRank() - 2;
  int64_t offset = rank - hasRow - hasColumn - batches;
  SmallVector<std::optional<int64_t>> places;
  for (int64_t dim = 0; dim < batches; ++dim)
    places.push_back(offset + dim);
  places.append({row, column});
  return places;
}

Value mlir::qdq::placeParameter(const ForeignOp &node,
                                const ForeignTensor &parameter,
                                const Matmul &matmul, bool isLeft) {
  if (isSingle(parameter.type))
    return node.materializeSingle(parameter);
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value value = node.materialize(parameter);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> places;
  bool isGone = false;
  for (std::optional<int64_t> place : getPlaces(type, matmul, isLeft)) {
    isGone |= !place;
    if (place)
      places.push_back(*place);
  }
  // The summed dimension, which is 1 and one of the last two, joins the other.
  if (isGone) {
    int64_t rank = type.getRank();
    SmallVector<int64_t> shape(type.getShape().drop_back(2));
    int64_t own = type.getDimSize(isLeft ? rank - 2 : rank - 1);
    shape.push_back(own);
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < rank - 2; ++dim)
      groups.push_back({dim});
    groups.push_back({rank - 2, rank - 1});
    ElementsAttr constant;
    TypedAttr reshaped;
    if (matchPattern(value, m_Constant(&constant)))
      reshaped = reshapeElements(constant, shape);
    if (reshaped)
      value = createConstant(b, b.getLoc(), reshaped);
    else
      value = tensor::CollapseShapeOp::create(b, value, groups);
  }
  return placeDims(b, value, places, matmul.shape.size());
}
