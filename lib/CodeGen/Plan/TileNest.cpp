// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that replace a tile, while vectors are built in them.

#include "TileNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::qdq;

TileNest::TileNest(ImplicitLocOpBuilder &b, linalg::GenericOp op)
    : b(b), op(op) {
  auto loops = cast<linalg::LinalgOp>(op.getOperation());
  for (Range range : loops.createLoopRanges(b, op.getLoc()))
    sizes.push_back(range.size);
  offsets.assign(sizes.size(), b.getIndexAttr(0));
}

Value TileNest::createIndex(OpFoldResult index) const {
  return getValueOrCreateConstantIndexOp(b, b.getLoc(), index);
}

SmallVector<Value> TileNest::createIndices(OpOperand &operand) const {
  linalg::GenericOp owner = op;
  return createIndices(owner.getMatchingIndexingMap(&operand));
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

Value TileNest::readPadded(VectorType type, OpOperand &operand,
                           bool isInBounds) const {
  Value zero =
      arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  return vector::TransferReadOp::create(b, type, operand.get(),
                                        createIndices(operand), zero,
                                        ArrayRef(isInBounds));
}

Value TileNest::readScalar(OpOperand &operand) const {
  if (!isa<ShapedType>(operand.get().getType()))
    return operand.get();
  return tensor::ExtractOp::create(b, operand.get(), createIndices(operand));
}

Value TileNest::write(Value vector, Value tensor, ValueRange indices,
                      bool isInBounds) const {
  SmallVector<bool> inBounds(cast<VectorType>(vector.getType()).getRank(),
                             isInBounds);
  return vector::TransferWriteOp::create(b, vector, tensor, indices, inBounds)
      .getResult();
}

SmallVector<Value> TileNest::countUp(
    OpFoldResult from, OpFoldResult to, int64_t step, ValueRange values,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) const {
  auto loop = scf::ForOp::create(b, createIndex(from), createIndex(to),
                                 createIndex(step), values);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b,
                       body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> TileNest::createLoop(unsigned loop, OpFoldResult from,
                                        OpFoldResult to, int64_t step,
                                        ValueRange values, Body body) {
  std::optional<int64_t> first = getConstantIntValue(from);
  if (first && first == getConstantIntValue(to))
    return values;
  return countUp(from, to, step, values, [&](Value at, ValueRange carried) {
    offsets[loop] = at;
    SmallVector<Value> next = body(carried);
    offsets[loop] = b.getIndexAttr(0);
    return next;
  });
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
                         function_ref<void()> visit, int64_t step) {
  if (count == 1)
    return visit();
  OpFoldResult &offset = offsets[*loop];
  OpFoldResult first = offset;
  for (int64_t i = 0; i < count; ++i) {
    offset = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) + i * step, first);
    visit();
  }
  offset = first;
}

void TileNest::forEachOf(ArrayRef<unsigned> loops, function_ref<void()> visit) {
  if (loops.empty())
    return visit();
  forEachOf(loops.front(), *getStaticSize(loops.front()),
            [&] { forEachOf(loops.drop_front(), visit); });
}
