// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of a qdq op on a ranked tensor.

#include "IterationSpace.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;
using Role = IterationSpace::Role;

/// The role of a dimension of this size with `parameters` blocks (both may be dynamic) of this length.
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

FailureOr<IterationSpace>
IterationSpace::get(RankedTensorType type, const Granularity &granularity,
                    Type parameterType, BlockForm form, std::string &reason,
                    bool isPadded) {
  IterationSpace space;
  if (granularity.isAxis())
    space.axis = granularity.getAxis();
  space.blockShape.assign(granularity.getBlockShape().begin(),
                          granularity.getBlockShape().end());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Role role = Role::Whole;
    if (granularity.isAxis() && dim == granularity.getAxis())
      role = Role::Each;
    if (granularity.isBlock())
      role = getBlockRole(type.getDimSize(dim), space.blockShape[dim],
                          cast<ShapedType>(parameterType).getDimSize(dim), form,
                          isPadded);
    if (role == Role::Floor && form == BlockForm::Expand) {
      llvm::raw_string_ostream os(reason);
      os << "block-form=expand needs blocks that divide a static dimension, "
            "but dimension "
         << dim << " of " << type << " has blocks of " << space.blockShape[dim];
      return failure();
    }
    space.roles.push_back(role);
    space.loops.push_back({space.numLoops++});
    if (role == Role::Split) {
      space.loops.back().push_back(space.numLoops++);
      space.expanded = true;
    }
  }
  return space;
}

Value IterationSpace::expand(ImplicitLocOpBuilder &b, Value value) const {
  if (!expanded)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    OpFoldResult size = tensor::getMixedSize(b, b.getLoc(), value, dim);
    if (roles[dim] != Role::Split) {
      sizes.push_back(size);
      continue;
    }
    AffineExpr blocks = b.getAffineSymbolExpr(0).floorDiv(blockShape[dim]);
    sizes.push_back(
        affine::makeComposedFoldedAffineApply(b, b.getLoc(), blocks, {size}));
    sizes.push_back(b.getIndexAttr(blockShape[dim]));
  }
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  return tensor::ExpandShapeOp::create(b, type.clone(shape), value, loops,
                                       sizes);
}

Value IterationSpace::collapse(ImplicitLocOpBuilder &b, Value value,
                               RankedTensorType type) const {
  if (!expanded)
    return value;
  return tensor::CollapseShapeOp::create(b, type, value, loops);
}

Value IterationSpace::makeEmpty(ImplicitLocOpBuilder &b, Value value,
                                Type element) const {
  return tensor::EmptyOp::create(b, tensor::getMixedSizes(b, b.getLoc(), value),
                                 element);
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

MappedParameter IterationSpace::mapParameter(ImplicitLocOpBuilder &b,
                                             Value parameter) const {
  MLIRContext *ctx = b.getContext();
  SmallVector<AffineExpr> results;
  auto type = cast<RankedTensorType>(parameter.getType());
  if (type.getRank() == 0)
    return {parameter, AffineMap::get(numLoops, 0, results, ctx)};
  if (axis) {
    results.push_back(b.getAffineDimExpr(loops[*axis].front()));
    return {parameter, AffineMap::get(numLoops, 0, results, ctx)};
  }

  SmallVector<bool> isShared;
  for (auto [role, loop, length] : llvm::zip(roles, loops, blockShape)) {
    isShared.push_back(role == Role::Whole);
    AffineExpr index = b.getAffineDimExpr(loop.front());
    if (role != Role::Whole)
      results.push_back(role == Role::Floor ? index.floorDiv(length) : index);
  }
  return {dropSharedDims(b, parameter, isShared),
          AffineMap::get(numLoops, 0, results, ctx)};
}
