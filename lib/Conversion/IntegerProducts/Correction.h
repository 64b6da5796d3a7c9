// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The terms that zero points and the bias add to a sum of products of codes.

#ifndef QDQ_LIB_CONVERSION_INTEGERPRODUCTS_CORRECTION_H
#define QDQ_LIB_CONVERSION_INTEGERPRODUCTS_CORRECTION_H

#include "ProductRange.h"
#include "qdq/Conversion/IntegerProducts.h"
#include <optional>

namespace mlir::qdq {

// CodeSums.cpp

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

// Correction.cpp

/// `value`, a signless integer, in the integer type `type`, which is no
/// narrower.
Value extendInteger(OpBuilder &b, Location loc, Value value, bool isSigned,
                    Type type);

/// `sum - za S(b) - zb S(a) + K za zb + bias`, in one elementwise generic;
/// `sum` itself where nothing is added. Every step is modulo the width of its
/// type, which holds the result.
Value emitCorrection(ImplicitLocOpBuilder &b, const IntegerProduct &product,
                     ProductTypes types, Value sum);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_INTEGERPRODUCTS_CORRECTION_H
