// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of operands in another order of dimensions.

#include "../Plan/ConsumerFusion.h"
#include "../Plan/Tiles.h"
#include "Transposition.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::qdq;

std::optional<unsigned> mlir::qdq::findOwnDim(AffineMap map, unsigned loop) {
  std::optional<unsigned> found;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(loop))
      continue;
    if (found || !isa<AffineDimExpr>(expr))
      return std::nullopt;
    found = i;
  }
  return found;
}

SmallVector<int64_t> mlir::qdq::moveLast(AffineMap map,
                                         ArrayRef<unsigned> loops) {
  SmallVector<int64_t> order;
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
    auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
    if (!expr || !llvm::is_contained(loops, expr.getPosition()))
      order.push_back(dim);
  }
  for (unsigned loop : loops)
    order.push_back(*findOwnDim(map, loop));
  return order;
}

/// The initial values of the sums, in another order.
static Value transposeInit(ImplicitLocOpBuilder &b, Value init,
                           ArrayRef<int64_t> order) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return createTransposition(b, init, order);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), fill.output());
  Value empty = tensor::EmptyOp::create(
      b, applyPermutation(sizes, order),
      cast<ShapedType>(init.getType()).getElementType());
  return linalg::FillOp::create(b, fill.value(), empty).getResult(0);
}

/// The elementwise op that alone uses the sums, if its loops may be reordered
/// with the dimensions of its result.
static linalg::GenericOp getEpilogue(linalg::GenericOp op) {
  linalg::GenericOp user = getElementwiseConsumer(op);
  bool fits = user && user.getNumDpsInits() == 1 && !user.hasIndexSemantics() &&
              user.getMatchingIndexingMap(&*op->getResult(0).use_begin())
                  .isIdentity() &&
              user.getIndexingMapsArray().back().isIdentity() &&
              !user.payloadUsesValueFromOperand(&user.getDpsInitsMutable()[0]);
  return fits ? user : linalg::GenericOp();
}

/// Computes the epilogue of sums in another order, and transposes its result.
static void transposeEpilogue(IRRewriter &rewriter, linalg::GenericOp epilogue,
                              Value sums, Value transposed,
                              ArrayRef<int64_t> order) {
  rewriter.setInsertionPoint(epilogue);
  ImplicitLocOpBuilder b(epilogue.getLoc(), rewriter);
  SmallVector<int64_t> back = invertPermutationVector(order);
  // Loop `order[i]` becomes loop i.
  AffineMap renamed = AffineMap::getPermutationMap(back, rewriter.getContext());
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (OpOperand *operand : epilogue.getDpsInputOperands()) {
    AffineMap map = epilogue.getMatchingIndexingMap(operand);
    Value input = operand->get();
    // Another tensor of the result's shape may come from such sums as well.
    if (input == sums)
      input = transposed;
    else if (map.isIdentity())
      input = createTransposition(b, input, order);
    maps.push_back(map.isIdentity() ? map : map.compose(renamed));
    inputs.push_back(input);
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(order.size()));
  Value init = epilogue.getDpsInits().front();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), init);
  auto type = cast<RankedTensorType>(init.getType());
  Value empty = tensor::EmptyOp::create(b, applyPermutation(sizes, order),
                                        type.getElementType());
  linalg::GenericOp computed =
      rebuildGeneric(rewriter, epilogue, inputs, empty, maps,
                     epilogue.getIteratorTypesArray());
  // Its user has the same order.
  if (linalg::GenericOp next = getEpilogue(epilogue)) {
    transposeEpilogue(rewriter, next, epilogue->getResult(0),
                      computed.getResult(0), order);
    rewriter.eraseOp(epilogue);
    return;
  }
  rewriter.replaceOp(epilogue,
                     createTransposition(b, computed.getResult(0), back));
}

void mlir::qdq::transposeContraction(IRRewriter &rewriter, linalg::GenericOp op,
                                     ArrayRef<SmallVector<unsigned>> last) {
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<SmallVector<int64_t>> orders;
  for (auto [map, loops] : llvm::zip_equal(maps, last)) {
    orders.push_back(moveLast(map, loops));
    map = permuteResults(map, orders.back());
  }
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
    inputs.push_back(createTransposition(b, op->getOperand(i), orders[i]));
  ArrayRef<int64_t> order = orders.back();
  Value init = transposeInit(b, op.getDpsInits().front(), order);
  linalg::GenericOp epilogue = getEpilogue(op);
  linalg::GenericOp product = rebuildGeneric(rewriter, op, inputs, init, maps,
                                             op.getIteratorTypesArray());
  bool isMoved = !isIdentityPermutation(order);
  if (isMoved && epilogue) {
    transposeEpilogue(rewriter, epilogue, op->getResult(0),
                      product.getResult(0), order);
    rewriter.eraseOp(op);
    return;
  }
  rewriter.replaceOp(op, createTransposition(b, product.getResult(0),
                                             invertPermutationVector(order)));
}
