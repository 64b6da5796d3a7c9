// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the bits of vectors come from.

#include "BitOrigins.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

using Bit = BitOrigins::Bit;
using Bits = BitOrigins::Bits;

/// Codes are cut by fewer ops, from smaller vectors.
static constexpr int64_t kMostOps = 256, kMostBits = 4096;

/// The bits of an integer or a fixed vector of integers; 0 for what is none, or
/// too large.
static int64_t countBits(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  if (!element || (vector && vector.isScalable()))
    return 0;
  int64_t lanes = vector ? vector.getNumElements() : 1;
  return lanes <= kMostBits && lanes * element.getWidth() <= kMostBits
             ? lanes * element.getWidth()
             : 0;
}

static Bit getKnown(bool one) { return {Value(), one}; }

/// The number that known bits are.
static std::optional<APInt> getNumber(ArrayRef<Bit> bits) {
  APInt number(bits.size(), 0);
  for (auto [i, bit] : llvm::enumerate(bits)) {
    if (bit.source)
      return std::nullopt;
    number.setBitVal(i, bit.index);
  }
  return number;
}

static void append(Bits &bits, const APInt &number) {
  for (unsigned i = 0; i < number.getBitWidth(); ++i)
    bits.push_back(getKnown(number[i]));
}

/// Each lane moved up by its amount, down by a negative one, and zeros.
static bool shift(ArrayRef<Bit> lanes, ArrayRef<Bit> amounts, int64_t width,
                  int64_t sign, Bits &bits) {
  for (int64_t at = 0, end = lanes.size(); at < end; at += width) {
    std::optional<APInt> amount = getNumber(amounts.slice(at, width));
    if (!amount || amount->uge(width))
      return false;
    int64_t by = sign * static_cast<int64_t>(amount->getZExtValue());
    for (int64_t i = 0; i < width; ++i)
      bits.push_back(i - by >= 0 && i - by < width ? lanes[at + i - by]
                                                   : getKnown(false));
  }
  return true;
}

/// Bits of which `neutral` gives way to the other one, and its opposite to
/// none.
static bool join(ArrayRef<Bit> lhs, ArrayRef<Bit> rhs, bool neutral,
                 Bits &bits) {
  for (auto [a, b] : llvm::zip_equal(lhs, rhs)) {
    if (a == b || b.isKnown(neutral) || a.isKnown(!neutral))
      bits.push_back(a);
    else if (a.isKnown(neutral) || b.isKnown(!neutral))
      bits.push_back(b);
    else
      return false;
  }
  return true;
}

bool BitOrigins::follow(Operation *op, Bits &bits) {
  Type type = op->getResult(0).getType();
  int64_t width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  DenseIntElementsAttr lanes;
  APInt number;
  if (matchPattern(op, m_Constant(&lanes))) {
    for (const APInt &lane : lanes.getValues<APInt>())
      append(bits, lane);
    return true;
  }
  if (matchPattern(op, m_ConstantInt(&number))) {
    append(bits, number);
    return true;
  }
  if (llvm::any_of(op->getOperandTypes(),
                   [](Type t) { return countBits(t) == 0; }))
    return false;
  if (auto cast = dyn_cast<vector::BitCastOp>(op)) {
    bits = get(cast.getSource());
    return true;
  }
  if (auto splat = dyn_cast<vector::BroadcastOp>(op)) {
    Bits lane = get(splat.getSource());
    if (isa<VectorType>(splat.getSourceType()))
      return false;
    for (int64_t i = countBits(type); i > 0; i -= width)
      llvm::append_range(bits, lane);
    return true;
  }
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    if (extract.hasDynamicPosition() || isa<VectorType>(type) ||
        extract.getNumIndices() != 1)
      return false;
    int64_t lane = extract.getStaticPosition()[0];
    if (lane == vector::ExtractOp::kPoisonIndex)
      return false;
    Bits source = get(extract.getSource());
    llvm::append_range(bits, ArrayRef(source).slice(lane * width, width));
    return true;
  }
  if (auto shuffle = dyn_cast<vector::ShuffleOp>(op)) {
    if (shuffle.getV1VectorType().getRank() != 1)
      return false;
    Bits source = get(shuffle.getV1());
    llvm::append_range(source, Bits(get(shuffle.getV2())));
    for (int64_t lane : shuffle.getMask()) {
      if (lane == vector::ShuffleOp::kPoisonIndex)
        return false;
      llvm::append_range(bits, ArrayRef(source).slice(lane * width, width));
    }
    return true;
  }
  if (auto count = dyn_cast<math::CountTrailingZerosOp>(op)) {
    std::optional<APInt> known = getNumber(get(count.getOperand()));
    if (!known || isa<VectorType>(type))
      return false;
    append(bits, APInt(width, known->countr_zero()));
    return true;
  }
  if (!isa<arith::AndIOp, arith::OrIOp, arith::ShLIOp, arith::ShRUIOp>(op))
    return false;
  Bits lhs = get(op->getOperand(0)), rhs = get(op->getOperand(1));
  if (isa<arith::AndIOp, arith::OrIOp>(op))
    return join(lhs, rhs, /*neutral=*/isa<arith::AndIOp>(op), bits);
  return shift(lhs, rhs, width, isa<arith::ShLIOp>(op) ? 1 : -1, bits);
}

const Bits &BitOrigins::get(Value value) {
  auto [found, isNew] = known.try_emplace(value);
  if (!isNew)
    return found->second;
  // In a graph region, a cycle leads a value back to itself.
  int64_t size = countBits(value.getType());
  for (int64_t i = 0; i < size; ++i)
    found->second.push_back({value, i});
  Operation *by = value.getDefiningOp();
  if (!by || by->getNumResults() != 1 || size == 0 || ++numOps > kMostOps)
    return found->second;
  // A constant of the LLVM dialect may be wider than its type.
  Bits bits;
  if (follow(by, bits) && static_cast<int64_t>(bits.size()) == size)
    known[value] = std::move(bits);
  return known[value];
}
