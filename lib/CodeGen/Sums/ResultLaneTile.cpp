// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One tile of sums in vectors, a lane for each of their results.

#include "../Plan/TileNest.h"
#include "../Vectorize/ElementwiseBody.h"
#include "ResultLanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// Iterations of the reductions that are written out one by one.
static constexpr int64_t kUnrolled = 25;

namespace {
/// The sums of a tile, in registers.
class LaneTile : TileNest {
public:
  LaneTile(ImplicitLocOpBuilder &b, const ResultLanes &sum, int64_t vectorBits);

  /// Builds the tile; its result.
  Value build();

private:
  using Sums = SmallVector<Value>;

  VectorType getType(Type element) const {
    return VectorType::get(lanes, element);
  }
  /// True if all lanes of the vector at `offsets` exist.
  bool isFull() const {
    return *getConstantIntValue(offsets[sum.lane]) + lanes <= numLanes;
  }
  Value readLanes(OpOperand *operand, int64_t stride);
  Value readInput(unsigned input);
  /// The body, for the lanes at `offsets`, with what they have so far.
  Value compute(Value sums);
  /// Calls `visit` at each vector of each row, of the rows from `loop` on.
  void forEachVector(function_ref<void()> visit, unsigned loop = 0);
  Sums addUp(ArrayRef<unsigned> reductions, ValueRange sums);

  ResultLanes sum;
  SmallVector<int64_t> ranges;
  /// The lanes of a vector, and all of them: the last vector need not be full.
  int64_t lanes, numLanes;
};
} // namespace

LaneTile::LaneTile(ImplicitLocOpBuilder &b, const ResultLanes &sum,
                   int64_t vectorBits)
    : TileNest(b, sum.op), sum(sum),
      ranges(linalg::GenericOp(sum.op).getStaticLoopRanges()),
      numLanes(ranges[sum.lane]) {
  lanes =
      std::min<int64_t>(vectorBits / 32, llvm::bit_ceil(uint64_t(numLanes)));
}

/// The elements of all lanes; those of lanes that do not exist are 0.
Value LaneTile::readLanes(OpOperand *operand, int64_t stride) {
  Type element = getElementTypeOrSelf(operand->get());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  // With a stride of 2, what follows the last element need not exist.
  bool isInBounds = stride == 1 && isFull();
  Value read = vector::TransferReadOp::create(
      b, VectorType::get(stride * lanes, element), operand->get(),
      createIndices(sum.op.getMatchingIndexingMap(operand)), zero,
      ArrayRef(isInBounds));
  if (stride == 1)
    return read;
  return vector::DeinterleaveOp::create(b, read).getRes1();
}

Value LaneTile::readInput(unsigned input) {
  OpOperand *operand = sum.op.getDpsInputOperand(input);
  if (int64_t stride = sum.strides[input])
    return readLanes(operand, stride);
  Value scalar = operand->get();
  if (!isa<ShapedType>(scalar.getType()))
    return scalar;
  return tensor::ExtractOp::create(
      b, scalar, createIndices(sum.op.getMatchingIndexingMap(operand)));
}

Value LaneTile::compute(Value sums) {
  Block *body = sum.op.getBody();
  IRMapping mapping;
  for (unsigned i = 0; i < sum.strides.size(); ++i)
    if (!body->getArgument(i).use_empty())
      mapping.map(body->getArgument(i), readInput(i));
  mapping.map(body->getArguments().back(), sums);
  return cloneForLanes(
             b, body, mapping, lanes,
             [&](unsigned loop) { return createIndex(offsets[loop]); })
      .front();
}

void LaneTile::forEachVector(function_ref<void()> visit, unsigned loop) {
  bool isRow = loop < ranges.size() && loop != sum.lane &&
               linalg::isParallelIterator(sum.op.getIteratorTypesArray()[loop]);
  if (loop < ranges.size() && !isRow)
    return forEachVector(visit, loop + 1);
  if (isRow) {
    for (int64_t row = 0; row < ranges[loop]; ++row) {
      offsets[loop] = b.getIndexAttr(row);
      forEachVector(visit, loop + 1);
    }
    return;
  }
  for (int64_t at = 0; at < numLanes; at += lanes) {
    offsets[sum.lane] = b.getIndexAttr(at);
    visit();
  }
}

LaneTile::Sums LaneTile::addUp(ArrayRef<unsigned> reductions, ValueRange sums) {
  if (reductions.empty()) {
    Sums next;
    forEachVector([&] { next.push_back(compute(sums[next.size()])); });
    return next;
  }
  unsigned loop = reductions.front();
  int64_t count = 1;
  for (unsigned inner : reductions)
    count = ShapedType::isDynamic(ranges[inner]) || count > kUnrolled
                ? kUnrolled + 1
                : count * ranges[inner];
  auto addInner = [&](ValueRange carried) {
    return addUp(reductions.drop_front(), carried);
  };
  if (count > kUnrolled)
    return createLoop(loop, 1, sums, addInner);
  Sums total(sums);
  for (int64_t i = 0; i < ranges[loop]; ++i) {
    offsets[loop] = b.getIndexAttr(i);
    total = addInner(total);
  }
  return total;
}

Value LaneTile::build() {
  OpOperand &init = sum.op.getDpsInitsMutable()[0];
  auto fill = init.get().getDefiningOp<linalg::FillOp>();
  Type element = getElementTypeOrSelf(init.get());
  TypedAttr start;
  bool isConstant = fill && fill.value().getType() == element &&
                    matchPattern(fill.value(), m_Constant(&start));
  Sums sums;
  forEachVector([&] {
    sums.push_back(isConstant
                       ? arith::ConstantOp::create(
                             b, DenseElementsAttr::get(getType(element), start))
                       : readLanes(&init, 1));
  });
  SmallVector<unsigned> reductions;
  sum.op.getReductionDims(reductions);
  sums = addUp(reductions, sums);
  Value result = isConstant ? fill.output() : init.get();
  AffineMap map = sum.op.getMatchingIndexingMap(&init);
  unsigned next = 0;
  forEachVector([&] {
    result =
        vector::TransferWriteOp::create(b, sums[next++], result,
                                        createIndices(map), ArrayRef(isFull()))
            .getResult();
  });
  return result;
}

Value mlir::qdq::createResultLaneTile(ImplicitLocOpBuilder &b,
                                      const ResultLanes &sum,
                                      int64_t vectorBits) {
  return LaneTile(b, sum, vectorBits).build();
}
