// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The windows of convolutions and pools.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_WINDOW_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_WINDOW_H

#include "ForeignOp.h"
#include "Scalar.h"

namespace mlir::qdq {

/// How a window moves, one number for each spatial dimension. The size of the
/// kernel may be open, and so may be a padding, which depends on the size of
/// the input then: `auto_pad`.
struct Window {
  SmallVector<int64_t> kernel, strides, dilations, padLow, padHigh;
  /// With `auto_pad`, the number of places is the size by the stride, rounded
  /// up, and the odd padding lies behind the input, or before it.
  bool isSame = false, isLower = false;
  /// A last window that is not full counts.
  bool hasCeilMode = false;

  int64_t getRank() const { return strides.size(); }
  /// The elements from the first to the last one of a window.
  int64_t getExtent(int64_t dim) const;
  /// The number of places, for an input of this size.
  int64_t getOutputSize(int64_t dim, int64_t size) const;
  OpFoldResult emitOutputSize(ImplicitLocOpBuilder &b, int64_t dim,
                              OpFoldResult size) const;
};

/// Sets the paddings of a window with `isSame`, for an input of these sizes.
LogicalResult setSamePadding(const ForeignOp &node, Window &window,
                             ArrayRef<int64_t> sizes);

/// Refuses a window that does not fit into an input of these sizes.
LogicalResult checkWindow(const ForeignOp &node, const Window &window,
                          ArrayRef<int64_t> sizes);

/// The paddings of a dimension of this size, by the end of the last window.
std::pair<OpFoldResult, OpFoldResult> getPads(ImplicitLocOpBuilder &b,
                                              const Window &window, int64_t dim,
                                              OpFoldResult size);

/// The spatial sizes of an input, its paddings, and the sizes of what has one
/// element for each window.
struct WindowSizes {
  SmallVector<OpFoldResult> spatial, low, high, result;
};

/// Those of an input whose spatial dimensions begin with `first`. Asserts that
/// a window fits.
WindowSizes getWindowSizes(const ForeignOp &node, const Window &window,
                           Value input, int64_t first);

/// A named op that moves a window over `inputs`, from `init` on.
template <typename Op>
Value createWindowOp(ImplicitLocOpBuilder &b, ValueRange inputs, Value init,
                     ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations) {
  return Op::create(b, TypeRange(init.getType()), inputs, init,
                    b.getI64TensorAttr(strides), b.getI64TensorAttr(dilations))
      .getResult(0);
}

/// A tensor for its shape: the extents of the window.
Value createExtents(ImplicitLocOpBuilder &b, const Window &window,
                    Type element);

/// A named pool.
template <typename Op>
Value createPool(ImplicitLocOpBuilder &b, Value input, Value init,
                 const Window &window) {
  Type element = cast<ShapedType>(init.getType()).getElementType();
  return createWindowOp<Op>(b, {input, createExtents(b, window, element)}, init,
                            window.strides, window.dilations);
}

/// The elements of each window from dimension `first` on, joined to `initial`
/// in their order. `sizes` are those of the result.
Value reduceWindows(ImplicitLocOpBuilder &b, Value values, const Window &window,
                    int64_t first, ArrayRef<OpFoldResult> sizes,
                    TypedAttr initial,
                    function_ref<Value(Scalar joined, Scalar element)> join);

/// The number of elements of the window at the indices of a body that lie in
/// the input, or with `includesPad` in the input and its padding, as an f32.
Value emitCountInside(ImplicitLocOpBuilder &b, const Window &window,
                      int64_t first, const WindowSizes &sizes,
                      bool includesPad);

/// Pads the dimensions from `first` on with a zero point, which may be null.
Value padCodes(const ForeignOp &node, Value codes, ForeignTensor zeroPoint,
               int64_t first, ArrayRef<OpFoldResult> low,
               ArrayRef<OpFoldResult> high);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_WINDOW_H
