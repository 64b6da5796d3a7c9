// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.choose_params in parts.

#ifndef QDQ_CONVERSION_QDQTOLINALG_PARTIALREDUCTION_H
#define QDQ_CONVERSION_QDQTOLINALG_PARTIALREDUCTION_H

namespace mlir {
class DialectRegistry;

namespace qdq {

/// Attaches `PartialReductionOpInterface` to `qdq.choose_params` once both the
/// qdq and the linalg dialect are loaded. A part is a `linalg.generic` that
/// takes its values into ranges (two tensors: lowest and highest values). A
/// `qdq.choose_params` of all these ends is the merge: it gives the bits of the
/// whole, whatever its semantics leave open.
void registerPartialReductionModels(DialectRegistry &registry);

} // namespace qdq
} // namespace mlir

#endif // QDQ_CONVERSION_QDQTOLINALG_PARTIALREDUCTION_H
