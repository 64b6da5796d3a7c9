// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of bit patterns as numbers of the evaluator.

#ifndef QDQ_PYTHON_EVALUATORELEMENTS_H
#define QDQ_PYTHON_EVALUATORELEMENTS_H

#include "mlir/Bindings/Python/NanobindAdaptors.h"
#include "mlir/CAPI/IR.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/Evaluator.h"

namespace mlir::qdq {

using Bytes =
    nanobind::ndarray<const uint8_t, nanobind::ndim<1>, nanobind::c_contig>;
using MutableBytes =
    nanobind::ndarray<uint8_t, nanobind::ndim<1>, nanobind::c_contig>;

/// Elements of one type in an array: little-endian, each in the fewest bytes
/// that hold it, as NumPy and ml_dtypes store them.
class Elements {
public:
  explicit Elements(Type type)
      : type(type), width(type.getIntOrFloatBitWidth()),
        stride(llvm::divideCeil(width, 8)) {}

  size_t count(size_t bytes, const char *name) const {
    if (bytes % stride != 0)
      throw nanobind::value_error(name);
    return bytes / stride;
  }

  Number read(const uint8_t *bytes, size_t index) const {
    uint64_t bits = 0;
    memcpy(&bits, bytes + index * stride, stride);
    APInt value(width, bits, /*isSigned=*/false, /*implicitTrunc=*/true);
    if (auto format = dyn_cast<FloatType>(type))
      return APFloat(format.getFloatSemantics(), value);
    return APSInt(value, /*isUnsigned=*/!isSignedStorage(type));
  }

  /// Integers are extended by their sign, as NumPy's wider containers hold
  /// them.
  void write(uint8_t *bytes, size_t index, const Number &number) const {
    uint64_t bits;
    if (auto *real = std::get_if<APFloat>(&number))
      bits = real->bitcastToAPInt().getZExtValue();
    else
      bits = std::get<APSInt>(number).getExtValue();
    memcpy(bytes + index * stride, &bits, stride);
  }

private:
  Type type;
  unsigned width, stride;
};

/// The fields of a `#qdq.semantics` attribute, all of them set.
inline SemanticsFields getFields(MlirAttribute attribute) {
  auto semantics = dyn_cast<SemanticsAttr>(unwrap(attribute));
  if (!semantics || !semantics.getFields().isComplete())
    throw nanobind::value_error("expected #qdq.semantics with every field set");
  return semantics.getFields();
}

} // namespace mlir::qdq

#endif // QDQ_PYTHON_EVALUATORELEMENTS_H
