// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of dequantized tensors, as integers.

#ifndef QDQ_TRANSFORMS_INTEGERCONTRACTIONS_H
#define QDQ_TRANSFORMS_INTEGERCONTRACTIONS_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"
#include <optional>
#include <string>

namespace mlir::qdq {

/// Which contractions in blocks become integers: all, those whose sums have
/// the written order, none.
enum class IntegerBlocks { All, Ordered, None };

struct IntegerContractionsOptions {
  /// How a result that is quantized is computed from its sums.
  Rescale rescale = Rescale::QDQ;
  /// If given, results whose codes may differ from those of the real numbers by
  /// more stay, and the difference of others is reported.
  std::optional<int64_t> maxCodeDiff = std::nullopt;
  IntegerBlocks blocks = IntegerBlocks::All;
};

/// Patterns for contractions and convolutions of `linalg` on tensors, named or
/// generic, of which both operands are dequantized: they become contractions of
/// the codes, and a dequantize of the sums. One whose result is quantized stays
/// unless `rescale` is `qdq`: `populateRequantizeSumsPatterns` comes first.
void populateDequantizeSumsPatterns(RewritePatternSet &patterns,
                                    const IntegerContractionsOptions &options,
                                    PatternBenefit benefit = 1);

/// Patterns for `qdq.quantize` of the result of such a contraction, with a bias
/// and bounds between or without: it becomes a `qdq.requantize` of the sums.
void populateRequantizeSumsPatterns(RewritePatternSet &patterns,
                                    const IntegerContractionsOptions &options,
                                    PatternBenefit benefit = 1);

/// The reason why these patterns leave a contraction of which an operand is
/// dequantized; nothing for other ops, and for those that they convert.
std::optional<std::string> explainFloatContraction(Operation *op);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_INTEGERCONTRACTIONS_H
