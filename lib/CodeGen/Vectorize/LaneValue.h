// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value of a body in all lanes of a tile.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_LANEVALUE_H
#define QDQ_LIB_CODEGEN_VECTORIZE_LANEVALUE_H

#include "LaneLoops.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// True for element types that have no byte of their own in a vector.
bool sharesByte(Type type);

/// The elements of vectors that hold values of this scalar type: bytes, with
/// arbitrary high bits, for what is narrower.
Type getLaneType(Type type);

/// A value in all lanes.
struct LaneValue {
  enum class Kind {
    /// The same in all lanes: one scalar.
    Scalar,
    /// For each field a scalar, or a vector of all containers.
    Fields,
    /// One vector of all lanes.
    Flat,
  };
  Kind kind = Kind::Scalar;
  SmallVector<Value> values;

  static LaneValue scalar(Value value) { return {Kind::Scalar, {value}}; }
  bool isVector() const { return isa<VectorType>(values.front().getType()); }
};

/// Moves values between fields and lanes.
class LaneShuffle {
public:
  LaneShuffle(ImplicitLocOpBuilder &b, const LaneLoops &loops)
      : b(b), loops(loops) {}

  /// A vector of any rank as one of rank 1.
  Value flatten(Value vector);
  /// Each `stride`-th lane, from lane `first` on.
  Value takeEach(Value lanes, int64_t first, int64_t stride);
  /// Each lane in as many neighboring containers.
  Value spread(Value lanes);
  /// A scalar of type `type` in `count` lanes; vectors stay.
  Value broadcast(Value value, int64_t count, Type type);
  /// One vector of all lanes, of what is a `type` in the body.
  Value merge(const LaneValue &value, Type type);
  /// A value for each field.
  LaneValue split(const LaneValue &value);

  bool areFieldsInnermost() const;

private:
  ImplicitLocOpBuilder &b;
  const LaneLoops &loops;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_LANEVALUE_H
