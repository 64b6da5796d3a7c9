// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// aten._scaled_mm: a product of floats of 8 bits with scales.

#include "../ForeignOps/TensorOps.h"
#include "TorchScalars.h"
#include "Translations.h"
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
  FailureOr<ForeignTensor> codes = node.getTensor(
      index, name,
      [](RankedTensorType type) {
        return type.getRank() == 2 &&
               isa<Float8E4M3FNType, Float8E5M2Type>(type.getElementType());
      },
      "a matrix of f8E4M3FN or f8E5M2");
  if (failed(codes))
    return failure();
  int64_t size = codes->type.getDimSize(axis);
  SmallVector<int64_t> lines = {1, 1};
  lines[axis] = size;
  Type f32 = node.getRewriter().getF32Type();
  FailureOr<ForeignTensor> scale = node.getTensor(
      index + 2, index == 0 ? "scale_a" : "scale_b",
      [&](RankedTensorType type) {
        return type.getElementType() == f32 &&
               (isSingle(type) || (ShapedType::isStatic(size) &&
                                   type.getShape() == ArrayRef(lines)));
      },
      "one f32, or ", RankedTensorType::get(lines, f32), " of a static size");
  if (failed(scale))
    return failure();
  return ScaledMatrix{*codes, *scale, axis};
}

/// The numbers of a matrix, rounded to f32.
static Value dequantize(ImplicitLocOpBuilder &b, const ForeignOp &node,
                        const ScaledMatrix &matrix, const Stamp &stamp) {
  QuantizationParameters parameters;
  parameters.scale = matrix.scale;
  if (matrix.hasLines()) {
    int64_t size = matrix.codes.type.getDimSize(matrix.axis);
    parameters.scale =
        toForeign(reshape(b, node.materialize(matrix.scale), {size}));
    parameters.placement.axis = b.getI64IntegerAttr(matrix.axis);
  }
  return dequantizeF32(node, stamp, matrix.codes, parameters);
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
  FailureOr<ForeignTensor> bias = node.getOptional(
      4, "bias",
      [&](RankedTensorType type) {
        int64_t columns = rhs->codes.type.getDimSize(1);
        return isReal(type.getElementType()) &&
               succeeded(verifyCompatibleShape(type.getShape(), {columns}));
      },
      "f32, f16 or bf16 for each column of ", rhs->codes.type);
  if (failed(bias))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value addend = node.materialize(*bias);
  Value a = dequantize(b, node, *lhs, stamp);
  Value c = dequantize(b, node, *rhs, stamp);
  SmallVector<OpFoldResult> sizes = {tensor::getMixedSize(b, b.getLoc(), a, 0),
                                     tensor::getMixedSize(b, b.getLoc(), c, 1)};
  Value sums = createFilled(b, sizes, b.getF32FloatAttr(0));
  sums = linalg::MatmulOp::create(b, ValueRange{a, c}, sums).getResult(0);
  return node.replace(addBias(b, sums, addend, element));
}
