// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How unpack and pack are split: containers follow their elements, and are not
// split themselves.

#include "PackingSharding.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

using namespace mlir;
using namespace mlir::qdq;

/// Containers follow their elements; without an axis, the first dimension of
/// these. Sizes are scalars.
AffineMap mlir::qdq::getPackingMap(RankedTensorType elements, Value value) {
  int64_t rank = elements.getRank();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return AffineMap::getMultiDimIdentityMap(2 * rank, value.getContext())
      .getMajorSubMap(type ? std::min(type.getRank(), rank) : 0);
}

FailureOr<SplitUnit> mlir::qdq::getPackingUnit(Operation *op,
                                               RankedTensorType elements,
                                               const BitLayout &layout,
                                               bool givesSizes, int64_t dim) {
  if (!layout.hasAxis() && dim > 0)
    return op->emitOpError() << "cannot be split along dimension " << dim
                             << ": its packing has no axis, and follows "
                                "dimension 0";
  if (elements.isDynamicDim(dim) && givesSizes)
    return op->emitOpError() << "is given the size of dimension " << dim
                             << ", which cannot be split";
  // The elements of an index of the dimension.
  int64_t inner = 1;
  if (!layout.hasAxis())
    for (int64_t other : elements.getShape().drop_front())
      inner *= ShapedType::isDynamic(other) ? 1 : other;
  int64_t period = dim == layout.axis.value_or(0) ? layout.getPeriod() : 1;
  SplitUnit unit = {period / std::gcd(period, inner),
                    llvm::formatv("fills containers by {0}", period), ""};
  if (period != 1)
    unit.parts = llvm::formatv(
        "containers, which hold multiples of {0} elements", period);
  return unit;
}
