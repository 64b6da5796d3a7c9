// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a product of matrices of codes.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_PRODUCTEND_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_PRODUCTEND_H

#include "Bias.h"
#include "Rescaling.h"
#include "qdq/Conversion/IntegerProducts.h"

namespace mlir::qdq {

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

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_PRODUCTEND_H
