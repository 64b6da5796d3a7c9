// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant columns, laid out in fours when the code is made.

#include "BytePanel.h"
#include "ConstantSlice.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/TensorSlice.h"

using namespace mlir;
using namespace mlir::qdq;

/// The data of a constant, a byte each, or of one that is the same everywhere.
static std::optional<ArrayRef<char>> getConstantBytes(TypedAttr elements) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.getRawData();
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  return resource ? qdq::getBytes(resource) : std::nullopt;
}

namespace {
/// A constant as panels of `width` columns, and the sums of its columns.
class PanelData {
public:
  PanelData(const ByteTile &tile, ShapedType type, ArrayRef<char> elements,
            int64_t width);

  /// Takes rests off the bytes, where vpmaddubsw gains by it.
  void split(const ByteTile &tile);

  RankedTensorType panelType, sumsType;
  SmallVector<char> bytes;
  SmallVector<int32_t> sums;
  std::optional<PairRests> rests;
};
} // namespace

PanelData::PanelData(const ByteTile &tile, ShapedType type,
                     ArrayRef<char> elements, int64_t width) {
  // How far the elements of a loop are apart in the constant, and how many.
  SmallVector<int64_t> strides(tile.sizes.size(), 0), sizes(strides);
  int64_t stride = 1;
  for (auto [expr, size] : llvm::reverse(llvm::zip_equal(
           tile.product.getColumnsMap().getResults(), type.getShape()))) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    sizes[loop] = size;
    strides[loop] = stride;
    stride *= size;
  }
  // The starts of the columns that the outer reductions tell apart.
  SmallVector<int64_t> starts = {0}, shape;
  for (unsigned loop : getPanelLoops(tile)) {
    shape.push_back(sizes[loop]);
    SmallVector<int64_t> next;
    for (int64_t start : starts)
      for (int64_t i = 0; i < sizes[loop]; ++i)
        next.push_back(start + i * strides[loop]);
    starts = next;
  }
  unsigned depth = tile.product.depth, column = tile.product.column;
  int64_t panels = llvm::divideCeil(sizes[column], width);
  int64_t fours = llvm::divideCeil(sizes[depth], 4);
  bytes.assign(panels * starts.size() * fours * 4 * width, 0);
  sums.assign(panels * width, 0);
  char *next = bytes.data();
  for (int64_t panel = 0; panel < panels; ++panel)
    for (int64_t start : starts)
      for (int64_t first = 0; first < 4 * fours; first += 4)
        for (int64_t at = panel * width; at < (panel + 1) * width; ++at)
          for (int64_t factor = first; factor < first + 4; ++factor, ++next) {
            if (at >= sizes[column] || factor >= sizes[depth])
              continue;
            int64_t from =
                start + factor * strides[depth] + at * strides[column];
            *next = elements[elements.size() == 1 ? 0 : from];
            sums[at] += tile.product.isColumnsSigned
                            ? static_cast<int8_t>(*next)
                            : static_cast<uint8_t>(*next);
          }
  shape.insert(shape.begin(), panels);
  shape.append({fours, width / tile.lanes, 4 * tile.lanes});
  panelType = RankedTensorType::get(shape, tile.b.getI8Type());
  sumsType = RankedTensorType::get({panels, width}, tile.b.getI32Type());
}

void PanelData::split(const ByteTile &tile) {
  // Factors of rows are unsigned and reach 255, and rests are added once.
  if (!tile.product.isColumnsSigned ||
      getPanelLoops(tile).size() != tile.getOuterReductions().size())
    return;
  // The tail of a depth is no part of a group.
  std::optional<int64_t> depth = tile.getStaticSize(tile.product.depth);
  int64_t fours = depth && *depth % 4 == 0 ? *depth / 4 : 1;
  rests = splitPairs(bytes, panelType.getDimSize(0), 4 * sumsType.getDimSize(1),
                     fours);
}

/// The rests of the panel at `index`.
static BytePanel::Rests createRests(ByteTile &tile, const PanelData &data,
                                    Value index) {
  ImplicitLocOpBuilder &b = tile.b;
  const PairRests &rests = *data.rests;
  ArrayRef<int64_t> shape = data.panelType.getShape();
  int64_t count = rests.fours.size();
  SmallVector<int64_t> positions;
  ArrayRef<int64_t> sizes = shape.drop_front().drop_back(2);
  SmallVector<int64_t> strides = computeStrides(sizes);
  for (int64_t four : rests.fours) {
    llvm::append_range(positions, delinearize(four, strides));
    positions.back() *= 4;
  }
  auto createConstant = [&](ArrayRef<int64_t> shape,
                            ArrayRef<int64_t> values) -> Value {
    auto type = RankedTensorType::get(shape, b.getIndexType());
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, values));
  };
  auto bytes = RankedTensorType::get(
      {count, shape.take_back(2)[0], shape.back()}, b.getI8Type());
  Value starts = createConstant(int64_t(rests.starts.size()), rests.starts);
  Value next = arith::AddIOp::create(b, index, tile.createIndex(1));
  return {arith::ConstantOp::create(
              b, DenseElementsAttr::getFromRawBuffer(bytes, rests.bytes)),
          createConstant({count, int64_t(sizes.size())}, positions),
          tensor::ExtractOp::create(b, starts, index),
          tensor::ExtractOp::create(b, starts, next)};
}

std::optional<BytePanel> mlir::qdq::getConstantPanel(ByteTile &tile,
                                                     int64_t width) {
  ImplicitLocOpBuilder &b = tile.b;
  auto slice = ConstantSlice::get(b, tile.product.columns->get(),
                                  tile.product.getColumnsMap(),
                                  tile.product.column, width);
  auto elements = slice ? getConstantBytes(slice->elements) : std::nullopt;
  if (!elements)
    return std::nullopt;
  PanelData data(tile, cast<ShapedType>(slice->elements.getType()), *elements,
                 width);
  if (tile.dots == ByteDots::X86Pairs)
    data.split(tile);
  Value panels = arith::ConstantOp::create(
      b, DenseElementsAttr::getFromRawBuffer(data.panelType, data.bytes));
  OpFoldResult index = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0).floorDiv(width), {slice->offset});

  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), data.panelType.getShape());
  auto type = RankedTensorType::get(data.panelType.getShape().drop_front(),
                                    b.getI8Type());
  BytePanel panel;
  panel.bytes = TensorSlice(b, sizes).cut(0, index, 1).take(panels, type);
  panel.group = data.rests ? data.rests->group : 0;
  if (data.rests && !data.rests->fours.empty())
    panel.rests = createRests(tile, data, tile.createIndex(index));
  if (!tile.movesRows())
    return panel;
  Value sums = arith::ConstantOp::create(
      b, DenseElementsAttr::get(data.sumsType, ArrayRef(data.sums)));
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  for (int64_t i = 0; i < tile.getNumVectors(); ++i)
    panel.sums.push_back(vector::TransferReadOp::create(
        b, tile.getWords(), sums,
        ValueRange{tile.createIndex(index),
                   arith::ConstantIndexOp::create(b, i * tile.lanes)},
        zero, ArrayRef(true)));
  return panel;
}
