// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scale of a sum of products: the product of two scales.

#include "ScaleProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

static APFloat convert(APFloat value, FloatType type) {
  bool losesInfo;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

namespace {
/// One of the factors.
class ScaleFactor {
public:
  ScaleFactor(ImplicitLocOpBuilder &b, LoopParameter scale, FloatType type)
      : type(type), value(scale.value), map(scale.map),
        constant(ConstantElements::get(scale.value)) {
    if (constant && constant->size() == 0)
      constant.reset();
    if (constant && constant->isUniform())
      map = AffineMap::get(map.getNumDims(), 0, b.getContext());
    if (!constant)
      dropUnitDims(b, value, map);
    isSingle = map.getNumResults() == 0 || isSingleElement(value.getType());
  }

  bool isConstant() const { return bool(constant); }
  bool reads(unsigned loop) const {
    return !isSingle && map.isFunctionOfDim(loop);
  }

  /// The element of a constant at the indices of loops.
  APFloat at(ArrayRef<int64_t> loops) const {
    int64_t index = 0;
    if (!constant->isUniform())
      for (auto [expr, size] :
           llvm::zip(map.getResults(),
                     cast<RankedTensorType>(value.getType()).getShape())) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        index = index * size + (loop ? loops[loop.getPosition()] : 0);
      }
    return convert(std::get<APFloat>((*constant)[index]), type);
  }

  /// The factor as a scalar, if it is single: outside of a body.
  Value getScalar(ImplicitLocOpBuilder &b) const {
    if (constant)
      return arith::ConstantOp::create(b, b.getFloatAttr(type, at({})));
    Value scalar = value;
    if (isa<RankedTensorType>(value.getType()))
      scalar = tensor::ExtractOp::create(b, value, ValueRange());
    return widen(b, scalar);
  }

  Value widen(ImplicitLocOpBuilder &b, Value element) const {
    if (element.getType() == type)
      return element;
    return arith::ExtFOp::create(b, type, element);
  }

  FloatType type;
  Value value;
  AffineMap map;
  bool isSingle = false;

private:
  std::optional<ConstantElements> constant;
};
} // namespace

/// The constant product over the dimensions of these loops.
static Value foldProduct(ImplicitLocOpBuilder &b, const ScaleFactor &lhs,
                         const ScaleFactor &rhs, ArrayRef<unsigned> loops,
                         RankedTensorType type) {
  SmallVector<APFloat> elements;
  SmallVector<int64_t> position(lhs.map.getNumDims(), 0);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t rest = i;
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      position[loops[dim]] = rest % type.getDimSize(dim);
      rest /= type.getDimSize(dim);
    }
    APFloat product = lhs.at(position);
    product.multiply(rhs.at(position), APFloat::rmNearestTiesToEven);
    elements.push_back(product);
  }
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, elements));
}

/// The product over the dimensions of these loops, by a generic.
static Value emitProduct(ImplicitLocOpBuilder &b, ScaleFactor lhs,
                         ScaleFactor rhs, ArrayRef<unsigned> loops,
                         ArrayRef<OpFoldResult> sizes) {
  SmallVector<AffineExpr> dims(lhs.map.getNumDims(),
                               b.getAffineConstantExpr(0));
  for (auto [dim, loop] : llvm::enumerate(loops))
    dims[loop] = b.getAffineDimExpr(dim);
  SmallVector<Value> inputs, scalars;
  SmallVector<AffineMap> maps;
  for (ScaleFactor *factor : {&lhs, &rhs}) {
    dropUnitDims(b, factor->value, factor->map);
    scalars.push_back(factor->isSingle ? factor->getScalar(b) : Value());
    if (factor->isSingle)
      continue;
    inputs.push_back(factor->value);
    maps.push_back(
        factor->map.replaceDimsAndSymbols(dims, {}, loops.size(), 0));
  }
  maps.push_back(b.getMultiDimIdentityMap(loops.size()));
  Value empty = tensor::EmptyOp::create(b, sizes, lhs.type);
  SmallVector<utils::IteratorType> iterators(loops.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, empty.getType(), inputs, empty, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder body(loc, nested);
        Value x = scalars[0] ? scalars[0] : lhs.widen(body, arguments[0]);
        Value y = scalars[1] ? scalars[1]
                             : rhs.widen(body, arguments[scalars[0] ? 0 : 1]);
        linalg::YieldOp::create(body,
                                arith::MulFOp::create(body, x, y).getResult());
      });
  return generic.getResult(0);
}

PlacedScale mlir::qdq::emitScaleProduct(ImplicitLocOpBuilder &b,
                                        LoopParameter lhsScale,
                                        LoopParameter rhsScale,
                                        AffineMap resultMap,
                                        ArrayRef<OpFoldResult> sizes) {
  auto isF64 = [](LoopParameter scale) {
    return getElementTypeOrSelf(scale.value).isF64();
  };
  FloatType type =
      isF64(lhsScale) || isF64(rhsScale) ? b.getF64Type() : b.getF32Type();
  ScaleFactor lhs(b, lhsScale, type), rhs(b, rhsScale, type);
  bool isConstant = lhs.isConstant() && rhs.isConstant();

  // The loops that the product follows, as dimensions of the result.
  SmallVector<unsigned> loops;
  SmallVector<OpFoldResult> loopSizes;
  SmallVector<int64_t> blockShape, shape;
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices group;
  for (auto [dim, expr] : llvm::enumerate(resultMap.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    bool follows = lhs.reads(loop) || rhs.reads(loop);
    blockShape.push_back(follows);
    group.push_back(dim);
    if (!follows)
      continue;
    loops.push_back(loop);
    loopSizes.push_back(sizes[dim]);
    groups.push_back(std::exchange(group, {}));
  }

  PlacedScale result;
  if (loops.empty()) {
    if (isConstant) {
      APFloat product = lhs.at({});
      product.multiply(rhs.at({}), APFloat::rmNearestTiesToEven);
      result.value =
          arith::ConstantOp::create(b, b.getFloatAttr(type, product));
    } else {
      result.value =
          arith::MulFOp::create(b, lhs.getScalar(b), rhs.getScalar(b));
    }
    return result;
  }
  auto productType =
      RankedTensorType::get(decomposeMixedValues(loopSizes).first, type);
  result.value = isConstant && productType.hasStaticShape()
                     ? foldProduct(b, lhs, rhs, loops, productType)
                     : emitProduct(b, lhs, rhs, loops, loopSizes);
  if (loops.size() == 1) {
    result.axis =
        b.getI64IntegerAttr(llvm::find(blockShape, 1) - blockShape.begin());
    return result;
  }
  result.blockShape = b.getDenseI64ArrayAttr(blockShape);
  if (loops.size() == blockShape.size())
    return result;
  llvm::append_range(groups.back(), group);
  SmallVector<OpFoldResult> expandedSizes;
  for (auto [dim, follows] : llvm::enumerate(blockShape))
    expandedSizes.push_back(follows ? sizes[dim]
                                    : OpFoldResult(b.getIndexAttr(1)));
  result.value = tensor::ExpandShapeOp::create(
      b, RankedTensorType::get(decomposeMixedValues(expandedSizes).first, type),
      result.value, groups, expandedSizes);
  return result;
}
