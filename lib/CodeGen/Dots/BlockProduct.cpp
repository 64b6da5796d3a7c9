// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products with codes in blocks.

#include "BlockProduct.h"
#include "../Analysis/ConstantValue.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/LaneBody.h"
#include "../Vectorize/LaneLoops.h"
#include "../Vectorize/SubByteCodes.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

using namespace mlir;
using namespace mlir::qdq;

/// As many sums share the real factor, at least, as pay for its digits. A
/// dynamic number is taken for as many.
static constexpr int64_t kFewestSums = 64;
/// As many rows of floats, at most, share codes: with more, sums of floats are
/// faster.
static constexpr int64_t kMostRows = 2;
/// The widest codes whose values are looked up.
static constexpr unsigned kMostTableBits = 4;
/// The largest value without its offset: a byte.
static constexpr int64_t kMostRange = 255;
/// The narrowest vectors, of codes that codes and floats multiply: floats need
/// three products.
static constexpr int64_t kLeastBytes = 16, kLeastBytesOfFloats = 32;
/// Fractions of values have as many bits, at most.
static constexpr int kMostExponent = 3;

BlockProduct::BlockProduct(linalg::GenericOp op, const SumOfProducts &sum)
    : op(op), sum(sum.getFloatSum()), term(sum.getProduct<arith::MulFOp>()),
      ranges(op.getStaticLoopRanges()) {}

bool BlockProduct::isReduction(unsigned loop) {
  return linalg::isReductionIterator(op.getIteratorTypesArray()[loop]);
}

bool BlockProduct::matchLoops() {
  first = op.getNumParallelLoops();
  unsigned numInner = countsFields(op, op.getNumLoops() - 1) ? 2 : 1;
  if (op.getNumLoops() < first + numInner)
    return false;
  byte = op.getNumLoops() - numInner;
  return llvm::all_of(llvm::seq(first, op.getNumLoops()), [&](unsigned loop) {
    return isReduction(loop) && ShapedType::isStatic(ranges[loop]) &&
           ranges[loop] > 0;
  });
}

BlockFloats BlockProduct::createFloats(ImplicitLocOpBuilder &b,
                                       BlockCut by) const {
  return BlockFloats(b, real->get(), byte + 1 - first,
                     /*hasFields=*/getNumInner() > 1, by);
}

int64_t BlockProduct::getPartIndex(unsigned loop, int64_t part) const {
  for (unsigned inner = byte - 1; inner > loop; --inner)
    part /= getPartCount(inner);
  return part % getPartCount(loop);
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

/// A number that folding computed: a float, or an integer.
static std::optional<APFloat> getNumber(Attribute attribute) {
  if (auto real = dyn_cast_if_present<FloatAttr>(attribute))
    return real.getValue();
  auto integer = dyn_cast_if_present<IntegerAttr>(attribute);
  if (!integer || !integer.getType().isSignlessInteger())
    return std::nullopt;
  APFloat number(APFloat::IEEEdouble());
  number.convertFromAPInt(integer.getValue(), /*IsSigned=*/true,
                          APFloat::rmTowardZero);
  return number;
}

/// True if `v` depends on nothing but a code, and is a small multiple of a
/// unit. Notes which.
bool BlockProduct::matchValues(Value v, Value code) {
  unsigned width = code.getType().getIntOrFloatBitWidth();
  SmallVector<APFloat> numbers;
  for (int64_t bits : llvm::seq(int64_t(1) << width)) {
    DenseMap<Value, Attribute> known;
    known[code] = IntegerAttr::get(code.getType(), bits);
    std::optional<APFloat> number = getNumber(foldWith(v, known));
    if (!number)
      return false;
    numbers.push_back(*number);
  }
  exponent = 0;
  std::optional<SmallVector<int64_t>> integers = getIntegers(numbers, exponent);
  while (!integers && exponent < kMostExponent)
    integers = getIntegers(numbers, ++exponent);
  if (!integers)
    return false;
  auto [least, most] = std::minmax_element(integers->begin(), integers->end());
  offset = *least;
  range = *most - *least;
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

/// The code that the body cuts from a byte, or the byte itself. Null for
/// another argument. Notes the fields.
Value BlockProduct::matchFields(BlockArgument byte) {
  Value code;
  if (getNumInner() == 1) {
    amounts = {0};
    code = byte.getType().isInteger(8) ? byte : Value();
  } else if (auto found = SubByteCodes::get(op, byte)) {
    amounts = found->amounts;
    code = found->code;
  }
  if (code)
    width = code.getType().getIntOrFloatBitWidth();
  return code;
}

/// True if `v` is a value of codes. Notes what cuts these from their bytes.
bool BlockProduct::matchCode(Value v) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Value code = matchFields(op.getMatchingBlockArgument(operand));
    if (!code || !matchValues(v, code) || range > kMostRange ||
        (width > kMostTableBits && !table.empty()))
      continue;
    bytes = operand;
    return true;
  }
  return false;
}

/// True if `v`, f32, is a value of codes, or how far it is from another
/// integer.
bool BlockProduct::matchDifference(Value v) {
  zeroPoint = {};
  if (!v.getType().isF32())
    return false;
  if (matchCode(v))
    return true;
  auto toFloat = v.getDefiningOp<arith::SIToFPOp>();
  auto difference =
      toFloat ? toFloat.getIn().getDefiningOp<arith::SubIOp>() : nullptr;
  if (!difference || !difference.getType().isInteger(32) ||
      !matchCode(difference.getLhs()))
    return false;
  zeroPoint = difference.getRhs();
  return true;
}

bool BlockProduct::matchScaled(Value v) {
  scale = {};
  if (matchDifference(v))
    return true;
  auto scaled = v.getDefiningOp<arith::MulFOp>();
  if (!scaled)
    return false;
  scale = scaled.getRhs();
  if (matchDifference(scaled.getLhs()))
    return true;
  scale = scaled.getLhs();
  return matchDifference(scaled.getRhs());
}

bool BlockProduct::matchWeight(Value v) {
  bias = {};
  if (matchScaled(v))
    return true;
  auto biased = v.getDefiningOp<arith::AddFOp>();
  if (!biased)
    return false;
  bias = biased.getRhs();
  if (matchScaled(biased.getLhs()))
    return true;
  bias = biased.getLhs();
  return matchScaled(biased.getRhs());
}

/// True if `v` is an argument, or a code of 8 bits in one, by a scale or alone.
/// Notes which.
bool BlockProduct::matchReal(Value v) {
  auto isInput = [&](Value in, bool isCode) {
    auto argument = dyn_cast<BlockArgument>(in);
    if (!argument || argument.getOwner() != op.getBody() ||
        argument == op.getRegionOutputArgs().front() ||
        argument.getType().isInteger(8) != isCode)
      return false;
    real = op.getMatchingOpOperand(argument);
    return true;
  };
  auto isCode = [&](Value in) {
    auto toFloat = in.getDefiningOp<arith::SIToFPOp>();
    if (!toFloat)
      return false;
    Value code = toFloat.getIn();
    if (auto wide = code.getDefiningOp<arith::ExtSIOp>())
      code = wide.getIn();
    return isInput(code, /*isCode=*/true);
  };
  realScale = {};
  if (isCode(v))
    return v.getType().isF32();
  if (auto scaled = v.getDefiningOp<arith::MulFOp>()) {
    realScale = scaled.getRhs();
    if (isCode(scaled.getLhs()))
      return v.getType().isF32();
    realScale = scaled.getLhs();
    return isCode(scaled.getRhs()) && v.getType().isF32();
  }
  if (auto wide = v.getDefiningOp<arith::ExtFOp>())
    v = wide.getIn();
  return isInput(v, /*isCode=*/false);
}

bool BlockProduct::matchBody() {
  if (!sum.getType().isF32() || !term)
    return false;
  return (matchReal(term.getLhs()) && matchWeight(term.getRhs())) ||
         (matchReal(term.getRhs()) && matchWeight(term.getLhs()));
}

/// Deeper chains have any range: recursion has an end.
static constexpr unsigned kMostOps = 256;

/// The range of an integer of a body.
static ConstantIntRanges inferRange(Value v,
                                    DenseMap<Value, ConstantIntRanges> &known,
                                    unsigned depth = 0) {
  if (auto found = known.find(v); found != known.end())
    return found->second;
  ConstantIntRanges range = IntegerValueRange::getMaxRange(v).getValue();
  auto by = v.getDefiningOp<InferIntRangeInterface>();
  if (by && depth < kMostOps &&
      llvm::all_of(
          by->getOperandTypes(),
          [](Type type) { return type.isIntOrIndex(); })) {
    auto ranges = llvm::map_to_vector(by->getOperands(), [&](Value operand) {
      return inferRange(operand, known, depth + 1);
    });
    by.inferResultRanges(
        ranges, [&](Value, const ConstantIntRanges &found) { range = found; });
  }
  known.insert({v, range});
  return range;
}

/// True if i32 has room for what a lane adds up: of codes, at most a block.
bool BlockProduct::fitsLanes() const {
  int64_t least = offset, most = offset + range;
  if (zeroPoint) {
    DenseMap<Value, ConstantIntRanges> known;
    ConstantIntRanges subtracted = inferRange(zeroPoint, known);
    least -= subtracted.smax().getSExtValue();
    most -= subtracted.smin().getSExtValue();
  }
  int64_t magnitude = std::max(-least, most);
  if (multipliesCodes())
    return magnitude * ranges[byte] * getNumFields() <=
           std::numeric_limits<int32_t>::max() /
               -std::numeric_limits<int8_t>::min();
  return magnitude * BlockFloats::kLaneBytes * getNumFields() <=
         kMostMagnitudes;
}

/// True if a vector has one element for each part, or one.
bool BlockProduct::isPerBlock(AffineMap map, bool hasRows) const {
  if (!map.isProjectedPermutation())
    return false;
  unsigned last = 0;
  for (AffineExpr expr : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    // Blocks behind all else, in their order.
    if (loop >= byte || (isRow(loop) && !hasRows) ||
        (last >= first && loop < last))
      return false;
    last = loop;
  }
  return true;
}

/// True if a parameter is computed of what is equal within each block: of all
/// rows or, with `hasRows`, of each.
bool BlockProduct::isPerBlock(Value parameter, bool hasRows) const {
  linalg::GenericOp op = this->op;
  SetVector<Value> values;
  if (parameter)
    values.insert(parameter);
  for (size_t i = 0; i < values.size(); ++i) {
    Value v = values[i];
    if (v.getParentBlock() != op.getBody())
      continue;
    if (auto argument = dyn_cast<BlockArgument>(v)) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      if (!op.isDpsInput(operand) ||
          !isPerBlock(op.getMatchingIndexingMap(operand), hasRows) ||
          (isa<ShapedType>(operand->get().getType()) &&
           !hasWholeBytes(operand->get().getType())))
        return false;
      continue;
    }
    Operation *by = v.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(by)) {
      if (index.getDim() >= byte || (isRow(index.getDim()) && !hasRows))
        return false;
      continue;
    }
    bool isElementwise =
        isPure(by) && OpTrait::hasElementwiseMappableTraits(by);
    if (!isElementwise && !by->hasTrait<OpTrait::ConstantLike>())
      return false;
    values.insert_range(by->getOperands());
  }
  return true;
}

bool BlockProduct::matchParameters() {
  return llvm::all_of(ArrayRef<Value>{scale, zeroPoint, bias},
                      [&](Value parameter) {
                        return isPerBlock(parameter, /*hasRows=*/false);
                      }) &&
         isPerBlock(realScale, /*hasRows=*/true);
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
  // The rows of codes may be counted at run time.
  if (!type || (!type.hasStaticShape() && !multipliesCodes()) ||
      !endsWith(realMap, first, op.getNumLoops()) ||
      !endsWith(bytesMap, first, byte + 1) || !endsWith(sumMap, first, first))
    return false;
  Type element = type.getElementType();
  if (!element.isF32() && !element.isF16() && !element.isBF16() &&
      !multipliesCodes())
    return false;
  for (unsigned loop = 0; loop < first; ++loop) {
    if (!bytesMap.isFunctionOfDim(loop))
      rows.push_back(loop);
    else if (!realMap.isFunctionOfDim(loop))
      column = loop;
  }
  return true;
}

/// True if few rows share codes, and enough sums the reals.
bool BlockProduct::pays() {
  int64_t numSums = 1, numRows = 1;
  for (unsigned loop : rows)
    numRows *= ShapedType::isDynamic(ranges[loop]) ? 1 : ranges[loop];
  AffineMap map = op.getMatchingIndexingMap(real);
  for (unsigned loop = 0; loop < first; ++loop)
    if (!map.isFunctionOfDim(loop))
      numSums *=
          ShapedType::isDynamic(ranges[loop]) ? kFewestSums : ranges[loop];
  return numSums >= kFewestSums && numRows > 0 &&
         (multipliesCodes() || numRows <= kMostRows);
}

/// Vectors of `size` bytes are parts of blocks, or whole ones, those of the
/// inner loops first.
bool BlockProduct::cutVectors(int64_t size) {
  int64_t block = ranges[byte];
  partCounts.assign(byte - first, 1);
  cut = {1, size};
  if (block % size == 0)
    return true;
  cut = {size / block, block};
  if (size % block != 0 || block % BlockFloats::kLaneBytes != 0)
    return false;
  int64_t rest = cut.parts;
  for (unsigned loop = byte; rest > 1 && loop-- > first;) {
    int64_t count = std::min(rest, ranges[loop]);
    if (rest % count != 0 || ranges[loop] % count != 0)
      return false;
    partCounts[loop - first] = count;
    rest /= count;
  }
  return rest == 1;
}

FailureOr<BlockProduct> BlockProduct::get(linalg::GenericOp op,
                                          int64_t vectorBits, bool isPlanned) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  if (!sum || !sum->isReassociable())
    return failure();
  BlockProduct product(op, *sum);
  if (!product.matchLoops() || !product.matchBody() || !product.fitsLanes() ||
      !product.matchOperands() || !product.matchParameters() ||
      !(isPlanned || product.pays()))
    return failure();
  // Narrower vectors of codes where blocks fill no whole number of wide ones.
  int64_t size = vectorBits / 8;
  int64_t least = product.multipliesCodes() ? kLeastBytes : kLeastBytesOfFloats;
  while (!product.cutVectors(size))
    if ((size /= 2) < least)
      return failure();
  return product;
}
