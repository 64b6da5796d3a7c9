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
#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;

/// Sums side by side, which share the vectors made of the reals: those take
/// more loads than all else.
static constexpr int64_t kColumns = 4;

/// Rows side by side, which share the vectors of codes. With more, sums of all
/// columns do not fit in 16 registers.
static constexpr int64_t kBlockRows = 2;

/// The values of all codes without their offset.
static Value createTable(ImplicitLocOpBuilder &b, const BlockProduct &product) {
  auto entries = llvm::to_vector_of<int8_t>(product.table);
  auto type = VectorType::get(entries.size(), b.getI8Type());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef(entries)));
}

SmallVector<Value> mlir::qdq::createValues(ImplicitLocOpBuilder &b,
                                           const BlockProduct &product,
                                           Value bytes) {
  auto type = cast<VectorType>(bytes.getType());
  Value mask = createSplat(b, type, (int64_t(1) << product.width) - 1);
  Value table = product.table.empty() ? Value() : createTable(b, product);
  SmallVector<Value> fields;
  for (int64_t amount : product.amounts) {
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

Value mlir::qdq::addTerm(ImplicitLocOpBuilder &b, const BlockProduct &product,
                         Value sum, const BlockTerm &term) {
  auto type = cast<VectorType>(sum.getType());
  // An op may be fused with another where its author allows it.
  auto isFused = [](auto op) {
    return op.getFastmath() & arith::FastMathFlags::contract;
  };
  auto multiply = [&](Value lhs, Value rhs) -> Value {
    return rhs ? arith::MulFOp::create(b, lhs, rhs, isFused(product.term))
                     .getResult()
               : lhs;
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return arith::AddFOp::create(b, lhs, rhs, isFused(product.sum));
  };
  Value real = arith::SIToFPOp::create(b, type, term.sums);
  Value unit = term.unit;
  if (!unit && product.exponent != 0)
    unit = arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               type, b.getF32FloatAttr(std::ldexp(1.0f, -product.exponent))));
  // A power of two: nothing is rounded again.
  if (unit)
    real = arith::MulFOp::create(b, real, unit);
  real = multiply(real, term.realScale);
  sum = add(sum, multiply(real, term.scale));
  if (term.bias)
    sum = add(sum, multiply(multiply(term.real, term.realScale), term.bias));
  return sum;
}

namespace {
/// The loops over vectors of bytes, which replace a product.
class BlockProductLoops : TileNest {
public:
  BlockProductLoops(ImplicitLocOpBuilder &b, BlockProduct product,
                    BlockFloats &floats);

  /// The sums from this column on, added to `result`.
  Value build(Value result, OpFoldResult firstColumn);

private:
  Value readReals(Value source, ValueRange inner);
  /// The sums of as many columns and rows from these on.
  Value buildSums(int64_t numColumns, int64_t numRows, Value result);
  SmallVector<Value> addVector(ValueRange sums, Value vector, int64_t numRows);
  void setVector(Value vector);
  SmallVector<Value> readCodes();
  Value addProducts(ArrayRef<Value> codes, Value zeroPoint, Value vector);

  BlockProduct product;
  /// The innermost loop over more rows than one.
  std::optional<unsigned> row;
  SmallVector<Value> digits;
  /// For each lane: the share of the codes' offset, or the sums of the integers
  /// that zero points multiply, or null; the unit, null for codes; the sums of
  /// the reals that a bias multiplies, or null.
  Value corrections, units, reals;
};
} // namespace

BlockProductLoops::BlockProductLoops(ImplicitLocOpBuilder &b,
                                     BlockProduct product, BlockFloats &floats)
    : TileNest(b, product.op), product(product), digits(floats.createDigits()) {
  for (unsigned loop : product.rows)
    if (product.ranges[loop] != 1)
      row = loop;
  if (!product.multipliesCodes())
    units = floats.createLaneUnits(product.exponent);
  if (product.zeroPoint)
    corrections = floats.createLaneSums(1);
  else if (product.offset != 0)
    corrections = floats.createLaneSums(product.offset);
  if (product.bias)
    reals = floats.createLaneReals();
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

Value BlockProductLoops::build(Value result, OpFoldResult firstColumn) {
  SmallVector<unsigned> loops, rows;
  for (unsigned loop = 0; loop < product.first; ++loop)
    if (loop != product.column && loop != row)
      (product.isRow(loop) ? rows : loops).push_back(loop);
  // All rows pass by the columns, which stay in the cache.
  auto buildRows = [&](int64_t numColumns, ValueRange carried) {
    return forEach(rows, carried, [&](ValueRange outer) {
      return forEachPart(row, b.getIndexAttr(0), kBlockRows, outer,
                         [&](int64_t numRows, ValueRange inner) {
                           return SmallVector<Value>{
                               buildSums(numColumns, numRows, inner.front())};
                         });
    });
  };
  return forEach(loops, result,
                 [&](ValueRange outer) {
                   return forEachPart(product.column, firstColumn, kColumns,
                                      outer, buildRows);
                 })
      .front();
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

/// The vector of codes of each field, as values without their offset.
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
  return createValues(b, product, vector::ShapeCastOp::create(b, type, bytes));
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
    SmallVector<Value> factors;
    for (size_t field = 0; field < codes.size(); ++field)
      factors.push_back(
          readReals(digit, {vector, createIndex(field), createIndex(0)}));
    total = addByteProducts(b, total, codes, factors, product.range);
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
SmallVector<Value> BlockProductLoops::addVector(ValueRange sums, Value vector,
                                                int64_t numRows) {
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
  SmallVector<Value> next;
  forEachOf(row, numRows, [&] {
    BlockTerm term{addProducts(codes, zeroPoint, vector)};
    term.scale = scale;
    term.bias = bias;
    if (product.realScale)
      term.realScale =
          BlockParameters(*this, product).createLanes(product.realScale);
    if (units)
      term.unit = readReals(units, {vector, createIndex(0)});
    if (bias)
      term.real = readReals(reals, {vector, createIndex(0)});
    next.push_back(addTerm(b, product, sums[next.size()], term));
  });
  return next;
}

Value BlockProductLoops::buildSums(int64_t numColumns, int64_t numRows,
                                   Value result) {
  auto type = VectorType::get(product.getNumLanes(), b.getF32Type());
  // Start from -0.0, the identity of addition.
  Value none = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, b.getF32FloatAttr(-0.0f)));
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
    forEachOf(product.column, numColumns, [&] {
      ValueRange ofColumn =
          loop.getRegionIterArgs().slice(next.size(), numRows);
      llvm::append_range(next, addVector(ofColumn, vector, numRows));
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
  forEachOf(product.column, numColumns,
            [&] { forEachOf(row, numRows, finish); });
  return result;
}

Value mlir::qdq::createBlockProducts(ImplicitLocOpBuilder &b,
                                     const BlockProduct &product,
                                     BlockFloats &floats, Value result,
                                     OpFoldResult firstColumn) {
  return BlockProductLoops(b, product, floats).build(result, firstColumn);
}
