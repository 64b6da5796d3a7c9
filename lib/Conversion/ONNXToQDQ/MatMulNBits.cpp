// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's MatMulNBits to qdq and a contraction.

#include "MatMulNBits.h"
#include "../ForeignOps/TensorOps.h"
#include "Translations.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

/// Sizes beyond this make products that 64 bits do not hold.
static constexpr int64_t kMaxSize = int64_t(1) << 31;

static FailureOr<NBitsLayout> readLayout(const ForeignOp &node) {
  FailureOr<int64_t> rows = node.getInteger("N", 0);
  FailureOr<int64_t> columns = node.getInteger("K", 0);
  FailureOr<int64_t> bits = node.getInteger("bits", 4);
  FailureOr<int64_t> block = node.getInteger("block_size", 0);
  FailureOr<int64_t> accuracy = node.getInteger("accuracy_level", 0);
  FailureOr<int64_t> prepacked = node.getInteger("weight_prepacked", 0);
  if (failed(rows) || failed(columns) || failed(bits) || failed(block) ||
      failed(accuracy) || failed(prepacked))
    return failure();
  for (auto [name, size] : {std::pair("N", *rows), std::pair("K", *columns)})
    if (size < 1 || size > kMaxSize)
      return node.refuse("attribute '", name, "' is ", size,
                         ": expected a size from 1 to 2^31");
  if (*bits != 2 && *bits != 4 && *bits != 8)
    return node.refuse("bits is ", *bits, ": expected 2, 4 or 8");
  if (*block < 16 || *block > kMaxSize || !llvm::isPowerOf2_64(*block))
    return node.refuse("block_size is ", *block,
                       ": expected a power of two, 16 or more");
  if (*accuracy < 0 || *accuracy > 4)
    return node.refuse("accuracy_level is ", *accuracy, ": expected 0 to 4");
  if (*prepacked != 0)
    return node.refuse("weight_prepacked is ", *prepacked,
                       ": the layout of a GPU's kernel is not known here");
  return NBitsLayout{*rows, *columns, *bits, *block, *accuracy};
}

/// Reads an operand of the given shape, or of rank 1 with as many elements,
/// which older models have. The type that it leaves is the static one.
static FailureOr<ForeignTensor> readOperand(const ForeignOp &node,
                                            unsigned index, StringRef name,
                                            ArrayRef<int64_t> shape) {
  FailureOr<ForeignTensor> tensor = node.getTensor(index, name);
  if (failed(tensor))
    return failure();
  TensorType type = tensor->type;
  auto expected = RankedTensorType::get(shape, type.getElementType());
  auto flat =
      RankedTensorType::get(expected.getNumElements(), type.getElementType());
  bool isExpected = succeeded(verifyCompatibleShape(type, expected));
  if (!type.hasRank() ||
      (!isExpected && failed(verifyCompatibleShape(type, flat))))
    return node.refuse(name, " has type ", type, ": expected ", expected);
  if (type.hasStaticShape())
    return tensor;
  if (!tensor->value || tensor->value.getType() != type)
    return node.refuse(name, " has type ", type, ": expected static sizes");
  RankedTensorType known = isExpected ? expected : flat;
  Value cast = tensor::CastOp::create(node.getRewriter(), node.getLoc(), known,
                                      tensor->value);
  return ForeignTensor{cast, known, {}};
}

static LogicalResult readZeroPoint(const ForeignOp &node, NBitsNode &n) {
  const NBitsLayout &layout = n.layout;
  if (!node.getOperand(3))
    return success();
  FailureOr<ForeignTensor> any = node.getTensor(3, "zero_points");
  if (failed(any))
    return failure();
  Type element = any->type.getElementType();
  bool isPacked = isCode8(element) && element.isUnsignedInteger();
  if (!isPacked && element != n.input.type.getElementType())
    return node.refuse("zero_points has element type ", element,
                       ": expected ui8, or ", n.input.type.getElementType(),
                       ", the type of A");
  int64_t blocks = layout.getBlocks();
  FailureOr<ForeignTensor> zeroPoint =
      readOperand(node, 3, "zero_points",
                  {layout.rows, isPacked ? layout.getBytes(blocks) : blocks});
  if (failed(zeroPoint))
    return failure();
  n.zeroPoint = *zeroPoint;
  return success();
}

static FailureOr<NBitsNode> readNBitsNode(const ForeignOp &node) {
  FailureOr<NBitsLayout> layout = readLayout(node);
  FailureOr<ForeignTensor> input = node.getTensor(0, "A");
  FailureOr<TensorType> result = node.getResultType(0);
  if (failed(layout) || failed(input) || failed(result))
    return failure();
  NBitsNode n{*layout, *input, {}, {}, {}, {}, {}, *result};
  Type real = input->type.getElementType();
  if (!input->type.hasRank() || input->type.getRank() == 0 ||
      !(real.isF16() || real.isBF16() || real.isF32()))
    return node.refuse("A has type ", input->type,
                       ": expected f16, bf16 or f32 with a last dimension of ",
                       layout->columns);
  if (differ(input->type.getShape().back(), layout->columns))
    return node.refuse("A has type ", input->type,
                       ": expected a last "
                       "dimension of ",
                       layout->columns, ", which is K");
  SmallVector<int64_t> shape(input->type.getShape());
  shape.back() = layout->rows;
  auto expected = RankedTensorType::get(shape, real);
  if (result->getElementType() != real ||
      failed(verifyCompatibleShape(*result, expected)))
    return node.refuse("result has type ", *result, ": expected ", expected);
  n.result = expected;

  int64_t blocks = layout->getBlocks();
  FailureOr<ForeignTensor> weight = readOperand(
      node, 1, "B", {layout->rows, blocks, layout->getBytes(layout->block)});
  FailureOr<ForeignTensor> scale =
      readOperand(node, 2, "scales", {layout->rows, blocks});
  if (failed(weight) || failed(scale) || failed(readZeroPoint(node, n)))
    return failure();
  if (!weight->type.getElementType().isUnsignedInteger(8))
    return node.refuse("B has type ", weight->type, ": expected ui8");
  if (scale->type.getElementType() != real)
    return node.refuse("scales has type ", scale->type, ": expected ", real,
                       ", the type of A");
  n.weight = *weight;
  n.scale = *scale;
  if (node.getOperand(4)) {
    int64_t padded = blocks * layout->block;
    FailureOr<ForeignTensor> groups = node.getTensor(4, "g_idx");
    if (failed(groups))
      return failure();
    TensorType type = groups->type;
    if (!type.getElementType().isSignlessInteger(32) || !type.hasRank() ||
        type.getRank() != 1 ||
        (type.getDimSize(0) != padded && type.getDimSize(0) != layout->columns))
      return node.refuse("g_idx has type ", type, ": expected i32 of ",
                         layout->columns, " or ", padded, " elements");
    n.groups = *groups;
  }
  if (node.getOperand(5)) {
    FailureOr<ForeignTensor> bias =
        readOperand(node, 5, "bias", {layout->rows});
    if (failed(bias))
      return failure();
    if (bias->type.getElementType() != real)
      return node.refuse("bias has type ", bias->type, ": expected ", real,
                         ", the type of A");
    n.bias = *bias;
  }
  return n;
}

/// ONNX Runtime has no integer kernel for other forms. That for 2 bits has
/// blocks of 32, 64 and 128.
static bool isInteger(const NBitsNode &n) {
  const NBitsLayout &layout = n.layout;
  bool hasBlock =
      layout.bits != 2 || (layout.block >= 32 && layout.block <= 128);
  return layout.accuracy == 4 && hasBlock && !n.groups &&
         !(n.zeroPoint && isa<FloatType>(n.zeroPoint.type.getElementType()));
}

/// ONNX Runtime 1.31.1 reads no packed zero points beside groups: codes of 4
/// bits, the only ones that its kernel has there, lie around 8.
static bool ignoresZeroPoint(const NBitsNode &n, const Stamp &stamp) {
  return stamp.getProfile() == Profile::ORT && n.groups && n.zeroPoint &&
         isa<IntegerType>(n.zeroPoint.type.getElementType()) &&
         n.layout.bits == 4;
}

LogicalResult mlir::qdq::translateMatMulNBits(const ForeignOp &node,
                                              const Stamp &stamp) {
  FailureOr<NBitsNode> n = readNBitsNode(node);
  if (failed(n))
    return failure();
  if (ignoresZeroPoint(*n, stamp)) {
    node.getOperation()->emitRemark(
        "its packed zero points are ignored, as ONNX Runtime does beside "
        "g_idx: all are 8; under another profile they are those of the groups");
    n->zeroPoint = {};
  }
  Value sum = isInteger(*n) ? multiplyQuantized(node, *n, stamp)
                            : multiplyDequantized(node, *n, stamp);
  Value bias = n->bias ? node.materialize(n->bias) : Value();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  return node.replace(addBias(b, sum, bias, n->result.getElementType()));
}
