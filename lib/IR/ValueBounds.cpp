// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ValueBoundsOpInterface of choose_params, unpack and pack: the sizes of
// results by those of operands.

#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;
using Constraints = ValueBoundsConstraintSet;

void ChooseParamsOp::populateBoundsForShapedValueDim(Value value, int64_t dim,
                                                     Constraints &cstr) {
  auto type = dyn_cast<RankedTensorType>(getInput().getType());
  if (!type)
    return;
  AffineMap map =
      getGranularity().getParameterShapeMap(type.getRank(), getContext());
  AffineExpr size = map.getResult(dim);
  SmallVector<AffineExpr> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    sizes.push_back(size.isFunctionOfDim(i)
                        ? cstr.getExpr(getInput(), i)
                        : getAffineDimExpr(i, getContext()));
  cstr.bound(value)[dim] == size.replaceDims(sizes);
}

void UnpackOp::populateBoundsForShapedValueDim(Value value, int64_t dim,
                                               Constraints &cstr) {
  if (!getSizes().empty()) {
    cstr.bound(value)[dim] ==
        OpFoldResult(getSizes()[getType().getDynamicDimIndex(dim)]);
    return;
  }
  // Without sizes the ranks are the same.
  BitLayout layout = getLayout();
  AffineExpr size = cstr.getExpr(getContainers(), dim);
  cstr.bound(value)[dim] ==
      (dim == layout.axis.value_or(0) ? layout.getMaxElements(size) : size);
}

void PackOp::populateBoundsForShapedValueDim(Value value, int64_t dim,
                                             Constraints &cstr) {
  BitLayout layout = getLayout();
  RankedTensorType type = getElements().getType();
  if (layout.hasAxis()) {
    AffineExpr size = cstr.getExpr(getElements(), dim);
    cstr.bound(value)[dim] ==
        (dim == *layout.axis ? layout.getNumContainers(size) : size);
    return;
  }
  // A product of two sizes is not affine.
  if (type.getNumDynamicDims() > 1)
    return;
  AffineExpr count = getAffineConstantExpr(1, getContext());
  for (int64_t i = 0; i < type.getRank(); ++i)
    count = count * cstr.getExpr(getElements(), i);
  cstr.bound(value)[dim] == layout.getNumContainers(count);
}
