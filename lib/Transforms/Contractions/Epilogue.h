// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops between a contraction and the quantize of its result.

#ifndef QDQ_LIB_TRANSFORMS_CONTRACTIONS_EPILOGUE_H
#define QDQ_LIB_TRANSFORMS_CONTRACTIONS_EPILOGUE_H

#include "FloatContraction.h"

namespace mlir::qdq {

/// As many ops, at most, stand between a contraction and a quantize.
constexpr unsigned kLongestEpilogue = 8;

/// A real bound: `max(x, bound)` or `min(x, bound)`.
struct RealBound {
  bool isLower;
  APFloat bound;
};

/// The contraction of which a quantize takes the result, with what is done to
/// it on the way: a bias first, bounds then.
struct Epilogue {
  FloatContraction contraction;
  /// The dequantize of the bias, or null, or a bias of reals; and the map from
  /// the dimensions of the result to its elements.
  DequantizeOp bias;
  Value realBias;
  AffineMap biasMap;
  /// In the order in which they are applied.
  SmallVector<RealBound> bounds;

  /// Nothing where `op` quantizes no result of a contraction. A failure, with a
  /// reason, where it does, but something stands between that is not known.
  static std::optional<FailureOr<Epilogue>> find(QuantizeOp op,
                                                 std::string &reason);
};

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_CONTRACTIONS_EPILOGUE_H
