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
  Reader read;
  NBitsLayout layout;
  layout.rows = read(node.getInteger("N", 0));
  layout.columns = read(node.getInteger("K", 0));
  layout.bits = read(node.getInteger("bits", 4));
  layout.block = read(node.getInteger("block_size", 0));
  layout.accuracy = read(node.getInteger("accuracy_level", 0));
  int64_t prepacked = read(node.getInteger("weight_prepacked", 0));
  if (failed(read))
    return failure();
  for (auto [name, size] :
       {std::pair("N", layout.rows), std::pair("K", layout.columns)})
    if (size < 1 || size > kMaxSize)
      return node.refuse("attribute '", name, "' is ", size,
                         ": expected a size from 1 to 2^31");
  int64_t bits = layout.bits, block = layout.block;
  if (bits != 2 && bits != 4 && bits != 8)
    return node.refuse("bits is ", bits, ": expected 2, 4 or 8");
  if (block < 16 || block > kMaxSize || !llvm::isPowerOf2_64(block))
    return node.refuse("block_size is ", block,
                       ": expected a power of two, 16 or more");
  if (layout.accuracy < 0 || layout.accuracy > 4)
    return node.refuse("accuracy_level is ", layout.accuracy,
                       ": expected 0 to 4");
  if (prepacked != 0)
    return node.refuse("weight_prepacked is ", prepacked,
                       ": the layout of a GPU's kernel is not known here");
  return layout;
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

/// Of codes ui8 or of elements of the type of A.
static FailureOr<ForeignTensor>
readZeroPoint(const ForeignOp &node, const NBitsLayout &layout, Type real) {
  FailureOr<ForeignTensor> any = node.getTensor(3, "zero_points");
  if (failed(any))
    return failure();
  Type element = any->type.getElementType();
  bool isPacked = element.isUnsignedInteger(8);
  if (!isPacked && element != real)
    return node.refuse("zero_points has element type ", element,
                       ": expected ui8, or ", real, ", the type of A");
  int64_t blocks = layout.getBlocks();
  return readOperand(
      node, 3, "zero_points",
      {layout.rows, isPacked ? layout.getBytes(blocks) : blocks});
}

static FailureOr<NBitsNode> readNBitsNode(const ForeignOp &node) {
  Reader read;
  NBitsNode n;
  n.layout = read(readLayout(node));
  n.input = read(node.getTensor(0, "A"));
  TensorType result = read(node.getResultType(0));
  if (failed(read))
    return failure();
  const NBitsLayout &layout = n.layout;
  TensorType input = n.input.type;
  Type real = input.getElementType();
  if (!input.hasRank() || input.getRank() == 0 || !isReal(real))
    return node.refuse("A has type ", input,
                       ": expected f16, bf16 or f32 with a last dimension of ",
                       layout.columns);
  if (differ(input.getShape().back(), layout.columns))
    return node.refuse("A has type ", input,
                       ": expected a last "
                       "dimension of ",
                       layout.columns, ", which is K");
  SmallVector<int64_t> shape(input.getShape());
  shape.back() = layout.rows;
  auto expected = RankedTensorType::get(shape, real);
  if (result.getElementType() != real ||
      failed(verifyCompatibleShape(result, expected)))
    return node.refuse("result has type ", result, ": expected ", expected);
  n.result = expected;

  int64_t blocks = layout.getBlocks(), padded = blocks * layout.block;
  n.weight = read(readOperand(
      node, 1, "B", {layout.rows, blocks, layout.getBytes(layout.block)}));
  n.scale = read(readOperand(node, 2, "scales", {layout.rows, blocks}));
  if (failed(read))
    return failure();
  if (node.getOperand(3))
    n.zeroPoint = read(readZeroPoint(node, layout, real));
  if (failed(read))
    return failure();
  if (!n.weight.type.getElementType().isUnsignedInteger(8))
    return node.refuse("B has type ", n.weight.type, ": expected ui8");
  auto checkReal = [&](StringRef name, const ForeignTensor &tensor) {
    if (!tensor || tensor.type.getElementType() == real)
      return success();
    return node.refuse(name, " has type ", tensor.type, ": expected ", real,
                       ", the type of A");
  };
  if (failed(checkReal("scales", n.scale)))
    return failure();
  auto isPerColumn = [&](RankedTensorType type) {
    return type.getElementType().isSignlessInteger(32) && type.getRank() == 1 &&
           (type.getDimSize(0) == padded ||
            type.getDimSize(0) == layout.columns);
  };
  n.groups =
      read(node.getOptional(4, "g_idx", isPerColumn, "i32 of ", layout.columns,
                            " or ", padded, " elements"));
  if (failed(read))
    return failure();
  if (node.getOperand(5))
    n.bias = read(readOperand(node, 5, "bias", {layout.rows}));
  if (failed(read) || failed(checkReal("bias", n.bias)))
    return failure();
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
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  return node.replace(
      addBias(b, sum, node.materialize(n->bias), n->result.getElementType()));
}
