// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of a qdq op on a ranked tensor.

#include "IterationSpace.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/TensorSlice.h"

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

/// The strides of a dimension with parts of these lengths: the longest first,
/// 1 last. Fails where one does not divide the next longer one.
static FailureOr<SmallVector<int64_t>> toStrides(SmallVector<int64_t> lengths) {
  lengths.push_back(1);
  assert(llvm::all_of(lengths, [](int64_t length) { return length > 0; }));
  llvm::sort(lengths, std::greater<int64_t>());
  lengths.erase(llvm::unique(lengths), lengths.end());
  for (size_t i = 1; i < lengths.size(); ++i)
    if (lengths[i - 1] % lengths[i] != 0)
      return failure();
  return lengths;
}

/// The strides of a dimension of this size that is split at `lengths`, which
/// divide it, and at those of `wishes` that fit.
static SmallVector<int64_t> splitAt(int64_t size, SmallVector<int64_t> lengths,
                                    ArrayRef<int64_t> wishes) {
  SmallVector<int64_t> strides = *toStrides(lengths);
  for (int64_t wish : wishes) {
    bool divides = wish <= strides.front() ||
                   (!ShapedType::isDynamic(size) && size % wish == 0);
    lengths.push_back(wish);
    FailureOr<SmallVector<int64_t>> finer = toStrides(lengths);
    if (divides && succeeded(finer))
      strides = *finer;
    else
      lengths.pop_back();
  }
  return strides;
}

void IterationSpace::split(int64_t dim, SmallVector<int64_t> strides) {
  Dimension &dimension = dims[dim];
  dimension.strides = std::move(strides);
  for (size_t i = 0; i < dimension.strides.size(); ++i)
    dimension.loops.push_back(numLoops++);
  expanded |= dimension.strides.size() > 1;
}

FailureOr<IterationSpace>
IterationSpace::get(RankedTensorType type, const Granularity &granularity,
                    Type parameterType, BlockForm form, std::string &reason,
                    const Splits &wishes, bool isPadded) {
  IterationSpace space;
  space.dims.resize(type.getRank());
  if (granularity.isAxis()) {
    space.axis = granularity.getAxis();
    space.dims[*space.axis].role = Role::Each;
  }
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    Dimension &dimension = space.dims[dim];
    if (granularity.isBlock()) {
      dimension.length = granularity.getBlockShape()[dim];
      dimension.role = getBlockRole(
          size, dimension.length,
          cast<ShapedType>(parameterType).getDimSize(dim), form, isPadded);
    }
    if (dimension.role == Role::Floor && form == BlockForm::Expand) {
      llvm::raw_string_ostream os(reason);
      os << "block-form=expand needs blocks that divide a static dimension, "
            "but dimension "
         << dim << " of " << type << " has blocks of " << dimension.length;
      return failure();
    }
    SmallVector<int64_t> lengths;
    if (dimension.role == Role::Split)
      lengths.push_back(dimension.length);
    space.split(dim, splitAt(size, lengths,
                             wishes.empty() ? ArrayRef<int64_t>()
                                            : ArrayRef(wishes[dim])));
  }
  return space;
}

IterationSpace IterationSpace::get(RankedTensorType type, const Splits &lengths,
                                   const Splits &wishes) {
  IterationSpace space;
  space.dims.resize(type.getRank());
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    space.split(dim, splitAt(size, lengths[dim], wishes[dim]));
  return space;
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
    if (inner != 1)
      size = affine::makeComposedFoldedAffineApply(b, b.getLoc(), outer, size);
    // The type before a cast may say more than the type of `value`, of which
    // the result has the open sizes.
    sizes.push_back(type.isDynamicDim(dim)
                        ? getValueOrCreateConstantIndexOp(b, b.getLoc(), size)
                        : size);
    for (int64_t extent : extents) {
      groups.back().push_back(sizes.size());
      sizes.push_back(b.getIndexAttr(extent));
    }
  }
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  return b.createOrFold<tensor::ExpandShapeOp>(type.clone(shape), value, groups,
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
  return b.createOrFold<tensor::CollapseShapeOp>(type, value, groups);
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
  SmallVector<int64_t> shared;
  SmallVector<SmallVector<int64_t>> extents;
  for (auto [dim, parameterDim] : llvm::enumerate(parameterDims)) {
    if (parameterDim.length == 0) {
      shared.push_back(dim);
      continue;
    }
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
  return {splitDims(b, dropUnitDims(b, parameter, shared), extents), map};
}
