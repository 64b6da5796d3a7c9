// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that sum products of bytes in blocks.

#include "BlockKernel.h"
#include "../Plan/TileNest.h"
#include "../Vectorize/LaneValue.h"
#include "BlockParameters.h"
#include "ByteTile.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::qdq;

/// Sums side by side, which share the vectors made of the reals: those take
/// more loads than all else.
static constexpr int64_t kColumns = 4;

/// Two values without their offset, times a digit each, have a sum in i16.
static constexpr int64_t kMostValue =
    2 * (BlockProduct::kMostMagnitudes / BlockFloats::kLaneBytes);
static_assert(2 * kMostValue * (1 << (BlockFloats::kDigitBits - 1)) <=
              std::numeric_limits<int16_t>::max());

namespace {
/// The loops over vectors of bytes, which replace a product.
class BlockProductLoops : TileNest {
public:
  BlockProductLoops(ImplicitLocOpBuilder &b, BlockProduct product,
                    BlockFloats &floats);

  /// The sums, added to `result`.
  Value build(Value result);

private:
  Value read(VectorType type, Value source, ValueRange indices);
  Value readReals(Value source, ValueRange inner);
  /// Calls `visit` for each row, with the offsets of its loops set.
  void forEachRow(function_ref<void()> visit, size_t index = 0);

  /// The sums of as many columns from this one on.
  Value buildSums(int64_t numColumns, Value result);
  void forEachColumn(int64_t numColumns, function_ref<void()> visit);
  SmallVector<Value> addVector(ValueRange sums, Value vector);
  void setVector(Value vector);
  Value createTable();
  SmallVector<Value> readCodes();
  Value addProducts(ArrayRef<Value> codes, Value zeroPoint, Value vector);

  BlockProduct product;
  SmallVector<Value> digits;
  /// For each lane: the share of the codes' offset, or the sums of the integers
  /// that zero points multiply, or null; the unit; the sums of the reals that
  /// a bias multiplies, or null.
  Value corrections, units, reals;
};
} // namespace

BlockProductLoops::BlockProductLoops(ImplicitLocOpBuilder &b,
                                     BlockProduct product, BlockFloats &floats)
    : TileNest(b, product.op), product(product), digits(floats.createDigits()),
      units(floats.createLaneUnits(product.exponent)) {
  if (product.zeroPoint)
    corrections = floats.createLaneSums(1);
  else if (product.offset != 0)
    corrections = floats.createLaneSums(product.offset);
  if (product.bias)
    reals = floats.createLaneReals();
}

Value BlockProductLoops::read(VectorType type, Value source,
                              ValueRange indices) {
  Value padding = ub::PoisonOp::create(b, type.getElementType());
  return vector::TransferReadOp::create(
      b, type, source, indices, padding,
      SmallVector<bool>(type.getRank(), true));
}

/// A vector of what was made of the reals, of this row.
Value BlockProductLoops::readReals(Value source, ValueRange inner) {
  AffineMap map = product.op.getMatchingIndexingMap(product.real);
  unsigned numReductions = product.op.getNumLoops() - product.first;
  SmallVector<Value> indices = createIndices(AffineMap::get(
      map.getNumDims(), 0, map.getResults().drop_back(numReductions),
      b.getContext()));
  llvm::append_range(indices, inner);
  auto type = cast<RankedTensorType>(source.getType());
  return read(VectorType::get(type.getShape().back(), type.getElementType()),
              source, indices);
}

void BlockProductLoops::forEachRow(function_ref<void()> visit, size_t index) {
  if (index == product.rows.size())
    return visit();
  unsigned loop = product.rows[index];
  for (int64_t row = 0; row < product.ranges[loop]; ++row) {
    offsets[loop] = b.getIndexAttr(row);
    forEachRow(visit, index + 1);
  }
}

void BlockProductLoops::forEachColumn(int64_t numColumns,
                                      function_ref<void()> visit) {
  if (numColumns == 1)
    return visit();
  OpFoldResult &offset = offsets[*product.column];
  OpFoldResult first = offset;
  for (int64_t column = 0; column < numColumns; ++column) {
    offset = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) + column, first);
    visit();
  }
  offset = first;
}

Value BlockProductLoops::build(Value result) {
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < product.first; ++loop)
    if (!product.isRow(loop) && loop != product.column)
      loops.push_back(loop);
  auto buildColumns = [&](ValueRange carried) -> SmallVector<Value> {
    if (!product.column)
      return {buildSums(1, carried.front())};
    OpFoldResult size = sizes[*product.column];
    OpFoldResult whole = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0).floorDiv(kColumns) * kColumns,
        size);
    OpFoldResult from = b.getIndexAttr(0);
    SmallVector<Value> results(carried);
    for (int64_t step : {kColumns, int64_t(1)}) {
      OpFoldResult to = step == 1 ? size : whole;
      results = createLoop(*product.column, from, to, step, results,
                           [&](ValueRange inner) -> SmallVector<Value> {
                             return {buildSums(step, inner.front())};
                           });
      from = to;
    }
    return results;
  };
  return forEach(loops, result, buildColumns).front();
}

/// Where blocks and bytes of this vector begin.
void BlockProductLoops::setVector(Value vector) {
  const BlockCut &cut = product.cut;
  // Counts the vectors within the loops that are not set yet.
  Value rest = vector;
  auto set = [&](unsigned loop, int64_t step) {
    int64_t count = product.ranges[loop] / step;
    Value index = rest;
    if (count == 1) {
      offsets[loop] = b.getIndexAttr(0);
      return;
    }
    if (loop > product.first) {
      index = arith::RemUIOp::create(b, rest, createIndex(count));
      rest = arith::DivUIOp::create(b, rest, createIndex(count));
    }
    if (step > 1)
      index = arith::MulIOp::create(b, index, createIndex(step));
    offsets[loop] = index;
  };
  set(product.byte, cut.containers);
  for (unsigned loop = product.byte; loop-- > product.first;)
    set(loop, product.getPartCount(loop));
}

/// The values of all codes without their offset.
Value BlockProductLoops::createTable() {
  auto entries = llvm::to_vector_of<int8_t>(product.table);
  auto type = VectorType::get(entries.size(), b.getI8Type());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef(entries)));
}

/// The values of each field, without their offset.
SmallVector<Value> BlockProductLoops::readCodes() {
  const BlockCut &cut = product.cut;
  SmallVector<int64_t> shape{cut.containers};
  if (cut.parts > 1)
    shape.insert(shape.begin(), product.partCounts.begin(),
                 product.partCounts.end());
  Value bytes =
      read(VectorType::get(shape, b.getI8Type()), product.bytes->get(),
           createIndices(product.op.getMatchingIndexingMap(product.bytes)));
  auto type = VectorType::get(cut.getSize(), b.getI8Type());
  bytes = vector::ShapeCastOp::create(b, type, bytes);
  Value mask = createSplat(b, type, (int64_t(1) << product.getWidth()) - 1);
  Value table = product.table.empty() ? Value() : createTable();
  SmallVector<Value> fields;
  for (int64_t amount : product.codes.amounts) {
    Value code = arith::ShRUIOp::create(b, bytes, createSplat(b, type, amount));
    code = arith::AndIOp::create(b, code, mask);
    if (table)
      code = LookupOp::create(b, type, table, code);
    else if (product.flip != 0)
      code = arith::XOrIOp::create(b, code, createSplat(b, type, product.flip));
    fields.push_back(code);
  }
  return fields;
}

/// The products of this row with a vector of codes, less their zero points, in
/// units of the row, exact: digit by digit.
Value BlockProductLoops::addProducts(ArrayRef<Value> codes, Value zeroPoint,
                                     Value vector) {
  auto type = VectorType::get(product.getNumLanes(), b.getI32Type());
  Value total = createSplat(b, type, 0);
  for (auto [i, digit] : llvm::enumerate(digits)) {
    if (i > 0)
      total = arith::ShLIOp::create(
          b, total, createSplat(b, type, BlockFloats::kDigitBits));
    for (auto [field, code] : llvm::enumerate(codes))
      total = addByteProducts(
          b, total, code,
          readReals(digit, {vector, createIndex(field), createIndex(0)}),
          /*fitsI16=*/true);
  }
  if (!corrections)
    return total;
  Value correction = readReals(corrections, {vector, createIndex(0)});
  if (zeroPoint)
    correction = arith::MulIOp::create(b, correction, zeroPoint);
  return arith::AddIOp::create(b, total, correction);
}

/// Adds the products of a vector of codes to the sums of this column, one for
/// each row.
SmallVector<Value> BlockProductLoops::addVector(ValueRange sums, Value vector) {
  auto type = VectorType::get(product.getNumLanes(), b.getF32Type());
  SmallVector<Value> codes = readCodes();
  BlockParameters parameters(*this, product);
  auto createLanes = [&](Value parameter) {
    return parameter ? parameters.createLanes(parameter) : Value();
  };
  Value scale = createLanes(product.scale), bias = createLanes(product.bias);
  Value zeroPoint = createLanes(product.zeroPoint);
  if (zeroPoint) {
    Value offset =
        createSplat(b, cast<VectorType>(zeroPoint.getType()), product.offset);
    zeroPoint = arith::SubIOp::create(b, offset, zeroPoint);
  }
  // An op may be fused with another where its author allows it.
  auto isFused = [](arith::FastMathFlags flags) {
    return flags & arith::FastMathFlags::contract;
  };
  auto multiply = [&](Value lhs, Value rhs) -> Value {
    return arith::MulFOp::create(b, lhs, rhs,
                                 isFused(product.term.getFastmath()));
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return arith::AddFOp::create(b, lhs, rhs,
                                 isFused(product.sum.getFastmath()));
  };
  SmallVector<Value> next;
  forEachRow([&] {
    Value sum = sums[next.size()];
    Value term =
        arith::SIToFPOp::create(b, type, addProducts(codes, zeroPoint, vector));
    // A power of two: nothing is rounded again.
    term = arith::MulFOp::create(b, term,
                                 readReals(units, {vector, createIndex(0)}));
    sum = add(sum, scale ? multiply(term, scale) : term);
    if (bias)
      sum =
          add(sum, multiply(readReals(reals, {vector, createIndex(0)}), bias));
    next.push_back(sum);
  });
  return next;
}

Value BlockProductLoops::buildSums(int64_t numColumns, Value result) {
  auto type = VectorType::get(product.getNumLanes(), b.getF32Type());
  // Start from -0.0, the identity of addition.
  Value none = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, b.getF32FloatAttr(-0.0f)));
  int64_t numRows = 0;
  forEachRow([&] { ++numRows; });
  SmallVector<Value> sums(numColumns * numRows, none);
  auto loop = scf::ForOp::create(b, createIndex(0),
                                 createIndex(product.getNumVectors()),
                                 createIndex(1), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value vector = loop.getInductionVar();
    setVector(vector);
    SmallVector<Value> next;
    forEachColumn(numColumns, [&] {
      ValueRange ofColumn =
          loop.getRegionIterArgs().slice(next.size(), numRows);
      llvm::append_range(next, addVector(ofColumn, vector));
    });
    scf::YieldOp::create(b, next);
  }
  AffineMap map =
      product.op.getMatchingIndexingMap(&product.op.getDpsInitsMutable()[0]);
  unsigned next = 0;
  auto finish = [&] {
    SmallVector<Value> indices = createIndices(map);
    Value start = tensor::ExtractOp::create(b, result, indices);
    Value total = vector::ReductionOp::create(b, vector::CombiningKind::ADD,
                                              loop.getResult(next++), start,
                                              product.sum.getFastmath());
    result = tensor::InsertOp::create(b, total, result, indices);
  };
  forEachColumn(numColumns, [&] { forEachRow(finish); });
  return result;
}

Value mlir::qdq::createBlockProducts(ImplicitLocOpBuilder &b,
                                     const BlockProduct &product,
                                     BlockFloats &floats, Value result) {
  return BlockProductLoops(b, product, floats).build(result);
}
