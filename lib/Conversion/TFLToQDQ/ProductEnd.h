// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bias of a product, and the end of one of matrices of codes.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_PRODUCTEND_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_PRODUCTEND_H

#include "../ForeignOps/CodeTensor.h"
#include "Rescaling.h"
#include "qdq/Conversion/IntegerProducts.h"

namespace mlir::qdq {

// Bias.cpp

/// Refuses operand `index`, if the op has it, unless it has `count` integers,
/// whose scale, if they have one, is that of the sums.
LogicalResult checkBias(const ForeignOp &op, unsigned index,
                        const CodeType &input, const CodeType &filter,
                        int64_t count);

/// At most one of both: a bias of up to 32 bits, which is part of a product, or
/// one of 64 bits, which is added to its sum.
struct Bias {
  Value inProduct, wide;
};

/// The bias that `checkBias` allows.
Bias createBias(const ForeignOp &op, unsigned index, int64_t count);

/// `sum` with the bias of 64 bits, if there is one, along the last dimension.
Value addBias(const ForeignOp &op, Value sum, const Bias &bias);

// ProductEnd.cpp

/// A rescaling along the columns, and bounds.
struct ProductEnd {
  SumRescaling rescaling;
  std::pair<int64_t, int64_t> bounds;
};

/// Refuses operands of more than 16 bits.
FailureOr<ProductEnd> readProductEnd(const ForeignOp &op, const Stamp &stamp,
                                     const CodeTensor &a, const CodeTensor &b,
                                     const CodeType &result,
                                     SumRescaling rescaling);

/// Builds the product and its codes, [..., columns].
FailureOr<Value> buildProductCodes(const ForeignOp &op, const Stamp &stamp,
                                   IntegerProduct product, const Bias &bias,
                                   const CodeTensor &a, const CodeTensor &b,
                                   const CodeType &result,
                                   const ProductEnd &end);

/// [..., N] as [rows, N].
Value mergeRows(ImplicitLocOpBuilder &b, Value value);

/// [rows] or [rows, N], whose first dimension becomes those of `like` but its
/// last one.
Value splitRows(ImplicitLocOpBuilder &b, Value value, Value like);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_PRODUCTEND_H
