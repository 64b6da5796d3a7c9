// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over containers that put codes together.

#include "PackingLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;
using SlotLoop = SlotDigits::SlotLoop;

/// The loops without those that count slots.
static SmallVector<int64_t> getContainerLoops(const IterationSpace &space,
                                              ArrayRef<SlotLoop> slotLoops) {
  SmallVector<int64_t> loops;
  for (int64_t loop = 0; loop < space.getNumLoops(); ++loop)
    if (llvm::none_of(slotLoops,
                      [&](const SlotLoop &slot) { return slot.loop == loop; }))
      loops.push_back(loop);
  return loops;
}

/// The operand where the slot loops stand at `slot`, with a map from the
/// container loops.
static MappedParameter takeSlot(ImplicitLocOpBuilder &b,
                                const MappedParameter &operand,
                                ArrayRef<SlotLoop> slotLoops,
                                ArrayRef<int64_t> containerLoops,
                                int64_t slot) {
  auto type = cast<RankedTensorType>(operand.tensor.getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), operand.tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  SmallVector<AffineExpr> results;
  SmallVector<int64_t> shape;
  for (auto [dim, result] : llvm::enumerate(operand.map.getResults())) {
    int64_t loop = cast<AffineDimExpr>(result).getPosition();
    auto isLoop = [&](const SlotLoop &slot) { return slot.loop == loop; };
    if (auto *slotLoop = llvm::find_if(slotLoops, isLoop);
        slotLoop != slotLoops.end()) {
      offsets[dim] = b.getIndexAttr(slot / slotLoop->slots % slotLoop->extent);
      sizes[dim] = b.getIndexAttr(1);
      continue;
    }
    results.push_back(b.getAffineDimExpr(std::distance(
        containerLoops.begin(), llvm::find(containerLoops, loop))));
    shape.push_back(type.getDimSize(dim));
  }
  Value tensor = operand.tensor;
  if (static_cast<int64_t>(shape.size()) != type.getRank())
    tensor = tensor::ExtractSliceOp::create(b, type.clone(shape), tensor,
                                            offsets, sizes, strides);
  return {tensor,
          AffineMap::get(containerLoops.size(), 0, results, b.getContext())};
}

static bool usesSlots(const MappedParameter &operand,
                      ArrayRef<SlotLoop> slotLoops) {
  return llvm::any_of(slotLoops, [&](const SlotLoop &slot) {
    return operand.map.isFunctionOfDim(slot.loop);
  });
}

/// From a tensor over the container loops to the shape of the containers, with
/// zeros in the other fields of a record.
static Value collapseContainers(ImplicitLocOpBuilder &b,
                                const SlotDigits &digits,
                                const IterationSpace &space, Value value,
                                ArrayRef<int64_t> containerLoops,
                                int64_t rank) {
  const BitLayout &layout = digits.getLayout();
  auto collapse = [&](ArrayRef<ReassociationIndices> groups) {
    auto type = cast<RankedTensorType>(value.getType());
    if (static_cast<int64_t>(groups.size()) == type.getRank())
      return;
    value = tensor::CollapseShapeOp::create(b, value, groups);
  };
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
  collapse(groups);
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
  groups.clear();
  for (int64_t dim = 0, from = 0; dim < rank; ++dim) {
    groups.push_back({from++});
    if (dim == axis)
      groups.back().push_back(from++);
  }
  collapse(groups);
  return value;
}

Value mlir::qdq::emitPackingLoops(ImplicitLocOpBuilder &b,
                                  const SlotDigits &digits,
                                  const IterationSpace &space,
                                  ArrayRef<MappedParameter> operands,
                                  ArrayRef<OpFoldResult> sizes,
                                  EmitCode emitCode) {
  const BitLayout &layout = digits.getLayout();
  SmallVector<SlotLoop> slotLoops = digits.getSlotLoops(space);
  SmallVector<int64_t> containerLoops = getContainerLoops(space, slotLoops);
  int64_t slots = *layout.getElementsPerContainer();

  // The position of each operand's first slice, and from one slot to the next.
  SmallVector<std::pair<int64_t, int64_t>> positions;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const MappedParameter &operand : operands) {
    bool isSliced = usesSlots(operand, slotLoops);
    positions.emplace_back(inputs.size(), isSliced ? 1 : 0);
    for (int64_t slot = 0; slot < (isSliced ? slots : 1); ++slot) {
      MappedParameter slice =
          takeSlot(b, operand, slotLoops, containerLoops, slot);
      inputs.push_back(slice.tensor);
      maps.push_back(slice.map);
    }
  }
  SmallVector<OpFoldResult> all = space.getExtents(b, sizes), extents;
  for (int64_t loop : containerLoops)
    extents.push_back(all[loop]);
  Type container = b.getIntegerType(layout.containerBits);
  Value init = tensor::EmptyOp::create(b, extents, container);
  maps.push_back(b.getMultiDimIdentityMap(containerLoops.size()));
  auto generic = linalg::GenericOp::create(
      b, init.getType(), inputs, init, maps,
      SmallVector<utils::IteratorType>(containerLoops.size(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder body(loc, nested);
        Value word;
        for (int64_t slot = 0; slot < slots; ++slot) {
          SmallVector<Value> elements;
          for (auto [first, step] : positions)
            elements.push_back(arguments[first + slot * step]);
          Value code = emitToStored(body, layout, emitCode(body, elements));
          if (layout.bits < layout.containerBits)
            code = arith::ExtUIOp::create(body, container, code);
          if (slot > 0)
            code =
                arith::ShLIOp::create(body, code,
                                      arith::ConstantIntOp::create(
                                          body, container, slot * layout.bits));
          word =
              word ? arith::OrIOp::create(body, word, code).getResult() : code;
        }
        linalg::YieldOp::create(body, word);
      });
  return collapseContainers(b, digits, space, generic.getResult(0),
                            containerLoops, sizes.size());
}
