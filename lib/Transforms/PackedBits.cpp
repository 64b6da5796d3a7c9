// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of elements below a byte as tensors of bytes.

#include "PackedBits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

static constexpr auto kParallel = utils::IteratorType::parallel;
static constexpr auto kReduction = utils::IteratorType::reduction;

bool mlir::qdq::isSubByte(Type elementType) {
  return elementType.isIntOrFloat() &&
         elementType.getIntOrFloatBitWidth() < 8 && !elementType.isInteger(1);
}

RankedTensorType mlir::qdq::getPackedType(RankedTensorType type) {
  int64_t size =
      type.hasStaticShape()
          ? getPackedSize(type.getNumElements(), type.getElementTypeBitWidth())
          : ShapedType::kDynamic;
  return RankedTensorType::get({size}, IntegerType::get(type.getContext(), 8));
}

namespace {
/// What both directions compute about one tensor.
struct Layout {
  ImplicitLocOpBuilder &b;
  RankedTensorType type;
  unsigned bits;

  Layout(ImplicitLocOpBuilder &b, RankedTensorType type)
      : b(b), type(type), bits(type.getElementTypeBitWidth()) {}

  Value index(int64_t value) const {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value l, Value r) const { return arith::AddIOp::create(b, l, r); }
  Value mul(Value l, Value r) const { return arith::MulIOp::create(b, l, r); }
  /// As an integer of `width` bits.
  Value resize(Value position, unsigned width) const {
    return arith::IndexCastUIOp::create(b, b.getIntegerType(width), position);
  }
  Value widen(Value v, unsigned width) const {
    return arith::ExtUIOp::create(b, b.getIntegerType(width), v);
  }

  Value toBits(Value element) const {
    if (isa<IntegerType>(element.getType()))
      return element;
    return arith::BitcastOp::create(b, b.getIntegerType(bits), element);
  }
  /// The element in the low bits of an integer.
  Value fromBits(Value v) const {
    Value low = arith::TruncIOp::create(b, b.getIntegerType(bits), v);
    if (isa<IntegerType>(type.getElementType()))
      return low;
    return arith::BitcastOp::create(b, type.getElementType(), low);
  }

  /// The elements that a byte holds, where none crosses bytes.
  std::optional<int64_t> getElementsPerByte() const {
    if (8 % bits)
      return std::nullopt;
    return 8 / bits;
  }
  int64_t getStaticCount() const {
    return type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  }
  /// True if the last byte is known to be full.
  bool fillsBytes() const {
    std::optional<int64_t> perByte = getElementsPerByte();
    return perByte && type.hasStaticShape() &&
           type.getNumElements() % *perByte == 0;
  }
  RankedTensorType flatType() const { return flatType(getStaticCount()); }
  RankedTensorType flatType(int64_t count) const {
    return RankedTensorType::get({count}, type.getElementType());
  }
  SmallVector<ReassociationIndices> flatGroups() const {
    if (type.getRank() == 0)
      return {};
    return {llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))};
  }
  AffineMap map(unsigned dims, ArrayRef<unsigned> results) const {
    return AffineMap::getMultiDimMapWithTargets(dims, results, b.getContext());
  }
};
} // namespace

/// The product of static and dynamic sizes.
static OpFoldResult getCount(const Layout &layout, ValueRange dynamicSizes) {
  if (layout.type.hasStaticShape())
    return layout.b.getIndexAttr(layout.type.getNumElements());
  int64_t known = 1;
  for (int64_t size : layout.type.getShape())
    known *= ShapedType::isDynamic(size) ? 1 : size;
  Value count = layout.index(known);
  for (Value size : dynamicSizes)
    count = layout.mul(count, size);
  return count;
}

//===----------------------------------------------------------------------===//
// Unpacking
//===----------------------------------------------------------------------===//

/// Loops (byte, element in it), for widths that divide 8. Elements that only fill the last byte come along.
static Value unpackWholeBytes(const Layout &layout, Value bytes) {
  ImplicitLocOpBuilder &b = layout.b;
  int64_t perByte = *layout.getElementsPerByte();
  OpFoldResult numBytes = tensor::getMixedSize(b, b.getLoc(), bytes, 0);
  Value init = tensor::EmptyOp::create(
      b, ArrayRef<OpFoldResult>{numBytes, b.getIndexAttr(perByte)},
      layout.type.getElementType());
  auto generic = linalg::GenericOp::create(
      b, init.getType(), bytes, init,
      ArrayRef{layout.map(2, {0}), layout.map(2, {0, 1})},
      ArrayRef{kParallel, kParallel},
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder body(loc, nested);
        Layout inner(body, layout.type);
        Value shift = inner.mul(linalg::IndexOp::create(body, 1),
                                inner.index(layout.bits));
        Value shifted =
            arith::ShRUIOp::create(body, arguments[0], inner.resize(shift, 8));
        linalg::YieldOp::create(body, inner.fromBits(shifted));
      });
  int64_t size = cast<RankedTensorType>(init.getType()).getDimSize(0);
  int64_t flatSize =
      ShapedType::isDynamic(size) ? ShapedType::kDynamic : size * perByte;
  return tensor::CollapseShapeOp::create(
      b, layout.flatType(flatSize), generic.getResult(0),
      SmallVector<ReassociationIndices>{{0, 1}});
}

/// One loop over the elements, each cut out of two neighbouring bytes.
static Value unpackAcrossBytes(const Layout &layout, Value bytes,
                               OpFoldResult count) {
  ImplicitLocOpBuilder &b = layout.b;
  Value init =
      tensor::EmptyOp::create(b, ArrayRef(count), layout.type.getElementType());
  Value numBytes = getValueOrCreateConstantIndexOp(
      b, b.getLoc(), tensor::getMixedSize(b, b.getLoc(), bytes, 0));
  auto generic = linalg::GenericOp::create(
      b, init.getType(), ValueRange(), init, layout.map(1, {0}), kParallel,
      [&](OpBuilder &nested, Location loc, ValueRange) {
        ImplicitLocOpBuilder body(loc, nested);
        Layout inner(body, layout.type);
        Value bit = inner.mul(linalg::IndexOp::create(body, 0),
                              inner.index(layout.bits));
        Value first = arith::DivUIOp::create(body, bit, inner.index(8));
        Value shift = arith::RemUIOp::create(body, bit, inner.index(8));
        // The last element may end in the last byte: what comes from behind it is then shifted away.
        Value last = arith::SubIOp::create(body, numBytes, inner.index(1));
        Value second = arith::MinUIOp::create(
            body, inner.add(first, inner.index(1)), last);
        auto load = [&](Value position) {
          return inner.widen(tensor::ExtractOp::create(body, bytes, position),
                             16);
        };
        Value high = arith::ShLIOp::create(
            body, load(second),
            arith::ConstantIntOp::create(body, 8, /*width=*/16));
        Value word = arith::OrIOp::create(body, load(first), high);
        word = arith::ShRUIOp::create(body, word, inner.resize(shift, 16));
        linalg::YieldOp::create(body, inner.fromBits(word));
      });
  return generic.getResult(0);
}

Value mlir::qdq::unpackBits(ImplicitLocOpBuilder &b, Value bytes,
                            RankedTensorType type, ValueRange dynamicSizes) {
  Layout layout(b, type);
  OpFoldResult count = getCount(layout, dynamicSizes);
  Value flat;
  if (layout.getElementsPerByte()) {
    flat = unpackWholeBytes(layout, bytes);
    if (!layout.fillsBytes())
      flat = tensor::ExtractSliceOp::create(
          b, layout.flatType(), flat, ArrayRef<OpFoldResult>(b.getIndexAttr(0)),
          count, ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
  } else {
    flat = unpackAcrossBytes(layout, bytes, count);
  }
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, type, flat, layout.flatGroups());
  if (type.getRank() == 1)
    return flat;
  SmallVector<OpFoldResult> sizes =
      getMixedValues(type.getShape(), dynamicSizes, b);
  if (type.getNumDynamicDims() <= 1)
    return tensor::ExpandShapeOp::create(b, type, flat, layout.flatGroups(),
                                         sizes);
  // Upstream's expand-strided-metadata crashes at two dynamic sizes in one group.
  Value shape = tensor::FromElementsOp::create(
      b, getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes));
  return tensor::ReshapeOp::create(b, type, flat, shape);
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// Loops (byte, element in it), for elements that fill whole bytes.
static Value packWholeBytes(const Layout &layout, Value flat) {
  ImplicitLocOpBuilder &b = layout.b;
  int64_t perByte = *layout.getElementsPerByte();
  RankedTensorType packedType = getPackedType(layout.type);
  int64_t numBytes = packedType.getDimSize(0);
  Value split = tensor::ExpandShapeOp::create(
      b,
      RankedTensorType::get({numBytes, perByte}, layout.type.getElementType()),
      flat, SmallVector<ReassociationIndices>{{0, 1}});
  Value zero = arith::ConstantIntOp::create(b, 0, /*width=*/8);
  Value init = tensor::EmptyOp::create(b, packedType.getShape(),
                                       packedType.getElementType());
  init = linalg::FillOp::create(b, zero, init).getResult(0);
  auto generic = linalg::GenericOp::create(
      b, packedType, split, init,
      ArrayRef{layout.map(2, {0, 1}), layout.map(2, {0})},
      ArrayRef{kParallel, kReduction},
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder body(loc, nested);
        Layout inner(body, layout.type);
        Value code = inner.widen(inner.toBits(arguments[0]), 8);
        Value shift = inner.mul(linalg::IndexOp::create(body, 1),
                                inner.index(layout.bits));
        Value shifted =
            arith::ShLIOp::create(body, code, inner.resize(shift, 8));
        Value merged = arith::OrIOp::create(body, arguments[1], shifted);
        linalg::YieldOp::create(body, merged);
      });
  return generic.getResult(0);
}

/// One loop over the bytes, each put together from all elements that reach into it.
static Value packAcrossBytes(const Layout &layout, Value flat) {
  ImplicitLocOpBuilder &b = layout.b;
  unsigned bits = layout.bits;
  Value count = getValueOrCreateConstantIndexOp(
      b, b.getLoc(), tensor::getMixedSize(b, b.getLoc(), flat, 0));
  RankedTensorType packedType = getPackedType(layout.type);
  Value numBytes = arith::CeilDivUIOp::create(
      b, layout.mul(count, layout.index(bits)), layout.index(8));
  Value init = tensor::EmptyOp::create(
      b, packedType,
      packedType.hasStaticShape() ? ValueRange() : ValueRange(numBytes));
  auto generic = linalg::GenericOp::create(
      b, packedType, ValueRange(), init, layout.map(1, {0}), kParallel,
      [&](OpBuilder &nested, Location loc, ValueRange) {
        ImplicitLocOpBuilder body(loc, nested);
        Layout inner(body, layout.type);
        Value firstBit =
            inner.mul(linalg::IndexOp::create(body, 0), inner.index(8));
        Value first = arith::DivUIOp::create(body, firstBit, inner.index(bits));
        // An element that began in the byte before lies up to bits - 1 below: a byte of room keeps every shift positive.
        Value shift = arith::SubIOp::create(
            body,
            inner.add(inner.mul(first, inner.index(bits)), inner.index(8)),
            firstBit);
        Value zero = arith::ConstantIntOp::create(body, 0, /*width=*/32);
        Value word = zero;
        unsigned reach =
            8 % bits ? llvm::divideCeil(bits - 1 + 8, bits) : 8 / bits;
        for (unsigned k = 0; k < reach; ++k) {
          Value position = inner.add(first, inner.index(k));
          Value isInside = arith::CmpIOp::create(
              body, arith::CmpIPredicate::ult, position, count);
          position = arith::SelectOp::create(body, isInside, position, first);
          Value element = tensor::ExtractOp::create(body, flat, position);
          Value code = inner.widen(inner.toBits(element), 32);
          code = arith::SelectOp::create(body, isInside, code, zero);
          Value amount = inner.add(shift, inner.index(k * bits));
          word = arith::OrIOp::create(
              body, word,
              arith::ShLIOp::create(body, code, inner.resize(amount, 32)));
        }
        word = arith::ShRUIOp::create(
            body, word, arith::ConstantIntOp::create(body, 8, /*width=*/32));
        Value byte = arith::TruncIOp::create(body, body.getI8Type(), word);
        linalg::YieldOp::create(body, byte);
      });
  return generic.getResult(0);
}

Value mlir::qdq::packBits(ImplicitLocOpBuilder &b, Value value) {
  Layout layout(b, cast<RankedTensorType>(value.getType()));
  Value flat = value;
  if (layout.type.getRank() == 0)
    flat = tensor::ExpandShapeOp::create(b, layout.flatType(), value,
                                         layout.flatGroups());
  else if (layout.type.getRank() > 1)
    flat = tensor::CollapseShapeOp::create(b, layout.flatType(), value,
                                           layout.flatGroups());
  return layout.fillsBytes() ? packWholeBytes(layout, flat)
                             : packAcrossBytes(layout, flat);
}
