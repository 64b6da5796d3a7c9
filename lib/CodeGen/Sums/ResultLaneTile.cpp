// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One tile of sums in vectors, a lane for each of their results.

#include "../Plan/TileNest.h"
#include "../Vectorize/ElementwiseBody.h"
#include "ResultLanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
  Value readLanes(OpOperand &operand, int64_t stride);
  /// The body, for the lanes at `offsets`, with what they have so far.
  Value compute(Value sums);
  /// Calls `visit` at each vector of each row.
  void forEachVector(function_ref<void()> visit);
  Sums addUp(ValueRange sums);

  ResultLanes sum;
  SmallVector<int64_t> ranges;
  /// The parallel loops that are no lanes.
  SmallVector<unsigned> rows;
  /// The lanes of a vector, and all of them: the last vector need not be full.
  int64_t lanes, numLanes;
};
} // namespace

LaneTile::LaneTile(ImplicitLocOpBuilder &b, const ResultLanes &sum,
                   int64_t vectorBits)
    : TileNest(b, sum.op), sum(sum),
      ranges(linalg::GenericOp(sum.op).getStaticLoopRanges()),
      numLanes(ranges[sum.lane]) {
  op.getParallelDims(rows);
  llvm::erase(rows, sum.lane);
  lanes =
      std::min<int64_t>(vectorBits / 32, llvm::bit_ceil(uint64_t(numLanes)));
}

/// The elements of all lanes; those of lanes that do not exist are 0.
Value LaneTile::readLanes(OpOperand &operand, int64_t stride) {
  auto type =
      VectorType::get(stride * lanes, getElementTypeOrSelf(operand.get()));
  // With a stride of 2, what follows the last element need not exist.
  Value read = readPadded(type, operand, stride == 1 && isFull());
  if (stride == 1)
    return read;
  return vector::DeinterleaveOp::create(b, read).getRes1();
}

Value LaneTile::compute(Value sums) {
  auto readInput = [&](OpOperand &input) {
    int64_t stride = sum.strides[input.getOperandNumber()];
    return stride == 0 ? Value() : readLanes(input, stride);
  };
  return computeLanes(*this, lanes, sums, readInput).front();
}

void LaneTile::forEachVector(function_ref<void()> visit) {
  forEachOf(rows, [&] {
    forEachOf(sum.lane, llvm::divideCeil(numLanes, lanes), visit, lanes);
  });
}

LaneTile::Sums LaneTile::addUp(ValueRange sums) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  // The innermost loops, of few iterations.
  size_t unrolled = reductions.size();
  for (int64_t count = 1; unrolled > 0; --unrolled) {
    int64_t range = ranges[reductions[unrolled - 1]];
    count *= std::max<int64_t>(range, 1);
    if (ShapedType::isDynamic(range) || count > kUnrolled)
      break;
  }
  ArrayRef<unsigned> loops = reductions;
  return forEach(loops.take_front(unrolled), sums, [&](ValueRange carried) {
    Sums totals(carried);
    forEachOf(loops.drop_front(unrolled), [&] {
      auto *total = totals.begin();
      forEachVector([&] {
        *total = compute(*total);
        ++total;
      });
    });
    return totals;
  });
}

Value LaneTile::build() {
  OpOperand &init = op.getDpsInitsMutable()[0];
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
                       : readLanes(init, 1));
  });
  sums = addUp(sums);
  Value result = isConstant ? fill.output() : init.get();
  auto *next = sums.begin();
  forEachVector(
      [&] { result = write(*next++, result, createIndices(init), isFull()); });
  return result;
}

Value mlir::qdq::createResultLaneTile(ImplicitLocOpBuilder &b,
                                      const ResultLanes &sum,
                                      int64_t vectorBits) {
  return LaneTile(b, sum, vectorBits).build();
}
