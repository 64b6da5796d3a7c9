// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One view of the parameters of per-layer, per-axis and sub-channel quantized
// types.

#ifndef QDQ_LIB_CONVERSION_QUANTIZEDTYPES_PARAMETERS_H
#define QDQ_LIB_CONVERSION_QUANTIZEDTYPES_PARAMETERS_H

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <mutex>

namespace mlir::qdq {

/// The parameters of a quantized type, as constants and attributes of a qdq op.
struct QuantizedTypeParameters {
  /// A scalar of the expressed type, or a tensor of them: rank 1 with `axis`,
  /// the rank of the value with `blockShape`.
  TypedAttr scale;
  /// Null where every zero point is zero. Tensors have the storage type. A
  /// scalar constant is signless, so that one of unsigned storage has twice the
  /// width where its value needs it.
  TypedAttr zeroPoint;
  /// The type to read `zeroPoint` as: its own, but for the u32 scalars that no
  /// signed 32 bits hold.
  Type zeroPointType;
  IntegerAttr axis;
  DenseI64ArrayAttr blockShape;
  /// Null where the type uses all codes.
  DenseI64ArrayAttr clamp;
  /// The value of each code, for quantile storage; null for all other types.
  DenseElementsAttr quantiles;

  /// Reads a uniform type of any granularity; nothing with the reason, which
  /// carries the number that is wrong.
  static std::optional<QuantizedTypeParameters> get(quant::QuantizedType type,
                                                    std::string &reason);
};

/// `QuantizedTypeParameters::get`, once for each type. For any number of
/// threads.
class ParametersCache {
public:
  const QuantizedTypeParameters *get(quant::QuantizedType type,
                                     std::string &reason);

private:
  std::mutex mutex;
  llvm::DenseMap<Type, std::unique_ptr<QuantizedTypeParameters>> known;
};

/// False for no storage, and for floats and quantiles, which MLIR 23 adds.
inline bool hasIntegerStorage(quant::QuantizedType type) {
  return isa_and_nonnull<IntegerType>(type.getStorageType());
}

/// `i8` for signed, `ui8` for unsigned storage, whatever the signedness that
/// the type's own storage type spells.
IntegerType getStorageType(quant::QuantizedType type);

/// The element type of codes: `getStorageType`, or the float or the index of a
/// quantile that is stored. Null for all other types.
Type getCodeType(quant::QuantizedType type);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QUANTIZEDTYPES_PARAMETERS_H
