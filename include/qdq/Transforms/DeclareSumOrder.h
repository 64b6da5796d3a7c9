// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which the terms of a sum of floats are added.

#ifndef QDQ_TRANSFORMS_DECLARESUMORDER_H
#define QDQ_TRANSFORMS_DECLARESUMORDER_H

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// The order of a sum: as written, by partial sums (docs/Semantics.md, Q12), or
/// any.
enum class SumOrder { Sequential, Lanes, Any };

/// On a sum, an `arith.addf` or a `math.fma`: the number of its partial sums.
inline constexpr llvm::StringLiteral kPartialSumsAttr = "qdq.partial_sums";

/// On the `arith.addf` of a sum: it adds in the written order, as the runtime
/// whose bits it has, whatever the order of other sums.
inline constexpr llvm::StringLiteral kInOrderAttr = "qdq.in_order";

/// The partial sums of `SumOrder::Lanes`. A power of two.
inline constexpr int64_t kNumPartialSums = 32;

/// True if no index of an operand follows terms and results, as those of
/// windows do.
bool separatesTerms(linalg::LinalgOp op);

/// Patterns for contractions and other sums of floats on tensors, named or
/// generic, but for windows: the sum says its order. `Lanes` is an attribute of
/// it, and the product of a contraction in f32 or f64 rounds with it as
/// `math.fma`. `Any` is `fastmath<reassoc,contract>` of the sum and its
/// product. An order that a sum has already stays, but any order may become
/// that of `Lanes`.
void populateSumOrderPatterns(RewritePatternSet &patterns, SumOrder order,
                              PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_DECLARESUMORDER_H
