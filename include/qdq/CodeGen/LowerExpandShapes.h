// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memref.expand_shape with several dynamic sizes in a group.

#ifndef QDQ_CODEGEN_LOWEREXPANDSHAPES_H
#define QDQ_CODEGEN_LOWEREXPANDSHAPES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// A pattern for `memref.expand_shape` that has two or more dynamic sizes in
/// one group: a `memref.reinterpret_cast` to the sizes that the op names.
/// Others are left. Upstream's `expand-strided-metadata` asserts there is none,
/// or reads past the end of an array.
void populateLowerExpandShapesPatterns(RewritePatternSet &patterns,
                                       PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_CODEGEN_LOWEREXPANDSHAPES_H
