// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds that stand before a cast.

#include "FloatClamp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::qdq;
using arith::CmpFPredicate;

namespace {
/// One of the two bounds.
struct Limit {
  Value source;
  double bound;
  bool isUpper, keepsNaN;
};
} // namespace

static std::optional<double> getConstant(Value v) {
  Attribute attribute;
  if (!matchPattern(v, m_Constant(&attribute)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
    attribute = splat.getSplatValue<Attribute>();
  auto real = dyn_cast<FloatAttr>(attribute);
  return real ? std::optional<double>(real.getValueAsDouble()) : std::nullopt;
}

static std::optional<Limit> matchLimit(Value v) {
  auto select = v.getDefiningOp<arith::SelectOp>();
  if (!select)
    return std::nullopt;
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return std::nullopt;
  bool isLess = compare.getPredicate() == CmpFPredicate::OLT;
  if (!isLess && compare.getPredicate() != CmpFPredicate::OGT)
    return std::nullopt;
  Value source = compare.getLhs();
  std::optional<double> bound = getConstant(compare.getRhs());
  if (!bound)
    return std::nullopt;
  // source > bound ? bound : source
  if (select.getFalseValue() == source &&
      getConstant(select.getTrueValue()) == bound)
    return Limit{source, *bound, !isLess, /*keepsNaN=*/true};
  // source < bound ? source : bound
  if (select.getTrueValue() == source &&
      getConstant(select.getFalseValue()) == bound)
    return Limit{source, *bound, isLess, /*keepsNaN=*/false};
  return std::nullopt;
}

std::optional<FloatClamp> mlir::qdq::matchFloatClamp(Value v) {
  std::optional<Limit> outer = matchLimit(v);
  if (!outer)
    return std::nullopt;
  std::optional<Limit> inner = matchLimit(outer->source);
  if (!inner || inner->isUpper == outer->isUpper)
    return std::nullopt;
  const Limit &high = outer->isUpper ? *outer : *inner;
  const Limit &low = outer->isUpper ? *inner : *outer;
  // Also where a bound is a NaN.
  if (!(low.bound <= high.bound))
    return std::nullopt;
  auto nan = FloatClamp::NaN::Kept;
  for (const Limit *limit : {&*inner, &*outer}) {
    if (limit->keepsNaN)
      continue;
    nan = limit->isUpper ? FloatClamp::NaN::High : FloatClamp::NaN::Low;
    break;
  }
  return FloatClamp{inner->source, low.bound, high.bound, nan};
}
