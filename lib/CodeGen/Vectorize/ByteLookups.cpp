// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-ups of bytes in tables of bytes, as vectors.

#include "ByteLookups.h"
#include "../Plan/TileNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;

/// The table that the body reads, if it is one of all codes of a byte.
static Value getTable(linalg::GenericOp op) {
  Block *body = op.getBody();
  auto read =
      body->getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  if (!read || body->getOperations().size() != 3 ||
      read.getIndices().size() != 1)
    return {};
  auto index = read.getIndices().front().getDefiningOp<arith::IndexCastUIOp>();
  RankedTensorType type = read.getTensor().getType();
  bool isOfBytes = type.getElementType().isInteger(8) && index &&
                   index.getIn() == body->getArgument(0) &&
                   index.getIn().getType().isInteger(8);
  return isOfBytes && type.hasStaticShape() && type.getNumElements() == 256
             ? read.getTensor()
             : Value();
}

bool mlir::qdq::looksBytesUp(linalg::GenericOp op) {
  if (op.getNumLoops() == 0 || op.getNumDpsInputs() != 1 ||
      op->getNumResults() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() || !getTable(op))
    return false;
  AffineExpr innermost =
      getAffineDimExpr(op.getNumLoops() - 1, op.getContext());
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return map.isProjectedPermutation() && map.getNumResults() > 0 &&
           map.getResults().back() == innermost;
  });
}

void mlir::qdq::vectorizeByteLookup(RewriterBase &rewriter,
                                    linalg::GenericOp tile) {
  ImplicitLocOpBuilder b(tile.getLoc(), rewriter);
  TileNest nest(b, tile);
  Value table = getTable(tile);
  auto getBytes = [&](int64_t count) {
    return VectorType::get(count, b.getI8Type());
  };
  SmallVector<AffineMap> maps = tile.getIndexingMapsArray();
  VectorType lanes = getBytes(tile.getStaticLoopRanges().back());
  Value entries = nest.read(getBytes(256), table, nest.createIndex(0));
  Value codes = nest.read(lanes, tile.getDpsInputs().front(),
                          nest.createIndices(maps.front()));
  Value found = LookupOp::create(b, lanes, entries, codes);
  auto written = vector::TransferWriteOp::create(
      b, found, tile.getDpsInits().front(), nest.createIndices(maps.back()),
      ArrayRef(true));
  rewriter.replaceOp(tile, written.getResult());
}
