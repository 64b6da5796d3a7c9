// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in block floating point.

#ifndef QDQ_LIB_CODEGEN_DOTS_BLOCKFLOATS_H
#define QDQ_LIB_CODEGEN_DOTS_BLOCKFLOATS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::qdq {

/// A vector of `parts` times `containers` containers, of which each has its
/// fields. Part and fields share an exponent.
struct BlockCut {
  int64_t parts, containers;
  int64_t getSize() const { return parts * containers; }
};

/// A float tensor as integers of 23 bits and a sign, in units that are powers
/// of two, or a tensor of i8 codes as they are. The last dimension counts
/// fields with `hasFields`, or else each container has one. The
/// `numContainerDims` before count containers, a whole number of vectors. These
/// dimensions are static, and those of floats all.
class BlockFloats {
public:
  /// Bytes whose products make a lane of i32.
  static constexpr int64_t kLaneBytes = 4;
  static constexpr unsigned kNumDigits = 3, kDigitBits = 8;

  BlockFloats(ImplicitLocOpBuilder &b, Value reals, unsigned numContainerDims,
              bool hasFields, BlockCut cut);

  /// i1: no element is NaN, an infinity, or 2^120 or more, and the largest
  /// magnitude of a part is 0 or at least 2^-100. What follows is for such
  /// tensors, or codes.
  Value createCheck();

  /// i8 `[outer..., vectors, fields, containers]` each: the digits of the
  /// integers to the base 256, from -128 to 127, the most significant first.
  /// Codes are one digit.
  SmallVector<Value> createDigits();
  /// i32 `[outer..., vectors, lanes]`: the integers of a lane, all fields,
  /// added up and multiplied with `factor`.
  Value createLaneSums(int64_t factor);
  /// f32 `[outer..., groups, parts]`: the reals, or codes, of a part, all
  /// fields, added up and rounded once, of groups of so many vectors.
  Value createPartReals(int64_t groupSize);
  /// f32 `[outer..., vectors, lanes]`: the unit of each lane, times
  /// 2^-exponent, which is between 0 and 3. Not for codes.
  Value createLaneUnits(int exponent);

private:
  AffineMap getMap(unsigned numDims, ArrayRef<unsigned> inner) const;
  Value getIntegers();
  Value sumIntegers(Value integers, ArrayRef<unsigned> kept, int64_t factor);
  bool isCode() const {
    return getElementTypeOrSelf(source.getType()).isInteger(8);
  }

  ImplicitLocOpBuilder &b;
  BlockCut cut;
  /// Outer dimensions, and that of the vectors.
  unsigned numOuter;
  /// `[outer..., vectors, fields, parts, containers]`.
  Value source;
  /// i32 `[outer..., vectors, parts]`: the bits of the largest magnitudes.
  Value largest;
  /// As `source`, i32; null at first.
  Value integers;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BLOCKFLOATS_H
