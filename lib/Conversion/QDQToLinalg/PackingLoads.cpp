// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packings of any layout, one load for each container that an element may lie
// in, or for each element that a container may hold.

#include "Lowerings.h"
#include "SubByteDigits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// Index arithmetic in a body.
struct IndexMath {
  ImplicitLocOpBuilder &b;

  Value constant(int64_t value) const {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value l, Value r) const { return arith::AddIOp::create(b, l, r); }
  Value mul(Value l, int64_t r) const {
    return r == 1 ? l : arith::MulIOp::create(b, l, constant(r)).getResult();
  }
  Value div(Value l, int64_t r) const {
    return r == 1 ? l : arith::DivUIOp::create(b, l, constant(r)).getResult();
  }
  Value rem(Value l, int64_t r) const {
    return arith::RemUIOp::create(b, l, constant(r));
  }
  Value min(Value l, Value r) const { return arith::MinUIOp::create(b, l, r); }
  /// As an integer of `width` bits.
  Value cast(Value l, unsigned width) const {
    return arith::IndexCastUIOp::create(b, b.getIntegerType(width), l);
  }
};
} // namespace

/// An elementwise generic without operands: `emit` computes the element at the
/// given indices.
static Value
generate(ImplicitLocOpBuilder &b, Type element, ArrayRef<OpFoldResult> sizes,
         function_ref<Value(ImplicitLocOpBuilder &, SmallVector<Value>)> emit) {
  Value init = tensor::EmptyOp::create(b, sizes, element);
  auto generic = linalg::GenericOp::create(
      b, init.getType(), ValueRange(), init,
      b.getMultiDimIdentityMap(sizes.size()),
      SmallVector<utils::IteratorType>(sizes.size(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location loc, ValueRange) {
        ImplicitLocOpBuilder body(loc, nested);
        SmallVector<Value> indices;
        for (size_t dim = 0; dim < sizes.size(); ++dim)
          indices.push_back(linalg::IndexOp::create(body, dim));
        linalg::YieldOp::create(body, emit(body, indices));
      });
  return generic.getResult(0);
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
      b, element, sizes,
      [&](ImplicitLocOpBuilder &body, SmallVector<Value> indices) -> Value {
        IndexMath math{body};
        Value slot = indices[axis], base;
        if (layout.block) {
          base =
              math.add(math.mul(math.div(slot, *layout.block), layout.record),
                       math.constant(layout.at));
          slot = math.rem(slot, *layout.block);
          if (slots)
            slot = tensor::ExtractOp::create(body, slots, slot);
        }
        Value bit = math.mul(slot, layout.bits);
        Value first = math.div(bit, width);
        if (base)
          first = math.add(base, first);
        Type wordType = body.getIntegerType(wordBits);
        Value word;
        for (int64_t i = 0; i < reach; ++i) {
          // A shift removes the bits from behind the end.
          indices[axis] = math.min(math.add(first, math.constant(i)), last);
          Value piece = tensor::ExtractOp::create(body, containers, indices);
          if (wordBits > width)
            piece = arith::ExtUIOp::create(body, wordType, piece);
          if (i > 0)
            piece = arith::ShLIOp::create(
                body, piece,
                arith::ConstantIntOp::create(body, wordType, i * width));
          word = word ? arith::OrIOp::create(body, word, piece).getResult()
                      : piece;
        }
        if (step < width)
          word = arith::ShRUIOp::create(
              body, word, math.cast(math.rem(bit, width), wordBits));
        if (wordBits > layout.bits)
          word = arith::TruncIOp::create(body, body.getIntegerType(layout.bits),
                                         word);
        return emitFromStored(body, layout, word, element);
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
      b, container, sizes,
      [&](ImplicitLocOpBuilder &body, SmallVector<Value> indices) -> Value {
        IndexMath math{body};
        Value position = indices[axis], block, limit = count;
        auto isBelow = [&](Value l, Value r) -> Value {
          return arith::CmpIOp::create(body, arith::CmpIPredicate::ult, l, r);
        };
        if (layout.block) {
          block = math.mul(math.div(position, layout.record), *layout.block);
          // Containers in front of the field wrap to large numbers, and have no
          // slot.
          position =
              arith::SubIOp::create(body, math.rem(position, layout.record),
                                    math.constant(layout.at));
          limit = math.constant(*layout.block);
        }
        Value firstBit = math.mul(position, width);
        Value first = math.div(firstBit, bits);
        // An element that begins in the container before lies up to bits - 1
        // below: room of `bits` keeps every shift positive.
        Value shift = arith::SubIOp::create(
            body, math.add(math.mul(first, bits), math.constant(bits)),
            firstBit);
        Type wordType = body.getIntegerType(wordBits);
        Value zero = arith::ConstantIntOp::create(body, wordType, 0);
        Value word = zero;
        for (int64_t i = 0; i < reach; ++i) {
          Value slot = math.add(first, math.constant(i));
          Value isInside = isBelow(slot, limit);
          Value index =
              arith::SelectOp::create(body, isInside, slot, math.constant(0));
          if (order)
            index = tensor::ExtractOp::create(body, order, index);
          if (block) {
            index = math.add(block, index);
            Value exists = isBelow(index, count);
            isInside = arith::AndIOp::create(body, isInside, exists);
            index =
                arith::SelectOp::create(body, exists, index, math.constant(0));
          }
          indices[axis] = index;
          Value code = emitToStored(
              body, layout, tensor::ExtractOp::create(body, elements, indices));
          if (wordBits > bits)
            code = arith::ExtUIOp::create(body, wordType, code);
          code = arith::SelectOp::create(body, isInside, code, zero);
          Value amount = math.add(shift, math.constant(i * bits));
          word = arith::OrIOp::create(
              body, word,
              arith::ShLIOp::create(body, code, math.cast(amount, wordBits)));
        }
        word = arith::ShRUIOp::create(
            body, word, arith::ConstantIntOp::create(body, wordType, bits));
        if (wordBits > width)
          word = arith::TruncIOp::create(body, container, word);
        return word;
      });
}
