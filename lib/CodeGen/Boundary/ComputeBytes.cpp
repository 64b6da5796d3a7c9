// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of which weight files are made, computed byte by byte.

#include "../Analysis/ConstantValue.h"
#include "ConstantBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/StridedPosition.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// Each value is computed once.
struct Known {
  DenseMap<Value, std::optional<ConstantBytes>> values;
  /// Ops between the value that was asked for, and this one.
  unsigned depth = 0;
};
} // namespace

static std::optional<ConstantBytes> computeBytes(Value value, Known &known);

/// A static tensor with elements of at most 64 bits; null for other types.
static RankedTensorType getStaticType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  bool isKnown = type && type.hasStaticShape() && type.getNumElements() > 0 &&
                 type.getElementType().isIntOrFloat() &&
                 type.getElementTypeBitWidth() <= 64;
  return isKnown ? type : RankedTensorType();
}

namespace {
/// A part of an element that lies in one container.
struct Piece {
  int64_t container, shift, length, done;
};
} // namespace

/// The type of what `computeUnknown` computes: the functions below make no
/// other values.
static RankedTensorType getResultType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

static std::optional<ConstantBytes> compute(UnpackOp op, Known &known) {
  std::optional<ConstantBytes> source = computeBytes(op.getContainers(), known);
  if (!source)
    return std::nullopt;
  RankedTensorType type = getResultType(op);
  BitLayout layout = op.getLayout();
  auto elements = AxisView::get(type.getShape(), layout.axis);
  auto containers = AxisView::get(source->type.getShape(), layout.axis);
  // Where an element of the axis lies repeats.
  int64_t period = std::min(layout.getPeriod(), elements.size);
  int64_t step = (layout.getBitPosition(period) - layout.getBitPosition(0)) /
                 layout.containerBits;
  SmallVector<SmallVector<Piece, 2>> pieces(period);
  for (int64_t k = 0; k < period; ++k) {
    int64_t position = layout.getBitPosition(k);
    for (int64_t done = 0; done < layout.bits;) {
      int64_t at = position + done, shift = at % layout.containerBits;
      int64_t length =
          std::min(layout.bits - done, layout.containerBits - shift);
      pieces[k].push_back({at / layout.containerBits, shift, length, done});
      done += length;
    }
  }
  ConstantBytes result = ConstantBytes::zeros(type);
  int64_t next = 0;
  uint64_t mask = llvm::maxUIntN(layout.bits);
  auto decode = [&](int64_t from, ArrayRef<Piece> parts) {
    uint64_t code = 0;
    for (const Piece &piece : parts) {
      uint64_t bits =
          source->get(from + piece.container * containers.inner) >> piece.shift;
      code |= (bits & llvm::maxUIntN(piece.length)) << piece.done;
    }
    code = (code - static_cast<uint64_t>(layout.offset)) & mask;
    if (layout.positiveZero && code == uint64_t(1) << (layout.bits - 1))
      code = 0;
    result.set(next++, code);
  };
  for (int64_t outer = 0; outer < elements.outer; ++outer) {
    int64_t from = outer * containers.size * containers.inner;
    for (int64_t left = elements.size; left > 0; left -= period) {
      for (ArrayRef<Piece> parts : ArrayRef(pieces).take_front(left))
        for (int64_t inner = 0; inner < elements.inner; ++inner)
          decode(from + inner, parts);
      from += step * containers.inner;
    }
  }
  return result;
}

/// Calls `fn` with the places of equal elements in a tensor, where this is a
/// slice of it, and in the slice.
template <typename Slice>
static bool forEachElement(Slice op, ArrayRef<int64_t> shape,
                           function_ref<void(int64_t, int64_t)> fn) {
  ArrayRef<int64_t> offsets = op.getStaticOffsets(),
                    sizes = op.getStaticSizes(), steps = op.getStaticStrides();
  if (ShapedType::isDynamicShape(offsets) ||
      ShapedType::isDynamicShape(sizes) || ShapedType::isDynamicShape(steps))
    return false;
  SmallVector<int64_t> strides = computeStrides(shape);
  int64_t first = linearize(offsets, strides);
  for (auto [stride, step] : llvm::zip_equal(strides, steps))
    stride *= step;
  StridedPosition place(sizes, strides, first);
  int64_t count = ShapedType::getNumElements(sizes);
  for (int64_t i = 0; i < count; ++i, ++place)
    fn(*place, i);
  return true;
}

static std::optional<ConstantBytes> compute(tensor::ExtractSliceOp op,
                                            Known &known) {
  std::optional<ConstantBytes> source = computeBytes(op.getSource(), known);
  if (!source)
    return std::nullopt;
  ConstantBytes result = ConstantBytes::zeros(getResultType(op));
  unsigned width = result.width;
  auto copy = [&](int64_t from, int64_t to) {
    std::copy_n(&source->bytes[from * width], width,
                &(*result.owner)[to * width]);
  };
  if (!forEachElement(op, source->type.getShape(), copy))
    return std::nullopt;
  return result;
}

static std::optional<ConstantBytes> compute(tensor::InsertSliceOp op,
                                            Known &known) {
  RankedTensorType type = getResultType(op);
  std::optional<ConstantBytes> source = computeBytes(op.getSource(), known);
  if (!source)
    return std::nullopt;
  ConstantBytes result;
  if (op.getDest().getDefiningOp<tensor::EmptyOp>()) {
    result = ConstantBytes::zeros(type);
  } else {
    std::optional<ConstantBytes> rest = computeBytes(op.getDest(), known);
    if (!rest)
      return std::nullopt;
    // A chain of insertions needs one buffer.
    if (op.getDest().hasOneUse())
      known.values.erase(op.getDest());
    if (rest->owner.use_count() == 1) {
      result = *std::move(rest);
    } else {
      result = ConstantBytes::zeros(type);
      llvm::copy(rest->bytes, result.owner->begin());
    }
  }
  unsigned width = result.width;
  auto copy = [&](int64_t to, int64_t from) {
    std::copy_n(&source->bytes[from * width], width,
                &(*result.owner)[to * width]);
  };
  if (!forEachElement(op, type.getShape(), copy))
    return std::nullopt;
  return result;
}

/// The same bytes as another type.
static std::optional<ConstantBytes> reshape(Operation *op, Known &known) {
  std::optional<ConstantBytes> result = computeBytes(op->getOperand(0), known);
  if (!result)
    return std::nullopt;
  result->type = getResultType(op);
  return result;
}

static std::optional<ConstantBytes> compute(arith::NegFOp op, Known &known) {
  std::optional<ConstantBytes> source = computeBytes(op.getOperand(), known);
  if (!source)
    return std::nullopt;
  auto element = cast<FloatType>(source->type.getElementType());
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  // Of small floats, some know no negative zero, and some no sign.
  unsigned bits = element.getWidth();
  if (!APFloat::semanticsHasSignedRepr(semantics))
    return std::nullopt;
  ConstantBytes result = ConstantBytes::zeros(source->type);
  for (int64_t i = 0; i < source->type.getNumElements(); ++i) {
    uint64_t number = source->get(i);
    if (bits <= 8)
      number = (-APFloat(semantics, APInt(bits, number)))
                   .bitcastToAPInt()
                   .getZExtValue();
    else
      number ^= uint64_t(1) << (bits - 1);
    result.set(i, number);
  }
  return result;
}

/// The result of a bitwise op on elements of at most a byte.
static std::optional<ConstantBytes> computeBits(Operation *op, Known &known) {
  RankedTensorType type = getResultType(op);
  if (type.getElementTypeBitWidth() > 8)
    return std::nullopt;
  SmallVector<ConstantBytes> operands;
  for (Value operand : op->getOperands()) {
    std::optional<ConstantBytes> bytes = computeBytes(operand, known);
    if (!bytes || bytes->width != 1)
      return std::nullopt;
    operands.push_back(*bytes);
  }
  unsigned width = type.getElementTypeBitWidth();
  auto get = [&](unsigned a, unsigned b) -> unsigned {
    return TypeSwitch<Operation *, unsigned>(op)
        .Case([&](arith::AndIOp) { return a & b; })
        .Case([&](arith::OrIOp) { return a | b; })
        .Case([&](arith::ShLIOp) { return b < width ? a << b : 0; })
        .Case([&](arith::ShRUIOp) { return b < width ? a >> b : 0; })
        .Default(a);
  };
  // One entry for each pair of operands: a look-up takes less than the switch.
  SmallVector<char> table(1 << 16);
  for (unsigned pair = 0; pair < table.size(); ++pair)
    table[pair] =
        static_cast<char>(get(pair >> 8, pair & 255) & llvm::maxUIntN(width));
  ConstantBytes result = ConstantBytes::zeros(type);
  ArrayRef<char> lhs = operands.front().bytes, rhs = operands.back().bytes;
  for (auto [i, byte] : llvm::enumerate(*result.owner))
    byte =
        table[static_cast<uint8_t>(lhs[i]) << 8 | static_cast<uint8_t>(rhs[i])];
  return result;
}

/// The bits of a number, or of the only element of a constant.
static std::optional<uint64_t> getBits(Attribute constant) {
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  if (auto real = dyn_cast_if_present<FloatAttr>(constant))
    return real.getValue().bitcastToAPInt().getZExtValue();
  if (auto integer = dyn_cast_if_present<IntegerAttr>(constant))
    return integer.getValue().getZExtValue();
  return std::nullopt;
}

/// An element for each byte of `codes`, which `compute` is asked for once.
static std::optional<ConstantBytes>
mapBytes(const ConstantBytes &codes, RankedTensorType type,
         function_ref<Attribute(uint8_t)> compute) {
  ConstantBytes result = ConstantBytes::zeros(type);
  SmallVector<std::optional<uint64_t>> table(256);
  for (auto [i, code] : llvm::enumerate(codes.bytes)) {
    std::optional<uint64_t> &bits = table[static_cast<uint8_t>(code)];
    if (!bits)
      bits = getBits(compute(static_cast<uint8_t>(code)));
    if (!bits)
      return std::nullopt;
    result.set(i, *bits);
  }
  return result;
}

/// A number for each byte, which the body computes of nothing else.
static std::optional<ConstantBytes> compute(linalg::GenericOp op,
                                            Known &known) {
  std::optional<ConstantBytes> source =
      computeBytes(op.getDpsInputs().front(), known);
  if (!source)
    return std::nullopt;
  BlockArgument code = op.getRegionInputArgs().front();
  return mapBytes(*source, getResultType(op), [&](uint8_t byte) {
    DenseMap<Value, Attribute> known;
    known[code] = IntegerAttr::get(code.getType(), APInt(8, byte));
    return foldWith(op.getBody()->getTerminator()->getOperand(0), known);
  });
}

static bool mapsBytes(linalg::GenericOp op) {
  return op.getNumDpsInputs() == 1 && op.getNumResults() == 1 &&
         getElementTypeOrSelf(op.getResult(0)).isIntOrFloat() &&
         op.getNumLoops() == op.getNumParallelLoops() &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); }) &&
         getElementTypeOrSelf(op.getDpsInputs().front()).isInteger(8);
}

bool mlir::qdq::movesBytes(Operation *op) {
  if (auto generic = dyn_cast_if_present<linalg::GenericOp>(op))
    return mapsBytes(generic);
  return isa_and_present<
      UnpackOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
      tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::BitcastOp,
      arith::NegFOp, arith::AndIOp, arith::OrIOp, arith::ShLIOp, arith::ShRUIOp,
      arith::ExtUIOp, arith::TruncIOp>(op);
}

static std::optional<ConstantBytes> computeUnknown(Value value, Known &known) {
  Attribute constant;
  RankedTensorType type = getStaticType(value);
  if (type && matchPattern(value, m_Constant(&constant)))
    return ConstantBytes::get(constant, type);
  Operation *op = value.getDefiningOp();
  if (!type || !movesBytes(op))
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<ConstantBytes>>(op)
      .Case<UnpackOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
            arith::NegFOp, linalg::GenericOp>(
          [&](auto found) { return compute(found, known); })
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::BitcastOp>(
          [&](Operation *found) { return reshape(found, known); })
      .Default([&](Operation *found) { return computeBits(found, known); });
}

static std::optional<ConstantBytes> computeBytes(Value value, Known &known) {
  if (auto found = known.values.find(value); found != known.values.end())
    return found->second;
  if (known.depth == kMostBodyOps)
    return std::nullopt;
  ++known.depth;
  std::optional<ConstantBytes> result = computeUnknown(value, known);
  --known.depth;
  known.values[value] = result;
  return result;
}

std::optional<ConstantBytes> mlir::qdq::computeBytes(Value value) {
  Known known;
  return ::computeBytes(value, known);
}

static bool isElementwise(Operation *op) {
  return op && op->getNumResults() == 1 && isPure(op) &&
         OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
}

/// The bytes of which alone elementwise ops compute `value`, or null.
static Value getDecoded(Value value) {
  SetVector<Value> values;
  values.insert(value);
  Value source;
  for (size_t i = 0; i < values.size(); ++i) {
    Value v = values[i];
    if (matchPattern(v, m_Constant()))
      continue;
    if (i == kMostBodyOps)
      return {};
    if (Operation *by = v.getDefiningOp(); isElementwise(by))
      values.insert_range(by->getOperands());
    else if (std::exchange(source, v))
      return {};
  }
  bool isByte = source && getElementTypeOrSelf(source).isInteger(8);
  return isByte ? source : Value();
}

std::optional<ConstantBytes> mlir::qdq::decodeBytes(Value value) {
  Value source = getDecoded(value);
  RankedTensorType type = getStaticType(value);
  if (!source || source == value || !type || type.getElementType().isInteger(1))
    return std::nullopt;
  std::optional<ConstantBytes> codes = computeBytes(source);
  if (!codes || codes->type.getShape() != type.getShape())
    return std::nullopt;
  return mapBytes(*codes, type, [&](uint8_t byte) {
    // A tensor of equal bytes: folding costs no more than of one.
    DenseMap<Value, Attribute> known;
    known[source] = DenseElementsAttr::get(codes->type, APInt(8, byte));
    return foldWith(value, known);
  });
}
