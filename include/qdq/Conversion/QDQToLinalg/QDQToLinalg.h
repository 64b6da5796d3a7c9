// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq ops on tensors to linalg.

#ifndef QDQ_CONVERSION_QDQTOLINALG_QDQTOLINALG_H
#define QDQ_CONVERSION_QDQTOLINALG_QDQTOLINALG_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// How blocked parameters are indexed in a `linalg.generic`.
enum class BlockForm {
  /// `Expand` where every block length is static and divides its dimension,
  /// else `Map`.
  Auto,
  /// A block has a dimension of its own; an op where that cannot be is refused.
  Expand,
  /// The body loads the parameter at `d floordiv block`.
  Map
};

/// Those of the other populate functions, and how loops are shaped.
struct QDQToLinalgOptions : SemanticsOptions {
  BlockForm blockForm = BlockForm::Auto;
  /// Assert at run time that dynamic shapes of values and parameters agree.
  bool runtimeChecks = false;
  /// Bodies hold `qdq.encode` in place of the arithmetic of a quantize.
  bool elementOps = false;
};

/// Patterns for all qdq ops on ranked and unranked tensors: one
/// destination-style `linalg.generic` each
/// (a pack fills its containers with zeros first, choose_params is two).
void populateQDQToLinalgPatterns(RewritePatternSet &patterns,
                                 const QDQToLinalgOptions &options,
                                 PatternBenefit benefit = 1);

/// Patterns that make one `linalg.generic` of those which
/// `populateQDQToLinalgPatterns` leaves for neighbors, by upstream's
/// elementwise fusion and reshape folding:
/// - the codes that a generic reads are unpacked in its body, and, with
///   `unpackParameters`, zero points;
/// - the codes that a generic makes are packed by it;
/// - a dequantized scale is computed in the body, unless it changes along the
///   innermost loop, where it would be computed for each element.
/// They look at the form of generics only, whoever made them.
void populateQDQFusionPatterns(RewritePatternSet &patterns,
                               PatternBenefit benefit = 1,
                               bool unpackParameters = true);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_QDQTOLINALG_QDQTOLINALG_H
