// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products of codes in blocks, one of signed codes of 8 bits.

#include "../Plan/Tiles.h"
#include "BlockKernel.h"
#include "DotTiles.h"

using namespace mlir;
using namespace mlir::qdq;

static void lowerProduct(IRRewriter &rewriter, const BlockProduct &product,
                         int64_t vectorBits) {
  ImplicitLocOpBuilder b(product.op->getLoc(), rewriter);
  b.setInsertionPoint(product.op);
  linalg::GenericOp op = product.op;
  auto [sums, firstColumn] = createColumnProducts(b, product, vectorBits / 32,
                                                  op.getDpsInits().front());
  if (!product.column ||
      getConstantIntValue(firstColumn) != product.ranges[*product.column]) {
    BlockFloats codes = product.createFloats(b, product.cut);
    sums = createBlockProducts(b, product, codes, sums, firstColumn);
  }
  rewriter.replaceOp(op, sums);
}

void mlir::qdq::lowerCodeProducts(IRRewriter &rewriter, Operation *root,
                                  const VectorizationOptions &options) {
  if (!options.usesByteDots())
    return;
  auto get = [&](linalg::GenericOp op) {
    return BlockProduct::get(op, options.getByteDotBits(),
                             /*isPlanned=*/false);
  };
  auto multipliesCodes = [&](linalg::GenericOp op) {
    FailureOr<BlockProduct> product = get(op);
    return succeeded(product) && product->multipliesCodes();
  };
  for (linalg::GenericOp op : collectGenerics(root, multipliesCodes))
    lowerProduct(rewriter, *get(op), options.getByteDotBits());
}
