// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products of bytes, tiled: a panel of columns, and rows that share it.

#include "ByteTiling.h"
#include "../Vectorize/Tiles.h"
#include "ByteKernel.h"
#include "ByteLayout.h"
#include "ByteProduct.h"
#include "Transposition.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

static constexpr StringLiteral kByteMarker = "qdq.byte_tile";

/// Vectors of columns, and rows, of which a tile keeps the sums in registers,
/// as measured. The sums of few rows are of more columns: what lies side by
/// side is read together.
static constexpr int64_t kColumnVectors = 4;
static constexpr int64_t kRows = 6;
static constexpr int64_t kSums = 16;

static bool isByteTile(linalg::GenericOp op) {
  return op->hasAttr(kByteMarker);
}

/// Tiles the product by these sizes, one a loop, and its consumer with it.
/// Gives the loops.
static SmallVector<scf::ForOp> tileNest(IRRewriter &rewriter,
                                        const ByteProduct &product,
                                        ArrayRef<int64_t> wanted) {
  linalg::GenericOp op = product.getOp();
  // A loop that one tile covers stays as it is.
  SmallVector<int64_t> sizes(wanted);
  for (auto [size, range] : llvm::zip_equal(sizes, op.getStaticLoopRanges()))
    if (!ShapedType::isDynamic(range) && size >= range)
      size = 0;
  if (llvm::all_of(sizes, [](int64_t size) { return size == 0; }))
    return {};
  linalg::GenericOp consumer = getElementwiseUser(op);
  if (!consumer)
    return tileGeneric(rewriter, op, sizes).value_or(SmallVector<scf::ForOp>());
  // A result of the product is a dimension, and a loop of the consumer.
  SmallVector<int64_t> consumerSizes(consumer.getNumLoops(), 0);
  AffineMap read =
      consumer.getMatchingIndexingMap(&*op->getResult(0).use_begin());
  for (auto [from, to] :
       llvm::zip_equal(product.getResultMap().getResults(), read.getResults()))
    consumerSizes[cast<AffineDimExpr>(to).getPosition()] =
        sizes[cast<AffineDimExpr>(from).getPosition()];

  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(
      getAsIndexOpFoldResult(rewriter.getContext(), consumerSizes));
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult producer, bool isDestination)
          -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        auto generic = dyn_cast<linalg::GenericOp>(producer.getOwner());
        if ((generic && isByteTile(generic)) ||
            (isDestination && isa<linalg::FillOp>(producer.getOwner())))
          return scf::SCFTileAndFuseOptions::ControlFnResult();
        return std::nullopt;
      });
  rewriter.setInsertionPoint(consumer);
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(consumer.getOperation()), options);
  if (failed(tiled))
    return {};
  for (OpResult result : consumer->getResults())
    rewriter.replaceAllUsesWith(result, tiled->replacements[result]);
  rewriter.eraseOp(consumer);
  if (op->use_empty())
    rewriter.eraseOp(op);
  return llvm::map_to_vector(tiled->loops, [](LoopLikeOpInterface loop) {
    return cast<scf::ForOp>(loop.getOperation());
  });
}

/// The tile in a loop, and that in what is left over by it.
static SmallVector<linalg::GenericOp> getTiles(Operation *root) {
  return collectGenerics(root, isByteTile);
}

static void tileRows(IRRewriter &rewriter, linalg::GenericOp tile) {
  std::optional<ByteProduct> product = ByteProduct::get(tile);
  SmallVector<int64_t> ranges = tile.getStaticLoopRanges();
  SmallVector<int64_t> sizes(tile.getNumLoops(), 0);
  for (AffineExpr expr : product->getResultMap().getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (loop != product->column)
      sizes[loop] = loop == product->row ? getEvenPart(ranges[loop], kRows) : 1;
  }
  bool isDynamic = product->row && ShapedType::isDynamic(ranges[*product->row]);
  for (scf::ForOp loop : tileNest(rewriter, *product, sizes)) {
    scf::ForOp remainder = peelRemainder(rewriter, loop);
    if (!remainder || !isDynamic)
      continue;
    for (linalg::GenericOp rest : getTiles(remainder)) {
      SmallVector<int64_t> one(rest.getNumLoops(), 0);
      one[*product->row] = 1;
      tileNest(rewriter, *ByteProduct::get(rest), one);
    }
  }
}

/// The columns of a tile, in whole vectors. Sums of the columns themselves are
/// one row more.
static int64_t getWidth(const ByteProduct &product, int64_t lanes) {
  SmallVector<int64_t> ranges = product.getOp().getStaticLoopRanges();
  int64_t rows = product.row ? ranges[*product.row] : 1;
  int64_t columns = ranges[product.column];
  // What is left over by wide tiles has to have a known width.
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(columns))
    return kColumnVectors * lanes;
  if (product.isRowsSigned == product.isColumnsSigned &&
      !matchPattern(product.columns->get(), m_Constant()))
    ++rows;
  int64_t vectors = std::max(kColumnVectors, kSums / rows);
  return lanes * std::min(vectors, llvm::divideCeilSigned(columns, lanes));
}

static void tileColumns(IRRewriter &rewriter, const ByteProduct &product,
                        int64_t vectorBits) {
  linalg::GenericOp op = product.getOp();
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  for (AffineExpr expr : product.getColumnsMap().getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (linalg::isParallelIterator(op.getIteratorTypesArray()[loop]))
      sizes[loop] = 1;
  }
  int64_t width = getWidth(product, vectorBits / 32);
  sizes[product.column] = width;
  op->setAttr(kByteMarker, rewriter.getI64IntegerAttr(width));
  for (scf::ForOp loop : tileNest(rewriter, product, sizes))
    (void)peelRemainder(rewriter, loop);
}

void mlir::qdq::tileByteProducts(IRRewriter &rewriter, Operation *root,
                                 int64_t vectorBits) {
  SmallVector<linalg::LinalgOp> named;
  root->walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op.getOperation()) &&
        op.getNumReductionLoops() > 0 && op.getNumDpsInits() == 1 &&
        getElementTypeOrSelf(op.getDpsInits()[0]).isInteger(32))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
  layOutByteProducts(rewriter, root);
  tileTranspositions(rewriter, root);
  auto isProduct = [](linalg::GenericOp op) {
    return ByteProduct::get(op).has_value();
  };
  for (linalg::GenericOp op : collectGenerics(root, isProduct))
    tileColumns(rewriter, *ByteProduct::get(op), vectorBits);
  for (linalg::GenericOp tile : getTiles(root))
    tileRows(rewriter, tile);
}

void mlir::qdq::vectorizeByteTiles(IRRewriter &rewriter, Operation *root,
                                   int64_t vectorBits) {
  /// Tiles of one width that share their columns.
  struct Group {
    ByteProduct first;
    int64_t width;
    SmallVector<linalg::GenericOp> tiles;
  };
  SmallVector<Group> groups;
  for (linalg::GenericOp tile : getTiles(root)) {
    int64_t width = tile->getAttrOfType<IntegerAttr>(kByteMarker).getInt();
    tile->removeAttr(kByteMarker);
    ByteProduct product = *ByteProduct::get(tile);
    if (product.row &&
        ShapedType::isDynamic(tile.getStaticLoopRanges()[*product.row]))
      continue;
    auto *group = llvm::find_if(groups, [&](const Group &other) {
      return other.width == width && other.first.sharesColumns(product);
    });
    if (group == groups.end())
      groups.push_back({product, width, {tile}});
    else
      group->tiles.push_back(tile);
  }
  vectorizeTranspositions(rewriter, root);
  for (const Group &group : groups)
    vectorizeByteProducts(rewriter, group.tiles, vectorBits / 32, group.width);
}
