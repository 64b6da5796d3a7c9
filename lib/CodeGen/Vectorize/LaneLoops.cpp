// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The innermost loops of a linalg.generic as lanes of vectors.

#include "LaneLoops.h"
#include "../Plan/Tiles.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/Walk.h"

using namespace mlir;
using namespace mlir::qdq;

/// True if `slot` is the index of this loop, or a sum of it, as tiling leaves.
static bool isIndexOf(Value slot, unsigned loop) {
  bool found = false;
  walkValues(slot, [&](Value v, function_ref<void(Value)> add) {
    Operation *by = v.getDefiningOp();
    if (auto index = dyn_cast_if_present<linalg::IndexOp>(by))
      found |= index.getDim() == loop;
    else if (isa_and_present<arith::AddIOp, arith::MulIOp>(by))
      llvm::for_each(by->getOperands(), add);
  });
  return found;
}

bool mlir::qdq::countsFields(linalg::GenericOp op, unsigned loop) {
  return llvm::any_of(*op.getBody(), [&](Operation &nested) {
    auto isField = [&](Value slot) { return isIndexOf(slot, loop); };
    if (auto extract = dyn_cast<ExtractFieldOp>(nested))
      return llvm::any_of(extract.getSlots(), isField);
    auto deposit = dyn_cast<DepositFieldOp>(nested);
    return deposit && llvm::any_of(deposit.getSlots(), isField);
  });
}

/// True if the loop counts the containers of an operand, whose fields the body
/// extracts.
static bool countsContainers(linalg::GenericOp op, unsigned loop) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    return op.getMatchingIndexingMap(operand).isFunctionOfDim(loop) &&
           llvm::any_of(op.getMatchingBlockArgument(operand).getUsers(),
                        llvm::IsaPred<ExtractFieldOp>);
  });
}

/// No lane loops yet of an op with as many loops.
LaneLoops::LaneLoops(linalg::GenericOp op) : first(op.getNumLoops()) {}

/// Takes in the next loop outside.
void LaneLoops::add(int64_t size, bool isField) {
  --first;
  sizes.insert(sizes.begin(), size);
  fields.insert(fields.begin(), isField);
  (isField ? numFields : numContainers) *= size;
}

bool LaneLoops::tryAdd(linalg::GenericOp op, int64_t size, bool isField) {
  LaneLoops more = *this;
  more.add(size, isField);
  for (OpOperand &operand : op->getOpOperands()) {
    auto kind = more.classify(op.getMatchingIndexingMap(&operand));
    if (!kind || (*kind == LaneOperand::PerSome &&
                  !hasWholeBytes(operand.get().getType())))
      return false;
  }
  *this = more;
  return true;
}

std::optional<LaneLoops> LaneLoops::getSummed(linalg::GenericOp op,
                                              int64_t maxLanes) {
  LaneLoops result(op);
  result.isSum = true;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::is_contained(ranges, 0))
    return std::nullopt;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  while (result.first > 0) {
    unsigned loop = result.first - 1;
    int64_t size = ranges[loop], limit = maxLanes / result.getNumLanes();
    if (iterators[loop] != utils::IteratorType::reduction ||
        ShapedType::isDynamic(size) || limit < 2)
      break;
    int64_t part = size <= limit ? size : getEvenPart(size, limit);
    bool isField = countsFields(op, loop) &&
                   (!result.sizes.empty() || !countsContainers(op, loop));
    if (size % part != 0 || (isField && part != size))
      break;
    if (!result.tryAdd(op, part, isField) || part != size)
      break;
  }
  if (result.numContainers == 1)
    return std::nullopt;
  return result;
}

std::optional<LaneLoops> LaneLoops::get(linalg::GenericOp op,
                                        int64_t maxLanes) {
  LaneLoops result(op);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::is_contained(ranges, 0))
    return std::nullopt;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  bool isWhole = true;
  while (isWhole && result.first > 0) {
    unsigned loop = result.first - 1;
    int64_t size = ranges[loop], limit = maxLanes / result.getNumLanes();
    bool isField = countsFields(op, loop);
    isWhole = !ShapedType::isDynamic(size) && size <= limit;
    bool isReduction = iterators[loop] == utils::IteratorType::reduction;
    if (limit < 2 || (isField ? !isWhole : isReduction))
      break;
    // Fields lie inside of all containers or outside, not in the middle.
    if (!isField && result.numFields > 1 && !result.fields.back())
      break;
    // The remainder of the outermost loop exists once.
    int64_t part = isWhole     ? size
                   : loop == 0 ? limit
                               : getEvenPart(size, limit);
    if (!result.tryAdd(op, part, isField))
      break;
  }
  bool hasReductionOutside =
      llvm::is_contained(ArrayRef(iterators).take_front(result.first),
                         utils::IteratorType::reduction);
  if (result.numFields == 1 || hasReductionOutside)
    return std::nullopt;
  return result;
}

std::optional<LaneLoops> LaneLoops::getFields(linalg::GenericOp op,
                                              int64_t lanes,
                                              int64_t maxContainers) {
  LaneLoops result(op);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  while (result.first > 0 && countsFields(op, result.first - 1)) {
    int64_t size = ranges[result.first - 1];
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    // Checked with the containers: fields may be first in an operand.
    result.add(size, true);
  }
  if (result.numFields < 2 || result.first == 0)
    return std::nullopt;
  int64_t size = ranges[result.first - 1], part = maxContainers;
  if (!ShapedType::isDynamic(size)) {
    while (part > lanes && size % part != 0)
      part -= lanes;
    if (size % part != 0)
      part = maxContainers;
    part = std::min(part, size);
  }
  if (part < 2 || !result.tryAdd(op, part, false))
    return std::nullopt;
  return result;
}

LaneLoops LaneLoops::ofTile(linalg::GenericOp tile, unsigned count) {
  LaneLoops result(tile);
  SmallVector<int64_t> ranges = tile.getStaticLoopRanges();
  for (unsigned i = 0; i < count; ++i) {
    unsigned loop = result.first - 1;
    result.add(ranges[loop], countsFields(tile, loop));
  }
  return result;
}

LaneLoops LaneLoops::ofWords(linalg::GenericOp tile, unsigned count) {
  LaneLoops result(tile);
  result.isWords = true;
  SmallVector<int64_t> ranges = tile.getStaticLoopRanges();
  // From the innermost one on.
  for (unsigned i = 0; i < count; ++i)
    result.add(ranges[result.first - 1], /*isField=*/i < 2);
  return result;
}

SmallVector<int64_t> LaneLoops::getTileSizes(linalg::GenericOp op) const {
  SmallVector<int64_t> result(first, 1);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [i, size] : llvm::enumerate(sizes))
    result.push_back(size == ranges[first + i] ? 0 : size);
  return result;
}

std::optional<int64_t> mlir::qdq::getWordPart(AffineMap map) {
  if (map.getNumResults() == 0)
    return std::nullopt;
  auto part =
      dyn_cast<AffineConstantExpr>(map.getResult(map.getNumResults() - 1));
  return part ? std::optional(part.getValue()) : std::nullopt;
}

std::optional<LaneOperand> LaneLoops::classify(AffineMap map) const {
  bool isPart = getWordPart(map).has_value();
  if (isPart)
    map = map.dropResult(map.getNumResults() - 1);
  if (!map.isProjectedPermutation())
    return std::nullopt;
  SmallVector<unsigned> lanes;
  for (AffineExpr expr : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (isLane(loop))
      lanes.push_back(loop);
    else if (!lanes.empty())
      return std::nullopt;
  }
  if (lanes.empty())
    return LaneOperand::Scalar;
  SmallVector<unsigned> ofFields, ofContainers, all;
  for (unsigned loop = first; loop < first + sizes.size(); ++loop) {
    all.push_back(loop);
    (isField(loop) ? ofFields : ofContainers).push_back(loop);
  }
  if (lanes == all)
    return LaneOperand::Full;
  if (lanes == ofContainers)
    return LaneOperand::PerContainer;
  if (lanes == ofFields)
    return LaneOperand::PerField;
  if (lanes == llvm::to_vector(llvm::concat<unsigned>(ofFields, ofContainers)))
    return LaneOperand::FieldsFirst;
  if (isSum && !isPart && llvm::is_sorted(lanes))
    return LaneOperand::PerSome;
  if (!isWords)
    return std::nullopt;
  if (ArrayRef(lanes) == ArrayRef(all).drop_back())
    return LaneOperand::Words;
  if (ArrayRef(lanes) == ArrayRef(all).take_front())
    return LaneOperand::PerPart;
  return std::nullopt;
}

SmallVector<int64_t> LaneLoops::getShape(AffineMap map) const {
  SmallVector<int64_t> shape;
  for (AffineExpr expr : map.getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(expr);
        loop && isLane(loop.getPosition()))
      shape.push_back(getSize(loop.getPosition()));
  return shape;
}

std::pair<int64_t, int64_t>
LaneLoops::getFieldAndContainer(int64_t lane) const {
  int64_t field = 0, container = 0, fieldStride = 1, containerStride = 1;
  for (auto [size, isField] : llvm::reverse(llvm::zip_equal(sizes, fields))) {
    int64_t &number = isField ? field : container;
    int64_t &stride = isField ? fieldStride : containerStride;
    number += lane % size * stride;
    stride *= size;
    lane /= size;
  }
  return {field, container};
}

int64_t LaneLoops::getIteration(unsigned loop, int64_t number) const {
  for (unsigned inner = first + sizes.size() - 1; inner > loop; --inner)
    if (isField(inner) == isField(loop))
      number /= sizes[inner - first];
  return number % sizes[loop - first];
}
