// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pixels of few channels, multiplied as one line.

#include "../Plan/Tiles.h"
#include "ByteLayouts.h"
#include "ByteProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/TensorSlice.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// The line of a window: the loops over its pixels and over their channels.
struct WindowLine {
  ByteProduct product;
  unsigned pixel, channel;
  /// Where the pixels are in the columns. The channels follow.
  unsigned dim;
  /// The first pixel of the window in a line of the rows.
  AffineExpr first;
  /// Factors of the line, and these in whole fours.
  int64_t factors, padded;
};
} // namespace

/// The largest value of an expression that grows with all loops.
static std::optional<int64_t> getLargest(AffineExpr expr,
                                         ArrayRef<int64_t> ranges) {
  MLIRContext *context = expr.getContext();
  auto last = llvm::map_to_vector(ranges, [&](int64_t range) {
    return getAffineConstantExpr(range - 1, context);
  });
  auto constant = dyn_cast<AffineConstantExpr>(expr.replaceDims(last));
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

static std::optional<WindowLine> getLine(linalg::GenericOp op) {
  std::optional<ByteProduct> product =
      ByteProduct::get(op, /*acceptsWindows=*/false);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!product || llvm::any_of(ranges, ShapedType::isDynamic) ||
      ranges[product->depth] % 4 == 0 || !hasLinearIndices(op))
    return std::nullopt;
  ArrayRef<AffineExpr> rows = product->getRowsMap().getResults();
  ArrayRef<AffineExpr> columns = product->getColumnsMap().getResults();
  auto depth = llvm::find(columns, rows.back());
  if (rows.size() < 2 || depth == columns.begin())
    return std::nullopt;
  WindowLine line;
  line.product = *product;
  line.channel = product->depth;
  line.pixel = cast<AffineDimExpr>(*std::prev(depth)).getPosition();
  line.dim = std::distance(columns.begin(), depth) - 1;
  // The window steps by one pixel, along a line of whole pixels.
  AffineExpr pixel = *std::prev(depth);
  line.first = rows[rows.size() - 2].replace(
      pixel, getAffineConstantExpr(0, op.getContext()));
  bool isWindow = isReductionLoop(op, line.pixel) &&
                  rows[rows.size() - 2] == line.first + pixel &&
                  llvm::none_of(rows.drop_back(2), [&](AffineExpr expr) {
                    return expr.isFunctionOfDim(line.pixel);
                  });
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(product->rows->get().getType()).getShape();
  int64_t channels = ranges[line.channel];
  line.factors = ranges[line.pixel] * channels;
  line.padded = llvm::alignTo(line.factors, 4);
  std::optional<int64_t> last = getLargest(line.first, ranges);
  if (!isWindow || line.first.isFunctionOfDim(line.channel) ||
      shape.back() != channels || !last ||
      *last * channels + line.padded > shape[shape.size() - 2] * channels)
    return std::nullopt;
  return line;
}

/// The constant with its lines as one dimension each, of whole fours. Null if
/// its elements cannot be read.
static TypedAttr mergeColumns(const WindowLine &line) {
  auto elements = ConstantElements::get(line.product.columns->get());
  if (!elements)
    return {};
  auto type = cast<RankedTensorType>(line.product.columns->get().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + line.dim);
  shape[line.dim] = line.padded;
  int64_t inner = llvm::product_of(ArrayRef(shape).drop_front(line.dim + 1));
  SmallVector<char> bytes;
  elements->forEachInteger([&](int64_t value) {
    bytes.push_back(value);
    if (bytes.size() % (line.padded * inner) == size_t(line.factors * inner))
      bytes.append((line.padded - line.factors) * inner, 0);
  });
  return DenseElementsAttr::getFromRawBuffer(type.clone(shape), bytes);
}

static void merge(IRRewriter &rewriter, const WindowLine &line) {
  linalg::GenericOp op = line.product.getOp();
  TypedAttr columns = mergeColumns(line);
  if (!columns)
    return;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inputs = op.getDpsInputs();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned rowsAt = line.product.rows->getOperandNumber();
  unsigned columnsAt = line.product.columns->getOperandNumber();
  AffineExpr channel = getAffineDimExpr(line.channel, rewriter.getContext());

  auto exprs = llvm::to_vector(maps[rowsAt].getResults().drop_back(2));
  exprs.push_back(line.first * op.getStaticLoopRanges()[line.channel] +
                  channel);
  inputs[rowsAt] = tensor::CollapseShapeOp::create(
      rewriter, loc, inputs[rowsAt],
      groupDims(exprs.size() + 1, exprs.size() - 1, 2));
  maps[rowsAt] =
      AffineMap::get(op.getNumLoops(), 0, exprs, rewriter.getContext());
  inputs[columnsAt] = arith::ConstantOp::create(rewriter, loc, columns);
  maps[columnsAt] = maps[columnsAt].dropResult(line.dim);

  // Nothing reads the loop over the pixels any more.
  llvm::SmallBitVector dropped(op.getNumLoops());
  dropped.set(line.pixel);
  for (AffineMap &map : maps)
    map = projectDims(map, dropped, /*compressDimsFlag=*/true);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.erase(iterators.begin() + line.pixel);
  linalg::GenericOp merged =
      rebuildGeneric(rewriter, op, inputs, op.getDpsInits(), maps, iterators);
  rewriter.replaceOp(op, merged);
}

void mlir::qdq::mergeWindows(IRRewriter &rewriter, Operation *root) {
  auto isWindow = [](linalg::GenericOp op) { return getLine(op).has_value(); };
  for (linalg::GenericOp op : collectGenerics(root, isWindow))
    merge(rewriter, *getLine(op));
}
