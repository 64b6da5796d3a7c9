// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of a `!quant.uniform` type as tensors of codes, with the parameters
// of the type.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_CODETENSOR_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_CODETENSOR_H

#include "QuantizationOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The parts of a per-layer or per-axis type.
struct CodeType {
  /// The tensor of codes: elements are `i8` for signed storage, `ui8` for
  /// unsigned storage.
  RankedTensorType type;
  /// The parameters as constants.
  QuantizationParameters parameters;
  FloatType expressed;
  /// The same as numbers: one, or one for each index along `axis`. Scales are
  /// in the expressed type.
  SmallVector<APFloat> scales;
  SmallVector<int64_t> zeroPoints;
  std::optional<int64_t> axis;
  /// The codes that the type uses; `isNarrow` where those are not all.
  int64_t lo, hi;
  bool isNarrow;

  Type getStorage() const { return type.getElementType(); }
  bool isSigned() const { return !getStorage().isUnsignedInteger(); }
  unsigned getWidth() const { return getStorage().getIntOrFloatBitWidth(); }
  bool isPerTensor() const { return !axis; }
  const APFloat &getScale(int64_t index = 0) const {
    return scales[isPerTensor() ? 0 : index];
  }
  float getFloatScale(int64_t index = 0) const {
    return getScale(index).convertToFloat();
  }
  int64_t getZeroPoint(int64_t index = 0) const {
    return zeroPoints[isPerTensor() ? 0 : index];
  }
};

/// The codes from `bounds.first` to `bounds.second` as the clamp of an op; null
/// where those are all of the storage.
inline DenseI64ArrayAttr getClamp(Builder &b, Type storage,
                                  std::pair<int64_t, int64_t> bounds) {
  return bounds == getIntegerBounds(storage)
             ? DenseI64ArrayAttr()
             : b.getDenseI64ArrayAttr({bounds.first, bounds.second});
}
inline DenseI64ArrayAttr getClamp(Builder &b, const CodeType &type) {
  return getClamp(b, type.getStorage(), {type.lo, type.hi});
}

/// An operand of such a type. Nothing is built until its codes are asked for:
/// patterns look at all operands before they change anything.
struct CodeTensor : CodeType {
  Value operand;

  Value getCodes(const ForeignOp &op) const;
  ForeignTensor getTensor(const ForeignOp &op) const {
    return {getCodes(op), type, nullptr};
  }
};

/// True for a tensor, ranked or not, of a type of the quant dialect.
bool isQuantized(Type type);

/// True for an op of a dialect that has an operand or a result of such a type.
bool isQuantizedOp(Operation *op, StringRef dialect);

/// Reads a type, which has one scale unless `allowsAxis`. `name` is for the
/// reason.
FailureOr<CodeType> readCodeType(const ForeignOp &op, StringRef name, Type type,
                                 bool allowsAxis = false);

/// Reads an operand of such a type.
FailureOr<CodeTensor> readCodes(const ForeignOp &op, unsigned index,
                                StringRef name, bool allowsAxis = false);

/// The type of the result.
FailureOr<CodeType> readResultCodes(const ForeignOp &op,
                                    bool allowsAxis = false);

/// Refuses two tensors of different scales, zero points or storage.
LogicalResult checkSameParameters(const ForeignOp &op, StringRef name,
                                  const CodeType &type, StringRef otherName,
                                  const CodeType &other);

/// A value of any tensor type: the codes of a quantized one, others as they
/// are.
Value toStorage(const ForeignOp &op, Value value);

/// The same without signedness.
Value toSignlessStorage(const ForeignOp &op, Value value);

/// Replaces the op by values of the types that `toStorage` gives, up to open
/// sizes: quantized results are codes again for those who read them. Succeeds.
LogicalResult replaceWithStorage(const ForeignOp &op, ValueRange values);
inline LogicalResult replaceWithStorage(const ForeignOp &op, Value value) {
  return replaceWithStorage(op, ValueRange(value));
}
inline LogicalResult replaceWithStorage(const ForeignOp &op,
                                        FailureOr<Value> value) {
  return failed(value) ? failure() : replaceWithStorage(op, *value);
}

/// Replaces a constant, whose elements are the attribute `value`: those of a
/// quantized type are its codes.
LogicalResult replaceByConstant(const ForeignOp &op);

/// Erases dead casts between quantized types and codes, dead constants, and
/// placeholders of operands that are left out.
void eraseDeadStorage(Operation *root);

/// The elements of a constant tensor of integers; refuses others.
FailureOr<SmallVector<int64_t>>
readConstantIntegers(const ForeignOp &op, unsigned index, StringRef name);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_CODETENSOR_H
