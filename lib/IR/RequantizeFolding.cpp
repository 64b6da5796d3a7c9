// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exact folder of requantize: constant operands, complete semantics, small
// results.

#include "Folding.h"
#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APSInt;

namespace {
/// A constant parameter by the elements of the input.
struct ConstantParameter {
  ConstantElements elements;
  ParameterIndex index;

  Number get(int64_t element) const {
    return elements[elements.isUniform() ? 0 : index(element)];
  }
};
} // namespace

OpFoldResult RequantizeOp::fold(FoldAdaptor adaptor) {
  // An open field may still be decided by a pass option.
  SemanticsFields fields = getSemanticsFields();
  if (!fields.isComplete())
    return {};
  auto input = ConstantElements::get(adaptor.getInput());
  auto shaped = dyn_cast<ShapedType>(getType());
  if (!input ||
      (shaped && (!shaped.hasStaticShape() || shaped.getNumElements() == 0)))
    return {};
  ArrayRef<int64_t> shape = shaped ? shaped.getShape() : ArrayRef<int64_t>();

  bool isUniform = input->isUniform();
  auto read = [&](Attribute attr,
                  Value value) -> std::optional<ConstantParameter> {
    auto elements = ConstantElements::get(attr);
    if (!elements)
      return std::nullopt;
    isUniform &= elements->isUniform();
    return ConstantParameter{*elements, ParameterIndex(getGranularityOf(value),
                                                       shape, getContext())};
  };
  SmallVector<ConstantParameter, 3> multipliers;
  for (auto [attr, value] :
       llvm::zip_equal(adaptor.getMultipliers(), getMultipliers())) {
    auto multiplier = read(attr, value);
    if (!multiplier)
      return {};
    multipliers.push_back(*multiplier);
  }
  std::optional<ConstantParameter> shift, fraction, zeroPoint;
  auto readOptional = [&](Attribute attr, Value value,
                          std::optional<ConstantParameter> &into) {
    if (value)
      into = read(attr, value);
    return !value || into;
  };
  if (!readOptional(adaptor.getShift(), getShift(), shift) ||
      !readOptional(adaptor.getFraction(), getFraction(), fraction) ||
      !readOptional(adaptor.getZeroPoint(), getZeroPoint(), zeroPoint))
    return {};
  int64_t count = shaped && !isUniform ? shaped.getNumElements() : 1;
  if (count > kMaxFoldedElements)
    return {};

  Semantics semantics = resolve(fields, getElementTypes());
  Storage storage = getStorage();
  SmallVector<Attribute> results;
  for (int64_t i = 0; i < count; ++i) {
    RescaleNumbers numbers;
    numbers.rescale = getRescale();
    for (const ConstantParameter &multiplier : multipliers)
      numbers.multipliers.push_back(multiplier.get(i));
    if (shift)
      numbers.shift = std::get<APSInt>(shift->get(i));
    if (fraction)
      numbers.fraction = std::get<APSInt>(fraction->get(i));
    numbers.limit = getLimit();
    ZeroPointNumber z;
    if (zeroPoint)
      z.value = zeroPoint->get(i);
    std::optional<Number> code = evaluateRequantize(
        semantics, storage, numbers, std::get<APSInt>((*input)[i]), z);
    if (!code)
      return {};
    results.push_back(toAttribute(*code, getStorageElementType()));
  }
  if (!shaped)
    return results.front();
  return DenseElementsAttr::get(shaped, results);
}
