// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of LSTM and GRU.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_RECURRENTNODE_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_RECURRENTNODE_H

#include "../ForeignOps/ForeignOp.h"

namespace mlir::qdq {

/// X [steps, batch, inputs], W and R [directions, gates * hidden, ...], B
/// [directions, 2 * gates * hidden], and states [directions, batch, hidden].
struct Recurrent {
  bool isLSTM, resetsBehind;
  int64_t hidden;
  /// One for each direction: whether it goes from the last step to the first.
  SmallVector<bool> reversed;
  ForeignTensor x, w, r, bias, states[2];

  int64_t getNumGates() const { return isLSTM ? 4 : 3; }
};

/// Refuses what changes the formulas: other activations, peepholes, clip.
FailureOr<Recurrent> readRecurrent(const ForeignOp &node, bool isLSTM);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_RECURRENTNODE_H
