// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One view of the parameters of per-layer, per-axis and sub-channel quantized
// types.

#include "Parameters.h"
#include "Quantiles.h"
#include "qdq/Conversion/QuantizedTypes/QuantizedTypes.h"
#include "qdq/Numerics/Evaluator.h"
#include "qdq/Numerics/Storage.h"
#include "llvm/ADT/SmallString.h"

using namespace mlir;
using namespace mlir::qdq;
using namespace mlir::quant;

IntegerType mlir::qdq::getStorageType(QuantizedType type) {
  return IntegerType::get(type.getContext(), type.getStorageTypeIntegralWidth(),
                          type.isSigned() ? IntegerType::Signless
                                          : IntegerType::Unsigned);
}

Type mlir::qdq::getCodeType(QuantizedType type) {
  if (hasIntegerStorage(type))
    return getStorageType(type);
  if (std::optional<Quantiles> quantiles = Quantiles::get(type))
    return quantiles->codeType;
  return dyn_cast_or_null<FloatType>(type.getStorageType());
}

namespace {
/// The numbers of a type, before they become attributes. `shape` is that of the
/// parameters, nothing for per-layer types.
struct Numbers {
  std::optional<SmallVector<int64_t>> shape;
  SmallVector<APFloat> scales;
  SmallVector<int64_t> zeroPoints;
};
} // namespace

static Numbers readNumbers(UniformQuantizedType type) {
  return {std::nullopt, {APFloat(type.getScale())}, {type.getZeroPoint()}};
}

static Numbers readNumbers(UniformQuantizedPerAxisType type) {
  Numbers numbers;
  numbers.shape = {static_cast<int64_t>(type.getScales().size())};
  for (double scale : type.getScales())
    numbers.scales.push_back(APFloat(scale));
  llvm::append_range(numbers.zeroPoints, type.getZeroPoints());
  return numbers;
}

static Numbers readNumbers(UniformQuantizedSubChannelType type) {
  Numbers numbers;
  numbers.shape = llvm::to_vector(type.getScales().getType().getShape());
  llvm::append_range(numbers.scales, type.getScales().getValues<APFloat>());
  // The bits are those of the storage: u8 200 prints as -56.
  for (const APInt &bits : type.getZeroPoints().getValues<APInt>())
    numbers.zeroPoints.push_back(type.isSigned() ? bits.getSExtValue()
                                                 : bits.getZExtValue());
  return numbers;
}

/// The block length of every dimension; a dimension that the type does not list
/// is one block.
static std::optional<SmallVector<int64_t>>
readBlockShape(UniformQuantizedSubChannelType type, raw_ostream &reason) {
  SmallVector<int64_t> blockShape(type.getScales().getType().getRank(), 0);
  for (auto [dimension, length] : type.getBlockSizeInfo()) {
    if (dimension < 0 || dimension >= static_cast<int64_t>(blockShape.size())) {
      reason << "block axis " << dimension << " of type " << describe(type)
             << " is out of range for rank " << blockShape.size();
      return std::nullopt;
    }
    if (blockShape[dimension] != 0) {
      reason << "type " << describe(type) << " has two block sizes for axis "
             << dimension << ": " << blockShape[dimension] << " and " << length;
      return std::nullopt;
    }
    blockShape[dimension] = length;
  }
  return blockShape;
}

/// The scales in the expressed type, rounded once.
static LogicalResult roundScales(SmallVector<APFloat> &scales, FloatType type,
                                 raw_ostream &reason) {
  for (APFloat &scale : scales) {
    APFloat rounded = roundToFormat(scale, type.getFloatSemantics());
    if (!rounded.isFiniteNonZero() || rounded.isNegative()) {
      SmallString<16> before, after;
      scale.toString(before);
      rounded.toString(after);
      reason << "scale " << before << " is " << after << " in "
             << describe(type) << ": expected a positive finite value";
      return failure();
    }
    scale = rounded;
  }
  return success();
}

/// Fails where codes that are no integers have a zero point, or bounds.
static LogicalResult checkNoZeroPoint(const Numbers &numbers,
                                      QuantizedType type,
                                      std::pair<int64_t, int64_t> bounds,
                                      raw_ostream &reason) {
  for (int64_t zeroPoint : numbers.zeroPoints)
    if (zeroPoint != 0) {
      reason << "has the type " << describe(type) << ", whose zero point is "
             << zeroPoint << ": expected 0, since its codes are no integers";
      return failure();
    }
  std::pair<int64_t, int64_t> given{type.getStorageTypeMin(),
                                    type.getStorageTypeMax()};
  if (given == bounds)
    return success();
  reason << "has the type " << describe(type)
         << ", whose codes are narrowed to " << given.first << " to "
         << given.second << ": expected all, " << bounds.first << " to "
         << bounds.second;
  return failure();
}

static LogicalResult checkZeroPoints(const Numbers &numbers,
                                     IntegerType storageType,
                                     raw_ostream &reason) {
  auto [lo, hi] = getIntegerBounds(storageType);
  for (auto [index, zeroPoint] : llvm::enumerate(numbers.zeroPoints)) {
    if (zeroPoint >= lo && zeroPoint <= hi)
      continue;
    reason << "zero point ";
    if (numbers.shape)
      reason << "element " << index << " ";
    reason << "is " << zeroPoint << ", outside of the storage type "
           << describe(storageType) << ", which holds " << lo << " to " << hi;
    return failure();
  }
  return success();
}

static TypedAttr getScale(const Numbers &numbers, FloatType type) {
  if (!numbers.shape)
    return FloatAttr::get(type, numbers.scales.front());
  return DenseElementsAttr::get(RankedTensorType::get(*numbers.shape, type),
                                numbers.scales);
}

/// Sets `zeroPoint` and its type.
static void setZeroPoint(QuantizedTypeParameters &parameters,
                         const Numbers &numbers, IntegerType type) {
  if (llvm::all_of(numbers.zeroPoints, [](int64_t z) { return z == 0; }))
    return;
  MLIRContext *ctx = type.getContext();
  unsigned width = type.getWidth();
  if (numbers.shape) {
    SmallVector<APInt> bits;
    for (int64_t zeroPoint : numbers.zeroPoints)
      bits.push_back(APInt(width, zeroPoint, /*isSigned=*/!type.isUnsigned()));
    parameters.zeroPoint = DenseElementsAttr::get(
        RankedTensorType::get(*numbers.shape, type), bits);
    parameters.zeroPointType = parameters.zeroPoint.getType();
    return;
  }
  int64_t zeroPoint = numbers.zeroPoints.front();
  bool needsSignBit = zeroPoint > llvm::maxIntN(width);
  // A zero point of more than 32 bits is no operand of qdq.
  bool isWidened = needsSignBit && width < 32;
  auto constantType =
      IntegerType::get(ctx, isWidened ? std::min(2 * width, 32u) : width);
  parameters.zeroPoint =
      IntegerAttr::get(constantType, APInt(constantType.getWidth(), zeroPoint,
                                           /*isSigned=*/!needsSignBit));
  parameters.zeroPointType =
      needsSignBit && !isWidened ? type : Type(constantType);
}

std::optional<QuantizedTypeParameters>
QuantizedTypeParameters::get(QuantizedType type, std::string &text) {
  llvm::raw_string_ostream reason(text);
  auto expressedType = dyn_cast_or_null<FloatType>(type.getExpressedType());
  if (!expressedType || !isExpressedType(expressedType)) {
    reason << "has the type " << describe(type) << ", which expresses "
           << describe(type.getExpressedType())
           << ": expected f16, bf16, f32 or f64";
    return std::nullopt;
  }

  QuantizedTypeParameters parameters;
  Builder b(type.getContext());
  Numbers numbers;
  if (auto perLayer = dyn_cast<UniformQuantizedType>(type)) {
    numbers = readNumbers(perLayer);
  } else if (auto perAxis = dyn_cast<UniformQuantizedPerAxisType>(type)) {
    numbers = readNumbers(perAxis);
    parameters.axis = b.getI64IntegerAttr(perAxis.getQuantizedDimension());
  } else if (auto subChannel = dyn_cast<UniformQuantizedSubChannelType>(type)) {
    std::optional<SmallVector<int64_t>> blockShape =
        readBlockShape(subChannel, reason);
    if (!blockShape)
      return std::nullopt;
    numbers = readNumbers(subChannel);
    parameters.blockShape = b.getDenseI64ArrayAttr(*blockShape);
  } else {
    reason << "type " << describe(type) << " gives no scale";
    return std::nullopt;
  }

  if (failed(roundScales(numbers.scales, expressedType, reason)))
    return std::nullopt;
  parameters.scale = getScale(numbers, expressedType);
  if (!hasIntegerStorage(type)) {
    std::pair<int64_t, int64_t> bounds;
    if (auto floats = dyn_cast_or_null<FloatType>(type.getStorageType())) {
      bounds.second = static_cast<int64_t>(
          APFloat::getLargest(floats.getFloatSemantics()).convertToDouble());
      bounds.first = -bounds.second;
    } else if (std::optional<Quantiles> quantiles = Quantiles::get(type)) {
      if (failed(quantiles->check(type, reason)))
        return std::nullopt;
      bounds = getIntegerBounds(quantiles->codeType);
      parameters.quantiles = quantiles->values;
    } else {
      reason << "has the type " << describe(type)
             << ", whose storage is no integer or float";
      return std::nullopt;
    }
    if (failed(checkNoZeroPoint(numbers, type, bounds, reason)))
      return std::nullopt;
    return parameters;
  }
  IntegerType storageType = getStorageType(type);
  if (failed(checkZeroPoints(numbers, storageType, reason)))
    return std::nullopt;
  setZeroPoint(parameters, numbers, storageType);
  std::pair<int64_t, int64_t> bounds{type.getStorageTypeMin(),
                                     type.getStorageTypeMax()};
  if (bounds != getIntegerBounds(storageType))
    parameters.clamp = b.getDenseI64ArrayAttr({bounds.first, bounds.second});
  return parameters;
}

const QuantizedTypeParameters *ParametersCache::get(QuantizedType type,
                                                    std::string &reason) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<QuantizedTypeParameters> &entry = known[type];
  if (!entry)
    if (auto parameters = QuantizedTypeParameters::get(type, reason))
      entry = std::make_unique<QuantizedTypeParameters>(std::move(*parameters));
  return entry.get();
}
