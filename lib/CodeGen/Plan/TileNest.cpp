// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that replace a tile, while vectors are built in them.

#include "TileNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::qdq;

TileNest::TileNest(ImplicitLocOpBuilder &b, linalg::GenericOp op) : b(b) {
  auto loops = cast<linalg::LinalgOp>(op.getOperation());
  for (Range range : loops.createLoopRanges(b, op.getLoc()))
    sizes.push_back(range.size);
  offsets.assign(sizes.size(), b.getIndexAttr(0));
}

Value TileNest::createIndex(OpFoldResult index) const {
  return getValueOrCreateConstantIndexOp(b, b.getLoc(), index);
}

SmallVector<Value> TileNest::createIndices(AffineMap map) const {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    auto one = AffineMap::get(map.getNumDims(), 0, expr);
    return createIndex(
        affine::makeComposedFoldedAffineApply(b, b.getLoc(), one, offsets));
  });
}

SmallVector<OpFoldResult>
TileNest::delinearize(Value number, ArrayRef<int64_t> counts) const {
  SmallVector<OpFoldResult> indices(counts.size(), b.getIndexAttr(0));
  for (size_t loop = counts.size(); loop-- > 0;) {
    if (counts[loop] == 1)
      continue;
    indices[loop] = number;
    if (loop == 0)
      break;
    Value count = createIndex(counts[loop]);
    indices[loop] = arith::RemUIOp::create(b, number, count).getResult();
    number = arith::DivUIOp::create(b, number, count);
  }
  return indices;
}

OpFoldResult TileNest::roundDown(OpFoldResult size, int64_t step) const {
  return affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineSymbolExpr(0).floorDiv(step) * step, {size});
}

Value TileNest::read(VectorType type, Value source, ValueRange indices) const {
  return vector::TransferReadOp::create(
      b, type, source, indices, ub::PoisonOp::create(b, type.getElementType()),
      SmallVector<bool>(type.getRank(), true));
}

SmallVector<Value> TileNest::createLoop(unsigned loop, OpFoldResult from,
                                        OpFoldResult to, int64_t step,
                                        ValueRange values, Body body) {
  std::optional<int64_t> first = getConstantIntValue(from);
  if (first && first == getConstantIntValue(to))
    return values;
  auto op = scf::ForOp::create(b, createIndex(from), createIndex(to),
                               createIndex(step), values);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.getBody());
  offsets[loop] = op.getInductionVar();
  scf::YieldOp::create(b, body(op.getRegionIterArgs()));
  offsets[loop] = b.getIndexAttr(0);
  return llvm::to_vector_of<Value>(op.getResults());
}

SmallVector<Value> TileNest::forEach(ArrayRef<unsigned> loops,
                                     ValueRange values, Body body) {
  if (loops.empty())
    return body(values);
  auto inner = [&](ValueRange carried) {
    return forEach(loops.drop_front(), carried, body);
  };
  return getStaticSize(loops.front()) == 1
             ? inner(values)
             : createLoop(loops.front(), 1, values, inner);
}

SmallVector<Value> TileNest::forEachPart(
    std::optional<unsigned> loop, OpFoldResult from, int64_t step,
    ValueRange values,
    function_ref<SmallVector<Value>(int64_t, ValueRange)> body) {
  if (!loop)
    return body(1, values);
  AffineExpr first = b.getAffineDimExpr(0), size = b.getAffineDimExpr(1);
  OpFoldResult whole = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), first + (size - first).floorDiv(step) * step,
      {from, sizes[*loop]});
  SmallVector<Value> results =
      createLoop(*loop, from, whole, step, values,
                 [&](ValueRange inner) { return body(step, inner); });
  std::optional<int64_t> begin = getConstantIntValue(whole),
                         end = getStaticSize(*loop);
  if (step == 1 || (begin && begin == end))
    return results;
  if (!begin || !end)
    return forEachPart(loop, whole, step / 2, results, body);
  int64_t rest = *end - *begin;
  return createLoop(*loop, whole, sizes[*loop], rest, results,
                    [&](ValueRange inner) { return body(rest, inner); });
}

void TileNest::forEachOf(std::optional<unsigned> loop, int64_t count,
                         function_ref<void()> visit) {
  if (count == 1)
    return visit();
  OpFoldResult &offset = offsets[*loop];
  OpFoldResult first = offset;
  for (int64_t i = 0; i < count; ++i) {
    offset = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) + i, first);
    visit();
  }
  offset = first;
}
