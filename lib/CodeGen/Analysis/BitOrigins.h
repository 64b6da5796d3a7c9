// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the bits of vectors come from.

#ifndef QDQ_LIB_CODEGEN_ANALYSIS_BITORIGINS_H
#define QDQ_LIB_CODEGEN_ANALYSIS_BITORIGINS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::qdq {

/// Follows bits of integers and their vectors through ops that only move them,
/// on targets that store the lowest byte first.
class BitOrigins {
public:
  /// A bit that is known, or one of `source`, counted from the lowest of its
  /// lane 0.
  struct Bit {
    Value source;
    int64_t index;

    bool operator==(const Bit &other) const {
      return source == other.source && index == other.index;
    }
    bool operator!=(const Bit &other) const { return !(*this == other); }
    bool isKnown(bool one) const { return !source && index == one; }
  };
  using Bits = SmallVector<Bit>;

  /// The bits of `value`, from the lowest of lane 0 on. They are bits of
  /// `value` itself where they cannot be followed; none if it is no integer or
  /// fixed vector of integers, or has thousands of bits.
  const Bits &get(Value value);

  /// The ops that were looked at.
  int64_t getNumOps() const { return numOps; }

private:
  /// False if the bits of the result are not bits of the operands.
  bool follow(Operation *op, Bits &bits);

  DenseMap<Value, Bits> known;
  int64_t numOps = 0;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_ANALYSIS_BITORIGINS_H
