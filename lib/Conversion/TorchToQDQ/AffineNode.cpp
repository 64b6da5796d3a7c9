// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of the operands that PyTorch's quantization operators share.

#include "AffineNode.h"
#include "../ForeignOps/ForeignConstant.h"
#include "../ForeignOps/TensorOps.h"
#include "TorchScalars.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

namespace {
/// The element types that an operator allows, and their list for the reason.
struct ElementRule {
  bool (*allows)(Type);
  StringLiteral expected;
};
} // namespace

static FailureOr<AffineNode> readNode(const ForeignOp &node,
                                      const ElementRule &input,
                                      const ElementRule &result) {
  Reader read;
  AffineNode n{read(node.getTensor(0, "input")), read(node.getResultType(0))};
  if (failed(read) ||
      failed(checkSameShape(node, "input", n.input.type, "result", n.result)))
    return failure();
  for (auto [name, type, rule] : {std::tuple("input", n.input.type, input),
                                  std::tuple("result", n.result, result)})
    if (!rule.allows(type.getElementType()))
      return node.refuse(name, " has type ", type, ": expected elements of ",
                         rule.expected);
  return n;
}

FailureOr<AffineNode> mlir::qdq::readQuantize(const ForeignOp &node) {
  return readNode(node, {isReal, "f16, bf16 or f32"},
                  {isIntegerCode, "i8, ui8, i16, ui16, i32 or ui32"});
}

FailureOr<AffineNode> mlir::qdq::readDequantize(const ForeignOp &node) {
  return readNode(
      node, {isCode, "i8, ui8, i16, ui16, i32, ui32 or a float of 8 bits"},
      {isRealOrF64, "f16, bf16, f32 or f64"});
}

bool mlir::qdq::isRealOrF64(Type type) { return isReal(type) || type.isF64(); }

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
  auto constant = dyn_cast_or_null<DenseIntElementsAttr>(getConstant(*tensor));
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
  Reader read;
  Type dtype = read(getDtype(node, dtypeIndex, "dtype"));
  std::optional<int64_t> low = read(getBound(node, minIndex, "quant_min"));
  std::optional<int64_t> high = read(getBound(node, maxIndex, "quant_max"));
  if (failed(read) || failed(checkDtype(node, dtypeIndex, "dtype", storage)))
    return failure();
  auto allowed = getIntegerBounds(dtype ? dtype : storage);
  std::pair given(low.value_or(allowed.first), high.value_or(allowed.second));
  if (given.first < allowed.first || given.second > allowed.second ||
      given.first > given.second)
    return node.refuse("quant_min is ", given.first, " and quant_max ",
                       given.second, ": expected a range in ", allowed.first,
                       " to ", allowed.second);
  if (given == getIntegerBounds(storage))
    return DenseI64ArrayAttr();
  return node.getRewriter().getDenseI64ArrayAttr({given.first, given.second});
}

FailureOr<ForeignTensor> mlir::qdq::readScale(const ForeignOp &node,
                                              unsigned index) {
  auto fits = [](RankedTensorType type) {
    return isRealOrF64(type.getElementType());
  };
  return node.getTensor(index, "scale", fits,
                        "a ranked tensor of f16, bf16, f32 or f64");
}

/// Integers of 64 bits, which qdq has not, in 32. Constants are checked; others
/// are codes, or near them.
static FailureOr<ForeignTensor> narrowZeroPoint(const ForeignOp &node,
                                                const ForeignTensor &wide) {
  Type i32 = node.getRewriter().getI32Type();
  if (auto constant =
          dyn_cast_or_null<DenseIntElementsAttr>(getConstant(wide))) {
    auto numbers = *ConstantElements::get(constant);
    SmallVector<APInt> values;
    for (int64_t index = 0; index < numbers.getNumDistinct(); ++index) {
      APInt value = std::get<APSInt>(numbers[index]);
      if (!value.isSignedIntN(32))
        return node.refuse("zero point is ", value.getSExtValue(),
                           ": expected an integer of 32 bits");
      values.push_back(value.trunc(32));
    }
    return toForeign(
        DenseElementsAttr::get(TensorType(wide.type).clone(i32), values));
  }
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
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
  FailureOr<ForeignTensor> zeroPoint;
  if (def && isTorchScalar(def)) {
    FailureOr<int64_t> number = getInt(node, index, "zero_point");
    if (failed(number))
      return failure();
    if (!llvm::isInt<32>(*number))
      return node.refuse("zero_point is ", *number,
                         ": expected an integer of 32 bits");
    auto type = RankedTensorType::get({}, node.getRewriter().getI32Type());
    zeroPoint =
        toForeign(DenseElementsAttr::get(type, static_cast<int32_t>(*number)));
  } else {
    auto fits = [](RankedTensorType type) {
      Type element = type.getElementType();
      return isRealOrF64(element) || isIntegerCode(element) ||
             element.isInteger(64);
    };
    zeroPoint = node.getTensor(index, "zero_point", fits,
                               "a ranked tensor of integers or floats");
    if (succeeded(zeroPoint) && zeroPoint->type.getElementType().isInteger(64))
      zeroPoint = narrowZeroPoint(node, *zeroPoint);
  }
  if (failed(zeroPoint) ||
      (isa<IntegerType>(storage) &&
       failed(checkZeroPointRange(node, *zeroPoint, storage))))
    return failure();
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
