// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products with short codes in blocks.

#include "BlockProduct.h"
#include "../Analysis/ConstantValue.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/LaneBody.h"
#include "../Vectorize/LaneLoops.h"

using namespace mlir;
using namespace mlir::qdq;

/// As many sums share the real factor, at least, as pay for its digits. A
/// dynamic number is taken for as many.
static constexpr int64_t kFewestSums = 64;
/// As many rows, at most, share codes: with more, floats are faster.
static constexpr int64_t kMostRows = 2;
/// The widest codes.
static constexpr unsigned kMostBits = 4;
/// Magnitudes that a lane adds up: with 23 bits of another factor each, their
/// sums have room in i32.
static constexpr int64_t kMostMagnitudes = 255;
/// Fractions of values have as many bits, at most.
static constexpr int kMostExponent = 3;

BlockProduct::BlockProduct(linalg::GenericOp op, const SumOfProducts &sum)
    : op(op), sum(sum.getFloatSum()), term(sum.getProduct<arith::MulFOp>()),
      ranges(op.getStaticLoopRanges()), byte(op.getNumLoops() - 2) {}

bool BlockProduct::isReduction(unsigned loop) {
  return linalg::isReductionIterator(op.getIteratorTypesArray()[loop]);
}

bool BlockProduct::matchLoops() {
  unsigned slot = byte + 1;
  if (op.getNumLoops() < 3 || !countsSlots(op, slot) || !isReduction(slot) ||
      !isReduction(byte))
    return false;
  first = isReduction(byte - 1) ? byte - 1 : byte;
  return llvm::none_of(llvm::seq(first),
                       [&](unsigned loop) { return isReduction(loop); }) &&
         llvm::all_of(ArrayRef(ranges).drop_front(first), [](int64_t size) {
           return ShapedType::isStatic(size) && size > 0;
         });
}

/// The numbers as integers in units of 2^-exponent, the largest unit there is.
static std::optional<SmallVector<int64_t>>
getIntegers(ArrayRef<APFloat> numbers, int exponent) {
  SmallVector<int64_t> integers;
  for (const APFloat &number : numbers) {
    APFloat scaled = scalbn(number, exponent, APFloat::rmTowardZero);
    llvm::APSInt integer(/*BitWidth=*/16, /*isUnsigned=*/false);
    bool isExact;
    scaled.convertToInteger(integer, APFloat::rmTowardZero, &isExact);
    if (!isExact && !scaled.isZero()) // -0 is 0 here
      return std::nullopt;
    integers.push_back(integer.getExtValue());
  }
  return integers;
}

/// True if `v`, f32, depends on nothing but a code, and is a small multiple of
/// a unit. Notes which.
bool BlockProduct::matchValues(Value v, Value code) {
  unsigned width = code.getType().getIntOrFloatBitWidth();
  SmallVector<APFloat> numbers;
  for (int64_t bits : llvm::seq(int64_t(1) << width)) {
    DenseMap<Value, Attribute> known;
    known[code] = IntegerAttr::get(code.getType(), bits);
    auto number = dyn_cast_if_present<FloatAttr>(foldWith(v, known));
    if (!number || !number.getType().isF32())
      return false;
    numbers.push_back(number.getValue());
  }
  exponent = 0;
  std::optional<SmallVector<int64_t>> integers = getIntegers(numbers, exponent);
  while (!integers && exponent < kMostExponent)
    integers = getIntegers(numbers, ++exponent);
  if (!integers)
    return false;
  auto [least, most] = std::minmax_element(integers->begin(), integers->end());
  if (std::max(-*least, *most) * BlockFloats::kLaneBytes * ranges.back() >
      kMostMagnitudes)
    return false;
  offset = *least;
  flip = integers->front() - offset;
  table.clear();
  for (int64_t integer : *integers)
    table.push_back(integer - offset);
  if (llvm::all_of(llvm::enumerate(table), [&](auto entry) {
        return entry.value() == (int64_t(entry.index()) ^ flip);
      }))
    table.clear();
  return true;
}

/// True if `v` is a value of codes of few bits. Notes what cuts these from
/// their bytes.
bool BlockProduct::matchCode(Value v) {
  if (!v.getType().isF32())
    return false;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto found = SubByteCodes::get(op, op.getMatchingBlockArgument(operand));
    if (!found || found->code.getType().getIntOrFloatBitWidth() > kMostBits ||
        !matchValues(v, found->code))
      continue;
    codes = *found;
    bytes = operand;
    return true;
  }
  return false;
}

bool BlockProduct::matchBody() {
  Value out = op.getRegionOutputArgs().front();
  if (!sum.getType().isF32() || !term)
    return false;
  for (auto [x, weight] : {std::pair(term.getLhs(), term.getRhs()),
                           std::pair(term.getRhs(), term.getLhs())}) {
    if (auto wide = x.getDefiningOp<arith::ExtFOp>())
      x = wide.getIn();
    auto argument = dyn_cast<BlockArgument>(x);
    if (!argument || argument == out)
      continue;
    real = op.getMatchingOpOperand(argument);
    scale = {};
    if (matchCode(weight))
      return true;
    auto scaled = weight.getDefiningOp<arith::MulFOp>();
    if (!scaled)
      continue;
    scale = scaled.getRhs();
    if (matchCode(scaled.getLhs()))
      return true;
    scale = scaled.getLhs();
    if (matchCode(scaled.getRhs()))
      return true;
  }
  return false;
}

/// True if a vector has one element for each part, or one.
bool BlockProduct::isPerBlock(AffineMap map) {
  if (!map.isProjectedPermutation())
    return false;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    bool isBlock = hasBlocks() && loop == first;
    if (isBlock ? i + 1 != map.getNumResults() : loop >= first || isRow(loop))
      return false;
  }
  return true;
}

/// True if the scale is computed of what is one for each block.
bool BlockProduct::matchScale() {
  SetVector<Value> values;
  if (scale)
    values.insert(scale);
  for (size_t i = 0; i < values.size(); ++i) {
    Value v = values[i];
    if (auto argument = dyn_cast<BlockArgument>(v);
        argument && argument.getOwner() == op.getBody()) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      if (!op.isDpsInput(operand) ||
          !isPerBlock(op.getMatchingIndexingMap(operand)) ||
          (isa<ShapedType>(operand->get().getType()) &&
           !hasWholeBytes(operand->get().getType())))
        return false;
      continue;
    }
    if (v.getParentBlock() != op.getBody())
      continue;
    Operation *by = v.getDefiningOp();
    bool isElementwise =
        isPure(by) && OpTrait::hasElementwiseMappableTraits(by);
    if (!isElementwise && !by->hasTrait<OpTrait::ConstantLike>())
      return false;
    values.insert_range(by->getOperands());
  }
  return true;
}

/// The last results of a map are these loops, in their order, the others are
/// outside `first`.
static bool endsWith(AffineMap map, unsigned first, unsigned end) {
  unsigned count = end - first;
  if (!map.isProjectedPermutation() || map.getNumResults() < count)
    return false;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    unsigned before = map.getNumResults() - count;
    if (i < before ? loop >= first : loop != first + i - before)
      return false;
  }
  return true;
}

bool BlockProduct::matchOperands() {
  AffineMap realMap = op.getMatchingIndexingMap(real),
            bytesMap = op.getMatchingIndexingMap(bytes),
            sumMap = op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0]);
  auto type = dyn_cast<RankedTensorType>(real->get().getType());
  if (!type || !type.hasStaticShape() ||
      !endsWith(realMap, first, op.getNumLoops()) ||
      !endsWith(bytesMap, first, byte + 1) || !endsWith(sumMap, first, first))
    return false;
  Type element = type.getElementType();
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return false;
  for (unsigned loop = 0; loop < first; ++loop)
    if (realMap.isFunctionOfDim(loop) && !bytesMap.isFunctionOfDim(loop))
      rows.push_back(loop);
  return true;
}

/// True if few rows share codes, and enough sums the reals.
bool BlockProduct::pays() {
  int64_t numSums = 1, numRows = 1;
  for (unsigned loop : rows)
    numRows *= ranges[loop];
  AffineMap map = op.getMatchingIndexingMap(real);
  for (unsigned loop = 0; loop < first; ++loop)
    if (!map.isFunctionOfDim(loop))
      numSums *=
          ShapedType::isDynamic(ranges[loop]) ? kFewestSums : ranges[loop];
  return numSums >= kFewestSums && numRows > 0 && numRows <= kMostRows;
}

/// Vectors of `size` bytes are parts of blocks, or whole ones.
bool BlockProduct::cutVectors(int64_t size) {
  int64_t block = ranges[byte], slots = ranges.back();
  cut = {1, size, slots};
  if (block % size == 0)
    return true;
  cut = {size / block, block, slots};
  return hasBlocks() && size % block == 0 &&
         block % BlockFloats::kLaneBytes == 0 && ranges[first] % cut.parts == 0;
}

FailureOr<BlockProduct> BlockProduct::get(linalg::GenericOp op,
                                          int64_t vectorBits, bool isPlanned) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  if (!sum || !sum->isReassociable())
    return failure();
  BlockProduct product(op, *sum);
  if (!product.matchLoops() || !product.matchBody() ||
      !product.matchOperands() || !product.matchScale() ||
      !product.cutVectors(vectorBits / 8) || !(isPlanned || product.pays()))
    return failure();
  return product;
}
