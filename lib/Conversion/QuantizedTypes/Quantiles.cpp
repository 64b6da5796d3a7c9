// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Storage of MLIR 23 that looks values up: !quant.quantile.

#include "Quantiles.h"
#include "qdq/Conversion/QuantizedTypes/QuantizedTypes.h"
#include "qdq/Numerics/Evaluator.h"
#include "qdq/Numerics/Storage.h"
#include "qdq/Support/MLIRVersion.h"

using namespace mlir;
using namespace mlir::qdq;

#if QDQ_HAS_QUANTILE_TYPE
std::optional<Quantiles> Quantiles::get(quant::QuantizedType type) {
  auto storage = dyn_cast_or_null<quant::QuantileType>(type.getStorageType());
  if (!storage)
    return std::nullopt;
  Quantiles quantiles;
  quantiles.codeType = storage.getStorageType();
  auto valueType = cast<FloatType>(storage.getQuantileType());
  SmallVector<APFloat> values;
  for (double value : storage.getQuantiles())
    values.push_back(
        roundToFormat(APFloat(value), valueType.getFloatSemantics()));
  quantiles.values = DenseElementsAttr::get(
      RankedTensorType::get(static_cast<int64_t>(values.size()), valueType),
      values);
  return quantiles;
}
#else
std::optional<Quantiles> Quantiles::get(quant::QuantizedType) {
  return std::nullopt;
}
#endif

LogicalResult Quantiles::check(quant::QuantizedType type,
                               raw_ostream &reason) const {
  Type valueType = values.getElementType();
  reason << "has the type " << describe(type);
  if (!codeType.isUnsignedInteger() ||
      values.getNumElements() != int64_t(1) << codeType.getIntOrFloatBitWidth())
    reason << ", whose " << values.getNumElements() << " quantiles belong to "
           << describe(codeType)
           << ": expected one for each code of an unsigned integer";
  else if (!isStorageType(valueType))
    reason << ", whose quantiles are of type " << describe(valueType)
           << ": expected bf16, f16, or a smaller float";
  else
    return success();
  return failure();
}
