// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands and attributes of RNN, GRU, LSTM and DynamicQuantizeLSTM.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_RECURRENTNODE_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_RECURRENTNODE_H

#include "Operators.h"

namespace mlir::qdq {

enum class Cell { RNN, GRU, LSTM };

/// The function of a gate, with its parameters.
struct Activation {
  Value (*emit)(ImplicitLocOpBuilder &b, const Elements &elements);
  float alpha, beta;
  Functions functions;
};

/// X [steps, batch, inputs], or [batch, steps, inputs] if `batchFirst`. States
/// [directions, batch, hidden], or [batch, directions, hidden].
struct Recurrent {
  Cell cell = Cell::RNN;
  /// GRU: the reset gate multiplies the product of the state, not the state.
  bool resetsBehind = false;
  /// LSTM: the forget gate is 1 minus the input gate.
  bool couplesGates = false;
  bool batchFirst = false;
  /// Sums are clamped to -clip and clip before an activation.
  std::optional<float> clip;
  int64_t hidden = 0;
  /// That of X and of all other operands but codes and lengths, and the type in
  /// which they are computed.
  Type element, computeType;
  /// The number of rows, where an operand tells it.
  int64_t batch = ShapedType::kDynamic;
  /// One for each direction: whether it goes from the last step to the first.
  SmallVector<bool> reversed;
  /// Those of the first direction, then those of the second.
  SmallVector<Activation> activations;
  /// W [directions, gates * hidden, inputs], R [directions, gates * hidden,
  /// hidden], B [directions, 2 * gates * hidden], P [directions, 3 * hidden].
  ForeignTensor x, w, r, bias, peepholes, states[2];
  /// The number of steps of each row [batch], of i32.
  ForeignTensor lengths;
  /// DynamicQuantizeLSTM: W and R are codes [directions, inputs or hidden,
  /// gates * hidden]. Of W, then of R, [directions] or [directions, gates *
  /// hidden].
  ForeignTensor scales[2], zeroPoints[2];

  int64_t getNumGates() const {
    return cell == Cell::LSTM ? 4 : cell == Cell::GRU ? 3 : 1;
  }
  int64_t getNumStates() const { return cell == Cell::LSTM ? 2 : 1; }
  int64_t getNumActivations() const {
    return cell == Cell::LSTM ? 3 : cell == Cell::GRU ? 2 : 1;
  }
  bool hasCodes() const { return bool(scales[0]); }

  /// An operand; floats in `computeType`.
  Value materialize(const ForeignOp &node, const ForeignTensor &operand) const;
};

FailureOr<Recurrent> readRecurrent(const ForeignOp &node, StringRef name);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_RECURRENTNODE_H
