// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large the sums of a product can become.

#ifndef QDQ_LIB_CONVERSION_INTEGERPRODUCTS_PRODUCTRANGE_H
#define QDQ_LIB_CONVERSION_INTEGERPRODUCTS_PRODUCTRANGE_H

#include "qdq/Conversion/IntegerProducts.h"

namespace mlir::qdq {

/// The number of terms of each sum, if it is static: of the codes, or of codes
/// of these types.
std::optional<int64_t> getStaticTerms(const IntegerProduct &product);
std::optional<int64_t> getStaticTerms(const IntegerProduct &product,
                                      RankedTensorType aType,
                                      RankedTensorType bType);

/// The types of a product: of its sum, and of the sum with the bias.
struct ProductTypes {
  IntegerType sum, total;
  /// The largest magnitude with the bias.
  uint64_t magnitude = 0;
};

/// The types that hold every sum of `terms` products (nothing: of a dynamic
/// number), also of the codes without their zero points. Fails, with a reason,
/// where i64 does not.
FailureOr<ProductTypes> getProductTypes(const ProductOperand &a,
                                        const ProductOperand &b, Value bias,
                                        std::optional<int64_t> terms,
                                        Accumulator accumulator,
                                        std::string &reason);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_INTEGERPRODUCTS_PRODUCTRANGE_H
