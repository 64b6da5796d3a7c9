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
  if (axis < -rank || axis >= rank)
    return node.refuse("axis ", axis,
                       node.has("axis") ? "" : " (where 'axis' is absent)",
                       " is out of range for the input ", input, ": expected ",
                       -rank, " to ", rank - 1);
  if (axis < 0)
    axis += rank;

  if (isPerAxis) {
    if (differ(scale.getDimSize(0), input.getDimSize(axis)))
      return node.refuse("scale has ", scale.getDimSize(0),
                         " elements: expected 1, or ", input.getDimSize(axis),
                         ", the size of dimension ", axis, " of ", input);
    return Placement{b.getI64IntegerAttr(axis), nullptr};
  }

  if (blockSize == 0) {
    FailureOr<int64_t> inferred = inferBlockSize(
        node, axis, input.getDimSize(axis), scale.getDimSize(axis));
    if (failed(inferred))
      return failure();
    blockSize = *inferred;
  }
  return getBlocks(node, input, scale, axis, blockSize);
}

FailureOr<ForeignTensor> mlir::qdq::getScale(const ForeignOp &node) {
  FailureOr<ForeignTensor> scale = node.getTensor(1, "scale");
  if (succeeded(scale) && !scale->type.hasRank())
    return node.refuse("scale has type ", scale->type,
                       ": expected a ranked tensor, since its rank decides the "
                       "granularity");
  return scale;
}

FailureOr<ForeignTensor> mlir::qdq::getZeroPoint(const ForeignOp &node,
                                                 TensorType scale,
                                                 const Placement &placement) {
  if (!node.getOperand(2))
    return ForeignTensor();
  FailureOr<ForeignTensor> zeroPoint = node.getTensor(2, "zero point");
  if (failed(zeroPoint))
    return failure();
  TensorType type = zeroPoint->type;
  bool isSameShape =
      placement.isTensor()
          ? isONNXScalar(type)
          : type.hasRank() && succeeded(verifyCompatibleShape(type, scale));
  if (!isSameShape)
    return node.refuse("zero point has type ", type,
                       ": expected the shape of the scale, ", scale);
  return zeroPoint;
}

LogicalResult mlir::qdq::checkShape(const ForeignOp &node, TensorType input,
                                    TensorType result) {
  if (succeeded(verifyCompatibleShape(input, result)))
    return success();
  return node.refuse("input ", input, " and result ", result,
                     " differ in shape");
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
  FailureOr<ForeignTensor> input = node.getTensor(0, "input");
  FailureOr<TensorType> result = node.getResultType(0);
  FailureOr<ForeignTensor> scale = getScale(node);
  if (failed(input) || failed(result) || failed(scale) ||
      failed(checkShape(node, input->type, *result)))
    return failure();
  bool isQuantize = rules.direction == Direction::Quantize;
  const TypeRule &from = isQuantize ? rules.expressed : rules.storage;
  const TypeRule &to = isQuantize ? rules.storage : rules.expressed;
  Type source = input->type.getElementType(), target = result->getElementType();
  if (failed(checkType(node, "input", source, from)) ||
      failed(checkType(node, "result", target, to)) ||
      failed(
          checkType(node, "scale", scale->type.getElementType(), rules.scale)))
    return failure();

  auto scaleType = cast<RankedTensorType>(scale->type);
  FailureOr<int64_t> axis = rules.getAxis(node, input->type, scaleType);
  if (failed(axis))
    return failure();
  FailureOr<int64_t> blockSize =
      getBlockSize(node, input->type, scaleType, *axis,
                   rules.isQuark || isQuarkModel(node.getOperation()));
  if (failed(blockSize))
    return failure();
  FailureOr<Placement> placement =
      getPlacement(node, input->type, scaleType, *axis, *blockSize);
  if (failed(placement))
    return failure();
  FailureOr<ForeignTensor> zeroPoint =
      getZeroPoint(node, scaleType, *placement);
  if (failed(zeroPoint))
    return failure();
  Type storage = isQuantize ? target : source;
  if (*zeroPoint &&
      !isSameElementType(zeroPoint->type.getElementType(), storage))
    return node.refuse("zero point has element type ",
                       zeroPoint->type.getElementType(), ": expected ", storage,
                       ", the quantized type");
  return LinearNode{*input, rules.direction, isQuantize ? source : target,
                    storage,
                    QuantizationParameters{*placement, *scale, *zeroPoint}};
}
