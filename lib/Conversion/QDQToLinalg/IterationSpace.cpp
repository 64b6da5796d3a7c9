// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of a qdq op on a ranked tensor.

#include "IterationSpace.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;
using Role = IterationSpace::Role;

/// The role of a dimension of this size with `parameters` blocks (both may be
/// dynamic) of this length.
static Role getBlockRole(int64_t size, int64_t length, int64_t parameters,
                         BlockForm form, bool isPadded) {
  if (length == 0)
    return Role::Whole;
  if (length == 1 || size == 0)
    return Role::Each;
  if (parameters == 1 || (!ShapedType::isDynamic(size) && size <= length))
    return Role::Whole;
  bool divides =
      isPadded || (!ShapedType::isDynamic(size) && size % length == 0);
  return divides && form != BlockForm::Map ? Role::Split : Role::Floor;
}

/// Sets the strides of a dimension of this size from the lengths of its parts.
/// Fails where one does not divide the next.
static FailureOr<SmallVector<int64_t>>
getDimensionStrides(int64_t size, SmallVector<int64_t> lengths, bool isPadded) {
  lengths.push_back(1);
  llvm::sort(lengths, std::greater<int64_t>());
  lengths.erase(llvm::unique(lengths), lengths.end());
  for (size_t i = 1; i < lengths.size(); ++i)
    if (lengths[i - 1] % lengths[i] != 0)
      return failure();
  bool divides = isPadded || lengths.front() == 1 ||
                 (!ShapedType::isDynamic(size) && size % lengths.front() == 0);
  if (!divides)
    return failure();
  return lengths;
}

FailureOr<IterationSpace>
IterationSpace::get(RankedTensorType type, const Granularity &granularity,
                    Type parameterType, BlockForm form, std::string &reason,
                    bool isPadded, const Splits &splits) {
  IterationSpace space;
  if (granularity.isAxis())
    space.axis = granularity.getAxis();
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Dimension &dimension = space.dims.emplace_back();
    if (granularity.isAxis() && dim == granularity.getAxis())
      dimension.role = Role::Each;
    if (granularity.isBlock()) {
      dimension.length = granularity.getBlockShape()[dim];
      dimension.role = getBlockRole(
          type.getDimSize(dim), dimension.length,
          cast<ShapedType>(parameterType).getDimSize(dim), form, isPadded);
    }
    if (dimension.role == Role::Floor && form == BlockForm::Expand) {
      llvm::raw_string_ostream os(reason);
      os << "block-form=expand needs blocks that divide a static dimension, "
            "but dimension "
         << dim << " of " << type << " has blocks of " << dimension.length;
      return failure();
    }
    SmallVector<int64_t> lengths =
        splits.empty() ? SmallVector<int64_t>() : splits[dim];
    if (dimension.role == Role::Split)
      lengths.push_back(dimension.length);
    FailureOr<SmallVector<int64_t>> strides =
        getDimensionStrides(type.getDimSize(dim), lengths, isPadded);
    if (failed(strides))
      return failure();
    dimension.strides = *strides;
    for (size_t i = 0; i < strides->size(); ++i)
      dimension.loops.push_back(space.numLoops++);
    space.expanded |= strides->size() > 1;
  }
  return space;
}

FailureOr<IterationSpace> IterationSpace::get(RankedTensorType type,
                                              const Splits &splits) {
  std::string reason;
  return get(type, Granularity(), type, BlockForm::Auto, reason,
             /*isPadded=*/true, splits);
}

SmallVector<int64_t> IterationSpace::getInnerExtents(int64_t dim) const {
  SmallVector<int64_t> extents;
  ArrayRef<int64_t> strides = dims[dim].strides;
  for (size_t i = 1; i < strides.size(); ++i)
    extents.push_back(strides[i - 1] / strides[i]);
  return extents;
}

Value mlir::qdq::splitDims(ImplicitLocOpBuilder &b, Value value,
                           ArrayRef<SmallVector<int64_t>> innerExtents) {
  if (llvm::all_of(innerExtents, [](auto &extents) { return extents.empty(); }))
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes;
  SmallVector<ReassociationIndices> groups;
  for (auto [dim, extents] : llvm::enumerate(innerExtents)) {
    OpFoldResult size = tensor::getMixedSize(b, b.getLoc(), value, dim);
    int64_t inner = ShapedType::getNumElements(extents);
    AffineExpr outer = b.getAffineSymbolExpr(0).floorDiv(inner);
    groups.push_back({static_cast<int64_t>(sizes.size())});
    sizes.push_back(inner == 1 ? size
                               : affine::makeComposedFoldedAffineApply(
                                     b, b.getLoc(), outer, {size}));
    for (int64_t extent : extents) {
      groups.back().push_back(sizes.size());
      sizes.push_back(b.getIndexAttr(extent));
    }
  }
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  return tensor::ExpandShapeOp::create(b, type.clone(shape), value, groups,
                                       sizes);
}

Value IterationSpace::expand(ImplicitLocOpBuilder &b, Value value) const {
  SmallVector<SmallVector<int64_t>> extents;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    extents.push_back(getInnerExtents(dim));
  return splitDims(b, value, extents);
}

Value IterationSpace::collapse(ImplicitLocOpBuilder &b, Value value,
                               RankedTensorType type) const {
  if (!expanded)
    return value;
  SmallVector<ReassociationIndices> groups;
  for (const Dimension &dimension : dims)
    groups.push_back(dimension.loops);
  return tensor::CollapseShapeOp::create(b, type, value, groups);
}

SmallVector<OpFoldResult>
IterationSpace::getExtents(ImplicitLocOpBuilder &b,
                           ArrayRef<OpFoldResult> sizes) const {
  SmallVector<OpFoldResult> extents;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    int64_t inner = dims[dim].strides.front();
    extents.push_back(inner == 1 ? size
                                 : affine::makeComposedFoldedAffineApply(
                                       b, b.getLoc(),
                                       b.getAffineSymbolExpr(0).floorDiv(inner),
                                       {size}));
    for (int64_t extent : getInnerExtents(dim))
      extents.push_back(b.getIndexAttr(extent));
  }
  return extents;
}

Value mlir::qdq::dropSharedDims(ImplicitLocOpBuilder &b, Value parameter,
                                ArrayRef<bool> isShared) {
  auto type = cast<RankedTensorType>(parameter.getType());
  SmallVector<int64_t> unitShape(type.getShape());
  SmallVector<ReassociationIndices> kept;
  SmallVector<int64_t> keptShape;
  ReassociationIndices leading;
  for (auto [dim, shared] : llvm::enumerate(isShared)) {
    if (shared) {
      unitShape[dim] = 1;
      (kept.empty() ? leading : kept.back()).push_back(dim);
      continue;
    }
    kept.emplace_back();
    if (kept.size() == 1)
      kept.back() = leading;
    kept.back().push_back(dim);
    keptShape.push_back(type.getDimSize(dim));
  }
  if (keptShape.size() == unitShape.size())
    return parameter;
  RankedTensorType unitType = type.clone(unitShape);
  if (unitType != type)
    parameter = tensor::CastOp::create(b, unitType, parameter);
  return tensor::CollapseShapeOp::create(b, type.clone(keptShape), parameter,
                                         kept);
}

SmallVector<ParameterDim>
mlir::qdq::nestParameterDims(ArrayRef<ParameterDim> outer,
                             const Granularity &granularity, Type type) {
  if (granularity.isTensor() || isSingleElement(type))
    return {};
  if (granularity.isAxis())
    return {outer[granularity.getAxis()]};
  SmallVector<ParameterDim> result;
  for (auto [dim, length, size] : llvm::zip(outer, granularity.getBlockShape(),
                                            cast<ShapedType>(type).getShape()))
    result.push_back({dim.dim, size == 1 ? 0 : dim.length * length});
  return result;
}

SmallVector<ParameterDim> IterationSpace::getParameterDims() const {
  if (axis)
    return {{*axis, 1}};
  SmallVector<ParameterDim> result;
  for (auto [dim, dimension] : llvm::enumerate(dims))
    result.push_back({static_cast<int64_t>(dim),
                      dimension.role == Role::Whole  ? 0
                      : dimension.role == Role::Each ? 1
                                                     : dimension.length});
  return result;
}

bool IterationSpace::isProjected(ArrayRef<ParameterDim> parameterDims) const {
  return llvm::all_of(parameterDims, [&](const ParameterDim &parameterDim) {
    return parameterDim.length == 0 ||
           llvm::is_contained(dims[parameterDim.dim].strides,
                              parameterDim.length);
  });
}

MappedParameter
IterationSpace::mapParameter(ImplicitLocOpBuilder &b, Value parameter,
                             ArrayRef<ParameterDim> parameterDims) const {
  SmallVector<AffineExpr> results;
  SmallVector<bool> isShared;
  SmallVector<SmallVector<int64_t>> extents;
  for (const ParameterDim &parameterDim : parameterDims) {
    isShared.push_back(parameterDim.length == 0);
    if (isShared.back())
      continue;
    const Dimension &dimension = dims[parameterDim.dim];
    SmallVector<int64_t> &inner = extents.emplace_back();
    if (!isProjected(parameterDim)) {
      AffineExpr index = b.getAffineConstantExpr(0);
      for (auto [loop, stride] : llvm::zip(dimension.loops, dimension.strides))
        index = index + b.getAffineDimExpr(loop) * stride;
      results.push_back(index.floorDiv(parameterDim.length));
      continue;
    }
    for (auto [i, stride] : llvm::enumerate(dimension.strides)) {
      if (stride < parameterDim.length)
        break;
      results.push_back(b.getAffineDimExpr(dimension.loops[i]));
      if (i > 0)
        inner.push_back(dimension.strides[i - 1] / stride);
    }
  }
  AffineMap map = AffineMap::get(numLoops, 0, results, b.getContext());
  if (parameterDims.empty())
    return {parameter, map};
  return {splitDims(b, dropSharedDims(b, parameter, isShared), extents), map};
}
