// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of the codes of one operand, by which zero points of the other one are
// multiplied.

#ifndef QDQ_LIB_CONVERSION_INTEGERPRODUCTS_CODESUMS_H
#define QDQ_LIB_CONVERSION_INTEGERPRODUCTS_CODESUMS_H

#include "qdq/Conversion/IntegerProducts.h"
#include <optional>

namespace mlir::qdq {

/// The loops that are not reduced and that `map` reads, in their order.
SmallVector<unsigned> getParallelLoops(const IntegerProduct &product,
                                       AffineMap map);

/// `sum(codes)` over the reduction loops, as a tensor over `getParallelLoops`
/// of `map`. `window` gives the extents of reduction loops that are no
/// dimension of the codes: an operand of the product and its map.
Value emitCodeSum(ImplicitLocOpBuilder &b, const IntegerProduct &product,
                  Value codes, AffineMap map,
                  std::pair<Value, AffineMap> window, Type type);

/// A constant over some loops, row-major, modulo 2^64.
struct ConstantSums {
  SmallVector<int64_t> shape;
  SmallVector<uint64_t> elements;
};

/// The same of constant codes whose indices are loops, minus `terms` times the
/// constant zero point. Nothing where they are not constant.
std::optional<ConstantSums> evaluateDifferenceSum(const IntegerProduct &product,
                                                  const ProductOperand &operand,
                                                  AffineMap map, int64_t terms);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_INTEGERPRODUCTS_CODESUMS_H
