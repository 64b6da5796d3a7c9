// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales and zero points by the loops of a contraction.

#include "LoopParameter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/IntegerProducts.h"

using namespace mlir;
using namespace mlir::qdq;

/// More elements are not evaluated at compile time.
static constexpr int64_t kMaxElements = 1 << 22;

//===----------------------------------------------------------------------===//
// By loops
//===----------------------------------------------------------------------===//

static bool isPadded(tensor::PadOp pad, int64_t dim) {
  return pad && !(isConstantIntValue(pad.getMixedLowPad()[dim], 0) &&
                  isConstantIntValue(pad.getMixedHighPad()[dim], 0));
}

/// The index of a parameter that changes every `block` elements of dimension
/// `dim`; null, with a reason, where the loops do not give it.
static AffineExpr getIndex(const ParameterOwner &owner, int64_t dim,
                           int64_t block, int64_t parameterSize,
                           BlockedLoop &blocks,
                           std::optional<unsigned> &blockDim,
                           std::string &reason) {
  auto refuse = [&](const char *why) {
    reason = why;
    return AffineExpr();
  };
  AffineExpr zero = getAffineConstantExpr(0, owner.map.getContext());
  int64_t size = owner.shape[dim];
  if (block == 0 || (size > 0 && block >= size))
    return parameterSize == 1
               ? zero
               : refuse("the sizes of its parameters are not static");
  if (isPadded(owner.pad, dim))
    return refuse("a dimension that its parameters follow is padded");
  auto loop = dyn_cast<AffineDimExpr>(owner.map.getResult(dim));
  if (!loop)
    return refuse("its parameters follow a dimension that a window moves "
                  "along");
  unsigned position = loop.getPosition();
  if (owner.iterators[position] == utils::IteratorType::parallel)
    return block == 1 ? loop
                      : refuse("its blocks lie along a dimension that is not "
                               "summed");
  if (block == 1)
    return refuse("each element of a sum has parameters of its own");
  if (ShapedType::isDynamic(size))
    return refuse("the number of its blocks is dynamic");
  if (blocks.loop && *blocks.loop != position)
    return refuse("its blocks lie along two dimensions that are summed");
  blocks.loop = position;
  blocks.length = block;
  blockDim = dim;
  return zero;
}

LogicalResult mlir::qdq::placeByLoops(Value parameter,
                                      const ParameterOwner &owner,
                                      BlockedLoop &blocks,
                                      LoopParameter &result,
                                      std::string &reason) {
  MLIRContext *ctx = parameter.getContext();
  unsigned loops = owner.iterators.size();
  result = {parameter, AffineMap::get(loops, 0, ctx)};
  if (isSingleElement(parameter.getType()))
    return success();
  auto type = cast<RankedTensorType>(parameter.getType());
  SmallVector<AffineExpr> indices;
  auto addIndex = [&](int64_t dim, int64_t block, int64_t size) {
    indices.push_back(
        getIndex(owner, dim, block, size, blocks, result.blockDim, reason));
  };
  if (owner.granularity.isAxis())
    addIndex(owner.granularity.getAxis(), 1, type.getDimSize(0));
  else
    for (auto [dim, block] : llvm::enumerate(owner.granularity.getBlockShape()))
      addIndex(dim, block, type.getDimSize(dim));
  if (llvm::is_contained(indices, AffineExpr()))
    return failure();
  result.map = AffineMap::get(loops, 0, indices, ctx);
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<LoopConstant> LoopConstant::get(const LoopParameter &parameter) {
  auto elements = ConstantElements::get(parameter.value);
  if (!elements || elements->size() == 0)
    return std::nullopt;
  return LoopConstant(*elements, parameter);
}

Number LoopConstant::at(ArrayRef<int64_t> loops, int64_t block) const {
  int64_t index = 0;
  if (!elements.isUniform())
    for (auto [dim, expr, size] : llvm::enumerate(
             parameter.map.getResults(),
             cast<RankedTensorType>(parameter.value.getType()).getShape())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      int64_t own = parameter.blockDim == dim ? block : 0;
      index = index * size + (loop ? loops[loop.getPosition()] : own);
    }
  return elements[index];
}

bool mlir::qdq::isSingle(const LoopParameter &parameter) {
  auto elements = ConstantElements::get(parameter.value);
  return (elements && elements->size() > 0 && elements->isUniform()) ||
         llvm::all_of(parameter.map.getResults(), [](AffineExpr index) {
           return isa<AffineConstantExpr>(index);
         });
}

//===----------------------------------------------------------------------===//
// Granularity
//===----------------------------------------------------------------------===//

ParameterSpace::ParameterSpace(MLIRContext *ctx, AffineMap resultMap,
                               ArrayRef<OpFoldResult> sizes,
                               ArrayRef<LoopParameter> parameters)
    : numLoops(resultMap.getNumDims()), resultMap(resultMap) {
  Builder b(ctx);
  SmallVector<int64_t> lengths;
  for (auto [dim, expr] : llvm::enumerate(resultMap.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    bool follows =
        llvm::any_of(parameters, [&](const LoopParameter &parameter) {
          return !isSingle(parameter) && parameter.map.isFunctionOfDim(loop);
        });
    lengths.push_back(follows);
    if (!follows)
      continue;
    loops.push_back(loop);
    loopSizes.push_back(sizes[dim]);
    // The size may be known of a parameter alone. -1 stands for an open one.
    if (getConstantIntValue(sizes[dim]).value_or(-1) >= 0)
      continue;
    for (const LoopParameter &parameter : parameters)
      if (auto position = parameter.map.getResultPosition(expr))
        if (int64_t size = cast<ShapedType>(parameter.value.getType())
                               .getDimSize(*position);
            !ShapedType::isDynamic(size))
          loopSizes.back() = b.getIndexAttr(size);
  }
  if (loops.size() == 1)
    axis = b.getI64IntegerAttr(llvm::find(lengths, 1) - lengths.begin());
  else if (!loops.empty())
    blockShape = b.getDenseI64ArrayAttr(lengths);
}

LogicalResult
ParameterSpace::forEachElement(function_ref<void(ArrayRef<int64_t>)> fn) const {
  SmallVector<int64_t> extents;
  int64_t count = 1;
  for (OpFoldResult size : loopSizes) {
    std::optional<int64_t> extent = getConstantIntValue(size);
    if (!extent || *extent < 0 || *extent > kMaxElements)
      return failure();
    extents.push_back(*extent);
    count *= *extent;
    if (count > kMaxElements)
      return failure();
  }
  SmallVector<int64_t> position(numLoops, 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (int64_t dim = extents.size() - 1; dim >= 0; --dim) {
      position[loops[dim]] = rest % extents[dim];
      rest /= extents[dim];
    }
    fn(position);
  }
  return success();
}

LoopParameter
ParameterSpace::createConstant(ImplicitLocOpBuilder &b,
                               ArrayRef<Attribute> elements) const {
  AffineMap map =
      AffineMap::getMultiDimMapWithTargets(numLoops, loops, b.getContext());
  auto first = cast<TypedAttr>(elements.front());
  if (loops.empty())
    return {arith::ConstantOp::create(b, first), map};
  auto type = RankedTensorType::get(decomposeMixedValues(loopSizes).first,
                                    first.getType());
  return {arith::ConstantOp::create(b, DenseElementsAttr::get(type, elements)),
          map};
}

Value ParameterSpace::expand(ImplicitLocOpBuilder &b, Value value,
                             ArrayRef<bool> present) const {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices group;
  SmallVector<OpFoldResult> expanded;
  for (auto [dim, isPresent] : llvm::enumerate(present)) {
    group.push_back(dim);
    expanded.push_back(b.getIndexAttr(1));
    if (!isPresent)
      continue;
    expanded.back() = tensor::getMixedSize(b, b.getLoc(), value, groups.size());
    groups.push_back(std::exchange(group, {}));
  }
  if (groups.size() == present.size())
    return value;
  llvm::append_range(groups.back(), group);
  auto type = RankedTensorType::get(decomposeMixedValues(expanded).first,
                                    getElementTypeOrSelf(value));
  // Constants stay constants.
  ElementsAttr constant;
  if (type.hasStaticShape() && matchPattern(value, m_Constant(&constant)))
    if (TypedAttr reshaped = reshapeElements(constant, type.getShape()))
      return arith::ConstantOp::create(b, reshaped);
  return tensor::ExpandShapeOp::create(b, type, value, groups, expanded);
}

Value ParameterSpace::place(ImplicitLocOpBuilder &b, Value value) const {
  if (!blockShape)
    return value;
  SmallVector<bool> present;
  for (int64_t length : blockShape.asArrayRef())
    present.push_back(length == 1);
  return expand(b, value, present);
}

Value ParameterSpace::place(ImplicitLocOpBuilder &b,
                            LoopParameter parameter) const {
  Value value = parameter.value;
  AffineMap map = parameter.map;
  if (map.getNumResults() == 0)
    return value;
  auto constant = ConstantElements::get(value);
  if (constant && constant->isUniform() && constant->size() > 0) {
    TypedAttr element = toAttribute((*constant)[0], constant->getElementType());
    if (isa<IntegerAttr>(element))
      element = DenseElementsAttr::get(
          RankedTensorType::get({}, element.getType()), element);
    return arith::ConstantOp::create(b, element);
  }
  dropUnitDims(b, value, map);
  if (map.getNumResults() == 0)
    return value;
  // By dimension of the result: which one of the parameter it is.
  SmallVector<bool> present;
  SmallVector<int64_t> order;
  for (AffineExpr loop : resultMap.getResults()) {
    auto position = map.getResultPosition(loop);
    present.push_back(position.has_value());
    if (position)
      order.push_back(*position);
  }
  if (!llvm::is_sorted(order)) {
    SmallVector<OpFoldResult> moved;
    for (int64_t dim : order)
      moved.push_back(tensor::getMixedSize(b, b.getLoc(), value, dim));
    Value empty =
        tensor::EmptyOp::create(b, moved, getElementTypeOrSelf(value));
    value = linalg::TransposeOp::create(b, value, empty, order)->getResult(0);
  }
  return blockShape ? expand(b, value, present) : value;
}
