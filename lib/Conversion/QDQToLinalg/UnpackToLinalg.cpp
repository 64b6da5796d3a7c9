// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.unpack to one linalg.generic.

#include "NeighborSplits.h"
#include "PackingToLinalg.h"
#include "SubByteDigits.h"
#include "UnitAxis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/TensorSlice.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

/// An elementwise generic over whole units, of these sizes together, whose
/// operand is the containers.
static Value unpackDigits(ImplicitLocOpBuilder &b, const SubByteDigits &digits,
                          Value containers, Type element,
                          ArrayRef<OpFoldResult> sizes,
                          const IterationSpace::Splits &wishes) {
  auto type = RankedTensorType::get(decomposeMixedValues(sizes).first, element);
  auto space =
      IterationSpace::get(type, digits.getSplits(sizes.size()), wishes);
  SmallVector<Value> parts;
  SmallVector<AffineMap> maps;
  for (const MappedParameter &part :
       digits.mapContainers(b, space, containers)) {
    parts.push_back(part.tensor);
    maps.push_back(part.map);
  }
  maps.push_back(b.getMultiDimIdentityMap(space.getNumLoops()));
  Value init = tensor::EmptyOp::create(b, space.getExtents(b, sizes), element);
  auto generic = buildGeneric(
      b, parts, init, maps, [&](ImplicitLocOpBuilder &body, ValueRange x) {
        return digits.emitUnpack(body, space, x.drop_back(), element);
      });
  return space.collapse(b, generic.getResult(0), type);
}

/// True if the axis has one element, of a record.
static bool hasWordPerRow(const SubByteDigits &digits, RankedTensorType type) {
  const BitLayout &layout = digits.getLayout();
  return layout.block && digits.getNumParts() > 1 && type.getRank() > 1 &&
         type.getDimSize(*layout.axis) == 1;
}

/// The word of each row, in loops without the axis: fusion would give that to
/// the user.
static Value unpackWords(ImplicitLocOpBuilder &b, const SubByteDigits &digits,
                         Value containers, RankedTensorType type,
                         ArrayRef<OpFoldResult> sizes) {
  int64_t rank = type.getRank(), axis = *digits.getLayout().axis;
  auto space = IterationSpace::get(type, IterationSpace::Splits(rank),
                                   IterationSpace::Splits(rank));
  SmallVector<Value> parts;
  for (const MappedParameter &part : digits.mapContainers(b, space, containers))
    parts.push_back(dropUnitDims(b, part.tensor, {axis}));
  SmallVector<OpFoldResult> rows(sizes);
  rows.erase(rows.begin() + axis);
  Type element = type.getElementType();
  Value words = buildElementwise(
      b, parts, rows, element, [&](ImplicitLocOpBuilder &body, ValueRange x) {
        return digits.emitUnpack(body, space, x.drop_back(), element);
      });
  // The axis is in one group with the dimension before it, or behind the first.
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim != std::max<int64_t>(axis, 1))
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  return tensor::ExpandShapeOp::create(b, type, words, groups, sizes);
}

/// Whole units by `unpackDigits`, and the elements behind them.
static Value unpackUnits(ImplicitLocOpBuilder &b, const SubByteDigits &digits,
                         Value containers, Type element,
                         ArrayRef<OpFoldResult> sizes) {
  const BitLayout &layout = digits.getLayout();
  UnitAxis axis(b, digits, sizes);
  AffineExpr count = layout.getNumContainers(axis.size),
             begin = layout.getNumContainers(axis.whole);
  SmallVector<OpFoldResult> unitSizes(sizes), restSizes(sizes);
  unitSizes[*layout.axis] = axis.apply(axis.whole);
  restSizes[*layout.axis] = axis.apply(axis.size - axis.whole);
  Value rest = unpackLoads(b, layout,
                           axis.slice(containers, begin, count - begin, count),
                           element, restSizes);
  // First the rest, so that the units have a place where they are made.
  Value all = tensor::EmptyOp::create(b, sizes, element);
  all = axis.insert(rest, all, axis.whole, axis.size - axis.whole, axis.size);
  Value units =
      unpackDigits(b, digits, axis.slice(containers, axis.zero, begin, count),
                   element, unitSizes, IterationSpace::Splits(axis.getRank()));
  return axis.insert(units, all, axis.zero, axis.whole, axis.size);
}

/// Whole containers by `unpackDigits`: the last may have slots of no element.
static Value unpackContainers(ImplicitLocOpBuilder &b,
                              const SubByteDigits &digits, Value containers,
                              Type element, ArrayRef<OpFoldResult> sizes,
                              const IterationSpace::Splits &wishes) {
  int64_t axis = *digits.getLayout().axis;
  SmallVector<OpFoldResult> padded(sizes);
  padded[axis] = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(),
      b.getAffineSymbolExpr(0).ceilDiv(digits.getUnit()) * digits.getUnit(),
      {sizes[axis]});
  Value result = unpackDigits(b, digits, containers, element, padded, wishes);
  if (isEqualConstantIntOrValue(padded[axis], sizes[axis]))
    return result;
  return TensorSlice(b, sizes).take(result);
}

/// True if the last word of elements of these sizes may lack containers.
static bool hasPartialWord(const SubByteDigits &digits,
                           ArrayRef<OpFoldResult> sizes) {
  std::optional<int64_t> size =
      getConstantIntValue(sizes[*digits.getLayout().axis]);
  return digits.getNumParts() > 1 && (!size || *size % digits.getUnit() != 0);
}

Value mlir::qdq::lowerUnpack(ImplicitLocOpBuilder &b, UnpackOp op,
                             const QDQToLinalgOptions &options) {
  auto type = cast<RankedTensorType>(toSignless(op.getElements().getType()));
  Type element = type.getElementType();
  SmallVector<OpFoldResult> sizes = getElementSizes(b, op);
  Value containers = asSignless(b, b.getLoc(), op.getContainers());
  BitLayout layout = op.getLayout();
  IterationSpace::Splits wishes = getConsumerSplits(op.getElements());
  bool isFlat = false;
  if (std::optional<BitLayout> along = packAlongLastAxis(layout, type)) {
    if (!layout.hasAxis())
      containers = unflattenContainers(b, layout, containers, sizes);
    layout = *along;
  } else {
    layout.axis = 0;
    isFlat = true;
    wishes.assign(1, {});
  }
  SmallVector<OpFoldResult> loopSizes = sizes;
  if (isFlat)
    loopSizes.assign(1, multiplySizes(b, sizes));
  if (options.runtimeChecks && !op.getSizes().empty())
    emitContainerCheck(b, layout, containers, loopSizes);
  std::optional<SubByteDigits> digits =
      SubByteDigits::get(layout, options.elementOps);
  if (hasNoElement(loopSizes))
    digits.reset();
  Value elements;
  auto loopType =
      RankedTensorType::get(decomposeMixedValues(loopSizes).first, element);
  if (!digits)
    elements = unpackLoads(b, layout, containers, element, loopSizes);
  else if (hasWordPerRow(*digits, loopType))
    elements = unpackWords(b, *digits, containers, loopType, loopSizes);
  else if (hasPartialWord(*digits, loopSizes))
    elements = unpackUnits(b, *digits, containers, element, loopSizes);
  else
    elements =
        unpackContainers(b, *digits, containers, element, loopSizes, wishes);
  if (isFlat)
    elements = unflatten(b, elements, sizes);
  return elements;
}
