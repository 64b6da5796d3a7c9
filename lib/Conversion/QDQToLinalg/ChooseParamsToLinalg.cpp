// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.choose_params to a reduction over each group and an elementwise generic
// over the groups.

#include "IterationSpace.h"
#include "Lowerings.h"
#include "RangeReduction.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/TensorSlice.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/Numerics/Emitter.h"

using namespace mlir;
using namespace mlir::qdq;
using Role = IterationSpace::Role;

/// Pads every blocked dimension whose last block may be short. Zero is within
/// every range, so it changes none.
static Value padToBlocks(ImplicitLocOpBuilder &b, Value input,
                         const Granularity &granularity) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<OpFoldResult> low, high;
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, length] : llvm::enumerate(granularity.getBlockShape())) {
    low.push_back(b.getIndexAttr(0));
    if (length <= 1 || shape[dim] == 0 ||
        (!type.isDynamicDim(dim) &&
         (shape[dim] <= length || shape[dim] % length == 0))) {
      high.push_back(b.getIndexAttr(0));
      continue;
    }
    AffineExpr size = b.getAffineSymbolExpr(0);
    high.push_back(affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), size.ceilDiv(length) * length - size,
        {tensor::getMixedSize(b, b.getLoc(), input, dim)}));
    if (!type.isDynamicDim(dim))
      shape[dim] = llvm::alignTo(shape[dim], length);
  }
  if (llvm::all_of(high, [](OpFoldResult pad) { return isZeroInteger(pad); }))
    return input;
  Value zero =
      arith::ConstantOp::create(b, b.getFloatAttr(type.getElementType(), 0.0));
  return tensor::PadOp::create(b, type.clone(shape), input, low, high, zero);
}

/// The loops that stay: those that the groups are numbered by.
static SmallVector<int64_t> getGroupLoops(const IterationSpace &space,
                                          int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (space.getRole(dim) != Role::Whole)
      result.push_back(space.getLoops(dim).front());
  return result;
}

/// The range of each group.
static std::pair<Value, Value> reduceRange(ImplicitLocOpBuilder &b, Value input,
                                           const IterationSpace &space) {
  int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
  SmallVector<int64_t> groupLoops = getGroupLoops(space, rank);
  Value expanded = space.expand(b, input);
  SmallVector<AffineExpr> groupExprs;
  SmallVector<OpFoldResult> groupSizes;
  for (int64_t loop : groupLoops) {
    groupExprs.push_back(b.getAffineDimExpr(loop));
    groupSizes.push_back(tensor::getMixedSize(b, b.getLoc(), expanded, loop));
  }
  AffineMap toGroup =
      AffineMap::get(space.getNumLoops(), 0, groupExprs, b.getContext());
  Value none =
      createEmptyRanges(b, b.getLoc(), groupSizes, getElementTypeOrSelf(input));
  linalg::GenericOp generic =
      createRangeReduction(b, expanded, none, none, toGroup);
  return {generic.getResult(0), generic.getResult(1)};
}

/// Gives the groups their place among dimensions of size one: the shape of a
/// blocked parameter.
static Value toParameterShape(ImplicitLocOpBuilder &b, Value groups,
                              const IterationSpace &space,
                              const Granularity &granularity, Type type) {
  auto resultType = cast<RankedTensorType>(type);
  auto groupType = cast<RankedTensorType>(groups.getType());
  RankedTensorType signlessType = resultType.clone(groupType.getElementType());
  // A parameter per tensor or axis has no other dimensions.
  if (groupType.getRank() < resultType.getRank()) {
    SmallVector<int64_t> whole;
    for (int64_t dim = 0; dim < resultType.getRank(); ++dim)
      if (space.getRole(dim) == Role::Whole)
        whole.push_back(dim);
    groups = insertUnitDims(b, groups, whole);
  }
  if (groups.getType() != signlessType)
    groups = tensor::CastOp::create(b, signlessType, groups);
  return castElementType(b, b.getLoc(), groups, type);
}

LogicalResult mlir::qdq::lowerChooseParams(ChooseParamsOp op,
                                           PatternRewriter &rewriter,
                                           const QDQToLinalgOptions &options) {
  Storage storage = op.getStorage();
  Semantics semantics =
      options.resolve(op.getSemanticsFields(), op.getElementTypes());
  ParameterChoice choice{op.getMode(), op.getPowerOfTwo(),
                         cast<FloatType>(getElementTypeOrSelf(op.getScale()))};

  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  FlatValue flat = flattenUnranked(b, op.getInput(), op.getGranularity());
  Value input = padToBlocks(b, flat.value, flat.granularity);
  std::string reason;
  IterationSpace space = *IterationSpace::get(
      cast<RankedTensorType>(input.getType()), flat.granularity,
      op.getScale().getType(), BlockForm::Auto, reason, /*wishes=*/{},
      /*isPadded=*/true);
  auto [low, high] = reduceRange(b, input, space);

  auto groupType = cast<RankedTensorType>(low.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), low);
  SmallVector<Value> inits = {
      tensor::EmptyOp::create(b, sizes, choice.scaleType)};
  if (op.getZeroPoint())
    inits.push_back(tensor::EmptyOp::create(b, sizes, storage.type));
  SmallVector<AffineMap> maps(2 + inits.size(),
                              b.getMultiDimIdentityMap(groupType.getRank()));
  auto generic =
      buildGeneric(b, {low, high}, inits, maps,
                   [&](ImplicitLocOpBuilder &body, ValueRange range) {
                     auto [scale, zeroPoint] = emitChooseParams(
                         body, semantics, storage, choice, range[0], range[1]);
                     SmallVector<Value> results = {scale, zeroPoint};
                     results.resize(inits.size());
                     return results;
                   });
  generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  low.getDefiningOp()->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  SmallVector<Value> results;
  for (auto [groups, result] :
       llvm::zip_equal(generic.getResults(), op->getResults()))
    results.push_back(
        toParameterShape(b, groups, space, flat.granularity, result.getType()));
  rewriter.replaceOp(op, results);
  return success();
}
