// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scale of a sum of products: the product of two scales.

#include "ScaleProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/IntegerProducts.h"

using namespace mlir;
using namespace mlir::qdq;

FloatType mlir::qdq::getProductType(const LoopParameter &lhs,
                                    const LoopParameter &rhs) {
  MLIRContext *ctx = lhs.value.getContext();
  if (getElementTypeOrSelf(lhs.value).isF64() ||
      getElementTypeOrSelf(rhs.value).isF64())
    return Float64Type::get(ctx);
  return Float32Type::get(ctx);
}

static APFloat getElement(const LoopConstant &constant, ArrayRef<int64_t> loops,
                          FloatType type) {
  APFloat value = std::get<APFloat>(constant.at(loops));
  bool losesInfo;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

static Value widen(ImplicitLocOpBuilder &b, Value element, FloatType type) {
  if (element.getType() == type)
    return element;
  return arith::ExtFOp::create(b, type, element);
}

namespace {
/// A factor as the body of a generic takes it: a scalar from outside, or an
/// operand.
struct Factor {
  Value scalar, tensor;
  AffineMap map;
};
} // namespace

static Factor getFactor(ImplicitLocOpBuilder &b, LoopParameter scale,
                        FloatType type) {
  if (auto constant = LoopConstant::get(scale); constant && isSingle(scale)) {
    SmallVector<int64_t> first(scale.map.getNumDims(), 0);
    return {arith::ConstantOp::create(
                b, b.getFloatAttr(type, getElement(*constant, first, type))),
            {},
            {}};
  }
  dropUnitDims(b, scale.value, scale.map);
  if (scale.map.getNumResults() > 0)
    return {{}, scale.value, scale.map};
  if (isa<RankedTensorType>(scale.value.getType()))
    scale.value = tensor::ExtractOp::create(b, scale.value, ValueRange());
  return {widen(b, scale.value, type), {}, {}};
}

LoopParameter mlir::qdq::emitScaleProduct(ImplicitLocOpBuilder &b,
                                          const LoopParameter &lhs,
                                          const LoopParameter &rhs,
                                          const ParameterSpace &space) {
  FloatType type = getProductType(lhs, rhs);
  ArrayRef<unsigned> loops = space.getLoops();
  unsigned numLoops = lhs.map.getNumDims();
  AffineMap map =
      AffineMap::getMultiDimMapWithTargets(numLoops, loops, b.getContext());
  auto lhsConstant = LoopConstant::get(lhs),
       rhsConstant = LoopConstant::get(rhs);
  // Rows times columns would be a constant as large as the result.
  if (lhsConstant && rhsConstant && (isSingle(lhs) || isSingle(rhs))) {
    SmallVector<Attribute> elements;
    auto add = [&](ArrayRef<int64_t> position) {
      APFloat product = getElement(*lhsConstant, position, type);
      product.multiply(getElement(*rhsConstant, position, type),
                       APFloat::rmNearestTiesToEven);
      elements.push_back(b.getFloatAttr(type, product));
    };
    if (succeeded(space.forEachElement(add))) {
      if (loops.empty())
        return {arith::ConstantOp::create(b, cast<TypedAttr>(elements.front())),
                map};
      auto shaped = RankedTensorType::get(
          decomposeMixedValues(llvm::to_vector(space.getSizes())).first, type);
      return {arith::ConstantOp::create(
                  b, DenseElementsAttr::get(shaped, elements)),
              map};
    }
  }

  Factor factors[] = {getFactor(b, lhs, type), getFactor(b, rhs, type)};
  if (loops.empty())
    return {arith::MulFOp::create(b, factors[0].scalar, factors[1].scalar),
            map};
  SmallVector<AffineExpr> dims(numLoops, b.getAffineConstantExpr(0));
  for (auto [dim, loop] : llvm::enumerate(loops))
    dims[loop] = b.getAffineDimExpr(dim);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Factor &factor : factors) {
    if (!factor.tensor)
      continue;
    inputs.push_back(factor.tensor);
    maps.push_back(factor.map.replaceDimsAndSymbols(dims, {}, loops.size(), 0));
  }
  maps.push_back(b.getMultiDimIdentityMap(loops.size()));
  Value empty = tensor::EmptyOp::create(b, space.getSizes(), type);
  SmallVector<utils::IteratorType> iterators(loops.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, empty.getType(), inputs, empty, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder body(loc, nested);
        unsigned next = 0;
        SmallVector<Value> values;
        for (const Factor &factor : factors)
          values.push_back(factor.scalar
                               ? factor.scalar
                               : widen(body, arguments[next++], type));
        linalg::YieldOp::create(
            body,
            arith::MulFOp::create(body, values[0], values[1]).getResult());
      });
  return {generic.getResult(0), map};
}
