// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of the operands that PyTorch's quantization operators share.

#include "AffineNode.h"
#include "../ForeignOps/ForeignConstant.h"
#include "../ForeignOps/TensorOps.h"
#include "TorchScalars.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/TorchTypes/TorchTypes.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

static bool isIntegerCode(Type type) {
  return type.isInteger(8) || type.isInteger(16) || type.isInteger(32);
}

static bool isCode(Type type) {
  return isIntegerCode(type) || isa<Float8E4M3FNType, Float8E4M3FNUZType,
                                    Float8E5M2Type, Float8E5M2FNUZType>(type);
}

static FailureOr<AffineNode> readNode(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = node.getTensor(0, "input");
  FailureOr<TensorType> result = node.getResultType(0);
  if (failed(input) || failed(result))
    return failure();
  if (failed(verifyCompatibleShape(input->type, *result)))
    return node.refuse("input ", input->type, " and result ", *result,
                       " differ in shape");
  return AffineNode{*input, *result};
}

static LogicalResult checkElement(const ForeignOp &node, StringRef name,
                                  TensorType type, bool (*allows)(Type),
                                  StringRef expected) {
  if (allows(type.getElementType()))
    return success();
  return node.refuse(name, " has type ", type, ": expected elements of ",
                     expected);
}

static constexpr StringLiteral kReals = "f16, bf16 or f32";
static constexpr StringLiteral kIntegers = "i8, ui8, i16, ui16, i32 or ui32";

FailureOr<AffineNode> mlir::qdq::readQuantize(const ForeignOp &node) {
  FailureOr<AffineNode> n = readNode(node);
  if (failed(n) ||
      failed(checkElement(node, "input", n->input.type, isReal, kReals)) ||
      failed(checkElement(node, "result", n->result, isIntegerCode, kIntegers)))
    return failure();
  return n;
}

FailureOr<AffineNode> mlir::qdq::readDequantize(const ForeignOp &node) {
  FailureOr<AffineNode> n = readNode(node);
  auto isResult = [](Type type) { return isReal(type) || type.isF64(); };
  if (failed(n) ||
      failed(checkElement(node, "input", n->input.type, isCode,
                          "i8, ui8, i16, ui16, i32, ui32 or a float of 8 "
                          "bits")) ||
      failed(checkElement(node, "result", n->result, isResult,
                          "f16, bf16, f32 or f64")))
    return failure();
  return n;
}

bool mlir::qdq::isSameDtype(Type lhs, Type rhs) {
  auto lhsInteger = dyn_cast<IntegerType>(lhs);
  auto rhsInteger = dyn_cast<IntegerType>(rhs);
  if (!lhsInteger || !rhsInteger)
    return lhs == rhs;
  return lhsInteger.getWidth() == rhsInteger.getWidth() &&
         lhsInteger.isUnsigned() == rhsInteger.isUnsigned();
}

static bool isPartOfByte(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isUnsigned() && integer.getWidth() < 8;
}

LogicalResult mlir::qdq::checkDtype(const ForeignOp &node, unsigned index,
                                    StringRef name, Type actual) {
  FailureOr<Type> dtype = getDtype(node, index, name);
  if (failed(dtype))
    return failure();
  if (!*dtype || isSameDtype(*dtype, actual) ||
      (isPartOfByte(*dtype) && actual.isUnsignedInteger(8)))
    return success();
  return node.refuse(name, " says ", *dtype, ", but the tensor has ", actual);
}

/// An int, or the one element of a constant tensor.
static FailureOr<std::optional<int64_t>>
getBound(const ForeignOp &node, unsigned index, StringRef name) {
  Value value = node.getOperand(index);
  if (!value ||
      !(isa<TensorType>(value.getType()) || isTorchTensor(value.getType())))
    return getOptionalInt(node, index, name);
  FailureOr<ForeignTensor> tensor = node.getTensor(index, name);
  if (failed(tensor))
    return failure();
  auto constant = dyn_cast_or_null<DenseIntElementsAttr>(
      getConstant(tensor->value, tensor->type));
  if (!constant || constant.getNumElements() != 1)
    return node.refuse(name, " (operand ", index,
                       ") is no constant of one integer: the range of codes "
                       "has to be known");
  return std::optional<int64_t>(
      (*constant.value_begin<APInt>()).getSExtValue());
}

FailureOr<DenseI64ArrayAttr>
mlir::qdq::readClamp(const ForeignOp &node, unsigned minIndex,
                     unsigned maxIndex, unsigned dtypeIndex, Type storage) {
  FailureOr<Type> dtype = getDtype(node, dtypeIndex, "dtype");
  FailureOr<std::optional<int64_t>> low = getBound(node, minIndex, "quant_min"),
                                    high =
                                        getBound(node, maxIndex, "quant_max");
  if (failed(dtype) || failed(low) || failed(high) ||
      failed(checkDtype(node, dtypeIndex, "dtype", storage)))
    return failure();
  auto getRange = [](Type type) {
    int64_t values = int64_t(1) << type.getIntOrFloatBitWidth();
    return type.isUnsignedInteger() ? std::pair<int64_t, int64_t>(0, values - 1)
                                    : std::pair(-values / 2, values / 2 - 1);
  };
  auto own = getRange(storage), allowed = getRange(*dtype ? *dtype : storage);
  auto given = std::pair((*low).value_or(allowed.first),
                         (*high).value_or(allowed.second));
  if (given.first < allowed.first || given.second > allowed.second ||
      given.first > given.second)
    return node.refuse("quant_min is ", given.first, " and quant_max ",
                       given.second, ": expected a range in ", allowed.first,
                       " to ", allowed.second);
  if (given == own)
    return DenseI64ArrayAttr();
  return node.getRewriter().getDenseI64ArrayAttr({given.first, given.second});
}

ForeignTensor mlir::qdq::getSingle(const ForeignOp &node, FloatType type,
                                   double value) {
  auto tensor = RankedTensorType::get({}, type);
  return {nullptr, tensor,
          DenseElementsAttr::get(
              tensor, Attribute(node.getRewriter().getFloatAttr(type, value)))};
}

FailureOr<ForeignTensor> mlir::qdq::readScale(const ForeignOp &node,
                                              unsigned index) {
  FailureOr<ForeignTensor> scale = node.getTensor(index, "scale");
  if (failed(scale))
    return failure();
  Type element = scale->type.getElementType();
  if (!scale->type.hasRank() || !(isReal(element) || element.isF64()))
    return node.refuse("scale has type ", scale->type,
                       ": expected a ranked tensor of f16, bf16, f32 or f64");
  return scale;
}

/// Integers of 64 bits, which qdq has not, in 32. Constants are checked; others
/// are codes, or near them.
static FailureOr<ForeignTensor> narrowZeroPoint(const ForeignOp &node,
                                                const ForeignTensor &wide) {
  PatternRewriter &rewriter = node.getRewriter();
  Type i32 = rewriter.getI32Type();
  TensorType type = TensorType(wide.type).clone(i32);
  if (auto constant = dyn_cast_or_null<DenseIntElementsAttr>(
          getConstant(wide.value, wide.type))) {
    auto numbers = *ConstantElements::get(constant);
    SmallVector<APInt> values;
    for (int64_t index = 0; index < numbers.getNumDistinct(); ++index) {
      APInt value = std::get<APSInt>(numbers[index]);
      if (!value.isSignedIntN(32))
        return node.refuse("zero point is ", value.getSExtValue(),
                           ": expected an integer of 32 bits");
      values.push_back(value.trunc(32));
    }
    return ForeignTensor{nullptr, type, DenseElementsAttr::get(type, values)};
  }
  ImplicitLocOpBuilder b(node.getLoc(), rewriter);
  Value narrow = mapElements(b, {node.materialize(wide)}, i32,
                             [&](Scalar x) { return x.to(i32); });
  return toForeign(narrow);
}

FailureOr<ForeignTensor>
mlir::qdq::readZeroPoint(const ForeignOp &node, unsigned index, Type storage) {
  Value value = node.getOperand(index);
  if (!value)
    return ForeignTensor();
  Operation *def = value.getDefiningOp();
  Builder &b = node.getRewriter();
  ForeignTensor zeroPoint;
  if (def && isTorchScalar(def)) {
    FailureOr<int64_t> number = getInt(node, index, "zero_point");
    if (failed(number))
      return failure();
    if (!llvm::isInt<32>(*number))
      return node.refuse("zero_point is ", *number,
                         ": expected an integer of 32 bits");
    auto type = RankedTensorType::get({}, b.getI32Type());
    zeroPoint = {
        nullptr, type,
        DenseElementsAttr::get(type, Attribute(b.getI32IntegerAttr(*number)))};
  } else {
    FailureOr<ForeignTensor> tensor = node.getTensor(index, "zero_point");
    if (failed(tensor))
      return failure();
    Type element = tensor->type.getElementType();
    bool isKnown = isReal(element) || element.isF64() ||
                   isIntegerCode(element) || element.isInteger(64);
    if (!tensor->type.hasRank() || !isKnown)
      return node.refuse("zero_point has type ", tensor->type,
                         ": expected a ranked tensor of integers or floats");
    zeroPoint = *tensor;
    if (element.isInteger(64)) {
      FailureOr<ForeignTensor> narrow = narrowZeroPoint(node, *tensor);
      if (failed(narrow))
        return failure();
      zeroPoint = *narrow;
    }
  }
  TypedAttr constant = zeroPoint.constant;
  if (!constant)
    constant = getConstant(zeroPoint.value, zeroPoint.type);
  if (constant && isa<IntegerType>(storage)) {
    std::string foreign =
        describeForeignZeroPoint(ConstantElements::get(constant), storage);
    if (!foreign.empty())
      return node.refuse(foreign);
  }
  return zeroPoint;
}

FailureOr<SmallVector<int64_t>>
mlir::qdq::getBlocks(const ForeignOp &node, TensorType input, unsigned index) {
  FailureOr<SmallVector<int64_t>> sizes = getIntList(node, index, "block_size");
  if (failed(sizes))
    return failure();
  if (!input.hasRank() || int64_t(sizes->size()) != input.getRank())
    return node.refuse("block_size has ", sizes->size(), " sizes, and input ",
                       input, ": expected one for each dimension");
  for (auto [dim, block] : llvm::enumerate(*sizes)) {
    int64_t size = input.getDimSize(dim);
    if (block < 1 && block != size)
      return node.refuse("block_size is ", block, " in dimension ", dim,
                         ": expected 1 or more");
    if (ShapedType::isStatic(size) && block > 1 && block != size &&
        size % block != 0)
      return node.refuse("block_size is ", block, " in dimension ", dim,
                         ": expected a divisor of ", size);
    if (block == size && size != 1)
      block = 0;
  }
  return sizes;
}

Value mlir::qdq::insertUnitDims(OpBuilder &b, Location loc, Value tensor,
                                ArrayRef<bool> isKept) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == int64_t(isKept.size()))
    return tensor;
  // Each group ends before the next dimension that is kept.
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> shape;
  ReassociationIndices leading;
  for (auto [dim, kept] : llvm::enumerate(isKept)) {
    shape.push_back(kept ? type.getDimSize(groups.size()) : 1);
    if (kept) {
      groups.push_back(std::move(leading));
      leading.clear();
    }
    (groups.empty() ? leading : groups.back()).push_back(dim);
  }
  auto result = RankedTensorType::get(shape, type.getElementType());
  return tensor::ExpandShapeOp::create(b, loc, result, tensor, groups);
}

FloatType mlir::qdq::promote(FloatType lhs, FloatType rhs) {
  if (lhs == rhs)
    return lhs;
  if (lhs.isF64() || rhs.isF64())
    return Float64Type::get(lhs.getContext());
  return Float32Type::get(lhs.getContext());
}

Compute mlir::qdq::getCompute(FloatType type) {
  return type.isF16()    ? Compute::F16
         : type.isBF16() ? Compute::BF16
         : type.isF32()  ? Compute::F32
                         : Compute::F64;
}

SemanticsAttr mlir::qdq::getSemantics(const Stamp &stamp, ElementTypes types,
                                      const SemanticsFields &own) {
  bool isOwn = stamp.getProfile() == Profile::TorchDecomposed;
  return stamp(types, isOwn ? own : SemanticsFields());
}
