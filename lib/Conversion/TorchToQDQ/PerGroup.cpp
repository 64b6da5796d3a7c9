// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators with a scale for each channel, token or group of elements: of
// quantized_decomposed, and torchao's affine ones.

#include "AffineNode.h"
#include "TorchScalars.h"
#include "Translations.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Where parameters belong
//===----------------------------------------------------------------------===//

/// A list of parameters for the indices of the axis.
static FailureOr<Placement> getChannels(const ForeignOp &node, TensorType input,
                                        TensorType scale) {
  FailureOr<int64_t> axis = getInt(node, 3, "axis");
  if (failed(axis))
    return failure();
  if (!input.hasRank())
    return node.refuse("input has type ", input, ": expected a ranked tensor");
  FailureOr<int64_t> dim =
      normalizeAxis(node, *axis, input.getRank(), "axis is ", *axis,
                    ", out of range for input ", input);
  if (failed(dim))
    return failure();
  if (scale.getRank() != 1 ||
      differ(scale.getDimSize(0), input.getDimSize(*dim)))
    return node.refuse("scales has type ", scale, ": expected ",
                       input.getDimSize(*dim),
                       " elements, one for each index "
                       "of dimension ",
                       *dim, " of ", input);
  return Placement{node.getRewriter().getI64IntegerAttr(*dim), nullptr};
}

/// Refuses parameters that are not one for each block.
static FailureOr<Placement> checkBlocks(const ForeignOp &node, TensorType input,
                                        TensorType scale,
                                        ArrayRef<int64_t> blocks) {
  bool fits = scale.getRank() == input.getRank();
  SmallVector<int64_t> expected(input.getShape());
  for (auto [dim, block] : llvm::enumerate(blocks)) {
    int64_t &size = expected[dim];
    if (block == 0)
      size = 1;
    else if (ShapedType::isStatic(size))
      size = llvm::divideCeilSigned(size, block);
    fits = fits && !differ(scale.getDimSize(dim), size);
  }
  if (!fits)
    return node.refuse("scales has type ", scale, ": expected ",
                       RankedTensorType::get(expected, scale.getElementType()));
  return Placement{nullptr, node.getRewriter().getDenseI64ArrayAttr(blocks)};
}

/// Parameters [..., 1] for the vectors of the last dimension.
static FailureOr<Placement> getTokens(const ForeignOp &node, TensorType input,
                                      TensorType scale) {
  if (!input.hasRank() || input.getRank() == 0)
    return node.refuse("input has type ", input,
                       ": expected a ranked tensor of one dimension or more");
  SmallVector<int64_t> blocks(input.getRank(), 1);
  blocks.back() = 0;
  return checkBlocks(node, input, scale, blocks);
}

/// Parameters [M, N / size] for groups in the rows of a matrix.
static FailureOr<Placement> getRowGroups(const ForeignOp &node,
                                         TensorType input, TensorType scale) {
  FailureOr<int64_t> size = getInt(node, 6, "group_size");
  if (failed(size))
    return failure();
  if (!input.hasRank() || input.getRank() != 2)
    return node.refuse("input has type ", input, ": expected a matrix");
  int64_t columns = input.getDimSize(1);
  if (*size < 2)
    return node.refuse("group_size is ", *size, ": expected 2 or more");
  // A group that is longer than the row is the row.
  bool isRow = ShapedType::isStatic(columns) && *size > columns &&
               scale.getRank() == 2 && scale.getDimSize(1) == 1;
  if (!isRow && ShapedType::isStatic(columns) && columns % *size != 0)
    return node.refuse("group_size is ", *size, ": expected a divisor of ",
                       columns, ", the columns of ", input);
  return checkBlocks(node, input, scale, {1, isRow ? 0 : *size});
}

/// The parameters in the rank of the input. torchao leaves out dimensions that
/// one block fills, and may have them as 1.
static FailureOr<ForeignTensor> addDims(const ForeignOp &node,
                                        const ForeignTensor &parameters,
                                        ArrayRef<int64_t> blocks) {
  auto type = dyn_cast<RankedTensorType>(parameters.type);
  int64_t rank = blocks.size();
  if (!type || type.getRank() == rank || isSingle(type))
    return parameters;
  int64_t kept = llvm::count_if(blocks, [](int64_t block) { return block; });
  if (type.getRank() != kept)
    return node.refuse("parameters have type ", type, ": expected rank ", rank,
                       ", or ", kept,
                       " without the dimensions that one block "
                       "fills");
  SmallVector<bool> isKept;
  for (int64_t block : blocks)
    isKept.push_back(block != 0);
  Value expanded = insertUnitDims(node.getRewriter(), node.getLoc(),
                                  node.materialize(parameters), isKept);
  return toForeign(expanded);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The zero point, of the shape of the scale or of one element.
static FailureOr<ForeignTensor> readZeroPoints(const ForeignOp &node,
                                               unsigned index, TensorType scale,
                                               Type storage) {
  FailureOr<ForeignTensor> zeroPoint = readZeroPoint(node, index, storage);
  if (failed(zeroPoint) || !*zeroPoint)
    return zeroPoint;
  if (!isSingle(zeroPoint->type) &&
      failed(verifyCompatibleShape(zeroPoint->type, scale)))
    return node.refuse("zero_points has type ", zeroPoint->type,
                       ": expected the shape of the scales, ", scale);
  return zeroPoint;
}

static bool isFloat(const ForeignTensor &tensor) {
  return tensor && isa<FloatType>(tensor.type.getElementType());
}

static FloatType getFloatType(const ForeignTensor &tensor) {
  return cast<FloatType>(tensor.type.getElementType());
}

/// One zero point beside many scales has no axis of its own.
static LogicalResult refuseFloatZeroPoint(const ForeignOp &node,
                                          const ForeignTensor &zeroPoint) {
  return node.refuse("zero_points has type ", zeroPoint.type,
                     ": expected integers, since it is added to rounded "
                     "values and cut to an integer");
}

//===----------------------------------------------------------------------===//
// quantized_decomposed
//===----------------------------------------------------------------------===//

/// `(q - z) * s`: integers are subtracted exactly, floats in their type; the
/// product is in that of the scale, and rounded to the result's.
static LogicalResult replaceDequantize(const ForeignOp &node,
                                       const Stamp &stamp, const AffineNode &n,
                                       QuantizationParameters parameters) {
  const ForeignTensor &zeroPoint = parameters.zeroPoint;
  FloatType scaleType = getFloatType(parameters.scale);
  if (isFloat(zeroPoint) && getFloatType(zeroPoint) != scaleType)
    return node.refuse("zero_points has type ", zeroPoint.type,
                       ": expected integers, or the type of the scales, ",
                       scaleType);
  if (zeroPoint && zeroPoint.type.getElementType().isInteger() &&
      zeroPoint.type.getElementTypeBitWidth() < 32)
    return node.refuse("zero_points has type ", zeroPoint.type,
                       ": expected integers of 32 or 64 bits, since PyTorch "
                       "subtracts others modulo their type");
  SemanticsFields own;
  own.subtract = isFloat(zeroPoint) ? Subtract::Float : Subtract::Wide;
  FloatType expressed = n.getResultFloat();
  // Products of two numbers of 16 bits are exact in f32.
  own.compute = scaleType.isF64() ? Compute::F64 : Compute::F32;
  if (scaleType.getWidth() < 32 && expressed != scaleType)
    return node.refuse("scales has elements of ", scaleType, ", and result of ",
                       expressed,
                       ": expected one type, or scales of f32 or "
                       "f64");
  ElementTypes types{Direction::Dequantize, expressed, scaleType};
  return node.replace(createDequantize(node, n.input, expressed, parameters,
                                       getSemantics(stamp, types, own)));
}

LogicalResult mlir::qdq::translateQuantizePerChannel(const ForeignOp &node,
                                                     const Stamp &stamp) {
  FailureOr<AffineNode> n = readQuantize(node);
  FailureOr<ForeignTensor> scale = readScale(node, 1);
  if (failed(n) || failed(scale))
    return failure();
  Type storage = n->result.getElementType();
  FloatType scaleType = getFloatType(*scale);
  if (scaleType.getWidth() < 32)
    return node.refuse("scales has type ", scale->type,
                       ": expected f32 or f64");
  Reader read;
  ForeignTensor zeroPoint = read(readZeroPoints(node, 2, scale->type, storage));
  Placement placement = read(getChannels(node, n->input.type, scale->type));
  DenseI64ArrayAttr clamp = read(readClamp(node, 4, 5, 6, storage));
  if (failed(read))
    return failure();
  if (isFloat(zeroPoint))
    return refuseFloatZeroPoint(node, zeroPoint);
  SemanticsFields own;
  own.compute = getCompute(scaleType);
  ElementTypes types{Direction::Quantize, n->getInputFloat(), scaleType};
  return node.replace(createQuantize(node, n->input, storage,
                                     {placement, *scale, zeroPoint},
                                     getSemantics(stamp, types, own),
                                     /*scale=*/nullptr, clamp));
}

/// Where the parameters of an operator belong.
using GetPlacement = FailureOr<Placement> (*)(const ForeignOp &node,
                                              TensorType input,
                                              TensorType scale);

/// A dequantize with scales and zero points in operands 1 and 2, and two
/// dtypes.
static LogicalResult translateDequantize(const ForeignOp &node,
                                         const Stamp &stamp,
                                         GetPlacement getPlacement,
                                         unsigned dtypeIndex, unsigned outIndex,
                                         StringRef outName) {
  FailureOr<AffineNode> n = readDequantize(node);
  FailureOr<ForeignTensor> scale = readScale(node, 1);
  if (failed(n) || failed(scale))
    return failure();
  Type storage = n->input.type.getElementType();
  Reader read;
  ForeignTensor zeroPoint = read(readZeroPoints(node, 2, scale->type, storage));
  Placement placement = read(getPlacement(node, n->input.type, scale->type));
  if (failed(read) || failed(checkDtype(node, dtypeIndex, "dtype", storage)) ||
      failed(checkDtype(node, outIndex, outName, n->getResultFloat())))
    return failure();
  return replaceDequantize(node, stamp, *n, {placement, *scale, zeroPoint});
}

LogicalResult mlir::qdq::translateDequantizePerChannel(const ForeignOp &node,
                                                       const Stamp &stamp) {
  return translateDequantize(node, stamp, getChannels, 6, 7, "out_dtype");
}

/// `x * (1 / s) + z`, rounded, in the type to which x and s are promoted.
static LogicalResult replaceQuantizeOfSum(const ForeignOp &node,
                                          const Stamp &stamp,
                                          const AffineNode &n,
                                          QuantizationParameters parameters,
                                          DenseI64ArrayAttr clamp) {
  FloatType scaleType = getFloatType(parameters.scale);
  FloatType compute = promote(n.getInputFloat(), scaleType);
  const ForeignTensor &zeroPoint = parameters.zeroPoint;
  if (isFloat(zeroPoint) &&
      promote(compute, getFloatType(zeroPoint)) != compute)
    return node.refuse("zero_points has type ", zeroPoint.type,
                       ": expected integers, or no wider type than ", compute);
  if (compute.getWidth() > scaleType.getWidth() && scaleType.getWidth() < 32)
    return node.refuse("scales has elements of ", scaleType, ", and input of ",
                       n.getInputFloat(),
                       ": expected one type, or scales of f32 or f64");
  SemanticsFields own;
  own.order = Order::AddThenRound;
  own.compute = getCompute(compute);
  ElementTypes types{Direction::Quantize, n.getInputFloat(), scaleType};
  return node.replace(createQuantize(node, n.input, n.result.getElementType(),
                                     parameters,
                                     getSemantics(stamp, types, own),
                                     /*scale=*/nullptr, clamp));
}

/// A quantize with scales and zero points in operands 1 and 2, and the range of
/// its codes from operand 3 on.
static LogicalResult translateQuantizeOfSum(const ForeignOp &node,
                                            const Stamp &stamp,
                                            GetPlacement getPlacement) {
  FailureOr<AffineNode> n = readQuantize(node);
  FailureOr<ForeignTensor> scale = readScale(node, 1);
  if (failed(n) || failed(scale))
    return failure();
  Type storage = n->result.getElementType();
  Reader read;
  ForeignTensor zeroPoint = read(readZeroPoints(node, 2, scale->type, storage));
  Placement placement = read(getPlacement(node, n->input.type, scale->type));
  DenseI64ArrayAttr clamp = read(readClamp(node, 3, 4, 5, storage));
  if (failed(read))
    return failure();
  return replaceQuantizeOfSum(node, stamp, *n, {placement, *scale, zeroPoint},
                              clamp);
}

LogicalResult mlir::qdq::translateQuantizePerToken(const ForeignOp &node,
                                                   const Stamp &stamp) {
  return translateQuantizeOfSum(node, stamp, getTokens);
}

LogicalResult mlir::qdq::translateDequantizePerToken(const ForeignOp &node,
                                                     const Stamp &stamp) {
  return translateDequantize(node, stamp, getTokens, 5, 6, "output_dtype");
}

LogicalResult mlir::qdq::translateQuantizePerChannelGroup(const ForeignOp &node,
                                                          const Stamp &stamp) {
  return translateQuantizeOfSum(node, stamp, getRowGroups);
}

LogicalResult
mlir::qdq::translateDequantizePerChannelGroup(const ForeignOp &node,
                                              const Stamp &stamp) {
  return translateDequantize(node, stamp, getRowGroups, 5, 7, "output_dtype");
}

//===----------------------------------------------------------------------===//
// torchao
//===----------------------------------------------------------------------===//

/// Operands 2 and 3 in the rank of the input.
static FailureOr<QuantizationParameters>
readAffineParameters(const ForeignOp &node, TensorType input, Type storage) {
  Reader read;
  QuantizationParameters parameters;
  auto blocks = read(getBlocks(node, input, 1));
  parameters.scale = read(readScale(node, 2));
  if (failed(read))
    return failure();
  parameters.zeroPoint =
      read(readZeroPoints(node, 3, parameters.scale.type, storage));
  if (failed(read))
    return failure();
  bool isOneBlock = llvm::all_of(llvm::zip(blocks, input.getShape()),
                                 [](std::tuple<int64_t, int64_t> dim) {
                                   auto [block, size] = dim;
                                   return block == 0 || size == 1;
                                 });
  if (isSingle(parameters.scale.type) && isOneBlock)
    return parameters;
  parameters.scale = read(addDims(node, parameters.scale, blocks));
  if (failed(read))
    return failure();
  parameters.placement =
      read(checkBlocks(node, input, parameters.scale.type, blocks));
  if (failed(read))
    return failure();
  if (parameters.zeroPoint)
    parameters.zeroPoint = read(addDims(node, parameters.zeroPoint, blocks));
  if (failed(read))
    return failure();
  return parameters;
}

LogicalResult mlir::qdq::translateQuantizeAffine(const ForeignOp &node,
                                                 const Stamp &stamp) {
  // quant_min and quant_max may be left out.
  FailureOr<AffineNode> n = readQuantize(node);
  if (failed(n))
    return failure();
  Type storage = n->result.getElementType();
  FailureOr<QuantizationParameters> parameters =
      readAffineParameters(node, n->input.type, storage);
  FailureOr<DenseI64ArrayAttr> clamp = readClamp(node, 5, 6, 4, storage);
  if (failed(parameters) || failed(clamp))
    return failure();
  if (!parameters->zeroPoint)
    return node.refuse("has no zero_point, which PyTorch adds: expected one");
  if (isFloat(parameters->zeroPoint))
    return refuseFloatZeroPoint(node, parameters->zeroPoint);
  FloatType scaleType = getFloatType(parameters->scale);
  FloatType compute = promote(n->getInputFloat(), scaleType);
  if (scaleType.getWidth() < 32 && compute != scaleType)
    return node.refuse("scale has elements of ", scaleType, ", and input of ",
                       n->getInputFloat(),
                       ": expected one type, or a scale of f32 or f64");
  if (compute.getWidth() < 32 && !storage.isInteger(8))
    return node.refuse("result has elements of ", storage, ", which ", compute,
                       " does not hold: expected i8 or ui8");
  SemanticsFields own;
  own.compute = getCompute(compute);
  ElementTypes types{Direction::Quantize, n->getInputFloat(), scaleType};
  return node.replace(createQuantize(node, n->input, storage, *parameters,
                                     getSemantics(stamp, types, own),
                                     /*scale=*/nullptr, *clamp));
}

LogicalResult mlir::qdq::translateDequantizeAffine(const ForeignOp &node,
                                                   const Stamp &stamp) {
  FailureOr<AffineNode> n = readDequantize(node);
  if (failed(n))
    return failure();
  Type storage = n->input.type.getElementType();
  FloatType expressed = n->getResultFloat();
  FailureOr<QuantizationParameters> parameters =
      readAffineParameters(node, n->input.type, storage);
  if (failed(parameters) ||
      failed(checkDtype(node, 4, "input_dtype", storage)) ||
      failed(checkDtype(node, 7, "output_dtype", expressed)))
    return failure();
  FloatType scaleType = getFloatType(parameters->scale);
  SemanticsFields own;
  // The type to which those of result and scale are promoted. Products of two
  // numbers of 16 bits are exact in f32.
  own.compute =
      promote(expressed, scaleType).isF64() ? Compute::F64 : Compute::F32;
  own.subtract = Subtract::Output;
  ElementTypes types{Direction::Dequantize, expressed, scaleType};
  return node.replace(createDequantize(node, n->input, expressed, *parameters,
                                       getSemantics(stamp, types, own)));
}
