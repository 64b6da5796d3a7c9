// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Granularity by the shapes, as ONNX decides it.

#include "QuantizationParameters.h"
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
static FailureOr<int64_t> inferBlockSize(const ONNXNode &node, int64_t axis,
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

static bool differ(int64_t lhs, int64_t rhs) {
  return ShapedType::isStatic(lhs) && ShapedType::isStatic(rhs) && lhs != rhs;
}

FailureOr<Placement> mlir::qdq::getBlocks(const ONNXNode &node,
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

FailureOr<Placement> mlir::qdq::getPlacement(const ONNXNode &node,
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

FailureOr<ONNXTensor> mlir::qdq::getScale(const ONNXNode &node) {
  FailureOr<ONNXTensor> scale = node.getTensor(1, "scale");
  if (succeeded(scale) && !scale->getType().hasRank())
    return node.refuse("scale has type ", scale->getType(),
                       ": expected a ranked tensor, since its rank decides the "
                       "granularity");
  return scale;
}

FailureOr<ONNXTensor> mlir::qdq::getZeroPoint(const ONNXNode &node,
                                              TensorType scale,
                                              const Placement &placement) {
  if (!node.getOperand(2))
    return ONNXTensor();
  FailureOr<ONNXTensor> zeroPoint = node.getTensor(2, "zero point");
  if (failed(zeroPoint))
    return failure();
  TensorType type = zeroPoint->getType();
  bool isSameShape =
      placement.isTensor()
          ? isONNXScalar(type)
          : type.hasRank() && succeeded(verifyCompatibleShape(type, scale));
  if (!isSameShape)
    return node.refuse("zero point has type ", type,
                       ": expected the shape of the scale, ", scale);
  return zeroPoint;
}

LogicalResult mlir::qdq::checkZeroPointType(const ONNXNode &node,
                                            ONNXTensor zeroPoint,
                                            Type storage) {
  if (!zeroPoint ||
      isSameElementType(zeroPoint.getType().getElementType(), storage))
    return success();
  return node.refuse("zero point has element type ",
                     zeroPoint.getType().getElementType(), ": expected ",
                     storage, ", the quantized type");
}

FailureOr<QuantizationParameters>
mlir::qdq::getParameters(const ONNXNode &node, TensorType input, Type storage,
                         int64_t defaultAxis) {
  FailureOr<ONNXTensor> scale = getScale(node);
  FailureOr<int64_t> axis = node.getInteger("axis", defaultAxis);
  if (failed(scale) || failed(axis))
    return failure();
  auto scaleType = cast<RankedTensorType>(scale->getType());
  FailureOr<int64_t> blockSize =
      isQuarkModel(node.getOperation())
          ? getQuarkBlockSize(node, input, scaleType, *axis)
          : node.getInteger("block_size", 0);
  if (failed(blockSize))
    return failure();
  FailureOr<Placement> placement =
      getPlacement(node, input, scaleType, *axis, *blockSize);
  if (failed(placement))
    return failure();
  FailureOr<ONNXTensor> zeroPoint = getZeroPoint(node, scaleType, *placement);
  if (failed(zeroPoint) ||
      failed(checkZeroPointType(node, *zeroPoint, storage)))
    return failure();
  return QuantizationParameters{*placement, *scale, *zeroPoint};
}

LogicalResult mlir::qdq::checkShape(const ONNXNode &node, TensorType input,
                                    TensorType result) {
  if (succeeded(verifyCompatibleShape(input, result)))
    return success();
  return node.refuse("input ", input, " and result ", result,
                     " differ in shape");
}

static Value materializeParameter(const ONNXNode &node,
                                  const Placement &placement,
                                  ONNXTensor value) {
  if (!value)
    return nullptr;
  return placement.isTensor() ? node.materializeSingle(value)
                              : node.materialize(value);
}

Value mlir::qdq::materializeScale(const ONNXNode &node,
                                  const QuantizationParameters &parameters) {
  return materializeParameter(node, parameters.placement, parameters.scale);
}

static ZeroPointDomainAttr
getDomainAttr(const ONNXNode &node, const QuantizationParameters &parameters) {
  if (parameters.domain == ZeroPointDomain::Stored)
    return nullptr;
  return ZeroPointDomainAttr::get(node.getRewriter().getContext(),
                                  parameters.domain);
}

Value mlir::qdq::createQuantize(const ONNXNode &node, ONNXTensor input,
                                Type storage,
                                const QuantizationParameters &parameters,
                                SemanticsAttr semantics, Value scale) {
  const Placement &placement = parameters.placement;
  if (!scale)
    scale = materializeScale(node, parameters);
  Value zeroPoint = materializeParameter(node, placement, parameters.zeroPoint);
  TensorType inputType = input.getType();
  return QuantizeOp::create(
      node.getRewriter(), node.getLoc(), inputType.clone(storage),
      node.materialize(input), scale, zeroPoint, placement.axis,
      placement.blockShape, /*clamp=*/nullptr, getDomainAttr(node, parameters),
      semantics, /*seed=*/nullptr, /*runtime_seed=*/nullptr);
}

Value mlir::qdq::createDequantize(const ONNXNode &node, ONNXTensor input,
                                  Type expressed,
                                  const QuantizationParameters &parameters,
                                  SemanticsAttr semantics) {
  const Placement &placement = parameters.placement;
  Value scale = materializeScale(node, parameters);
  Value zeroPoint = materializeParameter(node, placement, parameters.zeroPoint);
  TensorType inputType = input.getType();
  return DequantizeOp::create(
      node.getRewriter(), node.getLoc(), inputType.clone(expressed),
      node.materialize(input), scale, zeroPoint, placement.axis,
      placement.blockShape, /*clamp=*/nullptr, getDomainAttr(node, parameters),
      semantics);
}
