// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bit layout as digits of an element's index.

#include "SubByteDigits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qdq/Conversion/QDQToArith/Fields.h"
#include "qdq/IR/TensorSlice.h"
#include "qdq/Numerics/Scalar.h"
#include <numeric>

using namespace mlir;
using namespace mlir::qdq;

/// The B for which slot b * (length / B) + a holds element a * B + b; nothing
/// for any other order.
static std::optional<int64_t> getSwappedDigit(ArrayRef<int64_t> order) {
  int64_t length = order.size();
  // The second element of the first digit lies in slot length / B.
  int64_t first = std::distance(order.begin(), llvm::find(order, 1));
  if (first <= 0 || first >= length || length % first != 0)
    return std::nullopt;
  int64_t low = length / first;
  for (auto [slot, element] : llvm::enumerate(order)) {
    int64_t b = slot / first, a = slot % first;
    if (element != a * low + b)
      return std::nullopt;
  }
  return low;
}

/// The widest word that every target shifts.
static constexpr int64_t kMaxWordBits = 64;

std::optional<SubByteDigits> SubByteDigits::get(const BitLayout &layout,
                                                bool keepsOps) {
  std::optional<int64_t> perContainer = layout.getElementsPerContainer();
  if (!layout.hasAxis())
    return std::nullopt;
  SubByteDigits result;
  result.layout = layout;
  result.keepsOps = keepsOps;
  auto add = [&](Kind kind, int64_t stride, int64_t slots = 0) {
    result.digits.push_back({kind, stride, slots});
  };
  if (!perContainer) {
    int64_t wordBits = std::lcm(layout.bits, layout.containerBits);
    bool isWord = !layout.block || (layout.order.empty() &&
                                    *layout.block * layout.bits == wordBits);
    if (!isWord || wordBits > kMaxWordBits)
      return std::nullopt;
    result.parts = wordBits / layout.containerBits;
    add(Kind::Unit, wordBits / layout.bits);
    add(Kind::Slot, 1, 1);
    return result;
  }
  if (!layout.block) {
    add(Kind::Unit, *perContainer);
    add(Kind::Slot, 1, 1);
    return result;
  }
  int64_t block = *layout.block;
  if (block % *perContainer != 0)
    return std::nullopt;
  add(Kind::Unit, block);
  if (layout.order.empty()) {
    add(Kind::Container, *perContainer);
    add(Kind::Slot, 1, 1);
    return result;
  }
  std::optional<int64_t> low = getSwappedDigit(layout.order);
  if (!low)
    return std::nullopt;
  int64_t high = block / *low;
  if (layout.getBlockContainers() == 1) {
    add(Kind::Slot, *low, 1);
    add(Kind::Slot, 1, high);
    return result;
  }
  if (high != *perContainer)
    return std::nullopt;
  add(Kind::Slot, *low, 1);
  add(Kind::Container, 1);
  return result;
}

IterationSpace::Splits SubByteDigits::getSplits(int64_t rank) const {
  IterationSpace::Splits splits(rank);
  for (const Digit &digit : digits)
    splits[*layout.axis].push_back(digit.stride);
  return splits;
}

template <typename Fn>
void SubByteDigits::forEachLoop(const IterationSpace &space, Fn fn) const {
  ArrayRef<int64_t> loops = space.getLoops(*layout.axis);
  ArrayRef<int64_t> strides = space.getStrides(*layout.axis);
  const Digit *digit = digits.begin();
  for (size_t i = 0; i < loops.size(); ++i) {
    while (strides[i] < digit->stride)
      ++digit;
    fn(*digit, loops[i], strides[i], i ? strides[i - 1] / strides[i] : 0);
  }
}

SmallVector<SubByteDigits::SlotLoop>
SubByteDigits::getSlotLoops(const IterationSpace &space) const {
  SmallVector<SlotLoop> result;
  forEachLoop(space, [&](const Digit &digit, int64_t loop, int64_t stride,
                         int64_t extent) {
    if (digit.kind == Kind::Slot && extent != 1)
      result.push_back({loop, extent, stride / digit.stride * digit.slots});
  });
  return result;
}

/// The dimension `axis` of `value` as (blocks, containers of one), of which
/// these `filled` are left; as (blocks) if that is one.
static Value takeBlocks(ImplicitLocOpBuilder &b, const BitLayout &layout,
                        Value value, int64_t at, int64_t filled) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t axis = *layout.axis;
  SmallVector<SmallVector<int64_t>> extents(type.getRank());
  extents[axis].push_back(layout.record);
  value = splitDims(b, value, extents);
  if (filled == layout.record)
    return value;
  TensorSlice slice(b, value);
  slice.cut(axis + 1, at, filled);
  if (filled > 1)
    return slice.take(value);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = cast<RankedTensorType>(value.getType()).getDimSize(axis);
  return slice.take(value, type.clone(shape));
}

IntegerType SubByteDigits::getWordType(ImplicitLocOpBuilder &b) const {
  return b.getIntegerType(
      parts == 1 ? layout.containerBits
                 : llvm::PowerOf2Ceil(parts * layout.containerBits));
}

SmallVector<MappedParameter>
SubByteDigits::mapContainers(ImplicitLocOpBuilder &b,
                             const IterationSpace &space,
                             Value containers) const {
  int64_t rank = cast<RankedTensorType>(containers.getType()).getRank();
  bool isSplit = layout.block && layout.record != 1;
  // Parts of a block are slices, so that their maps are projected permutations.
  bool areSlices = isSplit && parts > 1;
  int64_t filled = areSlices ? 1 : layout.getBlockContainers();

  SmallVector<SmallVector<int64_t>> extents;
  SmallVector<AffineExpr> results;
  /// The result that chooses a part.
  size_t partResult = 0;
  auto addLoops = [&](Kind kind) {
    SmallVector<int64_t> &inner = extents.emplace_back();
    size_t count = 0;
    forEachLoop(space,
                [&](const Digit &digit, int64_t loop, int64_t, int64_t extent) {
                  if (digit.kind != kind)
                    return;
                  results.push_back(b.getAffineDimExpr(loop));
                  if (count++ > 0)
                    inner.push_back(extent);
                });
  };
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == *layout.axis) {
      addLoops(Kind::Unit);
      if (isSplit && filled > 1)
        addLoops(Kind::Container);
      if (parts > 1 && !areSlices) {
        extents.back().push_back(parts);
        partResult = results.size();
        results.emplace_back();
      }
      continue;
    }
    extents.push_back(space.getInnerExtents(dim));
    for (int64_t loop : space.getLoops(dim))
      results.push_back(b.getAffineDimExpr(loop));
  }
  auto split = [&](int64_t part) {
    Value blocks =
        isSplit ? takeBlocks(b, layout, containers, layout.at + part, filled)
                : containers;
    return splitDims(b, blocks, extents);
  };
  SmallVector<MappedParameter> mapped;
  Value all = areSlices ? Value() : split(0);
  for (int64_t part = 0; part < parts; ++part) {
    if (parts > 1 && !areSlices)
      results[partResult] = b.getAffineConstantExpr(part);
    mapped.push_back(
        {areSlices ? split(part) : all,
         AffineMap::get(space.getNumLoops(), 0, results, b.getContext())});
  }
  return mapped;
}

namespace {
/// The current slots, and the bits of a step of each.
struct Slots {
  Slots(ImplicitLocOpBuilder &b, const BitLayout &layout,
        ArrayRef<SubByteDigits::SlotLoop> loops) {
    for (SubByteDigits::SlotLoop loop : loops) {
      slots.push_back(linalg::IndexOp::create(b, loop.loop));
      strides.push_back(loop.slots * layout.bits);
    }
  }
  SmallVector<Value> slots;
  SmallVector<int64_t> strides;
};
} // namespace

Value SubByteDigits::emitUnpack(ImplicitLocOpBuilder &b,
                                const IterationSpace &space, ValueRange parts,
                                Type element) const {
  Type stored = b.getIntegerType(layout.bits);
  SmallVector<SlotLoop> loops = getSlotLoops(space);
  Value bits;
  if (keepsOps && (!loops.empty() || parts.size() > 1)) {
    Slots in(b, layout, loops);
    bits = ExtractFieldOp::create(b, stored, parts, in.slots, in.strides);
  } else {
    Value word = joinParts(b, getWordType(b), parts);
    Slots in(b, layout, loops);
    Value shift = createFieldShift(b, in.slots, in.strides, word.getType());
    bits = extractField(b, word, shift, stored);
  }
  return emitFromStored(b, layout, bits, element);
}

Value SubByteDigits::emitPack(ImplicitLocOpBuilder &b,
                              const IterationSpace &space, Value element,
                              Value word) const {
  Value bits = emitToStored(b, layout, element);
  SmallVector<SlotLoop> loops = getSlotLoops(space);
  if (keepsOps && !loops.empty()) {
    Slots in(b, layout, loops);
    bits =
        DepositFieldOp::create(b, word.getType(), bits, in.slots, in.strides);
  } else {
    bits = widenBits(b, bits, word.getType());
    Slots in(b, layout, loops);
    bits = depositField(
        b, bits, createFieldShift(b, in.slots, in.strides, word.getType()));
  }
  return Scalar(b, word) | bits;
}

Value SubByteDigits::emitPart(ImplicitLocOpBuilder &b, Value word,
                              Value index) const {
  Type part = b.getIntegerType(layout.containerBits);
  if (keepsOps)
    return ExtractFieldOp::create(b, part, word, index, layout.containerBits);
  Value shift =
      createFieldShift(b, index, layout.containerBits, word.getType());
  return extractField(b, word, shift, part);
}

Value mlir::qdq::emitFromStored(ImplicitLocOpBuilder &b,
                                const BitLayout &layout, Value stored,
                                Type element) {
  Scalar code(b, stored);
  // Modulo 2^bits, as the type wraps.
  if (layout.offset != 0)
    code = code - layout.offset;
  if (layout.positiveZero) {
    Scalar isNegative = equal(code, int64_t(1) << (layout.bits - 1));
    code = select(isNegative, code.constant(0), code);
  }
  return isa<FloatType>(element) ? code.bitcast(element) : code;
}

Value mlir::qdq::emitToStored(ImplicitLocOpBuilder &b, const BitLayout &layout,
                              Value element) {
  Scalar code(b, element);
  if (code.isFloat())
    return code.bitcast(b.getIntegerType(layout.bits));
  return layout.offset == 0 ? code : code + layout.offset;
}
