// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The terms that zero points and the bias add to a sum of products of codes.

#include "Correction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/Granularity.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

/// A type's width of bits.
static APInt toWidth(uint64_t bits, IntegerType type) {
  return APInt(64, bits).trunc(type.getWidth());
}

namespace {
/// An integer for each element of the result: a constant, a scalar, or a tensor
/// with a map from the loops.
struct Factor {
  Value value;
  AffineMap map;
  bool isSigned = true;
  std::optional<uint64_t> constant = {};
  /// The argument of the body for a tensor.
  unsigned argument = 0;

  Value get(ImplicitLocOpBuilder &b, ValueRange arguments,
            IntegerType type) const {
    if (constant)
      return arith::ConstantOp::create(
          b, b.getIntegerAttr(type, toWidth(*constant, type)));
    return extendInteger(b, b.getLoc(), argument ? arguments[argument] : value,
                         isSigned, type);
  }
};

/// A product that is added.
struct Term {
  SmallVector<Factor, 3> factors;
  bool isNegative;
};

/// Collects the terms.
class Correction {
public:
  Correction(ImplicitLocOpBuilder &b, const IntegerProduct &product,
             ProductTypes types)
      : b(b), product(product), types(types) {
    addZeroPoints();
  }

  /// Adds all terms to `sum`.
  Value addTo(Value sum);

private:
  ImplicitLocOpBuilder &b;
  const IntegerProduct &product;
  ProductTypes types;
  SmallVector<Term> terms;

  void addZeroPoints();
  void addConstantSums(const Factor &zero, AffineMap map,
                       const ConstantSums &sums);
  Factor getZeroPoint(const ProductOperand &operand);
  Factor getCount();

  /// The sums of one operand's codes; `other` has the extents that it lacks.
  Factor getCodeSum(const ProductOperand &operand, AffineMap map,
                    const ProductOperand &other, AffineMap otherMap) {
    return {emitCodeSum(b, product, operand.codes, map, {other.codes, otherMap},
                        types.sum),
            getSumMap(map)};
  }

  AffineMap getSumMap(AffineMap map) {
    return AffineMap::getMultiDimMapWithTargets(product.iterators.size(),
                                                getParallelLoops(product, map),
                                                b.getContext());
  }

  /// `map` from the dimensions of the result.
  AffineMap fromResult(AffineMap map) {
    SmallVector<AffineExpr> dims(product.iterators.size(),
                                 b.getAffineConstantExpr(0));
    for (auto [position, loop] :
         llvm::enumerate(product.resultMap.getResults()))
      dims[cast<AffineDimExpr>(loop).getPosition()] =
          b.getAffineDimExpr(position);
    return map.replaceDimsAndSymbols(dims, {}, product.resultSizes.size(), 0);
  }
};
} // namespace

static bool hasZeroPoint(const ProductOperand &operand) {
  return operand.zeroPoint && !matchPattern(operand.zeroPoint, m_Zero());
}

Factor Correction::getZeroPoint(const ProductOperand &operand) {
  Value zero = operand.zeroPoint;
  auto constant = ConstantElements::get(zero);
  if (constant && constant->size() > 0 && constant->isUniform())
    return {{}, {}, true, std::get<APSInt>((*constant)[0]).getExtValue()};
  Factor factor;
  factor.isSigned = isSignedStorage(getElementTypeOrSelf(zero));
  factor.value = asSignless(b, b.getLoc(), zero);
  factor.map = isSingleElement(zero.getType())
                   ? AffineMap::get(product.iterators.size(), 0, b.getContext())
                   : operand.zeroPointMap;
  return factor;
}

/// How many products are summed.
Factor Correction::getCount() {
  if (std::optional<int64_t> terms = getStaticTerms(product))
    return {{}, {}, true, *terms};
  Value count;
  for (auto [loop, iterator] : llvm::enumerate(product.iterators)) {
    if (iterator != utils::IteratorType::reduction)
      continue;
    AffineExpr dim = b.getAffineDimExpr(loop);
    auto position = product.aMap.getResultPosition(dim);
    Value codes = position ? product.a.codes : product.b.codes;
    if (!position)
      position = product.bMap.getResultPosition(dim);
    Value size = tensor::DimOp::create(b, codes, *position);
    count = count ? arith::MulIOp::create(b, count, size) : size;
  }
  Factor factor;
  factor.value = arith::IndexCastOp::create(b, types.sum, count);
  return factor;
}

/// `-zero * sums`.
void Correction::addConstantSums(const Factor &zero, AffineMap map,
                                 const ConstantSums &sums) {
  uint64_t multiplier = -zero.constant.value_or(-1);
  SmallVector<APInt> elements =
      llvm::map_to_vector(sums.elements, [&](uint64_t sum) {
        return toWidth(multiplier * sum, types.sum);
      });
  if (llvm::all_of(elements, [](const APInt &x) { return x.isZero(); }))
    return;
  auto type = RankedTensorType::get(sums.shape, types.sum);
  Factor factor = {
      arith::ConstantOp::create(b, DenseElementsAttr::get(type, elements)),
      map};
  if (zero.constant)
    terms.push_back({{factor}, /*isNegative=*/false});
  else
    terms.push_back({{zero, factor}, /*isNegative=*/true});
}

void Correction::addZeroPoints() {
  // Constant codes make constant sums: `w` are those.
  auto isConstant = [](const ProductOperand &operand) {
    return matchPattern(operand.codes, m_Constant());
  };
  bool swap = isConstant(product.a) && !isConstant(product.b);
  const ProductOperand &w = swap ? product.a : product.b;
  const ProductOperand &x = swap ? product.b : product.a;
  AffineMap wMap = swap ? product.aMap : product.bMap;
  AffineMap xMap = swap ? product.bMap : product.aMap;
  if (hasZeroPoint(w))
    terms.push_back({{getZeroPoint(w), getCodeSum(x, xMap, w, wMap)}, true});
  if (!hasZeroPoint(x))
    return;
  Factor zero = getZeroPoint(x);
  if (std::optional<int64_t> count = getStaticTerms(product))
    if (auto sums = evaluateDifferenceSum(product, w, wMap, *count))
      return addConstantSums(zero, getSumMap(wMap), *sums);
  terms.push_back({{zero, getCodeSum(w, wMap, x, xMap)}, true});
  if (hasZeroPoint(w))
    terms.push_back({{zero, getZeroPoint(w), getCount()}, false});
}

Value Correction::addTo(Value sum) {
  if (terms.empty() && !product.bias)
    return sum;
  SmallVector<Value> inputs = {sum};
  SmallVector<AffineMap> maps = {
      b.getMultiDimIdentityMap(product.resultSizes.size())};
  auto addInput = [&](Factor &factor) {
    if (!factor.value || !isa<RankedTensorType>(factor.value.getType()))
      return;
    factor.argument = inputs.size();
    inputs.push_back(factor.value);
    maps.push_back(fromResult(factor.map));
  };
  for (Term &term : terms)
    llvm::for_each(term.factors, addInput);
  Factor bias;
  if (product.bias) {
    bias = {asSignless(b, b.getLoc(), product.bias), product.biasMap,
            isSignedStorage(getElementTypeOrSelf(product.bias))};
    addInput(bias);
  }
  maps.push_back(maps.front());

  Value empty = tensor::EmptyOp::create(b, product.resultSizes, types.total);
  auto generic = buildGeneric(
      b, inputs, empty, maps,
      [&](ImplicitLocOpBuilder &body, ValueRange arguments) {
        Value total = arguments.front();
        for (const Term &term : terms) {
          Value share;
          for (const Factor &factor : term.factors) {
            Value next = factor.get(body, arguments, types.sum);
            share = share ? arith::MulIOp::create(body, share, next) : next;
          }
          if (term.isNegative)
            total = arith::SubIOp::create(body, total, share);
          else
            total = arith::AddIOp::create(body, total, share);
        }
        total = extendInteger(body, body.getLoc(), total, /*isSigned=*/true,
                              types.total);
        if (product.bias)
          total = arith::AddIOp::create(body, total,
                                        bias.get(body, arguments, types.total));
        return total;
      });
  return generic.getResult(0);
}

Value mlir::qdq::emitCorrection(ImplicitLocOpBuilder &b,
                                const IntegerProduct &product,
                                ProductTypes types, Value sum) {
  return Correction(b, product, types).addTo(sum);
}
