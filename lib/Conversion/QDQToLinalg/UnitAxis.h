// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axis of a packing, cut behind its last whole unit.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_UNITAXIS_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_UNITAXIS_H

#include "SubByteDigits.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/IR/TensorSlice.h"

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
    return getPart(value, from, count, end).take(value);
  }

  /// `part` where `slice` is taken.
  Value insert(Value part, Value all, AffineExpr from, AffineExpr count,
               AffineExpr end) const {
    return getPart(all, from, count, end).put(part, all);
  }

private:
  /// No slice begins at the end, not even an empty one: where sizes become
  /// static, MLIR takes that for out of bounds.
  TensorSlice getPart(Value tensor, AffineExpr from, AffineExpr count,
                      AffineExpr end) const {
    TensorSlice part(b, tensor);
    part.sizes[axis] = apply(count);
    if (from != zero)
      part.offsets[axis] = affine::makeComposedFoldedAffineMin(
          b, b.getLoc(), AffineMap::get(0, 1, {from, end - 1}, b.getContext()),
          {sizes[axis]});
    return part;
  }

  ImplicitLocOpBuilder &b;
  int64_t axis;
  SmallVector<OpFoldResult> sizes;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_UNITAXIS_H
