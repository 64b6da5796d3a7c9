// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signed and unsigned integer types to signless.

#ifndef QDQ_TRANSFORMS_STRIPSIGNEDNESS_H
#define QDQ_TRANSFORMS_STRIPSIGNEDNESS_H

#include "mlir/Transforms/DialectConversion.h"

namespace mlir::qdq {

/// Signed and unsigned integers, inside builtin types, to signless ones. All
/// other types are left to other conversions of the converter.
void populateStripSignednessConversions(TypeConverter &converter);

/// One pattern for all ops that only carry values (`isTypeAgnostic`). All
/// others keep their types, behind casts.
void populateStripSignednessPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns,
                                     PatternBenefit benefit = 1);

/// Makes such ops illegal as long as they have a type that `converter` changes.
void populateStripSignednessLegality(ConversionTarget &target,
                                     const TypeConverter &converter);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_STRIPSIGNEDNESS_H
