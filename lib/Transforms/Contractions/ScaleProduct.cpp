// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scale of a sum of products: the product of two scales.

#include "ScaleProduct.h"
#include "LoopOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

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

  LoopOperands factors(loops, numLoops, space.getSizes());
  factors.add(b, lhs);
  factors.add(b, rhs);
  auto multiply = [&](ImplicitLocOpBuilder &body,
                      ArrayRef<Value> values) -> Value {
    return arith::MulFOp::create(body, widen(body, values[0], type),
                                 widen(body, values[1], type));
  };
  if (loops.empty())
    return {multiply(b, factors.getScalars()), map};
  return {factors.create(b, type, multiply), map};
}
