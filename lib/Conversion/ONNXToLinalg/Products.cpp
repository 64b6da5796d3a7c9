// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products and convolutions of floats, as named ops.

#include "Products.h"
#include "../ForeignOps/Broadcast.h"
#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/TensorOps.h"
#include "../IntegerProducts/NamedConvolution.h"
#include "../ONNXToQDQ/Convolution.h"
#include "../ONNXToQDQ/Matmul.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TensorSlice.h"

using namespace mlir;
using namespace mlir::qdq;

/// Floats at two indices, of one element type.
static LogicalResult readPair(const ForeignOp &node, unsigned index,
                              StringRef name, const ForeignTensor &other,
                              ForeignTensor &tensor) {
  FailureOr<ForeignTensor> read = getFloats(node, index, name);
  if (failed(read))
    return failure();
  if (read->type.getElementType() != other.type.getElementType())
    return node.refuse(name, " has type ", read->type, ": expected ",
                       other.type.getElementType());
  tensor = *read;
  return success();
}

/// The sum and a tensor that is broadcast to it, in the type of the sum.
static Value addTerm(ImplicitLocOpBuilder &b, Value sum, Value term,
                     float factor = 1) {
  Type type = getElementTypeOrSelf(sum);
  return mapElements(b, {sum, term}, type, [&](Scalar x, Scalar y) {
    y = y.to(type);
    return x + (factor == 1 ? y : y * factor);
  });
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

static LogicalResult translateMatMul(const ForeignOp &node) {
  FailureOr<ForeignTensor> lhs = getFloats(node, 0, "A");
  ForeignTensor rhs;
  if (failed(lhs) || failed(readPair(node, 1, "B", *lhs, rhs)) ||
      failed(makeMatmul(node, *lhs, rhs)))
    return failure();
  Value left = node.materialize(*lhs), right = node.materialize(rhs);
  int64_t rank = rhs.type.getRank();
  assertSameSize(node, {left, lhs->type.getRank() - 1, "A"},
                 {right, std::max<int64_t>(rank - 2, 0), "B"});
  assertBroadcast(node, {left, right}, /*numOwn=*/2);
  Value product = createRealProduct(node, left, right);
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  return replaceBy(node, castFloats(b, product, lhs->type.getElementType()));
}

/// alpha A' B' + beta C.
static LogicalResult translateGemm(const ForeignOp &node) {
  FailureOr<ForeignTensor> lhs = getFloats(node, 0, "A", 2);
  ForeignTensor rhs, term;
  FailureOr<float> alpha = node.getFloat("alpha", 1);
  FailureOr<float> beta = node.getFloat("beta", 1);
  FailureOr<int64_t> transA = node.getInteger("transA", 0);
  FailureOr<int64_t> transB = node.getInteger("transB", 0);
  if (failed(lhs) || failed(readPair(node, 1, "B", *lhs, rhs)) ||
      failed(alpha) || failed(beta) || failed(transA) || failed(transB))
    return failure();
  if (node.getOperand(2) && failed(readPair(node, 2, "C", *lhs, term)))
    return failure();
  if (lhs->type.getRank() != 2 || rhs.type.getRank() != 2)
    return node.refuse("has operands ", lhs->type, " and ", rhs.type,
                       ": expected matrices");
  int64_t row = *transA ? 1 : 0, column = *transB ? 0 : 1;
  if (differ(lhs->type.getDimSize(1 - row), rhs.type.getDimSize(1 - column)))
    return node.refuse("has operands ", lhs->type, " and ", rhs.type,
                       ", whose summed dimensions differ");
  int64_t shape[] = {lhs->type.getDimSize(row), rhs.type.getDimSize(column)};
  if (term) {
    auto both = broadcastShapes(shape, term.type.getShape());
    if (term.type.getRank() > 2 || failed(both) ||
        failed(verifyCompatibleShape(*both, shape)))
      return node.refuse("C has type ", term.type,
                         ": expected one that broadcasts to the product");
  }

  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value left = node.materialize(*lhs), right = node.materialize(rhs);
  assertSameSize(node, {left, 1 - row, "A"}, {right, 1 - column, "B"});
  Type sum = getComputeType(lhs->type.getElementType());
  AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1),
             k = b.getAffineDimExpr(2);
  auto map = [&](AffineExpr first, AffineExpr second) {
    return AffineMap::get(3, 0, {first, second}, b.getContext());
  };
  Sizes sizes = {tensor::getMixedSize(b, b.getLoc(), left, row),
                 tensor::getMixedSize(b, b.getLoc(), right, column)};
  Value product =
      linalg::ContractOp::create(
          b, ValueRange{left, right}, createZeros(b, sizes, sum),
          b.getAffineMapArrayAttr({*transA ? map(k, m) : map(m, k),
                                   *transB ? map(n, k) : map(k, n), map(m, n)}))
          .getResult(0);
  if (*alpha != 1)
    product = mapFloats(b, {product}, [&](Scalar x) { return x * *alpha; });
  if (term) {
    Value added = node.materialize(term);
    assertBroadcastTo(node, added, "C", product);
    if (*beta != 0)
      product = addTerm(b, product, added, *beta);
  }
  return replaceBy(node, castFloats(b, product, lhs->type.getElementType()));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// True for a line that is written as a picture of one column, under a filter
/// of one column: its neighbors are no lanes.
static bool isColumn(Value input, Value filter) {
  ArrayRef<int64_t> places = getRankedType(input).getShape();
  return places.size() > 3 && places.back() == 1 &&
         getRankedType(filter).getShape().back() == 1 &&
         llvm::any_of(places.drop_front(2),
                      [](int64_t size) { return size != 1; });
}

Value mlir::qdq::convolve(ImplicitLocOpBuilder &b, Value input, Value filter,
                          int64_t groups, Window window,
                          ArrayRef<OpFoldResult> sizes) {
  RankedTensorType type = getRankedType(filter);
  int64_t spatial = type.getRank() - 2;
  if (isColumn(input, filter)) {
    int64_t last = type.getRank() - 1;
    window.strides.pop_back();
    window.dilations.pop_back();
    Value line = convolve(b, dropUnitDims(b, input, {last}),
                          dropUnitDims(b, filter, {last}), groups, window,
                          sizes.drop_back());
    return insertUnitDims(b, line, {last});
  }
  Type sum = getComputeType(type.getElementType());
  bool isAlone =
      groups > 1 && type.getDimSize(0) == groups && type.getDimSize(1) == 1;
  Channels channels = isAlone      ? Channels::Alone
                      : groups > 1 ? Channels::InGroups
                                   : Channels::All;
  auto build = [&](ArrayRef<OpFoldResult> outputs) {
    Value init = createZeros(b, outputs, sum);
    CreateNamed named =
        getNamedConvolution(channels, window.strides, window.dilations);
    return named(b, b.getLoc(), {input, filter}, init, false)->getResult(0);
  };
  if (isAlone) {
    filter = dropUnitDims(b, filter, {1});
    return build(sizes);
  }
  if (groups == 1)
    return build(sizes);
  // Only two spatial dimensions have a named op.
  Sizes outputs(sizes);
  bool isLine = spatial == 1;
  if (isLine) {
    input = insertUnitDims(b, input, {2});
    filter = insertUnitDims(b, filter, {2});
    outputs.insert(outputs.begin() + 2, b.getIndexAttr(1));
    window.strides.insert(window.strides.begin(), 1);
    window.dilations.insert(window.dilations.begin(), 1);
  }
  input = splitDim(b, input, 1, groups);
  filter = splitDim(b, filter, 0, groups);
  outputs[1] = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0).floorDiv(groups), {outputs[1]});
  outputs.insert(outputs.begin() + 1, b.getIndexAttr(groups));
  Value result = collapseDims(b, build(outputs), 1);
  return isLine ? dropUnitDims(b, result, {2}) : result;
}

LogicalResult mlir::qdq::readFilter(const ForeignOp &node,
                                    const ForeignTensor &input,
                                    ForeignTensor &filter,
                                    ForeignTensor &bias) {
  if (failed(readPair(node, 1, "W", input, filter)))
    return failure();
  if (!node.getOperand(2))
    return success();
  if (failed(readPair(node, 2, "B", input, bias)))
    return failure();
  if (bias.type.getRank() != 1)
    return node.refuse("B has type ", bias.type, ": expected rank 1");
  return success();
}

Value mlir::qdq::addBiasOfChannels(const ForeignOp &node, Value sum,
                                   const ForeignTensor &bias) {
  if (!bias)
    return sum;
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value term = node.materialize(bias);
  if (!isSingle(bias.type))
    assertSameSize(node, {term, 0, "B"}, {sum, 1, "the result"});
  return addTerm(b, sum, placeChannels(b, term, getRankedType(sum).getRank()));
}

/// Channels and spatial sizes of the filter, and windows in the input.
static void assertFilterFits(const ForeignOp &node, const Convolution &read,
                             Value input, Value filter) {
  assertSameSize(node, {input, 1, "X"}, {filter, 1, "W"}, read.groups);
  for (auto [dim, size] : llvm::enumerate(read.window.kernel))
    assertSize(node, {filter, 2 + static_cast<int64_t>(dim), "W"}, size);
  assertWindowFits(node, read.window, input, /*first=*/2);
}

static LogicalResult translateConv(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getFloats(node, 0, "X", 3);
  ForeignTensor filter, bias;
  if (failed(input) || failed(readFilter(node, *input, filter, bias)))
    return failure();
  FailureOr<Convolution> read = makeConvolution(node, *input, filter);
  if (failed(read) || failed(checkPerFilter(node, "B", bias, *read)))
    return failure();
  int64_t spatial = read->window.getRank();
  bool isAlone = filter.type.getDimSize(0) == read->groups &&
                 filter.type.getDimSize(1) == 1;
  if (read->groups > 1 && spatial == 3 && !isAlone)
    return node.refuse("has ", read->groups,
                       " groups and 3 spatial dimensions: expected 1 group, "
                       "or one for each channel and filter");
  if (read->groups > 1 && ShapedType::isDynamic(filter.type.getDimSize(0)))
    return node.refuse("W has type ", filter.type,
                       ": expected a static number of filters in groups");
  for (int64_t dim = 0; dim < spatial; ++dim)
    if (ShapedType::isDynamic(read->window.kernel[dim]))
      return node.refuse("W has type ", filter.type,
                         ": expected static spatial sizes");

  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(*input), w = node.materialize(filter);
  assertFilterFits(node, *read, x, w);
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  Sizes low(spatial), high(spatial);
  sizes[1] = tensor::getMixedSize(b, b.getLoc(), w, 0);
  for (int64_t dim = 0; dim < spatial; ++dim) {
    std::tie(low[dim], high[dim]) =
        getPads(b, read->window, dim, sizes[2 + dim]);
    sizes[2 + dim] = read->window.emitOutputSize(b, dim, sizes[2 + dim]);
  }
  x = padCodes(node, x, {}, 2, low, high);
  Value sum = convolve(b, x, w, read->groups, read->window, sizes);
  sum = addBiasOfChannels(node, sum, bias);
  return replaceBy(node, castFloats(b, sum, input->type.getElementType()));
}

ArrayRef<Operator> mlir::qdq::getProductOperators() {
  static const Operator kOperators[] = {
      {"onnx.Conv", {2, 3}, translateConv},
      {"onnx.Gemm", {2, 3}, translateGemm},
      {"onnx.MatMul", {2}, translateMatMul},
  };
  return kOperators;
}
