// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact folders: constant operands, complete semantics, small results.

#include "Folding.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;

/// The numbers of a static and dynamic list whose values are all constant.
static std::optional<SmallVector<int64_t>>
getConstants(ArrayRef<int64_t> statics, ArrayRef<Attribute> values) {
  SmallVector<int64_t> numbers(statics);
  for (int64_t &number : numbers) {
    if (ShapedType::isStatic(number))
      continue;
    auto value = dyn_cast_or_null<IntegerAttr>(values.front());
    if (!value)
      return std::nullopt;
    number = value.getInt();
    values = values.drop_front();
  }
  return numbers;
}

/// Folds one conversion; `evaluate(value, scale, zeroPoint, index)` gives an
/// element or nothing.
template <typename OpTy, typename Evaluate>
static OpFoldResult foldConversion(OpTy op, Attribute inputAttr,
                                   Attribute scaleAttr, Attribute zeroPointAttr,
                                   Evaluate evaluate) {
  // An open field may still be decided by a pass option.
  if (!op.getSemanticsFields().isComplete())
    return {};
  std::optional<ConstantElements> input = ConstantElements::get(inputAttr);
  std::optional<ConstantElements> scale = ConstantElements::get(scaleAttr);
  std::optional<ConstantElements> zeroPoint =
      ConstantElements::get(zeroPointAttr);
  if (!input || !scale || (op.getZeroPoint() && !zeroPoint))
    return {};

  Type type = op.getResult().getType();
  Type elementType = getElementTypeOrSelf(type);
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && (!shaped.hasStaticShape() || shaped.getNumElements() == 0))
    return {};
  ArrayRef<int64_t> shape = shaped ? shaped.getShape() : ArrayRef<int64_t>();
  bool isUniform = input->isUniform() && scale->isUniform() &&
                   (!zeroPoint || zeroPoint->isUniform()) &&
                   *op.getSemanticsFields().rounding != Rounding::Stochastic;
  int64_t count = shaped && !isUniform ? shaped.getNumElements() : 1;
  if (count > kMaxFoldedElements)
    return {};

  ParameterIndex parameterIndex(op.getGranularity(), shape, op.getContext());
  SmallVector<Attribute> results;
  for (int64_t i = 0; i < count; ++i) {
    int64_t parameter = count == 1 ? 0 : parameterIndex(i);
    ZeroPointNumber z;
    z.domain = op.getDomain();
    // A zero point may have one element beside many scales.
    if (zeroPoint)
      z.value = (*zeroPoint)[zeroPoint->size() == 1 ? 0 : parameter];
    std::optional<Number> result =
        evaluate((*input)[i], std::get<APFloat>((*scale)[parameter]), z, i);
    if (!result)
      return {};
    results.push_back(toAttribute(*result, elementType));
  }
  if (!shaped)
    return results.front();
  return DenseElementsAttr::get(shaped, results);
}

OpFoldResult QuantizeOp::fold(FoldAdaptor adaptor) {
  Storage storage = getStorage();
  ElementTypes types = getElementTypes();
  SemanticsFields fields = getSemanticsFields();
  // Without a seed of its own the op waits for the pass option.
  std::optional<int64_t> seed = getSeed();
  if (auto runtime = dyn_cast_or_null<IntegerAttr>(adaptor.getRuntimeSeed()))
    seed = runtime.getInt();
  if (fields.rounding == Rounding::Stochastic && !seed)
    return {};
  SmallVector<int64_t> offsets, wholeSizes;
  if (fields.rounding == Rounding::Stochastic && hasPosition()) {
    auto first = getConstants(*getStaticOffsets(), adaptor.getOffsets());
    auto whole = getConstants(*getStaticWholeSizes(), adaptor.getWholeSizes());
    if (!first || !whole)
      return {};
    offsets = *first;
    wholeSizes = *whole;
    // An element outside of the whole has no index in it.
    for (auto [offset, size] : llvm::zip_equal(offsets, wholeSizes))
      if (offset < 0 || offset >= size)
        return {};
  }
  auto shaped = dyn_cast<ShapedType>(getInput().getType());
  ArrayRef<int64_t> shape;
  if (shaped && shaped.hasStaticShape())
    shape = shaped.getShape();
  // The row-major index in the whole, modulo 2^64, from that in the input.
  auto toWhole = [&](uint64_t index) {
    uint64_t result = 0, stride = 1;
    for (size_t i = 0; i < wholeSizes.size(); ++i) {
      size_t dim = wholeSizes.size() - 1 - i;
      uint64_t position = offsets[dim];
      if (i < shape.size()) {
        uint64_t size = shape[shape.size() - 1 - i];
        position += index % size;
        index /= size;
      }
      result += position * stride;
      stride *= wholeSizes[dim];
    }
    return wholeSizes.empty() ? index : result;
  };
  return foldConversion(*this, adaptor.getInput(), adaptor.getScale(),
                        adaptor.getZeroPoint(),
                        [&](const Number &x, const APFloat &scale,
                            const ZeroPointNumber &z, int64_t index) {
                          Semantics semantics = resolve(fields, types);
                          semantics.seed = seed.value_or(0);
                          return evaluateQuantize(semantics, storage, x, scale,
                                                  z, toWhole(index));
                        });
}

OpFoldResult DequantizeOp::fold(FoldAdaptor adaptor) {
  ElementTypes types = getElementTypes();
  return foldConversion(
      *this, adaptor.getInput(), adaptor.getScale(), adaptor.getZeroPoint(),
      [&](const Number &q, const APFloat &scale, const ZeroPointNumber &z,
          int64_t) {
        Semantics semantics = resolve(getSemanticsFields(), types);
        return std::optional<Number>(evaluateDequantize(
            semantics, cast<FloatType>(types.expressed), q, scale, z));
      });
}
