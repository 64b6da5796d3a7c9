// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products of bytes, tiled: a panel of columns, and rows that share it.

#include "../Plan/ConsumerFusion.h"
#include "../Plan/Tiles.h"
#include "ByteProduct.h"
#include "ByteTile.h"
#include "DotTiles.h"
#include "TileProduct.h"
#include "Transposition.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// Vectors of columns, and rows, of which a tile keeps the sums in registers,
/// as measured. Tiles of few rows have more columns, up to so many sums,
/// because one read covers columns side by side.
struct TileShape {
  int64_t columnVectors, rows, sums;
};
} // namespace

static TileShape getTileShape(const ByteProduct &product,
                              const VectorizationOptions &options) {
  if (chooseDots(product, options) == ByteDots::X86AMX)
    return {TileProduct::kMostVectors, TileProduct::kMostRows,
            TileProduct::kMostVectors};
  if (options.registers >= 32)
    return {4, 6, 16};
  // Pairs need registers for the columns of two fours, and for ones.
  return {2, options.byteDots == ByteDots::X86Pairs ? 3 : 4, 8};
}

/// Fewer rows read their columns too often.
static constexpr int64_t kFewRows = 3;

/// The rows of a tile: if none divide them, so many that the last tile has
/// nearly as many.
static int64_t getRows(const ByteProduct &product,
                       const VectorizationOptions &options) {
  int64_t rows = product.getOp().getStaticLoopRanges()[*product.row];
  if (chooseDots(product, options) == ByteDots::X86AMX)
    return TileProduct::getRows(rows);
  int64_t most = getTileShape(product, options).rows;
  int64_t part = getEvenPart(rows, most);
  if (ShapedType::isDynamic(rows) || (rows % part == 0 && part >= kFewRows))
    return part;
  return llvm::divideCeil(rows, llvm::divideCeil(rows, most));
}

static void tileRows(TileRewriter &rewriter, linalg::GenericOp tile) {
  std::optional<ByteProduct> product = ByteProduct::get(tile);
  SmallVector<int64_t> ranges = tile.getStaticLoopRanges();
  SmallVector<int64_t> sizes(tile.getNumLoops(), 0);
  for (AffineExpr expr : product->getResultMap().getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (loop != product->column)
      sizes[loop] = loop == product->row ? rewriter.getPlan(tile)->rows : 1;
  }
  SmallVector<int64_t> one(tile.getNumLoops(), 0);
  SmallVector<scf::ForOp> remainders = tileAndPeel(rewriter, tile, sizes);
  if (!product->row || !ShapedType::isDynamic(ranges[*product->row]))
    return;
  one[*product->row] = 1;
  for (scf::ForOp remainder : remainders)
    for (linalg::GenericOp rest :
         rewriter.getTiles(remainder, TileStrategy::ByteProduct))
      tileAndPeel(rewriter, rest, one);
}

/// The columns of a tile, in whole vectors. Sums of the columns themselves are
/// one row more.
static int64_t getWidth(const ByteProduct &product,
                        const VectorizationOptions &options) {
  TileShape shape = getTileShape(product, options);
  int64_t lanes = options.getByteDotBits() / 32;
  SmallVector<int64_t> ranges = product.getOp().getStaticLoopRanges();
  int64_t rows = product.row ? ranges[*product.row] : 1;
  int64_t columns = ranges[product.column];
  // The remainder of wide tiles needs a known width.
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(columns))
    return shape.columnVectors * lanes;
  if (product.movesRows(chooseDots(product, options)) &&
      !matchPattern(product.columns->get(), m_Constant()))
    ++rows;
  // A power of two, so that tiles begin where parts for threads do.
  int64_t vectors =
      std::max(shape.columnVectors,
               int64_t(llvm::bit_floor(uint64_t(shape.sums / rows))));
  return lanes * std::min(vectors, llvm::divideCeilSigned(columns, lanes));
}

static void tileProduct(TileRewriter &rewriter, const ByteProduct &product,
                        const VectorizationOptions &options) {
  linalg::GenericOp op = product.getOp();
  TilePlan plan{TileStrategy::ByteProduct};
  plan.columns = getWidth(product, options);
  if (product.row)
    plan.rows = getRows(product, options);
  rewriter.setPlan(op, plan);
  tileColumns(rewriter, op, product.columns, product.column, plan.columns);
}

void mlir::qdq::tileByteProducts(TileRewriter &rewriter, Operation *root,
                                 const VectorizationOptions &options) {
  if (!options.usesByteDots())
    return;
  tileTranspositions(rewriter, root);
  auto isProduct = [](linalg::GenericOp op) {
    return ByteProduct::get(op).has_value();
  };
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isProduct))
    tileProduct(rewriter, *ByteProduct::get(op), options);
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::ByteProduct))
    tileRows(rewriter, tile);
}

/// The slice of which `value` is a slice that takes all of it, as tiles with a
/// user have of the columns of a dynamic depth.
static Value skipWholeSlices(Value value) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  auto source = slice
                    ? slice.getSource().getDefiningOp<tensor::ExtractSliceOp>()
                    : tensor::ExtractSliceOp();
  bool isWhole = source && slice.getType() == source.getType() &&
                 slice.hasUnitStride() && slice.hasZeroOffset() &&
                 slice.getMixedSizes() == source.getMixedSizes();
  return isWhole ? skipWholeSlices(source) : value;
}

void mlir::qdq::vectorizeByteTiles(TileRewriter &rewriter, Operation *root,
                                   const VectorizationOptions &options) {
  /// Tiles of one width that share their columns.
  struct Group {
    ByteProduct first;
    int64_t width;
    SmallVector<linalg::GenericOp> tiles;
  };
  SmallVector<Group> groups;
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::ByteProduct)) {
    int64_t width = rewriter.getPlan(tile)->columns;
    // Folding may have found that there is nothing to multiply.
    std::optional<ByteProduct> product = ByteProduct::get(tile);
    if (!product ||
        (product->row &&
         ShapedType::isDynamic(tile.getStaticLoopRanges()[*product->row])))
      continue;
    rewriter.modifyOpInPlace(tile, [&] {
      product->columns->set(skipWholeSlices(product->columns->get()));
    });
    auto *group = llvm::find_if(groups, [&](const Group &other) {
      return other.width == width && other.first.sharesColumns(*product);
    });
    if (group == groups.end())
      groups.push_back({*product, width, {tile}});
    else
      group->tiles.push_back(tile);
  }
  vectorizeTranspositions(rewriter, root);
  for (const Group &group : groups)
    vectorizeByteProducts(rewriter, group.tiles, group.width, options);
}
