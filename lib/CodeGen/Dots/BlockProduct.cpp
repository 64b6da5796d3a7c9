// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products with codes in blocks.

#include "BlockProduct.h"
#include "../Analysis/BodySlice.h"
#include "../Analysis/ConstantValue.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/LaneLoops.h"
#include "../Vectorize/LaneOps.h"
#include "../Vectorize/SubByteCodes.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include <numeric>

using namespace mlir;
using namespace mlir::qdq;

/// As many sums share the real factor, at least, as pay for its digits. A
/// dynamic number is taken for as many.
static constexpr int64_t kFewestSums = 64;
/// The widest codes whose values are looked up.
static constexpr unsigned kMostTableBits = 4;
/// The largest value without its offset: a byte.
static constexpr int64_t kMostRange = 255;
/// The narrowest vectors, of codes that codes and floats multiply: floats need
/// three products.
static constexpr int64_t kLeastBytes = 16, kLeastBytesOfFloats = 32;
/// The blocks of a group of vectors.
static constexpr int64_t kMostParts = 8;
/// Fractions of values have as many bits, at most.
static constexpr int kMostExponent = 3;

BlockProduct::BlockProduct(linalg::GenericOp op, const SumOfProducts &sum,
                           bool computesCodes)
    : op(op), sum(sum.getFloatSum()), term(sum.getProduct<arith::MulFOp>()),
      ranges(op.getStaticLoopRanges()), computesCodes(computesCodes) {}

bool BlockProduct::matchLoops() {
  first = op.getNumParallelLoops();
  hasFields = !computesCodes && countsFields(op, op.getNumLoops() - 1);
  if (getEnd() <= first)
    return false;
  byte = getEnd() - 1;
  return llvm::all_of(llvm::seq(first, op.getNumLoops()), [&](unsigned loop) {
    return isReductionLoop(op, loop) && ShapedType::isStatic(ranges[loop]) &&
           ranges[loop] > 0;
  });
}

BlockFloats BlockProduct::createFloats(ImplicitLocOpBuilder &b,
                                       BlockCut by) const {
  return BlockFloats(b, real->get(), getEnd() - first, hasFields, by);
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

/// True if `v` depends on nothing but a code, of `width` bits, and is a small
/// multiple of a unit, not always the same. Notes which.
bool BlockProduct::matchValues(Value v, Value code) {
  DenseMap<Value, ConstantIntRanges> ranges;
  int64_t last = inferRange(code, ranges).umax().getZExtValue();
  SmallVector<APFloat> numbers;
  for (int64_t bits : llvm::seq_inclusive<int64_t>(0, last)) {
    DenseMap<Value, Attribute> known;
    known[code] = IntegerAttr::get(code.getType(), bits);
    std::optional<APFloat> number = getNumber(foldWith(v, known));
    if (!number)
      return false;
    numbers.push_back(*number);
    // Values that no table has are a unit apart: others fail at once.
    if (bits == 1 && width > kMostTableBits) {
      double apart =
          std::abs(numbers[1].convertToDouble() - numbers[0].convertToDouble());
      if (!(std::ldexp(1, -kMostExponent) <= apart && apart <= 1))
        return false;
    }
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
  return 0 < range && range <= kMostRange &&
         (table.empty() || width <= kMostTableBits);
}

/// The code that the body cuts from a byte, or the byte itself. Null for
/// another argument. Notes the fields.
Value BlockProduct::matchFields(BlockArgument byte) {
  Value code;
  if (!hasFields) {
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
bool BlockProduct::matchBytes(Value v) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Value code = matchFields(op.getMatchingBlockArgument(operand));
    if (!code || !matchValues(v, code))
      continue;
    bytes = operand;
    codeOperands = {operand};
    return true;
  }
  return false;
}

/// True for fields that vectors of bytes cut from words of one part: neighbors
/// have the same place in a word, or are its bits.
static bool isCutInLanes(ExtractFieldOp field, linalg::GenericOp op) {
  auto countsNeighbors = [&](Value v) {
    auto index = v.getDefiningOp<linalg::IndexOp>();
    return index && index.getDim() + 1 == op.getNumLoops();
  };
  return field.getParts().size() == 1 &&
         (field.getType().isInteger(1) ||
          llvm::none_of(field.getSlots(), [&](Value slot) {
            return llvm::any_of(getBodySlice(op, slot), countsNeighbors);
          }));
}

/// True if the body computes `code` of operands, for all lanes at once. Notes
/// these.
bool BlockProduct::matchComputed(Value code) {
  codeOperands.clear();
  for (Value v : getBodySlice(op, code)) {
    if (v.getParentBlock() != op.getBody())
      continue;
    if (OpOperand *operand = getOperandOf(op, v)) {
      codeOperands.push_back(operand);
      continue;
    }
    Operation *by = v.getDefiningOp();
    auto field = dyn_cast<ExtractFieldOp>(by);
    if (isa<tensor::ExtractOp>(by) ||
        (field ? !isCutInLanes(field, op) : !isSupportedOnLanes(*by)))
      return false;
  }
  return !codeOperands.empty();
}

/// True if `v` is a value of codes. Notes these, or what cuts them from their
/// bytes.
bool BlockProduct::matchCode(Value v) {
  if (!computesCodes)
    return matchBytes(v);
  // The fewest bits, and the nearest, that `v` depends on alone.
  SetVector<Value> slice = getBodySlice(op, v);
  for (width = 1; width <= 8; ++width)
    for (Value candidate : slice) {
      if (!candidate.getType().isInteger(width) || !matchComputed(candidate) ||
          !matchValues(v, candidate) ||
          (!table.empty() && table.size() != 1u << width))
        continue;
      code = candidate;
      amounts = {0};
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

/// True if `match` accepts the operands of `v`, an `Op`, in one of both orders.
template <typename Op>
static bool matchEither(Value v, function_ref<bool(Value, Value)> match) {
  auto op = v.getDefiningOp<Op>();
  return op &&
         (match(op.getLhs(), op.getRhs()) || match(op.getRhs(), op.getLhs()));
}

bool BlockProduct::matchScaled(Value v) {
  scale = {};
  return matchDifference(v) ||
         matchEither<arith::MulFOp>(v, [&](Value codes, Value other) {
           scale = other;
           return matchDifference(codes);
         });
}

bool BlockProduct::matchWeight(Value v) {
  bias = {};
  return matchScaled(v) ||
         matchEither<arith::AddFOp>(v, [&](Value scaled, Value other) {
           bias = other;
           return matchScaled(scaled);
         });
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
  if (isCode(v) || matchEither<arith::MulFOp>(v, [&](Value code, Value other) {
        realScale = other;
        return isCode(code);
      }))
    return v.getType().isF32();
  if (auto wide = v.getDefiningOp<arith::ExtFOp>())
    v = wide.getIn();
  return isInput(v, /*isCode=*/false);
}

bool BlockProduct::matchBody() {
  return sum.getType().isF32() && term &&
         matchEither<arith::MulFOp>(term, [&](Value of, Value weight) {
           return matchReal(of) && matchWeight(weight);
         });
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
    return magnitude * llvm::product_of(ArrayRef(ranges).drop_front(byte)) <=
           std::numeric_limits<int32_t>::max() /
               -std::numeric_limits<int8_t>::min();
  return magnitude * BlockFloats::kLaneBytes * getNumFields() <=
         kMostMagnitudes;
}

/// True if the loops before `end` index one element, in their order within
/// the reductions.
bool BlockProduct::isWithin(AffineMap map, unsigned end, bool hasRows) const {
  if (!map.isProjectedPermutation())
    return false;
  unsigned last = 0;
  for (AffineExpr expr : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    // Blocks behind all else, in their order.
    if (loop >= end || (isRow(loop) && !hasRows) ||
        (last >= first && loop < last))
      return false;
    last = loop;
  }
  return true;
}

/// True if `v` is computed, element by element, of what is equal in all
/// iterations of the loops from `end` on: for all rows or, with `hasRows`, for
/// each.
bool BlockProduct::isWithin(Value v, unsigned end, bool hasRows) const {
  linalg::GenericOp op = this->op;
  return llvm::all_of(getBodySlice(op, v), [&](Value of) {
    if (of.getParentBlock() != op.getBody())
      return true;
    if (OpOperand *operand = getOperandOf(op, of))
      return op.isDpsInput(operand) &&
             isWithin(op.getMatchingIndexingMap(operand), end, hasRows) &&
             (!isa<ShapedType>(operand->get().getType()) ||
              hasWholeBytes(operand->get().getType()));
    Operation *by = of.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(by))
      return index.getDim() < end && (hasRows || !isRow(index.getDim()));
    return by->hasTrait<OpTrait::ConstantLike>() ||
           (isPure(by) && by->getNumResults() == 1 &&
            OpTrait::hasElementwiseMappableTraits(by));
  });
}

/// True if parameters are equal within each block. Of codes that the body
/// computes, finds out what a block is.
bool BlockProduct::matchParameters() {
  auto arePerBlock = [&](unsigned end) {
    return llvm::all_of(ArrayRef<Value>{scale, zeroPoint, bias},
                        [&](Value parameter) {
                          return !parameter ||
                                 isWithin(parameter, end, /*hasRows=*/false);
                        }) &&
           (!realScale || isWithin(realScale, end, /*hasRows=*/true));
  };
  if (!computesCodes)
    return arePerBlock(byte);
  for (byte = first; byte < getEnd(); ++byte)
    if (arePerBlock(byte))
      return isWithin(code, getEnd(), /*hasRows=*/false);
  return false;
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
            sumMap = op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0]);
  auto type = dyn_cast<RankedTensorType>(real->get().getType());
  // The rows of codes may be counted at run time.
  if (!type || (!type.hasStaticShape() && !multipliesCodes()) ||
      !endsWith(realMap, first, op.getNumLoops()) ||
      !endsWith(sumMap, first, first) ||
      (bytes && !endsWith(op.getMatchingIndexingMap(bytes), first, getEnd())))
    return false;
  Type element = type.getElementType();
  if (!element.isF32() && !element.isF16() && !element.isBF16() &&
      !multipliesCodes())
    return false;
  auto areCodesOf = [&](unsigned loop) {
    return llvm::any_of(codeOperands, [&](OpOperand *operand) {
      return op.getMatchingIndexingMap(operand).isFunctionOfDim(loop);
    });
  };
  for (unsigned loop = 0; loop < first; ++loop) {
    if (!areCodesOf(loop)) {
      rows.push_back(loop);
      row = ranges[loop] != 1 ? loop : row;
    } else if (!realMap.isFunctionOfDim(loop)) {
      column = loop;
    }
  }
  return true;
}

/// True if few rows share codes, and enough sums the reals.
bool BlockProduct::pays() {
  int64_t numRows = 1;
  for (unsigned loop : rows)
    numRows *= ShapedType::isDynamic(ranges[loop]) ? 1 : ranges[loop];
  return countSharing(op, op.getMatchingIndexingMap(real), kFewestSums) >=
             kFewestSums &&
         numRows > 0 && (multipliesCodes() || numRows <= kMostRows);
}

/// Vectors of `size` bytes are parts of blocks, or whole ones, those of the
/// inner loops first.
bool BlockProduct::cutVectors(int64_t size) {
  vector = {first, SmallVector<int64_t>(getEnd() - first, 1)};
  int64_t rest = size;
  for (unsigned loop = getEnd(); rest > 1 && loop-- > first;) {
    int64_t count = std::min(rest, ranges[loop]);
    if (rest % count != 0 || ranges[loop] % count != 0)
      return false;
    vector.counts[loop - first] = count;
    rest /= count;
  }
  int64_t bytes =
      llvm::product_of(ArrayRef(vector.counts).drop_front(byte - first));
  cut = {size / bytes, bytes};
  return rest == 1 && (cut.parts == 1 || bytes % BlockFloats::kLaneBytes == 0);
}

/// True if blocks along this loop share an operand of the weight's parameters,
/// as the scale of their scales.
bool BlockProduct::sharesParameters(unsigned loop) const {
  linalg::GenericOp op = this->op;
  for (Value parameter : {scale, zeroPoint, bias})
    if (parameter)
      for (Value v : getBodySlice(op, parameter))
        if (OpOperand *operand = getOperandOf(op, v)) {
          AffineMap map = op.getMatchingIndexingMap(operand);
          if (map.getNumResults() > 0 && !map.isFunctionOfDim(loop))
            return true;
        }
  return false;
}

/// Groups of vectors compute parameters of all their blocks at once, where
/// these have parts in common.
void BlockProduct::groupVectors() {
  group = {first, vector.counts};
  group.counts.truncate(byte - first);
  // Parts of a block have one parameter each.
  bool isWhole =
      cut.containers ==
      llvm::product_of(ArrayRef(ranges).slice(byte, getEnd() - byte));
  int64_t rest = isWhole ? kMostParts / cut.parts : 1;
  for (unsigned loop = byte; rest > 1 && loop-- > first;) {
    int64_t &count = group.counts[loop - first];
    int64_t times = std::gcd(rest, ranges[loop] / count);
    if (times > 1 && !sharesParameters(loop))
      return;
    count *= times;
    rest = count == ranges[loop] ? rest / times : 1;
  }
}

bool BlockProduct::match() {
  return matchLoops() && matchBody() && matchOperands() && matchParameters() &&
         fitsLanes();
}

FailureOr<BlockProduct> BlockProduct::get(linalg::GenericOp op,
                                          int64_t vectorBits, bool isPlanned) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  if (!sum || !sum->isReassociable())
    return failure();
  BlockProduct product(op, *sum, /*computesCodes=*/false);
  if (!product.match()) {
    product = BlockProduct(op, *sum, /*computesCodes=*/true);
    if (!product.match())
      return failure();
  }
  if (!isPlanned && !product.pays())
    return failure();
  // Narrower vectors of codes where blocks fill no whole number of wide ones.
  int64_t size = vectorBits / 8;
  int64_t least = product.multipliesCodes() ? kLeastBytes : kLeastBytesOfFloats;
  while (!product.cutVectors(size))
    if ((size /= 2) < least)
      return failure();
  product.groupVectors();
  return product;
}
