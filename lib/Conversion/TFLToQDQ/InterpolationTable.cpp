// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of functions of 16 bits.

#include "../ForeignOps/TensorOps.h"
#include "KernelTables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

static constexpr int kLines = 512, kPlaces = 7;

template <typename Real>
static SmallVector<int32_t> getEntries(TableScale<Real> input,
                                       TableScale<Real> result,
                                       function_ref<Real(Real)> function) {
  auto getReal = [](TableScale<Real> of, int64_t code) {
    return of.scale * static_cast<Real>(code - of.zeroPoint);
  };
  Real low = getReal(input, INT16_MIN), high = getReal(input, INT16_MAX);
  Real codes =
      65536 / (getReal(result, INT16_MAX) - getReal(result, INT16_MIN));
  Real step = (high - low) / kLines, half = step / 2;
  auto bound = [](Real value) {
    return static_cast<int32_t>(std::clamp<Real>(value, INT16_MIN, INT16_MAX));
  };
  SmallVector<int32_t> entries;
  for (int line = 0; line < kLines; ++line) {
    Real start = low + static_cast<Real>(line) * step;
    Real value = std::round(function(start) * codes);
    Real next = function(low + static_cast<Real>(line + 1) * step) * codes;
    Real onLine = std::round((next + value) / 2);
    Real middle = std::round(function(start + half) * codes);
    entries.push_back(bound(value - std::round((onLine - middle) / 2)));
  }
  entries.push_back(bound(std::round(function(high) * codes)));
  return entries;
}

template <typename Real>
Value mlir::qdq::createInterpolationTable(ImplicitLocOpBuilder &b,
                                          TableScale<Real> input,
                                          TableScale<Real> result,
                                          function_ref<Real(Real)> function) {
  SmallVector<int32_t> entries = getEntries(input, result, function);
  auto type = RankedTensorType::get(entries.size(), b.getI32Type());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef(entries)));
}

template Value mlir::qdq::createInterpolationTable(ImplicitLocOpBuilder &,
                                                   TableScale<float>,
                                                   TableScale<float>,
                                                   function_ref<float(float)>);
template Value
mlir::qdq::createInterpolationTable(ImplicitLocOpBuilder &, TableScale<double>,
                                    TableScale<double>,
                                    function_ref<double(double)>);

Scalar mlir::qdq::interpolate(Value table, Scalar code) {
  Scalar line = (code >> kPlaces) + kLines / 2;
  Scalar low = readEntry(table, line), high = readEntry(table, line + 1);
  Scalar slope = (code & ((1 << kPlaces) - 1)) * (high - low);
  return low + ((slope + (1 << (kPlaces - 1))) >> kPlaces);
}
