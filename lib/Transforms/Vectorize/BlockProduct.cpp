// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products with short codes in blocks.

#include "BlockProduct.h"
#include "LaneBody.h"
#include "LaneLoops.h"
#include "Tiles.h"

using namespace mlir;
using namespace mlir::qdq;

/// As many sums share the real factor, at least, as pay for its digits. A
/// dynamic number is taken for as many.
static constexpr int64_t kFewestSums = 16;
/// As many rows, at most, share codes: with more, floats are faster.
static constexpr int64_t kMostRows = 2;
/// The widest codes: the sums of a lane have room in i32.
static constexpr unsigned kMostBits = 4;

BlockProduct::BlockProduct(linalg::GenericOp op)
    : op(op), sum(getReassociableSum(op)), ranges(op.getStaticLoopRanges()),
      byte(op.getNumLoops() - 2) {}

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

/// True if `real` is the code, as f32. Notes what cuts it from its byte.
bool BlockProduct::matchCode(Value v) {
  Operation *conversion = v.getDefiningOp();
  if (!v.getType().isF32() ||
      !isa_and_present<arith::SIToFPOp, arith::UIToFPOp>(conversion))
    return false;
  isSigned = isa<arith::SIToFPOp>(conversion);
  Value code = conversion->getOperand(0);
  if (auto wide = code.getDefiningOp<arith::ExtUIOp>()) {
    code = wide.getIn();
    isSigned = false;
  } else if (auto wide = code.getDefiningOp<arith::ExtSIOp>()) {
    if (!isSigned)
      return false;
    code = wide.getIn();
  }
  auto cut = code.getDefiningOp<arith::TruncIOp>();
  auto shift = cut ? cut.getIn().getDefiningOp<arith::ShRUIOp>() : nullptr;
  auto argument =
      shift ? dyn_cast<BlockArgument>(shift.getLhs()) : BlockArgument();
  if (!argument || cut.getType().getIntOrFloatBitWidth() > kMostBits)
    return false;
  auto found = SlotCodes::get(op, argument);
  if (!found || found->code != cut)
    return false;
  codes = *found;
  bytes = op.getMatchingOpOperand(argument);
  return op.isDpsInput(bytes);
}

bool BlockProduct::matchBody() {
  Value out = op.getRegionOutputArgs().front();
  Value term = sum.getLhs() == out ? sum.getRhs() : sum.getLhs();
  auto product = term.getDefiningOp<arith::MulFOp>();
  if (!sum.getType().isF32() || !product)
    return false;
  for (auto [x, weight] : {std::pair(product.getLhs(), product.getRhs()),
                           std::pair(product.getRhs(), product.getLhs())}) {
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
    if (isBlock ? i + 1 != map.getNumResults()
                : loop >= first || llvm::is_contained(rows, loop))
      return false;
  }
  return true;
}

/// True if the scale is computed of what is one for each block.
bool BlockProduct::matchScale() {
  SmallVector<Value> values;
  if (scale)
    values.push_back(scale);
  while (!values.empty()) {
    Value v = values.pop_back_val();
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
    if (!isPure(by) || !OpTrait::hasElementwiseMappableTraits(by)) {
      if (!by->hasTrait<OpTrait::ConstantLike>())
        return false;
    }
    llvm::append_range(values, by->getOperands());
  }
  return true;
}

/// The last results of a map are these loops, in their order, the others come
/// before `first`.
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
      !endsWith(bytesMap, first, byte + 1) || !sumMap.isProjectedPermutation())
    return false;
  Type element = type.getElementType();
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return false;
  int64_t numSums = 1, numRows = 1;
  for (unsigned loop = 0; loop < first; ++loop) {
    if (!realMap.isFunctionOfDim(loop)) {
      numSums *=
          ShapedType::isDynamic(ranges[loop]) ? kFewestSums : ranges[loop];
    } else if (!bytesMap.isFunctionOfDim(loop)) {
      numRows *= ranges[loop];
      rows.push_back(loop);
    }
  }
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
                                          int64_t vectorBits) {
  BlockProduct product(op);
  if (!product.sum || !op.hasPureTensorSemantics() || !product.matchLoops() ||
      !product.matchBody() || !product.matchOperands() ||
      !product.matchScale() || !product.cutVectors(vectorBits / 8))
    return failure();
  return product;
}
