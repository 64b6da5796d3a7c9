// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums in vectors, a lane for each of their results.

#include "../Analysis/ConstantValue.h"
#include "../Dots/ByteProduct.h"
#include "../Dots/ConstantSlice.h"
#include "../Plan/ConsumerFusion.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/ElementTiles.h"
#include "ResultLanes.h"
#include "SumTiles.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/TensorSlice.h"

using namespace mlir;
using namespace mlir::qdq;

/// Rows of results in a tile of one vector, which share what is the same for
/// all rows.
static constexpr int64_t kTileRows = 4;

/// The same of floats, and the vectors of their tiles, as measured: rows share
/// decoded elements; vectors side by side hide the latency of addition.
static constexpr int64_t kFloatRows = 8;
static constexpr int64_t kFloatVectors = 16;

/// So many rows read columns where they are: more of them repay a copy.
static constexpr int64_t kSharingRows = 16;

/// Vectors of a small op that are in registers at the same time.
static constexpr int64_t kSmallVectors = 16;

/// Open numbers of rows count as few, as one of them would not repay a copy.
static bool hasManyRows(const ResultLanes &sum) {
  linalg::GenericOp op = sum.op;
  int64_t rows = sum.row ? op.getStaticLoopRanges()[*sum.row] : 1;
  return rows > kSharingRows;
}

/// The operands of which all rows of a result read the same lines of lanes, a
/// line for each term.
static SmallVector<OpOperand *> getPanels(const ResultLanes &sum) {
  SmallVector<OpOperand *> panels;
  linalg::GenericOp op = sum.op;
  for (auto [input, stride] :
       llvm::zip_equal(op.getDpsInputOperands(), sum.strides)) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (stride == 1 && map.getNumResults() > 1 &&
        map.isProjectedPermutation() &&
        !(sum.row && map.isFunctionOfDim(*sum.row)))
      panels.push_back(input);
  }
  return panels;
}

/// The rows of a tile of floats, and its sums in vectors of `getByteBits`. Half
/// of the registers hold sums. Few rows wait for lines of memory instead.
static std::pair<int64_t, int64_t>
getFloatShape(const ResultLanes &sum, const VectorizationOptions &options) {
  if (!options.usesByteDots() || (!hasManyRows(sum) && !getPanels(sum).empty()))
    return {kFloatRows, kFloatVectors};
  int64_t vectors = options.registers * options.getByteDotBits() /
                    (2 * options.getByteBits());
  return {std::min(vectors, kFloatRows), vectors};
}

static SmallVector<int64_t> getTileSizes(const ResultLanes &sum,
                                         const VectorizationOptions &options) {
  linalg::GenericOp op = sum.op;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  for (AffineExpr expr : op.getIndexingMapsArray().back().getResults())
    sizes[cast<AffineDimExpr>(expr).getPosition()] = 1;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op.getDpsInits()[0]));
  auto [maxRows, vectors] =
      isFloat ? getFloatShape(sum, options) : std::pair(kTileRows, kTileRows);
  int64_t rows = 1;
  if (sum.row) {
    rows = getEvenPart(ranges[*sum.row], maxRows);
    sizes[*sum.row] = rows;
    if (!ShapedType::isDynamic(ranges[*sum.row]))
      rows = std::min(rows, ranges[*sum.row]);
  }
  sizes[sum.lane] = options.getByteBits() / 32;
  if (isFloat && !ShapedType::isDynamic(ranges[sum.lane]))
    sizes[sum.lane] *=
        getEvenPart(llvm::divideCeil(ranges[sum.lane], sizes[sum.lane]),
                    std::max<int64_t>(vectors / rows, 1));
  return sizes;
}

/// True for panels that cost nothing: constants are laid out with the code.
static bool hasConstantPanels(const ResultLanes &sum, int64_t width) {
  SmallVector<OpOperand *> panels = getPanels(sum);
  return !panels.empty() && llvm::all_of(panels, [&](OpOperand *panel) {
    TypedAttr elements = getShapedConstant(panel->get());
    return elements &&
           cast<ShapedType>(elements.getType()).getShape().back() % width == 0;
  });
}

/// Tiles of one row each, of rows left over whose number is dynamic.
static void tileToRows(TileRewriter &rewriter, linalg::GenericOp tile) {
  std::optional<ResultLanes> lanes = ResultLanes::get(tile);
  if (!lanes || !lanes->row ||
      !ShapedType::isDynamic(tile.getStaticLoopRanges()[*lanes->row]))
    return;
  SmallVector<int64_t> sizes(tile.getNumLoops(), 0);
  sizes[*lanes->row] = 1;
  (void)tileLoops(rewriter, tile, sizes);
}

/// The columns that a tile reads of a constant, as a part of another constant
/// in which they are side by side. Null for what is no constant, or has columns
/// that fill no panel.
static Value createConstantPanel(TileRewriter &rewriter, const ResultLanes &sum,
                                 OpOperand *panel) {
  linalg::GenericOp tile = sum.op;
  ImplicitLocOpBuilder b(tile.getLoc(), rewriter);
  AffineMap map = tile.getMatchingIndexingMap(panel);
  int64_t width = rewriter.getPlan(tile)->columns;
  std::optional<ConstantSlice> slice =
      ConstantSlice::get(b, panel->get(), map, sum.lane, width);
  auto elements =
      slice ? dyn_cast<ElementsAttr>(slice->elements) : ElementsAttr();
  if (!elements || tile.getStaticLoopRanges()[sum.lane] != width)
    return {};
  SmallVector<int64_t> shape(elements.getShapedType().getShape());
  int64_t column = shape.size() - 1;
  if (shape[column] % width != 0)
    return {};
  shape.insert(shape.begin() + column, shape[column] / width);
  shape.back() = width;
  auto split = dyn_cast_or_null<ElementsAttr>(reshapeElements(elements, shape));
  SmallVector<int64_t> order = {column};
  llvm::append_range(order, llvm::seq(column));
  order.push_back(column + 1);
  TypedAttr panels = split ? transposeElements(split, order) : TypedAttr();
  if (!panels)
    return {};
  auto type = cast<RankedTensorType>(panels.getType());
  OpFoldResult at = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0).floorDiv(width), {slice->offset});
  return TensorSlice(b, getAsIndexOpFoldResult(b.getContext(), type.getShape()))
      .cut(0, at, 1)
      .take(arith::ConstantOp::create(b, panels),
            type.clone(type.getShape().drop_front()));
}

/// Copies the panels of a tile: side by side, their lines share pages and
/// spread over all sets of a cache.
static void copyPanels(TileRewriter &rewriter, const ResultLanes &sum,
                       bool laysOutConstants) {
  linalg::GenericOp tile = sum.op;
  Location loc = tile.getLoc();
  rewriter.setInsertionPoint(tile);
  for (OpOperand *panel : getPanels(sum)) {
    Value constant =
        laysOutConstants ? createConstantPanel(rewriter, sum, panel) : Value();
    if (constant) {
      rewriter.modifyOpInPlace(tile, [&] { panel->set(constant); });
      continue;
    }
    auto slice = panel->get().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || !hasManyRows(sum))
      continue;
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, slice),
        slice.getType().getElementType());
    auto copy = linalg::CopyOp::create(rewriter, loc, slice.getResult(), empty);
    rewriter.modifyOpInPlace(tile, [&] { panel->set(copy.getResult(0)); });
  }
}

/// Tiles a sum, with its consumer, to what fits in registers.
static void tileToRegisters(TileRewriter &rewriter, linalg::GenericOp op,
                            ArrayRef<int64_t> sizes) {
  for (scf::ForOp remainder : tileAndPeel(rewriter, op, sizes)) {
    // Rows that are left over have whole vectors, too.
    SmallVector<scf::ForOp> inner;
    remainder.getBody()->walk([&](scf::ForOp own) { inner.push_back(own); });
    for (scf::ForOp own : inner)
      (void)peelRemainder(rewriter, own);
    for (linalg::GenericOp tile :
         rewriter.getTiles(remainder, TileStrategy::ResultLanes))
      tileToRows(rewriter, tile);
  }
}

void mlir::qdq::tileResultLanes(TileRewriter &rewriter, Operation *root,
                                const VectorizationOptions &options) {
  auto isCandidate = [&](linalg::GenericOp op) {
    return ResultLanes::get(op) &&
           !(options.usesByteDots() && ByteProduct::get(op));
  };
  bool laysOutConstants = mayLayOutConstants(root);
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isCandidate)) {
    ResultLanes sum = *ResultLanes::get(op);
    SmallVector<int64_t> sizes = getTileSizes(sum, options);
    bool hasPanels =
        (hasManyRows(sum) && !getPanels(sum).empty()) ||
        (laysOutConstants && hasConstantPanels(sum, sizes[sum.lane]));
    TilePlan plan{TileStrategy::ResultLanes};
    plan.columns = hasPanels ? sizes[sum.lane] : 0;
    rewriter.setPlan(op, plan);
    if (hasPanels)
      tileColumns(rewriter, op, getPanels(sum), sum.lane, plan.columns);
    else
      tileToRegisters(rewriter, op, sizes);
  }
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::ResultLanes)) {
    std::optional<ResultLanes> sum = ResultLanes::get(tile);
    if (!sum || rewriter.getPlan(tile)->columns == 0)
      continue;
    copyPanels(rewriter, *sum, laysOutConstants);
    SmallVector<int64_t> sizes = getTileSizes(*sum, options);
    sizes[sum->lane] = 0;
    tileToRegisters(rewriter, tile, sizes);
  }
}

bool mlir::qdq::planResultLanes(TileRewriter &rewriter, linalg::GenericOp op,
                                int64_t vectorBits) {
  std::optional<ResultLanes> lanes = ResultLanes::get(op);
  if (!lanes || !hasStaticResults(op) || !canTile(op))
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  int64_t others = 1;
  for (unsigned loop : parallel)
    if (loop != lanes->lane)
      others *= ranges[loop];
  rewriter.setPlan(op, {TileStrategy::ResultLanes});
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  sizes[lanes->lane] = std::max<int64_t>(kSmallVectors / others, 1) *
                       std::min<int64_t>(vectorBits, 512) / 32;
  if (sizes[lanes->lane] < ranges[lanes->lane])
    (void)tileLoops(rewriter, op, sizes);
  return true;
}

void mlir::qdq::vectorizeResultLanes(TileRewriter &rewriter, Operation *root,
                                     const VectorizationOptions &options) {
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::ResultLanes)) {
    expandBodyAffine(rewriter, tile);
    std::optional<ResultLanes> lanes = ResultLanes::get(tile);
    if (!lanes || !hasStaticResults(tile))
      continue;
    ImplicitLocOpBuilder b(tile.getLoc(), rewriter);
    b.setInsertionPoint(tile);
    rewriter.replaceOp(tile,
                       createResultLaneTile(b, *lanes, options.getByteBits()));
  }
}
