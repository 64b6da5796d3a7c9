// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step of RNN, GRU and LSTM.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_RECURRENTCELL_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_RECURRENTCELL_H

#include "RecurrentNode.h"

namespace mlir::qdq {

/// The weights of a product: [gates * hidden, K], or as codes [K, gates *
/// hidden] with parameters.
struct RecurrentWeights {
  Value values, scale, zeroPoint;

  /// `rows` [..., K] times these, [..., gates * hidden].
  Value multiply(ImplicitLocOpBuilder &b, Value rows) const;
  /// The same of `count` gates from `from` on, each of `hidden`. Not of codes.
  Value multiplyGates(ImplicitLocOpBuilder &b, Value rows, int64_t hidden,
                      int64_t from, int64_t count) const;
};

/// One direction of a node.
struct RecurrentCell {
  const Recurrent &n;
  ArrayRef<Activation> activations;
  RecurrentWeights inputs, states;
  /// Of each gate [hidden]; empty without B.
  SmallVector<Value> biases;
  /// GRU that resets behind the product: the bias of that.
  Value resetBias;
  /// Those of the gates i, o, f [hidden]; empty without P.
  SmallVector<Value> peepholes;

  /// The next states [batch, hidden] of `states`. `x`: the products of the
  /// inputs of a step [batch, gates * hidden].
  SmallVector<Value> step(ImplicitLocOpBuilder &b, Value x,
                          ValueRange states) const;
};

/// The direction of a number.
RecurrentCell makeRecurrentCell(const ForeignOp &node, const Recurrent &n,
                                int64_t direction);

/// The tensor at an index of its first dimension.
Value takeFirst(ImplicitLocOpBuilder &b, Value x, OpFoldResult index);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_RECURRENTCELL_H
