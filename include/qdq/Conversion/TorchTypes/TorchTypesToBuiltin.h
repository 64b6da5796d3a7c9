// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// torch-mlir's tensor types to builtin ones, where nothing but functions and
// casts has them.

#ifndef QDQ_CONVERSION_TORCHTYPES_TORCHTYPESTOBUILTIN_H
#define QDQ_CONVERSION_TORCHTYPES_TORCHTYPESTOBUILTIN_H

#include "mlir/Transforms/DialectConversion.h"

namespace mlir::qdq {

/// `!torch.vtensor`, inside builtin types, to the tensor that
/// `getBuiltinTensor` gives, where it gives one.
void populateTorchTypesConversions(TypeConverter &converter);

/// Patterns for torch-mlir's casts to and from builtin tensors, and for ops
/// that only carry values (`isTypeAgnostic`).
void populateTorchTypesPatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns,
                                PatternBenefit benefit = 1);

/// Makes the casts illegal, and ops that only carry values as long as they have
/// a type that `converter` changes.
void populateTorchTypesLegality(ConversionTarget &target,
                                const TypeConverter &converter);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_TORCHTYPES_TORCHTYPESTOBUILTIN_H
