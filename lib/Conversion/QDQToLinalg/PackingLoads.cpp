// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packings of any layout, one load for each container that an element may lie
// in, or for each element that a container may hold.

#include "../ForeignOps/TensorOps.h"
#include "Lowerings.h"
#include "SubByteDigits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

static Scalar multiply(Scalar x, int64_t by) { return by == 1 ? x : x * by; }
static Scalar divide(Scalar x, int64_t by) {
  return by == 1 ? x : x.apply<arith::DivUIOp>(by);
}
static Scalar getRemainder(Scalar x, int64_t by) {
  return x.apply<arith::RemUIOp>(by);
}

/// An elementwise generic without operands: `emit` computes the element at the
/// given indices.
static Value generate(B &b, Type element, ArrayRef<OpFoldResult> sizes,
                      function_ref<Value(B &, SmallVector<Value>)> emit) {
  return createGeneric(
      b, {}, tensor::EmptyOp::create(b, sizes, element),
      b.getMultiDimIdentityMap(sizes.size()), [&](B &body, ValueRange) {
        SmallVector<Value> indices;
        for (size_t dim = 0; dim < sizes.size(); ++dim)
          indices.push_back(linalg::IndexOp::create(body, dim));
        return emit(body, indices);
      });
}

/// The integer type that holds `bits` bits, of a width that every target knows.
static unsigned getWordBits(int64_t bits) {
  return std::max<unsigned>(8, llvm::PowerOf2Ceil(bits));
}

static Value makeTable(ImplicitLocOpBuilder &b, ArrayRef<int64_t> values) {
  SmallVector<APInt> elements;
  for (int64_t value : values)
    elements.emplace_back(64, value);
  auto type = RankedTensorType::get(values.size(), b.getIndexType());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, elements));
}

/// One loop for each dimension; the body cuts an element out of the containers
/// that it may lie in.
Value mlir::qdq::unpackLoads(ImplicitLocOpBuilder &b, const BitLayout &layout,
                             Value containers, Type element,
                             ArrayRef<OpFoldResult> sizes) {
  int64_t axis = *layout.axis, width = layout.containerBits;
  // Elements begin at multiples of this in a container.
  int64_t step = std::gcd(layout.bits, width);
  int64_t reach = llvm::divideCeil(width - step + layout.bits, width);
  unsigned wordBits = getWordBits(reach * width);
  Value count = tensor::DimOp::create(b, containers, axis);
  Value last =
      arith::SubIOp::create(b, count, arith::ConstantIndexOp::create(b, 1));
  Value slots;
  if (!layout.order.empty()) {
    SmallVector<int64_t> inverse(layout.order.size());
    for (auto [slot, index] : llvm::enumerate(layout.order))
      inverse[index] = slot;
    slots = makeTable(b, inverse);
  }
  return generate(
      b, element, sizes, [&](B &body, SmallVector<Value> indices) -> Value {
        Scalar slot(body, indices[axis]);
        std::optional<Scalar> base, word;
        if (layout.block) {
          base =
              multiply(divide(slot, *layout.block), layout.record) + layout.at;
          slot = getRemainder(slot, *layout.block);
          if (slots)
            slot = readEntry(slots, slot);
        }
        Scalar bit = multiply(slot, layout.bits), first = divide(bit, width);
        if (base)
          first = *base + first;
        Type wordType = body.getIntegerType(wordBits);
        for (int64_t i = 0; i < reach; ++i) {
          // A shift removes the bits from behind the end.
          indices[axis] = (first + i).apply<arith::MinUIOp>(last);
          Scalar piece(body,
                       tensor::ExtractOp::create(body, containers, indices));
          piece = piece.toUnsigned(wordType);
          if (i > 0)
            piece = piece << i * width;
          word = word ? *word | piece : piece;
        }
        if (step < width)
          word = word->apply<arith::ShRUIOp>(
              getRemainder(bit, width).toUnsigned(wordType));
        Value code = word->to(body.getIntegerType(layout.bits));
        return emitFromStored(body, layout, code, element);
      });
}

/// One loop for each dimension of the containers; the body puts together all
/// elements that reach into one.
Value mlir::qdq::packLoads(ImplicitLocOpBuilder &b, const BitLayout &layout,
                           Value elements, ArrayRef<OpFoldResult> sizes) {
  int64_t axis = *layout.axis, width = layout.containerBits;
  int64_t bits = layout.bits, step = std::gcd(bits, width);
  // The elements that may reach into a container, from the one at its lowest
  // bit on.
  int64_t reach = llvm::divideCeil(bits - step + width, bits);
  unsigned wordBits = getWordBits(std::max(bits + width, reach * bits + 1));
  Value count = tensor::DimOp::create(b, elements, axis);
  Value order;
  if (!layout.order.empty())
    order = makeTable(b, layout.order);
  Type container = b.getIntegerType(width);
  return generate(
      b, container, sizes, [&](B &body, SmallVector<Value> indices) -> Value {
        Scalar position(body, indices[axis]), limit(body, count);
        std::optional<Scalar> block;
        if (layout.block) {
          block = multiply(divide(position, layout.record), *layout.block);
          // Containers in front of the field wrap to large numbers, and have no
          // slot.
          position = getRemainder(position, layout.record) - layout.at;
          limit = position.constant(*layout.block);
        }
        Scalar firstBit = multiply(position, width);
        Scalar first = divide(firstBit, bits);
        // An element that begins in the container before lies up to bits - 1
        // below: room of `bits` keeps every shift positive.
        Scalar shift = multiply(first, bits) + bits - firstBit;
        Type wordType = body.getIntegerType(wordBits);
        Scalar zero(body, createNumber(body, wordType, 0)), word = zero;
        for (int64_t i = 0; i < reach; ++i) {
          Scalar slot = first + i, isInside = isBelow(slot, limit);
          Scalar index = select(isInside, slot, 0);
          if (order)
            index = readEntry(order, index);
          if (block) {
            index = *block + index;
            Scalar exists = isBelow(index, count);
            isInside = isInside & exists;
            index = select(exists, index, 0);
          }
          indices[axis] = index;
          Scalar code(body, emitToStored(body, layout,
                                         tensor::ExtractOp::create(
                                             body, elements, indices)));
          code = select(isInside, code.toUnsigned(wordType), zero);
          Scalar amount = shift + i * bits;
          word = word | code << amount.toUnsigned(wordType);
        }
        return word.apply<arith::ShRUIOp>(bits).to(container);
      });
}
