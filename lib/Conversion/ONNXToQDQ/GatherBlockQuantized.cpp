// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's GatherBlockQuantized: rows of a table of codes, dequantized.

#include "../ForeignOps/Gather.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// The parts of the node. Axes are not negative.
struct GatherNode {
  int64_t gatherAxis, quantizeAxis, block;
  int64_t codesPerByte; // 1 where the codes are elements of `data`
  Type code;
  ForeignTensor data, indices, scale, zeroPoint;
  RankedTensorType result;

  RankedTensorType getDataType() const {
    return cast<RankedTensorType>(data.type);
  }
  int64_t getCount() const { return getDataType().getDimSize(gatherAxis); }
  int64_t getIndicesRank() const {
    return cast<RankedTensorType>(indices.type).getRank();
  }
};
} // namespace

static FailureOr<int64_t> readAxis(const ForeignOp &node, StringRef name,
                                   int64_t fallback, RankedTensorType data) {
  FailureOr<int64_t> axis = node.getInteger(name, fallback);
  if (failed(axis))
    return failure();
  return normalizeAxis(node, *axis, data.getRank(), name, " is ", *axis,
                       node.has(name) ? "" : " (where it is absent)",
                       ", out of range for data ", data);
}

/// An operand of a static shape: the document has them as constants.
static FailureOr<ForeignTensor> readConstant(const ForeignOp &node,
                                             unsigned index, StringRef name) {
  auto isStatic = [](RankedTensorType type) { return type.hasStaticShape(); };
  return node.getTensor(index, name, isStatic, "a static shape");
}

static bool isCode4(Type type) { return type.isInteger(4); }

static bool isFloatCode(Type type) {
  return isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type,
             Float8E5M2FNUZType, Float4E2M1FNType>(type);
}

/// The type of the codes and how many a byte has, from the type of `data` and
/// the attribute `bits`.
static LogicalResult readCodes(const ForeignOp &node, GatherNode &n) {
  Type element = n.data.type.getElementType();
  bool isByte = element.isUnsignedInteger(8);
  if (!isByte && !isCode4(element) && !isFloatCode(element))
    return node.refuse("data has element type ", element,
                       ": expected ui8, i4, ui4, f8E4M3FN, f8E4M3FNUZ, f8E5M2, "
                       "f8E5M2FNUZ or f4E2M1FN");
  FailureOr<int64_t> bits = node.getInteger("bits", 4);
  if (failed(bits))
    return failure();
  n.code = element;
  n.codesPerByte = 1;
  if (isCode4(element) && *bits != 4)
    return node.refuse("bits is ", *bits, ": expected 4, as data has ",
                       element);
  if (!isByte)
    return success();
  if (*bits != 2 && *bits != 4 && *bits != 8)
    return node.refuse("bits is ", *bits, ": expected 2, 4 or 8");
  n.code = IntegerType::get(element.getContext(), *bits, IntegerType::Unsigned);
  n.codesPerByte = 8 / *bits;
  return success();
}

static LogicalResult readAxes(const ForeignOp &node, GatherNode &n) {
  RankedTensorType data = n.getDataType();
  Reader read;
  n.gatherAxis = read(readAxis(node, "gather_axis", 0, data));
  n.quantizeAxis = read(readAxis(node, "quantize_axis", 1, data));
  n.block = read(node.getInteger("block_size", 128));
  if (failed(read))
    return failure();
  bool isWhole = n.block == 0 && isFloatCode(n.code);
  if (!isWhole && (n.block < 16 || !llvm::isPowerOf2_64(n.block)))
    return node.refuse("block_size is ", n.block,
                       ": expected a power of two, 16 or more",
                       isFloatCode(n.code) ? ", or 0" : "");
  if (data.getElementType().isUnsignedInteger(8) &&
      (n.gatherAxis != 0 || n.quantizeAxis != data.getRank() - 1 ||
       n.gatherAxis == n.quantizeAxis))
    return node.refuse("gather_axis is ", n.gatherAxis, " and quantize_axis ",
                       n.quantizeAxis, ": expected 0 and ", data.getRank() - 1,
                       ", the last of data ", data,
                       ", and not the same: bytes hold codes of the last "
                       "dimension");
  return success();
}

/// The shape of `data` in codes.
static SmallVector<int64_t> getCodesShape(const GatherNode &n) {
  SmallVector<int64_t> shape(n.getDataType().getShape());
  shape.back() *= n.codesPerByte;
  return shape;
}

/// The scale has a size for each index of `data`, and for each block of the
/// quantized axis; scales of floats may have 1 for all indices of another axis.
static LogicalResult checkScale(const ForeignOp &node, const GatherNode &n) {
  Type element = n.scale.type.getElementType();
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return node.refuse("scales has element type ", element,
                       ": expected f32, f16 or bf16");
  SmallVector<int64_t> expected = getCodesShape(n);
  int64_t &blocks = expected[n.quantizeAxis];
  blocks = n.block ? llvm::divideCeilSigned(blocks, n.block) : 1;
  ArrayRef<int64_t> shape = n.scale.type.getShape();
  bool fits = shape.size() == expected.size();
  for (int64_t dim = 0; fits && dim < int64_t(shape.size()); ++dim)
    fits = shape[dim] == expected[dim] ||
           (isFloatCode(n.code) && dim != n.quantizeAxis && shape[dim] == 1);
  if (!fits)
    return node.refuse("scales has type ", n.scale.type, ": expected ",
                       RankedTensorType::get(expected, element));
  return success();
}

static LogicalResult readZeroPoint(const ForeignOp &node, GatherNode &n) {
  if (!node.getOperand(3)) {
    // A byte holds codes around the middle, other types signed ones.
    if (n.getDataType().getElementType().isUnsignedInteger(8)) {
      auto type = RankedTensorType::get({}, n.code);
      APInt middle = APInt::getSignedMinValue(n.code.getIntOrFloatBitWidth());
      n.zeroPoint = toForeign(DenseElementsAttr::get(type, middle));
    }
    return success();
  }
  if (isFloatCode(n.code))
    return node.refuse("has zero_points, and data of ", n.code,
                       ": expected none");
  FailureOr<ForeignTensor> zeroPoint = readConstant(node, 3, "zero_points");
  if (failed(zeroPoint))
    return failure();
  SmallVector<int64_t> shape(n.scale.type.getShape());
  shape.back() = llvm::divideCeilSigned(shape.back(), n.codesPerByte);
  auto expected =
      RankedTensorType::get(shape, n.getDataType().getElementType());
  if (zeroPoint->type.getShape() != expected.getShape() ||
      !isSameElementType(zeroPoint->type.getElementType(),
                         expected.getElementType()))
    return node.refuse("zero_points has type ", zeroPoint->type, ": expected ",
                       expected);
  n.zeroPoint = *zeroPoint;
  return success();
}

static FailureOr<GatherNode> readGatherNode(const ForeignOp &node) {
  Reader read;
  GatherNode n;
  n.data = read(readConstant(node, 0, "data"));
  n.indices = read(node.getTensor(1, "indices"));
  n.scale = read(readConstant(node, 2, "scales"));
  TensorType result = read(node.getResultType(0));
  if (failed(read))
    return failure();
  TensorType indices = n.indices.type;
  Type index = indices.getElementType();
  if (!indices.hasRank() ||
      !(index.isSignlessInteger(32) || index.isSignlessInteger(64)))
    return node.refuse("indices has type ", indices,
                       ": expected a ranked tensor of i32 or i64");
  if (n.data.type.getRank() == 0)
    return node.refuse("data has type ", n.data.type,
                       ": expected one dimension or more");
  if (failed(readCodes(node, n)) || failed(readAxes(node, n)) ||
      failed(checkScale(node, n)) || failed(readZeroPoint(node, n)))
    return failure();
  n.result = RankedTensorType::get(
      getGatheredShape(getCodesShape(n), indices.getShape(), n.gatherAxis),
      n.scale.type.getElementType());
  if (result.getElementType() != n.result.getElementType() ||
      failed(verifyCompatibleShape(result, n.result)))
    return node.refuse("result has type ", result, ": expected ", n.result);
  return n;
}

/// The codes in the bytes of a gather, `count` along its last dimension.
static ForeignTensor unpack(const ForeignOp &node, ImplicitLocOpBuilder &b,
                            Value bytes, int64_t count, Type code) {
  auto type = cast<RankedTensorType>(bytes.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = count;
  auto codes = RankedTensorType::get(shape, code);
  SmallVector<Value> sizes =
      tensor::createDynamicDimValues(b, b.getLoc(), bytes);
  auto packing = PackingAttr::get(
      b.getContext(), /*preset=*/std::nullopt, PackingPart::Codes,
      /*bits=*/std::nullopt, /*container=*/nullptr,
      /*axis=*/type.getRank() - 1, /*block=*/std::nullopt, /*order=*/{},
      /*record=*/std::nullopt, /*at=*/std::nullopt, /*offset=*/std::nullopt,
      /*positive_zero=*/false);
  return {node.create<UnpackOp>(codes, bytes, sizes, packing), codes, nullptr};
}

/// A block of one index in each dimension but the quantized one, and in those
/// that share a scale.
static DenseI64ArrayAttr getBlockShape(ImplicitLocOpBuilder &b,
                                       TensorType scale, int64_t quantizeAxis,
                                       int64_t block) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(scale.getShape()))
    shape.push_back(int64_t(dim) == quantizeAxis ? block : size == 1 ? 0 : 1);
  return b.getDenseI64ArrayAttr(shape);
}

/// Rows of codes with their parameters, then dequantized.
static Value gatherCodes(const ForeignOp &node, const GatherNode &n,
                         Value indices, SemanticsAttr semantics) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  auto gatherRows = [&](const ForeignTensor &tensor) {
    return gather(b, node.materialize(tensor), indices, n.gatherAxis,
                  b.getIndexAttr(n.getCount()));
  };
  int64_t axis = n.quantizeAxis;
  if (axis > n.gatherAxis)
    axis += n.getIndicesRank() - 1;
  ForeignTensor codes = toForeign(gatherRows(n.data));
  QuantizationParameters parameters;
  parameters.scale = toForeign(gatherRows(n.scale));
  parameters.zeroPoint = n.zeroPoint;
  if (n.zeroPoint.value)
    parameters.zeroPoint = toForeign(gatherRows(n.zeroPoint));
  if (n.codesPerByte > 1) {
    codes = unpack(node, b, codes.value, n.result.getShape().back(), n.code);
    if (n.zeroPoint.value)
      parameters.zeroPoint = unpack(node, b, parameters.zeroPoint.value,
                                    n.scale.type.getShape().back(), n.code);
  }
  parameters.placement.blockShape =
      getBlockShape(b, parameters.scale.type, axis, n.block);
  return createDequantize(node, codes, n.result.getElementType(), parameters,
                          semantics);
}

/// Blocks along the gathered axis are torn apart by the gather, so that the
/// whole table is dequantized first. No bytes hold several codes here.
static Value gatherReals(const ForeignOp &node, const GatherNode &n,
                         Value indices, SemanticsAttr semantics) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  QuantizationParameters parameters;
  parameters.scale = n.scale;
  parameters.zeroPoint = n.zeroPoint;
  parameters.placement.blockShape =
      getBlockShape(b, n.scale.type, n.quantizeAxis, n.block);
  Value table = createDequantize(node, n.data, n.result.getElementType(),
                                 parameters, semantics);
  return gather(b, table, indices, n.gatherAxis, b.getIndexAttr(n.getCount()));
}

/// Zeros of the shape of the result: what a table without rows gives, and what
/// has no elements.
static Value createEmptyResult(const ForeignOp &node, const GatherNode &n,
                               Value indices) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < n.getIndicesRank(); ++dim)
    if (n.result.isDynamicDim(n.gatherAxis + dim))
      sizes.push_back(b.createOrFold<tensor::DimOp>(indices, dim));
  Value zero =
      arith::ConstantOp::create(b, b.getZeroAttr(n.result.getElementType()));
  Value init = tensor::EmptyOp::create(b, n.result, sizes);
  return linalg::FillOp::create(b, zero, init).getResult(0);
}

LogicalResult mlir::qdq::translateGatherBlockQuantized(const ForeignOp &node,
                                                       const Stamp &stamp) {
  FailureOr<GatherNode> n = readGatherNode(node);
  if (failed(n))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value indices = node.materialize(n->indices);
  bool isEmpty = n->result.hasStaticShape() && n->result.getNumElements() == 0;
  if (n->getCount() == 0 || isEmpty)
    return node.replace(createEmptyResult(node, *n, indices));
  ElementTypes types{Direction::Dequantize, n->result.getElementType(),
                     cast<FloatType>(n->scale.type.getElementType())};
  bool isTorn = n->gatherAxis == n->quantizeAxis;
  Value values = isTorn ? gatherReals(node, *n, indices, stamp(types))
                        : gatherCodes(node, *n, indices, stamp(types));
  return node.replace(
      clearOutOfRange(b, values, indices, n->gatherAxis, n->getCount()));
}
