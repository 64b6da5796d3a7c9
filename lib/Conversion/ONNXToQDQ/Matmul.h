// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shapes of a product of quantized matrices, as numpy.matmul has them.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_MATMUL_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_MATMUL_H

#include "../ForeignOps/QuantizationOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/Conversion/IntegerProducts.h"

namespace mlir::qdq {

/// Operands of codes, and their zero points, which may be null.
struct Matmul {
  ForeignTensor a, aZeroPoint, b, bZeroPoint;

  RankedTensorType getA() const { return cast<RankedTensorType>(a.type); }
  RankedTensorType getB() const { return cast<RankedTensorType>(b.type); }
  /// The shape of the result.
  SmallVector<int64_t> shape;
};

/// Checks that codes fit together.
FailureOr<Matmul> makeMatmul(const ForeignOp &node, const ForeignTensor &a,
                             const ForeignTensor &b);

/// The same of the codes at `aIndex` and `bIndex`.
FailureOr<Matmul> readMatmul(const ForeignOp &node, unsigned aIndex,
                             unsigned bIndex, bool allowsFloat8 = false);

/// Reads the zero points.
LogicalResult readZeroPoints(const ForeignOp &node, Matmul &matmul,
                             unsigned aIndex, unsigned bIndex);

/// Refuses a parameter of a (`isLeft`) or b that is neither a single element,
/// nor a vector with one for each row of a or column of b, nor of the rank of
/// the operand with 1 in the place of the summed dimension.
LogicalResult checkParameter(const ForeignOp &node, StringRef name,
                             const ForeignTensor &parameter,
                             const Matmul &matmul, bool isLeft);

/// Builds the sum of products in integers.
FailureOr<Value> createProduct(const ForeignOp &node, const Matmul &matmul,
                               Accumulator accumulator);

/// Builds the sum of the products of reals of these shapes, in f32, or in f64
/// where they are that.
Value createRealProduct(const ForeignOp &node, Value a, Value b);

/// The elements of a (`isLeft`) or b that share an element of a parameter,
/// which `checkParameter` allows.
Placement getOperandPlacement(const ForeignOp &node, TensorType parameter,
                              const Matmul &matmul, bool isLeft);

/// A checked parameter in the shape that it has beside the result: a single
/// element, or the rank of the result with 1 where it is shared.
Value placeParameter(const ForeignOp &node, const ForeignTensor &parameter,
                     const Matmul &matmul, bool isLeft);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_MATMUL_H
