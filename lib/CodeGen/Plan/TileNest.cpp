// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that replace a tile, while vectors are built in them.

#include "TileNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
