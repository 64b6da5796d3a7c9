// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.pack to one linalg.generic.

#include "NeighborSplits.h"
#include "PackingToLinalg.h"
#include "SubByteDigits.h"
#include "UnitAxis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The sizes of the containers of `elements` along the axis of the layout.
static SmallVector<OpFoldResult> getContainerSizes(ImplicitLocOpBuilder &b,
                                                   const BitLayout &layout,
                                                   Value elements) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), elements);
  OpFoldResult &size = sizes[*layout.axis];
  size = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), layout.getNumContainers(b.getAffineSymbolExpr(0)), {size});
  return sizes;
}

/// From a tensor over the container loops to the shape of the containers, with
/// zeros in the other fields of a record.
static Value collapseContainers(ImplicitLocOpBuilder &b,
                                const SubByteDigits &digits,
                                const IterationSpace &space, Value value,
                                ArrayRef<int64_t> containerLoops,
                                int64_t rank) {
  const BitLayout &layout = digits.getLayout();
  int64_t filled = layout.block ? layout.getBlockContainers() : 1;
  bool hasFields = layout.block && layout.record != filled;
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank; ++dim) {
    groups.emplace_back();
    for (auto [loop, stride] :
         llvm::zip(space.getLoops(dim), space.getStrides(dim))) {
      auto *found = llvm::find(containerLoops, loop);
      if (found == containerLoops.end())
        continue;
      if (hasFields && dim == *layout.axis && stride < *layout.block &&
          groups.size() == static_cast<size_t>(dim + 1))
        groups.emplace_back();
      groups.back().push_back(std::distance(containerLoops.begin(), found));
    }
  }
  if (static_cast<int64_t>(groups.size()) != getTensorType(value).getRank())
    value = tensor::CollapseShapeOp::create(b, value, groups);
  if (!hasFields)
    return value;

  auto type = cast<RankedTensorType>(value.getType());
  int64_t axis = *layout.axis;
  if (filled == 1) {
    SmallVector<SmallVector<int64_t>> extents(rank);
    extents[axis].push_back(1);
    value = splitDims(b, value, extents);
    type = cast<RankedTensorType>(value.getType());
  }
  SmallVector<OpFoldResult> low(rank + 1, b.getIndexAttr(0)), high(low);
  low[axis + 1] = b.getIndexAttr(layout.at);
  high[axis + 1] = b.getIndexAttr(layout.record - layout.at - filled);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis + 1] = layout.record;
  Value zero =
      arith::ConstantOp::create(b, b.getIntegerAttr(type.getElementType(), 0));
  value = tensor::PadOp::create(b, type.clone(shape), value, low, high, zero);
  return collapseDims(b, value, axis);
}

/// An elementwise generic that cuts the words along dimension `dim` into their
/// parts, which are containers.
static Value splitWords(ImplicitLocOpBuilder &b, const SubByteDigits &digits,
                        Value words, int64_t dim) {
  int64_t rank = getTensorType(words).getRank();
  int64_t bits = digits.getLayout().containerBits;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), words);
  sizes.insert(sizes.begin() + dim + 1, b.getIndexAttr(digits.getNumParts()));
  Value init = tensor::EmptyOp::create(b, sizes, b.getIntegerType(bits));
  AffineMap identity = b.getMultiDimIdentityMap(rank + 1);
  auto generic =
      buildGeneric(b, words, init, {identity.dropResult(dim + 1), identity},
                   [&](ImplicitLocOpBuilder &body, ValueRange x) {
                     Value index = linalg::IndexOp::create(body, dim + 1);
                     return digits.emitPart(body, x.front(), index);
                   });
  return collapseDims(b, generic.getResult(0), dim);
}

/// A generic that reduces the slots of each word by `or`.
static Value packDigits(ImplicitLocOpBuilder &b, const SubByteDigits &digits,
                        Value elements, const IterationSpace::Splits &wishes) {
  RankedTensorType type = getTensorType(elements);
  int64_t rank = type.getRank();
  auto space = IterationSpace::get(type, digits.getSplits(rank), wishes);
  SmallVector<bool> isSlot(space.getNumLoops());
  for (SubByteDigits::SlotLoop slot : digits.getSlotLoops(space))
    isSlot[slot.loop] = true;

  SmallVector<OpFoldResult> extents =
      space.getExtents(b, tensor::getMixedSizes(b, b.getLoc(), elements));
  SmallVector<int64_t> containerLoops;
  SmallVector<OpFoldResult> containerExtents;
  SmallVector<AffineExpr> containerExprs;
  for (auto [loop, isReduced] : llvm::enumerate(isSlot)) {
    if (isReduced)
      continue;
    containerLoops.push_back(loop);
    containerExtents.push_back(extents[loop]);
    containerExprs.push_back(b.getAffineDimExpr(loop));
  }
  Type word = digits.getWordType(b);
  Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(word, 0));
  Value empty = tensor::EmptyOp::create(b, containerExtents, word);
  Value init = linalg::FillOp::create(b, zero, empty).getResult(0);
  AffineMap identity = b.getMultiDimIdentityMap(space.getNumLoops());
  AffineMap toWord =
      AffineMap::get(space.getNumLoops(), 0, containerExprs, b.getContext());
  auto generic =
      buildGeneric(b, space.expand(b, elements), init, {identity, toWord},
                   [&](ImplicitLocOpBuilder &body, ValueRange x) {
                     return digits.emitPack(body, space, x[0], x[1]);
                   });
  Value containers = generic.getResult(0);
  if (digits.getNumParts() > 1) {
    int64_t axis = *digits.getLayout().axis;
    size_t unit = 0;
    while (unit + 1 < containerLoops.size() &&
           containerLoops[unit + 1] <= space.getLoops(axis).back())
      ++unit;
    containers = splitWords(b, digits, containers, unit);
  }
  return collapseContainers(b, digits, space, containers, containerLoops, rank);
}

/// Whole units by `packDigits`, and the elements behind them.
static Value packUnits(ImplicitLocOpBuilder &b, const SubByteDigits &digits,
                       Value elements) {
  const BitLayout &layout = digits.getLayout();
  UnitAxis axis(b, digits, tensor::getMixedSizes(b, b.getLoc(), elements));
  AffineExpr count = layout.getNumContainers(axis.size),
             begin = layout.getNumContainers(axis.whole);
  Value units = axis.slice(elements, axis.zero, axis.whole, axis.size),
        rest =
            axis.slice(elements, axis.whole, axis.size - axis.whole, axis.size);
  Value last = packLoads(b, layout, rest, getContainerSizes(b, layout, rest));
  // First the rest, so that the units have a place where they are made.
  Value all = tensor::EmptyOp::create(b, getContainerSizes(b, layout, elements),
                                      b.getIntegerType(layout.containerBits));
  all = axis.insert(last, all, begin, count - begin, count);
  Value words =
      packDigits(b, digits, units, IterationSpace::Splits(axis.getRank()));
  return axis.insert(words, all, axis.zero, begin, count);
}

Value mlir::qdq::lowerPack(ImplicitLocOpBuilder &b, PackOp op,
                           const QDQToLinalgOptions &options) {
  BitLayout layout = op.getLayout();
  Value elements = asSignless(b, b.getLoc(), op.getElements());
  IterationSpace::Splits wishes = getProducerSplits(op.getElements());
  if (std::optional<BitLayout> along =
          packAlongLastAxis(layout, getTensorType(elements))) {
    layout = *along;
  } else {
    elements = flatten(b, elements);
    layout.axis = 0;
    wishes.assign(1, {});
  }
  std::optional<SubByteDigits> digits =
      SubByteDigits::get(layout, options.elementOps);
  // The words of records are unpacked only.
  if (digits && layout.block && digits->getNumParts() > 1)
    digits.reset();
  int64_t size = getTensorType(elements).getDimSize(*layout.axis);
  bool isDynamic = ShapedType::isDynamic(size);
  Value containers;
  if (digits && !isDynamic && size % digits->getUnit() == 0)
    containers = packDigits(b, *digits, elements, wishes);
  else if (digits && !layout.block && (isDynamic || size > digits->getUnit()) &&
           !hasNoElement(tensor::getMixedSizes(b, b.getLoc(), elements)))
    containers = packUnits(b, *digits, elements);
  else
    containers =
        packLoads(b, layout, elements, getContainerSizes(b, layout, elements));
  if (!op.getLayout().hasAxis())
    containers = flatten(b, containers);
  return containers;
}
