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
  SmallVector<ConstantParameter> parameters;
  for (auto [attr, value] :
       llvm::zip_equal(adaptor.getOperands().drop_front(), getParameters())) {
    auto elements = ConstantElements::get(attr);
    if (!elements)
      return {};
    isUniform &= elements->isUniform();
    parameters.push_back({*elements, ParameterIndex(getGranularityOf(value),
                                                    shape, getContext())});
  }
  int64_t count = shaped && !isUniform ? shaped.getNumElements() : 1;
  if (count > kMaxFoldedElements)
    return {};

  Semantics semantics = resolve(fields, getElementTypes());
  Storage storage = getStorage();
  SmallVector<Attribute> results;
  for (int64_t i = 0; i < count; ++i) {
    RescaleNumbers numbers;
    numbers.rescale = getRescale();
    // In the order of the operands.
    const ConstantParameter *next = parameters.begin();
    for (size_t m = 0; m < getMultipliers().size(); ++m)
      numbers.multipliers.push_back((next++)->get(i));
    if (getShift())
      numbers.shift = std::get<APSInt>((next++)->get(i));
    if (getFraction())
      numbers.fraction = std::get<APSInt>((next++)->get(i));
    numbers.limit = getLimit();
    ZeroPointNumber z;
    if (getZeroPoint())
      z.value = next->get(i);
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
