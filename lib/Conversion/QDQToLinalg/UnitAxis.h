// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axis of a packing, cut behind its last whole unit.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_UNITAXIS_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_UNITAXIS_H

#include "SubByteDigits.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The axis of a packing as whole units and a rest of fewer elements.
class UnitAxis {
public:
  UnitAxis(ImplicitLocOpBuilder &b, const SubByteDigits &digits,
           ArrayRef<OpFoldResult> sizes)
      : size(b.getAffineSymbolExpr(0)),
        whole(size.floorDiv(digits.getUnit()) * digits.getUnit()),
        zero(b.getAffineConstantExpr(0)), b(b), axis(*digits.getLayout().axis),
        sizes(sizes) {}

  /// The elements, and those in whole units.
  AffineExpr size, whole, zero;

  int64_t getRank() const { return sizes.size(); }

  OpFoldResult apply(AffineExpr expr) const {
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr,
                                                 {sizes[axis]});
  }

  /// `count` indices of the axis from `from` on, of `end`.
  Value slice(Value value, AffineExpr from, AffineExpr count,
              AffineExpr end) const {
    SmallVector<OpFoldResult> counts =
        tensor::getMixedSizes(b, b.getLoc(), value);
    counts[axis] = apply(count);
    return tensor::ExtractSliceOp::create(b, value, getOffsets(from, end),
                                          counts, getOnes());
  }

  /// `part` where `slice` is taken.
  Value insert(Value part, Value all, AffineExpr from, AffineExpr count,
               AffineExpr end) const {
    SmallVector<OpFoldResult> counts =
        tensor::getMixedSizes(b, b.getLoc(), all);
    counts[axis] = apply(count);
    return tensor::InsertSliceOp::create(b, part, all, getOffsets(from, end),
                                         counts, getOnes());
  }

private:
  /// No slice begins at the end, not even an empty one: where sizes become
  /// static, MLIR takes that for out of bounds.
  SmallVector<OpFoldResult> getOffsets(AffineExpr from, AffineExpr end) const {
    SmallVector<OpFoldResult> offsets(getRank(), b.getIndexAttr(0));
    if (from != zero)
      offsets[axis] = affine::makeComposedFoldedAffineMin(
          b, b.getLoc(), AffineMap::get(0, 1, {from, end - 1}, b.getContext()),
          {sizes[axis]});
    return offsets;
  }
  SmallVector<OpFoldResult> getOnes() const {
    return SmallVector<OpFoldResult>(getRank(), b.getIndexAttr(1));
  }

  ImplicitLocOpBuilder &b;
  int64_t axis;
  SmallVector<OpFoldResult> sizes;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_UNITAXIS_H
