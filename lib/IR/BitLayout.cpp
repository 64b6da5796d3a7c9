// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The presets of #qdq.packing, and the arithmetic of bit positions.

#include "qdq/IR/BitLayout.h"
#include "qdq/IR/QDQ.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;

#include "qdq/IR/PackingEnums.cpp.inc"

//===----------------------------------------------------------------------===//
// Presets
//===----------------------------------------------------------------------===//

namespace {
/// How a system turns codes into what it stores.
enum class Stored {
  /// The bits as they are.
  Plain,
  /// Signed codes with 2^(bits - 1) added, unsigned ones as they are.
  Excess,
  /// As `Excess`, minus 1.
  ExcessMinusOne
};

/// The order of the elements of a block in its slots.
enum class Slots { Ascending, AWQ, Halves };

/// The layout of one part of a preset's data.
struct PresetRow {
  PackingPreset preset;
  PackingPart part;
  int64_t containerBits;
  /// Negative: from the back. Nothing: the whole tensor.
  std::optional<int64_t> axis;
  Stored stored;
  /// The widths of elements that the system knows.
  SmallVector<int64_t, 4> widths;
  /// 0: no blocks.
  int64_t block = 0;
  Slots slots = Slots::Ascending;
  int64_t record = 0, at = 0;
  bool positiveZero = false;
};
} // namespace

static ArrayRef<PresetRow> getPresets() {
  using P = PackingPreset;
  using Part = PackingPart;
  // Sources: the ONNX IR (4-bit and 2-bit tensor data), OpenPPL pmx, AutoGPTQ,
  // AutoAWQ, ONNX Runtime's contrib operators, ggml-common.h.
  static const PresetRow rows[] = {
      {P::ONNX, Part::Codes, 8, std::nullopt, Stored::Plain, {}},
      {P::PMXInt4x4, Part::Codes, 16, 0, Stored::Excess, {4}},
      {P::GPTQv1, Part::Codes, 32, 0, Stored::Excess, {2, 3, 4, 8}},
      {P::GPTQv1, Part::ZeroPoint, 32, 1, Stored::ExcessMinusOne, {2, 3, 4, 8}},
      {P::GPTQv2, Part::Codes, 32, 0, Stored::Excess, {2, 3, 4, 8}},
      {P::GPTQv2, Part::ZeroPoint, 32, 1, Stored::Excess, {2, 3, 4, 8}},
      {P::AWQGemm, Part::Codes, 32, -1, Stored::Excess, {4}, 8, Slots::AWQ},
      {P::AWQGemm, Part::ZeroPoint, 32, -1, Stored::Excess, {4}, 8, Slots::AWQ},
      {P::AWQGemv, Part::Codes, 32, -1, Stored::Excess, {4}},
      {P::AWQGemv, Part::ZeroPoint, 32, -1, Stored::Excess, {4}},
      {P::MatMulNBits, Part::Codes, 8, -1, Stored::Excess, {2, 4, 8}},
      {P::MatMulNBits, Part::ZeroPoint, 8, -1, Stored::Excess, {2, 4, 8}},
      // clang-format off
      {P::GGMLQ4_0, Part::Codes, 8, -1, Stored::Excess, {4}, 32, Slots::Halves, 18, 2},
      {P::GGMLQ4_0, Part::Scale, 8, -1, Stored::Plain, {16}, 1, Slots::Ascending, 18, 0},
      {P::GGMLQ4_1, Part::Codes, 8, -1, Stored::Excess, {4}, 32, Slots::Halves, 20, 4},
      {P::GGMLQ4_1, Part::Scale, 8, -1, Stored::Plain, {16}, 1, Slots::Ascending, 20, 0},
      {P::GGMLQ4_1, Part::Minimum, 8, -1, Stored::Plain, {16}, 1, Slots::Ascending, 20, 2},
      {P::GGMLQ8_0, Part::Codes, 8, -1, Stored::Plain, {8}, 32, Slots::Ascending, 34, 2},
      {P::GGMLQ8_0, Part::Scale, 8, -1, Stored::Plain, {16}, 1, Slots::Ascending, 34, 0},
      {P::GGMLMXFP4, Part::Codes, 8, -1, Stored::Plain, {4}, 32, Slots::Halves, 17, 1, true},
      {P::GGMLMXFP4, Part::Scale, 8, -1, Stored::Plain, {8}, 1, Slots::Ascending, 17, 0},
      // clang-format on
  };
  return rows;
}

/// The row of a preset's part; null if it has none.
static const PresetRow *findPreset(PackingPreset preset, PackingPart part) {
  const PresetRow *row = llvm::find_if(getPresets(), [&](const PresetRow &row) {
    return row.preset == preset && row.part == part;
  });
  return row == getPresets().end() ? nullptr : row;
}

static SmallVector<int64_t> getOrder(Slots slots, int64_t block) {
  switch (slots) {
  case Slots::Ascending:
    return {};
  case Slots::AWQ:
    return {0, 2, 4, 6, 1, 3, 5, 7};
  case Slots::Halves:
    break;
  }
  SmallVector<int64_t> result;
  for (int64_t i = 0; i < block / 2; ++i)
    result.append({i, i + block / 2});
  return result;
}

static int64_t getOffset(Stored stored, Type element) {
  bool isExcess = stored != Stored::Plain && isa<IntegerType>(element) &&
                  isSignedStorage(element);
  int64_t excess =
      isExcess ? int64_t(1) << (element.getIntOrFloatBitWidth() - 1) : 0;
  return stored == Stored::ExcessMinusOne ? excess - 1 : excess;
}

//===----------------------------------------------------------------------===//
// Resolution
//===----------------------------------------------------------------------===//

LogicalResult
PackingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                    std::optional<PackingPreset> preset, PackingPart part,
                    std::optional<int64_t> bits, IntegerType container,
                    std::optional<int64_t> axis, std::optional<int64_t> block,
                    ArrayRef<int64_t> order, std::optional<int64_t> record,
                    std::optional<int64_t> at, std::optional<int64_t> offset,
                    bool positiveZero) {
  const PresetRow *row = preset ? findPreset(*preset, part) : nullptr;
  if (preset && !row)
    return emitError() << "packing '" << stringifyEnum(*preset)
                       << "' has no part '" << stringifyEnum(part) << "'";
  if (!preset && part != PackingPart::Codes)
    return emitError() << "'part' goes with a preset only";
  if (bits && (*bits < 1 || *bits > 32))
    return emitError() << "'bits' is " << *bits << ": expected 1 to 32";
  if (container && (container.getWidth() < 8 || container.getWidth() > 64 ||
                    !llvm::isPowerOf2_32(container.getWidth())))
    return emitError() << "'container' is " << container
                       << ": expected an integer of 8, 16, 32 or 64 bits";
  if (block && *block < 1)
    return emitError() << "'block' is " << *block << ": expected at least 1";
  int64_t blockLength = block.value_or(row ? row->block : 0);
  if (!order.empty()) {
    if (static_cast<int64_t>(order.size()) != blockLength)
      return emitError() << "'order' has " << order.size()
                         << " entries: expected one for each of the "
                         << blockLength << " elements of a block";
    SmallVector<int64_t> sorted(order);
    llvm::sort(sorted);
    for (auto [expected, found] : llvm::enumerate(sorted))
      if (static_cast<int64_t>(expected) != found)
        return emitError() << "'order' is not a permutation of 0 to "
                           << order.size() - 1 << ": " << found << " where "
                           << expected << " was expected";
  }
  bool hasBlock = blockLength > 0;
  if ((record || at) && !hasBlock)
    return emitError() << "'record' and 'at' need a 'block'";
  if (record && *record < 1)
    return emitError() << "'record' is " << *record << ": expected at least 1";
  if (at && *at < 0)
    return emitError() << "'at' is " << *at << ": expected at least 0";
  return success();
}

FailureOr<BitLayout>
BitLayout::get(PackingAttr packing, RankedTensorType elements,
               RankedTensorType containers,
               function_ref<InFlightDiagnostic()> emitError) {
  const PresetRow *row =
      packing.getPreset() ? findPreset(*packing.getPreset(), packing.getPart())
                          : nullptr;
  Type element = elements.getElementType();
  Type container = containers.getElementType();
  BitLayout layout;
  layout.bits = packing.getBits().value_or(element.getIntOrFloatBitWidth());
  if (layout.bits != element.getIntOrFloatBitWidth())
    return emitError() << "has elements of type " << element
                       << ", but its packing says " << layout.bits << " bits";
  if (row && !row->widths.empty() &&
      !llvm::is_contained(row->widths, layout.bits))
    return emitError() << "has elements of type " << element << ", but '"
                       << stringifyEnum(*packing.getPreset())
                       << "' packs elements of "
                       << llvm::interleaved(row->widths, " or ") << " bits";

  layout.containerBits = packing.getContainer()
                             ? packing.getContainer().getWidth()
                         : row ? row->containerBits
                               : container.getIntOrFloatBitWidth();
  if (layout.containerBits != container.getIntOrFloatBitWidth())
    return emitError() << "has containers of type " << container
                       << ", but its packing says i" << layout.containerBits;

  std::optional<int64_t> axis = packing.getAxis();
  if (!axis && row)
    axis = row->axis;
  int64_t rank = elements.getRank();
  if (axis) {
    if (*axis < -rank || *axis >= rank)
      return emitError() << "packs along axis " << *axis
                         << ", which is out of range for elements of rank "
                         << rank;
    layout.axis = *axis < 0 ? *axis + rank : *axis;
  }

  layout.block = packing.getBlock();
  if (!layout.block && row && row->block)
    layout.block = row->block;
  if (!packing.getOrder().empty())
    layout.order.assign(packing.getOrder().begin(), packing.getOrder().end());
  else if (row && row->block == layout.block.value_or(0))
    layout.order = getOrder(row->slots, row->block);
  if (llvm::is_sorted(layout.order))
    layout.order.clear();
  if (layout.block) {
    int64_t filled = layout.getBlockContainers();
    layout.record =
        packing.getRecord().value_or(row && row->record ? row->record : filled);
    layout.at = packing.getAt().value_or(row ? row->at : 0);
    if (layout.at + filled > layout.record)
      return emitError() << "has blocks of " << *layout.block
                         << " elements that fill " << filled
                         << " containers from container " << layout.at
                         << " on, but records of " << layout.record;
  }
  layout.offset =
      packing.getOffset().value_or(row ? getOffset(row->stored, element) : 0);
  if (layout.offset != 0 && !isa<IntegerType>(element))
    return emitError() << "has elements of type " << element
                       << ", which take no offset of " << layout.offset;
  layout.positiveZero = packing.getPositiveZero() || (row && row->positiveZero);
  return layout;
}

BitLayout BitLayout::getFlatBytes(int64_t bits) {
  BitLayout layout;
  layout.bits = bits;
  layout.containerBits = 8;
  return layout;
}

//===----------------------------------------------------------------------===//
// Sizes and positions
//===----------------------------------------------------------------------===//

int64_t BitLayout::getNumContainers(int64_t elements) const {
  if (ShapedType::isDynamic(elements))
    return elements;
  if (!block)
    return llvm::divideCeil(elements * bits, containerBits);
  return static_cast<int64_t>(llvm::divideCeil(elements, *block)) * record;
}

int64_t BitLayout::getMaxElements(int64_t containers) const {
  if (ShapedType::isDynamic(containers))
    return containers;
  if (!block)
    return containers * containerBits / bits;
  return containers / record * *block;
}

AffineExpr BitLayout::getNumContainers(AffineExpr elements) const {
  if (!block)
    return (elements * bits).ceilDiv(containerBits);
  return elements.ceilDiv(*block) * record;
}

AffineExpr BitLayout::getMaxElements(AffineExpr containers) const {
  if (!block)
    return (containers * containerBits).floorDiv(bits);
  return containers.floorDiv(record) * *block;
}

int64_t BitLayout::getPeriod() const {
  return block.value_or(std::lcm(bits, containerBits) / bits);
}

int64_t BitLayout::getBitPosition(int64_t index) const {
  if (!block)
    return index * bits;
  int64_t slot = index % *block;
  if (!order.empty())
    slot = std::distance(order.begin(), llvm::find(order, slot));
  return (index / *block * record + at) * containerBits + slot * bits;
}

AxisView AxisView::get(ArrayRef<int64_t> shape, std::optional<int64_t> axis) {
  AxisView view;
  if (!axis) {
    view.size = ShapedType::getNumElements(shape);
    return view;
  }
  view.outer = ShapedType::getNumElements(shape.take_front(*axis));
  view.size = shape[*axis];
  view.inner = ShapedType::getNumElements(shape.drop_front(*axis + 1));
  return view;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Calls `fn(element, container, shift, length, done)` for each piece of an
/// element that lies in one container: linear indices, the piece's lowest bit
/// in the container, its length, and the element's bits in front of it.
template <typename Fn>
static void forEachPiece(const BitLayout &layout, const AxisView &elements,
                         const AxisView &containers, Fn fn) {
  for (int64_t outer = 0; outer < elements.outer; ++outer)
    for (int64_t k = 0; k < elements.size; ++k) {
      int64_t position = layout.getBitPosition(k);
      for (int64_t done = 0; done < layout.bits;) {
        int64_t container = (position + done) / layout.containerBits;
        int64_t shift = (position + done) % layout.containerBits;
        int64_t length =
            std::min(layout.bits - done, layout.containerBits - shift);
        for (int64_t inner = 0; inner < elements.inner; ++inner)
          fn((outer * elements.size + k) * elements.inner + inner,
             (outer * containers.size + container) * containers.inner + inner,
             shift, length, done);
        done += length;
      }
    }
}

SmallVector<uint64_t> mlir::qdq::unpackCodes(const BitLayout &layout,
                                             ArrayRef<uint64_t> containers,
                                             ArrayRef<int64_t> containerShape,
                                             ArrayRef<int64_t> elementShape) {
  SmallVector<uint64_t> codes(ShapedType::getNumElements(elementShape), 0);
  forEachPiece(layout, AxisView::get(elementShape, layout.axis),
               AxisView::get(containerShape, layout.axis),
               [&](int64_t element, int64_t container, int64_t shift,
                   int64_t length, int64_t done) {
                 uint64_t piece = containers[container] >> shift;
                 codes[element] |= (piece & llvm::maxUIntN(length)) << done;
               });
  uint64_t mask = llvm::maxUIntN(layout.bits);
  for (uint64_t &code : codes) {
    code = (code - static_cast<uint64_t>(layout.offset)) & mask;
    if (layout.positiveZero && code == uint64_t(1) << (layout.bits - 1))
      code = 0;
  }
  return codes;
}

SmallVector<uint64_t> mlir::qdq::packCodes(const BitLayout &layout,
                                           ArrayRef<uint64_t> codes,
                                           ArrayRef<int64_t> elementShape,
                                           ArrayRef<int64_t> containerShape) {
  SmallVector<uint64_t> containers(ShapedType::getNumElements(containerShape),
                                   0);
  forEachPiece(layout, AxisView::get(elementShape, layout.axis),
               AxisView::get(containerShape, layout.axis),
               [&](int64_t element, int64_t container, int64_t shift,
                   int64_t length, int64_t done) {
                 uint64_t code =
                     codes[element] + static_cast<uint64_t>(layout.offset);
                 uint64_t piece = (code >> done) & llvm::maxUIntN(length);
                 containers[container] |= piece << shift;
               });
  return containers;
}
