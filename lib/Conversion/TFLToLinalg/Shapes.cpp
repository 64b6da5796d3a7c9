// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that move elements. The translations of codes move others, too.

#include "../ForeignOps/Gather.h"
#include "../ForeignOps/TensorOps.h"
#include "../ForeignOps/Window.h"
#include "../TFLToQDQ/Translations.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/Conversion/TFLToQDQ/TFLToQDQ.h"
#include "qdq/IR/TensorSlice.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/Numerics/Storage.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

/// The translation of codes, of elements that are none.
template <LogicalResult (*translate)(const ForeignOp &, const Stamp &)>
static LogicalResult move(const ForeignOp &node, const Operator &self) {
  if (failed(node.checkArity(self.arity)))
    return failure();
  if (isTFLQuantizationOp(node.getOperation()))
    return node.refuse("has quantized operands or results, which "
                       "convert-tfl-to-qdq converts");
  return translate(node, Stamp{SemanticsOptions(), Profile::TFLite});
}

/// Dequantization of f16 weights: a cast of floats.
static LogicalResult translateDequantizeF16(const ForeignOp &node) {
  FailureOr<ForeignTensor> x = getFloats(node, 0, "input");
  RankedTensorType result = getResultShape(node);
  if (failed(x))
    return failure();
  if (!result || !isa<FloatType>(result.getElementType()))
    return node.refuse("result has no ranked type of floats");
  B b(node.getLoc(), node.getRewriter());
  return replaceBy(
      node, castFloats(b, node.materialize(*x), result.getElementType()));
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

static LogicalResult translateFloatPad(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input");
  if (failed(input))
    return failure();
  FailureOr<Padding> padding = readPadding(node, input->type.getRank());
  if (failed(padding))
    return failure();
  ForeignTensor value;
  if (node.getOperand(2)) {
    FailureOr<ForeignTensor> given =
        getSingle(node, 2, "constant_values", input->type.getElementType());
    if (failed(given))
      return failure();
    value = *given;
  }
  B b(node.getLoc(), node.getRewriter());
  return replaceBy(
      node, padCodes(node, node.materialize(*input), value,
                     /*first=*/0,
                     getAsIndexOpFoldResult(b.getContext(), padding->low),
                     getAsIndexOpFoldResult(b.getContext(), padding->high)));
}

/// The elements before the edge, once more; with `mode` 0 without the edge.
static LogicalResult translateMirrorPad(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input");
  FailureOr<int64_t> mode = node.getInteger("mode", 0);
  if (failed(input) || failed(mode))
    return failure();
  FailureOr<Padding> padding = readPadding(node, input->type.getRank());
  if (failed(padding))
    return failure();
  int64_t edge = *mode == 0 ? 1 : 0;
  B b(node.getLoc(), node.getRewriter());
  RankedTensorType type = getRankedType(*input);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t most = std::max(padding->low[dim], padding->high[dim]);
    if (most && (type.isDynamicDim(dim) || most > type.getDimSize(dim) - edge))
      return node.refuse("mirrors ", most, " elements of dimension ", dim,
                         " of ", type,
                         ": expected a static size that has them");
  }
  Value value = node.materialize(*input);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t low = padding->low[dim], high = padding->high[dim];
    if (low == 0 && high == 0)
      continue;
    int64_t size = type.getDimSize(dim);
    SmallVector<int64_t> places;
    for (int64_t at = -low; at < size + high; ++at)
      places.push_back(at < 0       ? -at - 1 + edge
                       : at >= size ? 2 * size - 1 - edge - at
                                    : at);
    value = takeAlong(b, value, dim, places);
  }
  return replaceBy(node, value);
}

//===----------------------------------------------------------------------===//
// Joining and repeating
//===----------------------------------------------------------------------===//

/// Tensors of one type as the parts of a new dimension.
static LogicalResult translatePack(const ForeignOp &node) {
  Operation *op = node.getOperation();
  FailureOr<ForeignTensor> first = getRanked(node, 0, "operand 0");
  if (failed(first))
    return failure();
  FailureOr<int64_t> axis = getAxis(node, 0, first->type.getRank() + 1);
  if (failed(axis))
    return failure();
  for (Type type : op->getOperandTypes())
    if (type != op->getOperand(0).getType() ||
        !cast<ShapedType>(type).hasStaticShape())
      return node.refuse("has operands ", op->getOperand(0).getType(), " and ",
                         type, ": expected one static type");
  B b(node.getLoc(), node.getRewriter());
  Type element = first->type.getElementType();
  SmallVector<Value> parts;
  for (Value operand : op->getOperands())
    parts.push_back(insertUnitDims(
        b,
        castElementType(b, b.getLoc(), operand,
                        getRankedType(operand).clone(toSignless(element))),
        {*axis}));
  Value joined = tensor::ConcatOp::create(b, *axis, parts);
  return replaceBy(node, joined);
}

/// The parts of a dimension, each without it.
static LogicalResult translateUnpack(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input", 1);
  if (failed(input))
    return failure();
  FailureOr<int64_t> axis = getAxis(node, 0, input->type.getRank());
  if (failed(axis))
    return failure();
  int64_t count = node.getOperation()->getNumResults();
  if (input->type.getDimSize(*axis) != count)
    return node.refuse("input has type ", input->type, ": expected ", count,
                       " elements in dimension ", *axis);
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(*input);
  TensorSlice slice(b, x);
  SmallVector<Value> parts;
  for (int64_t index = 0; index < count; ++index)
    parts.push_back(
        dropUnitDims(b, slice.cut(*axis, index, 1).take(x), {*axis}));
  return replaceByAll(node, parts);
}

/// Repeats a tensor to the static shape of the result.
static LogicalResult translateBroadcastTo(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input");
  FailureOr<SmallVector<int64_t>> shape =
      readConstantIntegers(node, 1, "shape");
  if (failed(input) || failed(shape))
    return failure();
  for (int64_t size : *shape)
    if (size < 0)
      return node.refuse("shape has ", size, ": expected sizes");
  int64_t offset = shape->size() - input->type.getRank();
  for (int64_t dim = 0; dim < input->type.getRank(); ++dim) {
    int64_t size = input->type.getDimSize(dim);
    if (offset < 0 || (size != 1 && size != (*shape)[offset + dim]))
      return node.refuse("input has type ", input->type,
                         ": expected one that is broadcast to the shape");
  }
  B b(node.getLoc(), node.getRewriter());
  return replaceBy(node,
                   broadcastTo(b, node.materialize(*input),
                               getAsIndexOpFoldResult(b.getContext(), *shape)));
}

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

static LogicalResult translateGather(const ForeignOp &node) {
  FailureOr<int64_t> batches = node.getInteger("batch_dims", 0);
  if (failed(batches))
    return failure();
  if (*batches != 0)
    return node.refuse("batch_dims is ", *batches, ": expected 0");
  const Operator &other = getOperator(getGatherOperators(), "onnx.Gather");
  return other.translate(node, other);
}

/// Rows of operand 1 at the indices of operand 0.
static LogicalResult translateEmbeddingLookup(const ForeignOp &node) {
  FailureOr<ForeignTensor> indices = getRanked(node, 0, "lookup");
  FailureOr<ForeignTensor> data = getRanked(node, 1, "value", 1);
  if (failed(indices) || failed(data))
    return failure();
  int64_t size = data->type.getDimSize(0);
  if (ShapedType::isDynamic(size) || size == 0 ||
      !indices->type.getElementType().isSignlessInteger(32))
    return node.refuse("lookup has type ", indices->type, " and value ",
                       data->type,
                       ": expected i32, and a static number of "
                       "rows");
  B b(node.getLoc(), node.getRewriter());
  Value places = node.materialize(*indices);
  OpFoldResult count = b.getIndexAttr(size);
  assertInRange(node, places, count);
  return replaceBy(node, gather(b, node.materialize(*data), places, 0, count));
}

/// The shape, in the element type of the result.
static LogicalResult translateShape(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input");
  RankedTensorType result = getResultShape(node);
  if (failed(input))
    return failure();
  if (!result || !result.getElementType().isSignlessInteger())
    return node.refuse("result is no ranked tensor of integers");
  B b(node.getLoc(), node.getRewriter());
  Type element = result.getElementType();
  Value x = node.materialize(*input);
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(input->type.getShape()))
    sizes.push_back(ShapedType::isDynamic(size)
                        ? Value(arith::IndexCastOp::create(
                              b, element, tensor::DimOp::create(b, x, dim)))
                        : createNumber(b, element, size));
  auto type = RankedTensorType::get(sizes.size(), element);
  return replaceBy(node, tensor::FromElementsOp::create(b, type, sizes));
}

/// [N, H, W, C] and blocks of `block_size` by `block_size` of H and W, which
/// are the slow part of C.
static LogicalResult translateBlocks(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "input", 4);
  FailureOr<int64_t> block = node.getInteger("block_size", 0);
  if (failed(input) || failed(block))
    return failure();
  bool isDepth =
      node.getOperation()->getName().getStringRef() == "tfl.depth_to_space";
  ArrayRef<int64_t> x = input->type.getShape();
  int64_t s = *block;
  if (x.size() != 4 || ShapedType::isDynamicShape(x) || s < 1 ||
      s > INT16_MAX || llvm::is_contained(x, 0) ||
      (isDepth ? x[3] % (s * s) != 0 : x[1] % s != 0 || x[2] % s != 0))
    return node.refuse("input has type ", input->type, " and block_size is ", s,
                       ": expected static sizes that blocks divide");
  B b(node.getLoc(), node.getRewriter());
  auto as = [&](Value value, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
    return reshapeTo(b, value, getAsIndexOpFoldResult(b.getContext(), from),
                     getAsIndexOpFoldResult(b.getContext(), to));
  };
  SmallVector<int64_t> inner, moved, result, order = {0, 1, 3, 2, 4, 5};
  if (isDepth) {
    int64_t depth = x[3] / (s * s);
    inner = {x[0], x[1], x[2], s, s, depth};
    result = {x[0], x[1] * s, x[2] * s, depth};
  } else {
    inner = {x[0], x[1] / s, s, x[2] / s, s, x[3]};
    result = {x[0], x[1] / s, x[2] / s, x[3] * s * s};
  }
  for (int64_t dim : order)
    moved.push_back(inner[dim]);
  Value value = onSignless(b, node.materialize(*input), [&](Value source) {
    return as(transpose(b, as(source, x, inner), order), moved, result);
  });
  return replaceBy(node, value);
}

ArrayRef<Operator> mlir::qdq::getTFLShapeOperators() {
  static const auto table = [] {
    SmallVector<Operator> rows = {
        {"tfl.broadcast_to", {2}, translateBroadcastTo},
        {"tfl.concatenation", {1, kMany}, move<translateConcatenation>},
        {"tfl.depth_to_space", {1}, translateBlocks},
        {"tfl.dequantize", {1}, translateDequantizeF16},
        {"tfl.embedding_lookup", {2}, translateEmbeddingLookup},
        {"tfl.expand_dims", {1, 2}, move<translateReshape>},
        {"tfl.gather", {2}, translateGather},
        {"tfl.mirror_pad", {2}, translateMirrorPad},
        {"tfl.pack", {1, kMany}, translatePack},
        {"tfl.pad", {2, 3}, translateFloatPad},
        {"tfl.padv2", {2, 3}, translateFloatPad},
        {"tfl.pseudo_const", {0}, move<translateConstant>},
        {"tfl.reshape", {1, 2}, move<translateReshape>},
        {"tfl.shape", {1}, translateShape},
        {"tfl.slice", {3}, move<translateSlice>},
        {"tfl.space_to_depth", {1}, translateBlocks},
        {"tfl.split", {2, 2, kMany}, move<translateSplit>},
        {"tfl.split_v", {3, 3, kMany}, move<translateSplitV>},
        {"tfl.squeeze", {1, 2}, move<translateReshape>},
        {"tfl.strided_slice", {4}, move<translateStridedSlice>},
        {"tfl.transpose", {2}, move<translateTranspose>},
        {"tfl.unpack", {1, 1, kMany}, translateUnpack},
    };
    rows.push_back(getOperator(getShapeOperators(), "onnx.Tile"));
    rows.back().name = "tfl.tile";
    return rows;
  }();
  return table;
}
