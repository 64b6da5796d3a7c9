// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scale of a sum of products: the product of two scales.

#include "ScaleProduct.h"
#include "LoopOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Numerics/Evaluator.h"

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
      const llvm::fltSemantics &format = type.getFloatSemantics();
      APFloat product = toFloat(lhsConstant->at(position), format);
      product.multiply(toFloat(rhsConstant->at(position), format), kNearest);
      elements.push_back(b.getFloatAttr(type, product));
    };
    if (succeeded(space.forEachElement(add)) && !elements.empty())
      return space.createConstant(b, elements);
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
