// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of nodes, and granularity by the shapes, as ONNX decides it.

#include "LinearNode.h"
#include "Translations.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;

bool mlir::qdq::isSameElementType(Type lhs, Type rhs) {
  auto normalize = [](Type type) -> Type {
    if (type.isSignedInteger())
      return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
    return type;
  };
  return normalize(lhs) == normalize(rhs);
}

bool mlir::qdq::isONNXScalar(TensorType type) {
  return type.hasRank() && (type.getRank() == 0 ||
                            (type.getRank() == 1 && type.getDimSize(0) == 1));
}

/// The block length along a dimension that is not given: any B with ceil(size /
/// B) == count.
static FailureOr<int64_t> inferBlockSize(const ForeignOp &node, int64_t axis,
                                         int64_t size, int64_t count) {
  if (count == 1)
    return 0; // The whole dimension, of any size.
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(count))
    return node.refuse("has a blocked scale without 'block_size', and "
                       "dimension ",
                       axis,
                       " of the input or the scale is dynamic: expected "
                       "'block_size'");
  if (size == count)
    return 1;
  int64_t lowest = 1, highest = 0;
  if (count > 1) {
    lowest = llvm::divideCeilSigned(size, count);
    highest = llvm::divideCeilSigned(size, count - 1) - 1;
  }
  if (lowest == highest)
    return lowest;
  if (lowest > highest)
    return node.refuse("scale has size ", count, " in dimension ", axis,
                       ", where the input has ", size,
                       ": no block size makes that many blocks");
  return node.refuse("has a blocked scale without 'block_size', and every "
                     "block size from ",
                     lowest, " to ", highest, " makes ", count, " blocks of ",
                     size, " elements (dimension ", axis,
                     "): expected 'block_size'");
}

FailureOr<Placement> mlir::qdq::getBlocks(const ForeignOp &node,
                                          TensorType input,
                                          RankedTensorType scale, int64_t axis,
                                          int64_t blockSize) {
  int64_t rank = input.getRank();
  int64_t size = input.getDimSize(axis), count = scale.getDimSize(axis);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis && differ(scale.getDimSize(dim), input.getDimSize(dim)))
      return node.refuse("scale has size ", scale.getDimSize(dim),
                         " in dimension ", dim, ": expected ",
                         input.getDimSize(dim), " as in ", input,
                         ", since blocks lie along axis ", axis, " only");
  if (blockSize == 0 && differ(count, 1))
    return node.refuse("scale has size ", count, " in dimension ", axis,
                       ": expected 1, for the whole dimension");
  if (blockSize != 0 && ShapedType::isStatic(size) &&
      differ(count, llvm::divideCeilSigned(size, blockSize)))
    return node.refuse("scale has size ", count, " in dimension ", axis,
                       ": expected ", llvm::divideCeilSigned(size, blockSize),
                       ", the number of blocks of ", blockSize, " in ", size);
  SmallVector<int64_t> blockShape(rank, 1);
  blockShape[axis] = blockSize;
  Builder &b = node.getRewriter();
  return Placement{nullptr, b.getDenseI64ArrayAttr(blockShape)};
}

FailureOr<Placement> mlir::qdq::getPlacement(const ForeignOp &node,
                                             TensorType input,
                                             RankedTensorType scale,
                                             int64_t axis, int64_t blockSize) {
  if (blockSize < 0)
    return node.refuse("block_size is ", blockSize,
                       ": expected a block length, or 0");
  Builder &b = node.getRewriter();
  int64_t scaleRank = scale.getRank();
  bool isVector = input.hasRank() && input.getRank() == 1;
  if (isONNXScalar(scale) && !(scaleRank == 1 && isVector && blockSize != 0))
    return Placement();
  bool isPerAxis = scaleRank == 1 && blockSize == 0;
  if (!input.hasRank()) {
    if (isPerAxis)
      return Placement{b.getI64IntegerAttr(axis), nullptr};
    return node.refuse("has a blocked scale, ", scale,
                       ", which needs a ranked input, not ", input);
  }
  int64_t rank = input.getRank();
  if (!isPerAxis && scaleRank != rank)
    return node.refuse("scale has type ", scale,
                       " with block_size = ", blockSize,
                       ": expected a scalar, rank 1 with "
                       "block_size = 0 (per axis), or rank ",
                       rank, " like the input (blocked)");
  FailureOr<int64_t> dim =
      normalizeAxis(node, axis, rank, "axis ", axis,
                    node.has("axis") ? "" : " (where 'axis' is absent)",
                    " is out of range for the input ", input);
  if (failed(dim))
    return failure();
  int64_t size = input.getDimSize(*dim);
  if (isPerAxis) {
    if (differ(scale.getDimSize(0), size))
      return node.refuse("scale has ", scale.getDimSize(0),
                         " elements: expected 1, or ", size,
                         ", the size of dimension ", *dim, " of ", input);
    return Placement{b.getI64IntegerAttr(*dim), nullptr};
  }
  FailureOr<int64_t> length = blockSize;
  if (blockSize == 0)
    length = inferBlockSize(node, *dim, size, scale.getDimSize(*dim));
  if (failed(length))
    return failure();
  return getBlocks(node, input, scale, *dim, *length);
}

FailureOr<ForeignTensor> mlir::qdq::getScale(const ForeignOp &node) {
  return node.getTensor(
      1, "scale", [](RankedTensorType) { return true; },
      "a ranked tensor, since its rank decides the granularity");
}

FailureOr<ForeignTensor> mlir::qdq::getZeroPoint(const ForeignOp &node,
                                                 TensorType scale,
                                                 const Placement &placement) {
  auto fits = [&](RankedTensorType type) {
    return placement.isTensor() ? isONNXScalar(type)
                                : succeeded(verifyCompatibleShape(type, scale));
  };
  return node.getOptional(2, "zero point", fits, "the shape of the scale, ",
                          scale);
}

static LogicalResult checkType(const ForeignOp &node, StringRef name, Type type,
                               const TypeRule &rule) {
  if (rule.allows(type))
    return success();
  return node.refuse(name, " has element type ", type, ": expected ",
                     rule.expected);
}

/// Quark leaves `block_size` out of blocked nodes, ONNX's own too; the blocks
/// are then full ones, if the sizes allow it. 0 where the node has no size and
/// no such blocks.
static FailureOr<int64_t> getBlockSize(const ForeignOp &node, TensorType input,
                                       RankedTensorType scale, int64_t axis,
                                       bool isQuark) {
  FailureOr<int64_t> given = node.getInteger("block_size", 0);
  if (failed(given) || *given != 0 || !isQuark || scale.getRank() < 2 ||
      !input.hasRank() || input.getRank() != scale.getRank())
    return given;
  int64_t rank = input.getRank();
  int64_t dim = axis < 0 ? axis + rank : axis;
  if (dim < 0 || dim >= rank || input.isDynamicDim(dim) ||
      scale.isDynamicDim(dim))
    return given;
  int64_t size = input.getDimSize(dim), count = scale.getDimSize(dim);
  return count > 0 && size % count == 0 ? size / count : 0;
}

FailureOr<LinearNode> mlir::qdq::readLinearNode(const ForeignOp &node,
                                                const LinearRules &rules) {
  Reader read;
  LinearNode n;
  n.input = read(node.getTensor(0, "input"));
  TensorType result = read(node.getResultType(0));
  n.parameters.scale = read(getScale(node));
  TensorType input = n.input.type;
  if (failed(read) ||
      failed(checkSameShape(node, "input", input, "result", result)))
    return failure();
  n.direction = rules.direction;
  n.expressed = input.getElementType();
  n.storage = result.getElementType();
  if (rules.direction == Direction::Dequantize)
    std::swap(n.expressed, n.storage);
  bool isQuantize = rules.direction == Direction::Quantize;
  const TypeRule &from = isQuantize ? rules.expressed : rules.storage;
  const TypeRule &to = isQuantize ? rules.storage : rules.expressed;
  if (failed(checkType(node, "input", input.getElementType(), from)) ||
      failed(checkType(node, "result", result.getElementType(), to)) ||
      failed(checkType(node, "scale", n.getScaleType(), rules.scale)))
    return failure();

  auto scale = cast<RankedTensorType>(n.parameters.scale.type);
  FailureOr<int64_t> axis = rules.getAxis(node, input, scale);
  if (failed(axis))
    return failure();
  FailureOr<int64_t> blockSize =
      getBlockSize(node, input, scale, *axis,
                   rules.isQuark || isQuarkModel(node.getOperation()));
  if (failed(blockSize))
    return failure();
  n.parameters.placement =
      read(getPlacement(node, input, scale, *axis, *blockSize));
  if (failed(read))
    return failure();
  n.parameters.zeroPoint =
      read(getZeroPoint(node, scale, n.parameters.placement));
  if (failed(read))
    return failure();
  if (const ForeignTensor &zeroPoint = n.parameters.zeroPoint;
      zeroPoint &&
      !isSameElementType(zeroPoint.type.getElementType(), n.storage))
    return node.refuse("zero point has element type ",
                       zeroPoint.type.getElementType(), ": expected ",
                       n.storage, ", the quantized type");
  return n;
}
