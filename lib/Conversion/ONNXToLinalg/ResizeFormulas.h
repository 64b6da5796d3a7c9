// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formulas of Resize, in f32, of numbers and of values that are computed at
// run time.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_RESIZEFORMULAS_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_RESIZEFORMULAS_H

#include "NodeParts.h"
#include "ResizePlaces.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

namespace mlir::qdq::resize {

inline float floorOf(float x) { return std::floor(x); }
inline Scalar floorOf(Scalar x) { return x.apply<math::FloorOp>(); }
inline float ceilOf(float x) { return std::ceil(x); }
inline Scalar ceilOf(Scalar x) { return x.apply<math::CeilOp>(); }
inline float select(bool condition, float x, float y) {
  return condition ? x : y;
}
inline float like(float, float number) { return number; }
inline Scalar like(Scalar x, float number) { return x.constant(number); }

/// The sizes of a dimension, and their quotient.
template <typename T>
struct Numbers {
  T size, newSize, scale;
};

/// The place in the input that an index of the result stands for.
template <typename T>
T findPlace(const Numbers<T> &of, const ResizeMode &mode, T x) {
  if (mode.coordinates == "asymmetric")
    return x / of.scale;
  if (mode.coordinates == "align_corners")
    return select(of.newSize < 2, like(x, 0),
                  x * (of.size - 1.0f) / (of.newSize - 1.0f));
  if (mode.coordinates == "tf_half_pixel_for_nn")
    return (x + 0.5f) / of.scale;
  if (mode.coordinates == "half_pixel_symmetric") {
    T adjustment = of.newSize / (of.scale * of.size);
    T center = of.size / 2.0f;
    return center * (1.0f - adjustment) + (x + 0.5f) / of.scale - 0.5f;
  }
  T place = (x + 0.5f) / of.scale - 0.5f;
  if (mode.coordinates != "pytorch_half_pixel")
    return place;
  return select(of.newSize < 2, like(x, 0), place);
}

/// The whole number that a place is rounded to.
template <typename T>
T findNearest(const Numbers<T> &of, const ResizeMode &mode, T place) {
  if (mode.nearest == "ceil")
    return ceilOf(place);
  if (mode.nearest == "round_prefer_ceil")
    return floorOf(place + 0.5f);
  if (mode.nearest == "round_prefer_floor")
    return ceilOf(place - 0.5f);
  if (mode.nearest == "simple")
    return select(of.scale < 1, ceilOf(place), floorOf(place));
  return floorOf(place);
}

/// The weight of cubic convolution for a neighbor at this distance, by two
/// polynomials: up to 1, and from there to 2. At 1 both are 0.
template <typename T>
T weighCubic(float a, T x, bool isNear) {
  if (isNear)
    return ((a + 2) * x - (a + 3)) * x * x + 1.0f;
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

} // namespace mlir::qdq::resize

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_RESIZEFORMULAS_H
