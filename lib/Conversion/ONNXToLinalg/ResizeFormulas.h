// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formulas of Resize, in f32, of numbers and of values that are computed at
// run time.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_RESIZEFORMULAS_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_RESIZEFORMULAS_H

#include "NodeParts.h"
#include "ResizePlaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

namespace mlir::qdq::resize {

/// An f32 that is computed at run time.
struct Real {
  ImplicitLocOpBuilder *b;
  Value value;

  Real like(double number) const {
    return {b, createNumber(*b, b->getF32Type(), number)};
  }
};

inline Real operator+(Real x, Real y) {
  return {x.b, arith::AddFOp::create(*x.b, x.value, y.value)};
}
inline Real operator-(Real x, Real y) {
  return {x.b, arith::SubFOp::create(*x.b, x.value, y.value)};
}
inline Real operator*(Real x, Real y) {
  return {x.b, arith::MulFOp::create(*x.b, x.value, y.value)};
}
inline Real operator/(Real x, Real y) {
  return {x.b, arith::DivFOp::create(*x.b, x.value, y.value)};
}
inline Real operator+(Real x, float y) { return x + x.like(y); }
inline Real operator-(Real x, float y) { return x - x.like(y); }
inline Real operator-(float x, Real y) { return y.like(x) - y; }
inline Real operator*(float x, Real y) { return y.like(x) * y; }
inline Real operator/(Real x, float y) { return x / x.like(y); }

inline float floorOf(float x) { return std::floor(x); }
inline Real floorOf(Real x) {
  return {x.b, math::FloorOp::create(*x.b, x.value)};
}
inline float ceilOf(float x) { return std::ceil(x); }
inline Real ceilOf(Real x) {
  return {x.b, math::CeilOp::create(*x.b, x.value)};
}

inline bool isBelow(float x, float bound) { return x < bound; }
inline Value isBelow(Real x, float bound) {
  return arith::CmpFOp::create(*x.b, arith::CmpFPredicate::OLT, x.value,
                               x.like(bound).value);
}
inline float select(bool condition, float x, float y) {
  return condition ? x : y;
}
inline Real select(Value condition, Real x, Real y) {
  return {x.b, arith::SelectOp::create(*x.b, condition, x.value, y.value)};
}
inline float like(float, float number) { return number; }
inline Real like(Real x, float number) { return x.like(number); }

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
    return select(isBelow(of.newSize, 2), like(x, 0),
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
  return select(isBelow(of.newSize, 2), like(x, 0), place);
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
    return select(isBelow(of.scale, 1), ceilOf(place), floorOf(place));
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
