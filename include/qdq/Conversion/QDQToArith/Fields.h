// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields of storage words as shifts, of scalars and of vectors, and tables.

#ifndef QDQ_CONVERSION_QDQTOARITH_FIELDS_H
#define QDQ_CONVERSION_QDQTOARITH_FIELDS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// `value` with zeros above it in the element of `type`; a value of that stays.
Value widenBits(ImplicitLocOpBuilder &b, Value value, Type type);

/// The word of these parts, the lowest bits first; one part is the word.
Value joinParts(ImplicitLocOpBuilder &b, IntegerType word, ValueRange parts);

/// The lowest bit of the field in these slots, in the type of `word` or, of
/// scalar slots, of its elements; null without slots.
Value createFieldShift(ImplicitLocOpBuilder &b, ValueRange slots,
                       ArrayRef<int64_t> strides, Type word);

/// The field from bit `shift` on, null for 0, in the lowest bits of a `result`.
/// Its higher bits are those of the word.
Value extractField(ImplicitLocOpBuilder &b, Value word, Value shift,
                   Type result);

/// Shifts `field`, in a word whose other bits are zeros, to bit `shift`, null
/// for 0.
Value depositField(ImplicitLocOpBuilder &b, Value field, Value shift);

/// The indices of `op` as integers of as many bits as an entry, below
/// `entries`, a power of two; 0 keeps the bits above.
Value createLookupIndices(ImplicitLocOpBuilder &b, LookupOp op,
                          int64_t entries);

/// The ops that compute `op` of these operands, which may be vectors: as
/// `result`, with the bits of the word above the field.
Value expandField(ImplicitLocOpBuilder &b, ExtractFieldOp op,
                  ValueRange operands, Type result);

/// The ops that compute the result.
inline Value expandField(ImplicitLocOpBuilder &b, ExtractFieldOp op) {
  return expandField(b, op, op.getOperands(), op.getType());
}
Value expandField(ImplicitLocOpBuilder &b, DepositFieldOp op);
/// LLVM makes a permutation of extractions from as many lanes as entries.
Value expandLookup(ImplicitLocOpBuilder &b, LookupOp op);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_QDQTOARITH_FIELDS_H
