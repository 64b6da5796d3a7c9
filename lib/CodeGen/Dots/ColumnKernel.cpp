// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that sum products of codes, with a column in each lane.

#include "../Vectorize/LaneValue.h"
#include "BlockBody.h"
#include "BlockKernel.h"
#include "ByteContractions.h"
#include "ConstantSlice.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/Numerics/Scalar.h"
#include <numeric>

using namespace mlir;
using namespace mlir::qdq;

/// Bytes of a column that are read at once, or fewer from a panel: as many
/// words are transposed as a group of 128 bits has.
static constexpr int64_t kChunk = 16, kWords = kChunk / BlockFloats::kLaneBytes;

/// Rows side by side, which share the codes of the columns: all these, and
/// their sums, have room in 16 registers.
static constexpr int64_t kRows = 4;

namespace {
/// The bytes of constant codes, word by word of all columns of a vector.
struct WordPanel {
  /// `[outer..., vectors of columns, blocks..., words, bytes of a vector]`.
  Value bytes;
  /// Of `bytes`, counted within the slice that the op has. Result `column`
  /// counts columns, not vectors.
  AffineMap map;
  unsigned column = 0;
  /// The first column of the slice.
  OpFoldResult offset;
};

class ColumnLoops : BlockLoops {
public:
  ColumnLoops(ImplicitLocOpBuilder &b, const BlockProduct &product,
              int64_t lanes, std::optional<WordPanel> panel);

  std::pair<Value, OpFoldResult> build(Value result);

private:
  VectorType getLanes(Type element) const {
    return VectorType::get(lanes, element);
  }
  VectorType getBytes() const {
    return VectorType::get(lanes * BlockFloats::kLaneBytes, b.getI8Type());
  }
  int64_t getNumChunks() const {
    return product.ranges[product.byte] / chunkSize;
  }
  Value buildSums(int64_t numRows, Value result);
  SmallVector<Value> addBlock(ValueRange sums, Value block);
  void setBlock(Value block);
  Value countInBlock(AffineExpr expr);
  SmallVector<Value> readWords();
  SmallVector<Value> readPanelWords();
  SmallVector<Value> readCodes();
  Value addProducts(Value sums, ArrayRef<Value> codes, Value block);

  int64_t lanes;
  std::optional<WordPanel> panel;
  /// Divides the bytes of a block.
  int64_t chunkSize;
  ColumnConstants constants;
  /// The codes of the reals: i8 `[outer..., chunks, fields, chunkSize]`.
  Value reals;
  /// i32 `[outer..., blocks...]`: the sum of the reals' codes in a block, times
  /// the offset of the weight's, or as it is for zero points and biases; null
  /// if none need it.
  Value realSums;
};
} // namespace

/// The sums of the reals' codes in each block, times `factor`.
static Value sumBlocks(ImplicitLocOpBuilder &b, const BlockProduct &product,
                       int64_t factor) {
  Value codes = product.real->get();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), codes);
  unsigned rank = sizes.size(), numInner = product.getNumInner();
  sizes.truncate(rank - numInner);
  Value init = tensor::EmptyOp::create(b, sizes, b.getI32Type());
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  init = linalg::FillOp::create(b, zero, init).getResult(0);
  auto outer = AffineMap::getFilteredIdentityMap(
      b.getContext(), rank,
      [&](AffineDimExpr dim) { return dim.getPosition() < rank - numInner; });
  auto add = [&](ImplicitLocOpBuilder &body, ValueRange x) -> Value {
    Scalar term = Scalar(body, x[0]).to(body.getI32Type());
    return Scalar(body, x[1]) + (factor == 1 ? term : term * factor);
  };
  return buildGeneric(b, codes, init, {b.getMultiDimIdentityMap(rank), outer},
                      add)
      .getResult(0);
}

ColumnLoops::ColumnLoops(ImplicitLocOpBuilder &b, const BlockProduct &product,
                         int64_t lanes, std::optional<WordPanel> panel)
    : BlockLoops(b, product), lanes(lanes), panel(panel),
      chunkSize(panel ? std::gcd(kChunk, product.ranges[product.byte])
                      : kChunk),
      constants(*this, product) {
  reals = product.createFloats(b, {1, chunkSize}).createDigits().front();
  bool isFactor = !product.zeroPoint && !product.bias;
  if (!isFactor || product.offset != 0)
    realSums = sumBlocks(b, product, isFactor ? product.offset : 1);
}

std::pair<Value, OpFoldResult> ColumnLoops::build(Value result) {
  OpFoldResult whole = roundDown(sizes[*product.column], lanes);
  auto inColumns = [&](ValueRange carried, Body body) {
    return createLoop(*product.column, b.getIndexAttr(0), whole, lanes, carried,
                      body);
  };
  auto build = [&](int64_t numRows, Value inner) {
    return buildSums(numRows, inner);
  };
  return {addSums(result, kRows, inColumns, build), whole};
}

void ColumnLoops::setBlock(Value block) {
  offsets[product.byte] = b.getIndexAttr(0);
  ArrayRef<int64_t> counts =
      ArrayRef(product.ranges)
          .slice(product.first, product.byte - product.first);
  llvm::copy(delinearize(block, counts), offsets.begin() + product.first);
}

/// `expr` of the first byte of the chunk.
Value ColumnLoops::countInBlock(AffineExpr expr) {
  return createIndex(affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), expr, {offsets[product.byte]}));
}

SmallVector<Value> ColumnLoops::readPanelWords() {
  SmallVector<Value> indices = createIndices(panel->map);
  AffineExpr sum = b.getAffineDimExpr(0) + b.getAffineDimExpr(1);
  indices[panel->column] = createIndex(affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), sum.floorDiv(lanes),
      {indices[panel->column], panel->offset}));
  indices.append(2, createIndex(0));
  SmallVector<Value> words;
  int64_t numWords = chunkSize / BlockFloats::kLaneBytes;
  for (int64_t word = 0; word < numWords; ++word) {
    indices.end()[-2] = countInBlock(
        b.getAffineDimExpr(0).floorDiv(BlockFloats::kLaneBytes) + word);
    words.push_back(read(getBytes(), panel->bytes, indices));
  }
  return words;
}

/// The words of a chunk, of all columns.
SmallVector<Value> ColumnLoops::readWords() {
  if (panel)
    return readPanelWords();
  auto bytes = VectorType::get(kChunk, b.getI8Type());
  auto words = VectorType::get(kWords, b.getI32Type());
  SmallVector<Value> columns;
  forEachOf(product.column, lanes, [&] {
    columns.push_back(vector::BitCastOp::create(
        b, words,
        read(bytes, product.bytes->get(), createIndices(*product.bytes))));
  });
  // Columns i, i + 4, i + 8 and so on, one after the other.
  SmallVector<Value> lines;
  int64_t numGroups = lanes / kWords;
  auto join = [&](auto &&self, int64_t first, int64_t count) -> Value {
    if (count == 1)
      return columns[first];
    Value low = self(self, first, count / 2);
    Value high = self(self, first + count / 2 * kWords, count / 2);
    return vector::ShuffleOp::create(
        b, low, high, llvm::to_vector(llvm::seq<int64_t>(count * kWords)));
  };
  for (int64_t column = 0; column < kWords; ++column)
    lines.push_back(join(join, column, numGroups));
  // In each group of 128 bits, a square of words.
  auto interleave = [&](Value x, Value y, ArrayRef<int64_t> inGroup) -> Value {
    SmallVector<int64_t> order;
    for (int64_t group = 0; group < numGroups; ++group)
      for (int64_t lane : inGroup)
        order.push_back(group * kWords +
                        (lane < kWords ? lane : lane - kWords + lanes));
    return vector::ShuffleOp::create(b, x, y, order);
  };
  Value low01 = interleave(lines[0], lines[1], {0, 4, 1, 5}),
        high01 = interleave(lines[0], lines[1], {2, 6, 3, 7}),
        low23 = interleave(lines[2], lines[3], {0, 4, 1, 5}),
        high23 = interleave(lines[2], lines[3], {2, 6, 3, 7});
  return {interleave(low01, low23, {0, 1, 4, 5}),
          interleave(low01, low23, {2, 3, 6, 7}),
          interleave(high01, high23, {0, 1, 4, 5}),
          interleave(high01, high23, {2, 3, 6, 7})};
}

/// The values of a chunk, without their offset: of words and fields.
SmallVector<Value> ColumnLoops::readCodes() {
  SmallVector<Value> codes;
  for (Value word : readWords()) {
    Value bytes = vector::BitCastOp::create(b, getBytes(), word);
    llvm::append_range(codes, createValues(b, product, bytes));
  }
  return codes;
}

/// Adds the products of this row with the codes of a chunk.
Value ColumnLoops::addProducts(Value sums, ArrayRef<Value> codes, Value block) {
  SmallVector<Value> factors;
  int64_t numFields = product.getNumFields(),
          numWords = codes.size() / numFields;
  SmallVector<Value> indices =
      createRealIndices(op.getNumLoops() - product.first);
  indices.push_back(arith::AddIOp::create(
      b, arith::MulIOp::create(b, block, createIndex(getNumChunks())),
      countInBlock(b.getAffineDimExpr(0).floorDiv(chunkSize))));
  indices.append(2, Value());
  for (int64_t word = 0; word < numWords; ++word)
    for (int64_t field = 0; field < numFields; ++field) {
      indices.end()[-2] = createIndex(field);
      indices.end()[-1] = createIndex(word * BlockFloats::kLaneBytes);
      Value four = read(VectorType::get(BlockFloats::kLaneBytes, b.getI8Type()),
                        reals, indices);
      four = vector::BitCastOp::create(b, VectorType::get(1, b.getI32Type()),
                                       four);
      four = vector::BroadcastOp::create(b, getLanes(b.getI32Type()), four);
      factors.push_back(vector::BitCastOp::create(b, getBytes(), four));
    }
  return addCodeProducts(b, sums, codes, factors, product.range);
}

/// Adds the products of a block to the sums, one for each row.
SmallVector<Value> ColumnLoops::addBlock(ValueRange sums, Value block) {
  setBlock(block);
  VectorType words = getLanes(b.getI32Type());
  // Chunk by chunk: the codes of all do not fit in registers.
  SmallVector<Value> none(sums.size(), createNumber(b, words, 0));
  SmallVector<Value> totals =
      createLoop(product.byte, chunkSize, none, [&](ValueRange carried) {
        SmallVector<Value> codes = readCodes(), next;
        forEachOf(product.row, sums.size(), [&] {
          next.push_back(addProducts(carried[next.size()], codes, block));
        });
        return next;
      });
  BlockBody parameters(*this, product, constants, lanes);
  auto compute = [&](Value parameter) {
    return parameter ? parameters.compute(parameter) : Value();
  };
  Value scale = compute(product.scale), bias = compute(product.bias);
  Value zeroPoint = compute(product.zeroPoint);
  Value offset = createNumber(b, words, product.offset);
  if (zeroPoint)
    zeroPoint = arith::SubIOp::create(b, offset, zeroPoint);
  SmallVector<Value> next;
  forEachOf(product.row, sums.size(), [&] {
    BlockTerm term{totals[next.size()]};
    term.scale = scale;
    if (product.realScale)
      term.realScale = BlockBody(*this, product, constants, lanes)
                           .compute(product.realScale);
    Value ofReals;
    if (realSums) {
      ofReals = tensor::ExtractOp::create(
          b, realSums, createRealIndices(product.getNumInner()));
      ofReals = vector::BroadcastOp::create(b, words, ofReals);
    }
    Value correction = ofReals;
    if (zeroPoint)
      correction = arith::MulIOp::create(b, ofReals, zeroPoint);
    else if (bias && product.offset != 0)
      correction = arith::MulIOp::create(b, ofReals, offset);
    else if (bias)
      correction = {};
    if (correction)
      term.sums = arith::AddIOp::create(b, term.sums, correction);
    Value sum = addTerm(b, product, sums[next.size()], term);
    if (bias)
      sum =
          addBias(b, product, sum,
                  arith::SIToFPOp::create(b, getLanes(b.getF32Type()), ofReals),
                  term.realScale, bias);
    next.push_back(sum);
  });
  return next;
}

Value ColumnLoops::buildSums(int64_t numRows, Value result) {
  VectorType type = getLanes(b.getF32Type());
  // Start from -0.0, the identity of addition.
  Value none = createNumber(b, type, -0.0);
  int64_t numBlocks =
      llvm::product_of(ArrayRef(product.ranges)
                           .slice(product.first, product.byte - product.first));
  SmallVector<Value> sums = countUp(
      b.getIndexAttr(0), b.getIndexAttr(numBlocks), 1,
      SmallVector<Value>(numRows, none), [&](Value block, ValueRange carried) {
        return addBlock(carried, block);
      });
  auto *next = sums.begin();
  forEachOf(product.row, numRows, [&] {
    SmallVector<Value> indices = createIndices(op.getDpsInitsMutable()[0]);
    Value start = read(type, result, indices);
    Value total =
        arith::AddFOp::create(b, start, *next++, product.sum.getFastmathAttr());
    result = write(total, result, indices);
  });
  return result;
}

/// Nothing where codes are no constant, or columns do not fill vectors.
static std::optional<WordPanel> createPanel(ImplicitLocOpBuilder &b,
                                            const BlockProduct &product,
                                            int64_t lanes) {
  linalg::GenericOp op = product.op;
  AffineMap map = op.getMatchingIndexingMap(product.bytes);
  auto slice =
      ConstantSlice::get(b, product.bytes->get(), map, *product.column, lanes);
  if (!slice)
    return std::nullopt;
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(slice->elements.getType()).getShape();
  unsigned column = *map.getResultPosition(b.getAffineDimExpr(*product.column));
  if (sizes[column] % lanes != 0)
    return std::nullopt;
  // Columns of a vector behind the words of a block, which end the map.
  SmallVector<int64_t> split, order;
  for (auto [dim, size] : llvm::enumerate(sizes.drop_back())) {
    order.push_back(split.size());
    if (dim == column)
      split.append({size / lanes, lanes});
    else
      split.push_back(size);
  }
  int64_t words = sizes.back() / BlockFloats::kLaneBytes, inner = split.size();
  split.append({words, BlockFloats::kLaneBytes});
  order.append({inner, column + 1, inner + 1});
  auto elements = cast_if_present<ElementsAttr>(
      reshapeElements(cast<ElementsAttr>(slice->elements), split));
  if (elements)
    elements =
        cast_if_present<ElementsAttr>(transposeElements(elements, order));
  if (!elements)
    return std::nullopt;
  SmallVector<int64_t> shape = applyPermutation(split, order);
  shape.pop_back();
  shape.back() *= BlockFloats::kLaneBytes;
  Value bytes = arith::ConstantOp::create(b, reshapeElements(elements, shape));
  return WordPanel{bytes, map.dropResult(map.getNumResults() - 1), column,
                   slice->offset};
}

std::pair<Value, OpFoldResult>
mlir::qdq::createColumnProducts(ImplicitLocOpBuilder &b,
                                const BlockProduct &product, int64_t lanes,
                                Value result) {
  linalg::GenericOp op = product.op;
  int64_t bytes = product.ranges[product.byte];
  AffineMap map = op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0]);
  bool fits = product.bytes && product.column &&
              bytes % BlockFloats::kLaneBytes == 0 && map.getNumResults() > 0 &&
              map.getDimPosition(map.getNumResults() - 1) == *product.column;
  if (!fits)
    return {result, b.getIndexAttr(0)};
  std::optional<WordPanel> panel = createPanel(b, product, lanes);
  // To transpose codes for a single row takes longer than sums along blocks.
  if (!panel && (!product.row || bytes % kChunk != 0))
    return {result, b.getIndexAttr(0)};
  return ColumnLoops(b, product, lanes, panel).build(result);
}
