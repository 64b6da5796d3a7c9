// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PyTorch's choose_qparams: the range of f32 values, and parameters from it by
// the formulas of each operator. `qdq.choose_params` has none of them.

#include "../ForeignOps/TensorOps.h"
#include "AffineNode.h"
#include "TorchParameters.h"
#include "TorchScalars.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/BuildGeneric.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// The smallest and the largest element of each group, and zero.
struct Ends {
  Value lo, hi;
};
} // namespace

/// The input, of f32.
static FailureOr<ForeignTensor> readInput(const ForeignOp &node) {
  auto fits = [](RankedTensorType type) {
    return type.getElementType().isF32();
  };
  return node.getTensor(0, "input", fits, "a ranked tensor of f32");
}

/// A NaN in a group makes both ends NaN.
static Ends createEnds(ImplicitLocOpBuilder &b, Value x,
                       ArrayRef<bool> isKept) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  SmallVector<AffineExpr> dims;
  for (auto [dim, kept] : llvm::enumerate(isKept)) {
    if (!kept)
      continue;
    dims.push_back(b.getAffineDimExpr(dim));
    shape.push_back(type.getDimSize(dim));
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(b, x, dim));
  }
  int64_t rank = type.getRank();
  auto result = RankedTensorType::get(shape, b.getF32Type());
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  Value init =
      linalg::FillOp::create(
          b, zero, tensor::EmptyOp::create(b, result, sizes).getResult())
          .getResult(0);
  AffineMap reduced = AffineMap::get(rank, 0, dims, b.getContext());
  AffineMap maps[] = {b.getMultiDimIdentityMap(rank), reduced, reduced};
  auto generic = buildGeneric(
      b, x, {init, init}, maps,
      [](ImplicitLocOpBuilder &body, ValueRange e) -> SmallVector<Value> {
        Value lo = arith::MinimumFOp::create(body, e[0], e[1]);
        return {lo, arith::MaximumFOp::create(body, e[0], e[2])};
      });
  return {generic.getResult(0), generic.getResult(1)};
}

/// Replaces the node by the scale and zero point of each group of `x`. The
/// results have the dimensions that are kept, and sizes of 1 where
/// `isKeptOfResult` is false.
static LogicalResult replaceParameters(const ForeignOp &node, Value x,
                                       ArrayRef<bool> isKept,
                                       ArrayRef<bool> isKeptOfResult,
                                       const TorchParameterRule &rule) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> kept, shape;
  for (auto [dim, isOne] : llvm::enumerate(isKept))
    if (isOne)
      kept.push_back(type.getDimSize(dim));
  for (size_t dim = 0, own = 0; dim < isKeptOfResult.size(); ++dim)
    shape.push_back(isKeptOfResult[dim] ? kept[own++] : 1);
  SmallVector<Type> elements;
  for (unsigned index : {0, 1}) {
    FailureOr<TensorType> result = node.getResultType(index);
    if (failed(result))
      return failure();
    Type element = result->getElementType();
    bool isInteger = element.isInteger(8) || element.isInteger(16) ||
                     element.isInteger(32) || element.isInteger(64);
    auto expected = RankedTensorType::get(shape, element);
    if (!(isRealOrF64(element) || (index == 1 && isInteger)) ||
        failed(verifyCompatibleShape(*result, expected)))
      return node.refuse("result ", index, " has type ", *result, ": expected ",
                         expected, ", of floats", index ? " or integers" : "");
    elements.push_back(element);
  }
  Ends ends = createEnds(b, x, isKept);
  SmallVector<Value> results;
  for (bool isScale : {true, false}) {
    Type element = elements[isScale ? 0 : 1];
    Type own = element;
    if (auto integer = dyn_cast<IntegerType>(element))
      own = b.getIntegerType(integer.getWidth());
    Value values =
        mapElements(b, {ends.lo, ends.hi}, own, [&](Scalar lo, Scalar hi) {
          auto emit = isScale ? emitTorchScale : emitTorchZeroPoint;
          Scalar value = emit(rule, lo, hi);
          return element.isUnsignedInteger() ? value.toUnsigned(own)
                                             : value.to(own);
        });
    values = insertUnitDims(b, b.getLoc(), values, isKeptOfResult);
    if (own != element)
      values = tensor::BitcastOp::create(
          b, cast<RankedTensorType>(values.getType()).clone(element), values);
    results.push_back(values);
  }
  return node.replace(results);
}

/// The codes of an operator that names them by dtype alone, or beside bounds.
static FailureOr<std::pair<int64_t, int64_t>> readBounds(const ForeignOp &node,
                                                         unsigned dtypeIndex,
                                                         unsigned lowIndex,
                                                         unsigned highIndex) {
  Reader read;
  Type dtype = read(getDtype(node, dtypeIndex, "dtype"));
  std::optional<int64_t> low =
      read(getOptionalInt(node, lowIndex, "quant_min"));
  std::optional<int64_t> high =
      read(getOptionalInt(node, highIndex, "quant_max"));
  if (failed(read))
    return failure();
  auto integer = dyn_cast_or_null<IntegerType>(dtype);
  if (!integer || integer.getWidth() > 16)
    return node.refuse("dtype is ", dtype,
                       ": expected integers of at most 16 bits");
  auto [least, most] = getIntegerBounds(integer);
  std::pair bounds(low.value_or(least), high.value_or(most));
  if (bounds.first < least || bounds.second > most ||
      bounds.first >= bounds.second)
    return node.refuse("quant_min is ", bounds.first, " and quant_max ",
                       bounds.second, ": expected a range in ", least, " to ",
                       most);
  return bounds;
}

/// choose_qparams(input, quant_min, quant_max, eps, dtype).
static LogicalResult translateTensor(const ForeignOp &node, TorchRange range) {
  Reader read;
  ForeignTensor input = read(readInput(node));
  auto bounds = read(readBounds(node, 4, 1, 2));
  double eps = read(getFloat(node, 3, "eps"));
  Type dtype = read(getDtype(node, 4, "dtype"));
  if (failed(read))
    return failure();
  TorchParameterRule rule{range, bounds.first, bounds.second, eps};
  if (range == TorchRange::Symmetric && dtype.isUnsignedInteger(8))
    rule.zeroPoint = 128;
  SmallVector<bool> isKept(input.type.getRank(), false);
  return replaceParameters(node, node.materialize(input), isKept,
                           /*isKeptOfResult=*/{false}, rule);
}

LogicalResult mlir::qdq::translateChooseQParams(const ForeignOp &node,
                                                const Stamp &) {
  return translateTensor(node, TorchRange::Affine);
}

LogicalResult mlir::qdq::translateChooseQParamsSymmetric(const ForeignOp &node,
                                                         const Stamp &) {
  return translateTensor(node, TorchRange::Symmetric);
}

/// choose_qparams_per_token(input, dtype).
static LogicalResult translateToken(const ForeignOp &node,
                                    const TorchParameterRule &rule) {
  FailureOr<ForeignTensor> input = readInput(node);
  FailureOr<Type> dtype = getDtype(node, 1, "dtype");
  if (failed(input) || failed(dtype))
    return failure();
  if (input->type.getRank() == 0)
    return node.refuse("input has type ", input->type,
                       ": expected one dimension or more");
  if (rule.range == TorchRange::SymmetricPerToken) {
    if (!*dtype)
      return node.refuse("has no dtype: expected 1 (i8)");
    if (!(*dtype).isSignlessInteger(8))
      return node.refuse("dtype is ", *dtype, ": expected 1 (i8)");
  }
  SmallVector<bool> isKept(input->type.getRank(), true);
  isKept.back() = false;
  return replaceParameters(node, node.materialize(*input), isKept, isKept,
                           rule);
}

LogicalResult mlir::qdq::translateChooseQParamsPerToken(const ForeignOp &node,
                                                        const Stamp &) {
  return translateToken(node, {TorchRange::SymmetricPerToken, -128, 127, 1e-5});
}

LogicalResult
mlir::qdq::translateChooseQParamsPerTokenAsymmetric(const ForeignOp &node,
                                                    const Stamp &) {
  // Whatever the dtype, as in PyTorch; eps is that of f32.
  return translateToken(node, {TorchRange::AffinePerToken, -128, 127, 0x1p-23});
}

/// choose_qparams_affine(input, mapping_type, block_size, target_dtype,
/// quant_min, quant_max, eps, scale_dtype, zero_point_dtype, keepdim).
LogicalResult mlir::qdq::translateChooseQParamsAffine(const ForeignOp &node,
                                                      const Stamp &) {
  Reader read;
  ForeignTensor input = read(readInput(node));
  std::string mapping = read(getString(node, 1, "mapping_type"));
  auto [low, high] = read(readBounds(node, 3, 4, 5));
  bool keepsDims = read(getOptionalBool(node, 9, "keepdim"));
  Type scaleType = read(getDtype(node, 7, "scale_dtype"));
  Type zeroPointType = read(getDtype(node, 8, "zero_point_dtype"));
  // The default is the smallest normal number.
  double eps = 0x1p-126;
  if (node.getOperand(6))
    eps = read(getFloat(node, 6, "eps"));
  if (failed(read))
    return failure();
  std::optional<TorchRange> range =
      llvm::StringSwitch<std::optional<TorchRange>>(mapping)
          .Case("SYMMETRIC", TorchRange::Symmetric)
          .Case("SYMMETRIC_NO_CLIPPING_ERR", TorchRange::SymmetricNoClipping)
          .Case("ASYMMETRIC", TorchRange::Affine)
          .Default(std::nullopt);
  if (!range)
    return node.refuse("mapping_type is '", mapping,
                       "': expected SYMMETRIC, SYMMETRIC_NO_CLIPPING_ERR or "
                       "ASYMMETRIC");
  if (*range == TorchRange::SymmetricNoClipping && (low == 0 || high == 0))
    return node.refuse("quant_min is ", low, " and quant_max ", high,
                       " with mapping_type SYMMETRIC_NO_CLIPPING_ERR, which "
                       "divides by both: expected neither to be 0");
  FailureOr<SmallVector<int64_t>> blocks = getBlocks(node, input.type, 2);
  if (failed(blocks))
    return failure();
  for (auto [index, dtype] :
       {std::pair<unsigned, Type>(0, scaleType), {1, zeroPointType}}) {
    FailureOr<TensorType> result = node.getResultType(index);
    if (failed(result))
      return failure();
    if (dtype && !isSameDtype(dtype, result->getElementType()))
      return node.refuse("result ", index, " has type ", *result,
                         ", but its dtype is ", dtype);
  }

  // Each block is a dimension of its own.
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(input);
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  SmallVector<bool> isKept, isKeptOfResult;
  for (auto [dim, block] : llvm::enumerate(*blocks)) {
    int64_t size = input.type.getDimSize(dim);
    ReassociationIndices group{int64_t(shape.size())};
    if (block > 1) {
      if (ShapedType::isDynamic(size))
        return node.refuse("block_size is ", block, " in dimension ", dim,
                           " of ", input.type, ": expected a static size");
      shape.push_back(size / block);
      group.push_back(shape.size());
      shape.push_back(block);
      isKept.append({true, false});
    } else {
      shape.push_back(size);
      isKept.push_back(block == 1);
    }
    groups.push_back(group);
    if (block != 0 || keepsDims)
      isKeptOfResult.push_back(block != 0);
  }
  if (shape.size() != size_t(input.type.getRank()))
    x = tensor::ExpandShapeOp::create(
        b, RankedTensorType::get(shape, b.getF32Type()), x, groups);
  // The middle of the codes, cut to an integer.
  return replaceParameters(node, x, isKept, isKeptOfResult,
                           {*range, low, high, eps, (low + high + 1) / 2});
}
