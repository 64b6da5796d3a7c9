// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// aten._scaled_mm: a product of floats of 8 bits with scales.

#include "../ForeignOps/TensorOps.h"
#include "TorchScalars.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// A matrix of f8, and its scales: one, or one for each index of `axis`.
struct ScaledMatrix {
  ForeignTensor codes, scale;
  int64_t axis;

  bool hasLines() const { return !isSingle(scale.type); }
  bool mayHaveLines() const {
    return hasLines() || codes.type.getDimSize(axis) == 1;
  }
};
} // namespace

static FailureOr<ScaledMatrix> readMatrix(const ForeignOp &node, unsigned index,
                                          StringRef name, int64_t axis) {
  FailureOr<ForeignTensor> codes = node.getTensor(index, name);
  if (failed(codes))
    return failure();
  Type element = codes->type.getElementType();
  if (!codes->type.hasRank() || codes->type.getRank() != 2 ||
      !isa<Float8E4M3FNType, Float8E5M2Type>(element))
    return node.refuse(name, " has type ", codes->type,
                       ": expected a matrix of f8E4M3FN or f8E5M2");
  StringRef scaleName = index == 0 ? "scale_a" : "scale_b";
  FailureOr<ForeignTensor> scale = node.getTensor(index + 2, scaleName);
  if (failed(scale))
    return failure();
  int64_t size = codes->type.getDimSize(axis);
  SmallVector<int64_t> lines = {1, 1};
  lines[axis] = size;
  bool fits =
      scale->type.getElementType().isF32() && scale->type.hasRank() &&
      (isSingle(scale->type) || (ShapedType::isStatic(size) &&
                                 scale->type.getShape() == ArrayRef(lines)));
  if (!fits)
    return node.refuse(
        scaleName, " has type ", scale->type, ": expected one f32, or ",
        RankedTensorType::get(
            lines, Float32Type::get(node.getRewriter().getContext())),
        " of a static size");
  return ScaledMatrix{*codes, *scale, axis};
}

/// The numbers of a matrix, rounded to f32.
static Value dequantize(ImplicitLocOpBuilder &b, const ForeignOp &node,
                        const ScaledMatrix &matrix, const Stamp &stamp) {
  FloatType f32 = b.getF32Type();
  QuantizationParameters parameters;
  parameters.scale = matrix.scale;
  if (matrix.hasLines()) {
    int64_t size = matrix.codes.type.getDimSize(matrix.axis);
    parameters.scale =
        toForeign(reshape(b, node.materialize(matrix.scale), {size}));
    parameters.placement.axis = b.getI64IntegerAttr(matrix.axis);
  }
  return createDequantize(node, matrix.codes, f32, parameters,
                          stamp({Direction::Dequantize, f32, f32}));
}

LogicalResult mlir::qdq::translateScaledProduct(const ForeignOp &node,
                                                const Stamp &stamp) {
  FailureOr<ScaledMatrix> lhs = readMatrix(node, 0, "self", 0);
  FailureOr<ScaledMatrix> rhs = readMatrix(node, 1, "mat2", 1);
  FailureOr<TensorType> result = node.getResultType(0);
  FailureOr<Type> dtype = getDtype(node, 6, "out_dtype");
  if (failed(lhs) || failed(rhs) || failed(result) || failed(dtype))
    return failure();
  if ((lhs->hasLines() && !rhs->mayHaveLines()) ||
      (rhs->hasLines() && !lhs->mayHaveLines()))
    return node.refuse("has scales of types ", lhs->scale.type, " and ",
                       rhs->scale.type,
                       ": expected one for each tensor, or one for each row of "
                       "self and each column of mat2");
  Type element = result->getElementType();
  if (!isReal(element) || (*dtype && *dtype != element))
    return node.refuse("makes ", *result, " (out_dtype ", *dtype,
                       "): expected f32, f16 or bf16, as out_dtype says");
  int64_t depth = lhs->codes.type.getDimSize(1);
  int64_t rows = rhs->codes.type.getDimSize(0);
  if (differ(depth, rows))
    return node.refuse("multiplies ", lhs->codes.type, " by ", rhs->codes.type,
                       ": expected as many columns of self as rows of mat2");
  Value bias;
  if (node.getOperand(4)) {
    FailureOr<ForeignTensor> tensor = node.getTensor(4, "bias");
    if (failed(tensor))
      return failure();
    Type type = tensor->type.getElementType();
    int64_t columns = rhs->codes.type.getDimSize(1);
    if (!tensor->type.hasRank() || !isReal(type) ||
        failed(verifyCompatibleShape(tensor->type.getShape(), {columns})))
      return node.refuse("bias has type ", tensor->type,
                         ": expected f32, f16 or bf16 for each column of ",
                         rhs->codes.type);
    bias = node.materialize(*tensor);
  }
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value a = dequantize(b, node, *lhs, stamp);
  Value c = dequantize(b, node, *rhs, stamp);
  SmallVector<OpFoldResult> sizes = {tensor::getMixedSize(b, b.getLoc(), a, 0),
                                     tensor::getMixedSize(b, b.getLoc(), c, 1)};
  Value sums = createFilled(b, sizes, b.getF32FloatAttr(0));
  sums = linalg::MatmulOp::create(b, ValueRange{a, c}, sums).getResult(0);
  return node.replace(addBias(b, sums, bias, element));
}
