// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The terms that zero points and the bias add to a sum of products of codes.

#ifndef QDQ_LIB_CONVERSION_INTEGERPRODUCTS_CORRECTION_H
#define QDQ_LIB_CONVERSION_INTEGERPRODUCTS_CORRECTION_H

#include "ProductRange.h"

namespace mlir::qdq {

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
