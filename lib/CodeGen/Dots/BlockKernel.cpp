// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that sum products of bytes in blocks.

#include "BlockKernel.h"
#include "../Vectorize/LaneValue.h"
#include "BlockBody.h"
#include "ByteContractions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;
using namespace mlir::qdq;

/// Sums side by side, which share the vectors made of the reals: those take
/// more loads than all else.
static constexpr int64_t kColumns = 4;

/// Rows side by side, which share the vectors of codes. With more, sums of all
/// columns do not fit in 16 registers.
static constexpr int64_t kBlockRows = 2;

/// With vectors of 512 bits there are twice as many registers: more rows repay
/// codes that take long to compute.
static int64_t getRows(const BlockProduct &product) {
  bool takesLong = !product.bytes && product.cut.getSize() >= 512 / 8;
  return takesLong ? 2 * kBlockRows : kBlockRows;
}

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
  Value mask = createNumber(b, type, (int64_t(1) << product.width) - 1);
  Value table = product.table.empty() ? Value() : createTable(b, product);
  SmallVector<Value> fields;
  for (int64_t amount : product.amounts) {
    Value code = shiftRight(Scalar(b, bytes), amount) & mask;
    if (table)
      code = LookupOp::create(b, type, table, code);
    else if (product.flip != 0)
      code = Scalar(b, code) ^ product.flip;
    fields.push_back(code);
  }
  return fields;
}

/// An op may be fused with another where its author allows it.
template <typename Op>
static arith::FastMathFlags mayFuse(Op op) {
  return op.getFastmath() & arith::FastMathFlags::contract;
}

/// The factors multiplied, the first one not null, as the product is.
static Value multiply(ImplicitLocOpBuilder &b, const BlockProduct &product,
                      ArrayRef<Value> factors) {
  Value result = factors.front();
  for (Value factor : factors.drop_front())
    if (factor)
      result = arith::MulFOp::create(b, result, factor, mayFuse(product.term));
  return result;
}

static Value add(ImplicitLocOpBuilder &b, const BlockProduct &product,
                 Value sum, Value term) {
  return arith::AddFOp::create(b, sum, term, mayFuse(product.sum));
}

Value mlir::qdq::addTerm(ImplicitLocOpBuilder &b, const BlockProduct &product,
                         Value sum, const BlockTerm &term) {
  auto type = cast<VectorType>(sum.getType());
  Value real = arith::SIToFPOp::create(b, type, term.sums);
  Value unit = term.unit;
  if (!unit && product.exponent != 0)
    unit = createNumber(b, type, std::ldexp(1.0, -product.exponent));
  // A power of two: nothing is rounded again.
  if (unit)
    real = arith::MulFOp::create(b, real, unit);
  return add(b, product, sum,
             multiply(b, product, {real, term.realScale, term.scale}));
}

Value mlir::qdq::addBias(ImplicitLocOpBuilder &b, const BlockProduct &product,
                         Value sum, Value reals, Value realScale, Value bias) {
  return add(b, product, sum, multiply(b, product, {reals, realScale, bias}));
}

Value BlockLoops::addSums(Value result, int64_t most, InLoops inColumns,
                          function_ref<Value(int64_t, Value)> buildSums) {
  SmallVector<unsigned> loops, rows;
  for (unsigned loop = 0; loop < product.first; ++loop)
    if (loop != product.column && loop != product.row)
      (product.isRow(loop) ? rows : loops).push_back(loop);
  // All rows pass by the columns, which stay in the cache.
  auto buildRows = [&](ValueRange carried) {
    return forEach(rows, carried, [&](ValueRange outer) {
      return forEachPart(product.row, b.getIndexAttr(0), most, outer,
                         [&](int64_t numRows, ValueRange inner) {
                           return SmallVector<Value>{
                               buildSums(numRows, inner.front())};
                         });
    });
  };
  return forEach(loops, result,
                 [&](ValueRange outer) { return inColumns(outer, buildRows); })
      .front();
}

SmallVector<Value> BlockLoops::createRealIndices(unsigned count) {
  AffineMap map = op.getMatchingIndexingMap(product.real);
  return createIndices(AffineMap::get(
      map.getNumDims(), 0, map.getResults().drop_back(count), b.getContext()));
}

namespace {
/// The loops over vectors of bytes, which replace a product.
class BlockProductLoops : BlockLoops {
public:
  BlockProductLoops(ImplicitLocOpBuilder &b, const BlockProduct &product,
                    BlockFloats &floats);

  /// The sums from this column on, added to `result`.
  Value build(Value result, OpFoldResult firstColumn);

private:
  Value readReals(Value source, ValueRange inner);
  /// The sums of as many columns and rows from these on.
  Value buildSums(int64_t numColumns, int64_t numRows, Value result);
  SmallVector<Value> addGroup(ValueRange sums, Value group, int64_t numRows);
  SmallVector<OpFoldResult> getOrigin(Value group);
  void setVector(ArrayRef<OpFoldResult> origin, int64_t vector);
  Value spread(Value parts, int64_t vector);
  SmallVector<Value> readCodes();
  Value addProducts(ArrayRef<Value> codes, Value zeroPoint, Value vector);

  SmallVector<Value> digits;
  /// For each lane: the share of the codes' offset, or the sums of the integers
  /// that zero points multiply, or null; the unit, null for codes.
  Value corrections, units;
  /// For each part of a group: the sum of the reals that a bias multiplies, or
  /// null.
  Value reals;
};
} // namespace

BlockProductLoops::BlockProductLoops(ImplicitLocOpBuilder &b,
                                     const BlockProduct &product,
                                     BlockFloats &floats)
    : BlockLoops(b, product), digits(floats.createDigits()) {
  if (!product.multipliesCodes())
    units = floats.createLaneUnits(product.exponent);
  if (product.zeroPoint)
    corrections = floats.createLaneSums(1);
  else if (product.offset != 0)
    corrections = floats.createLaneSums(product.offset);
  if (product.bias)
    reals = floats.createPartReals(product.getGroupSize());
}

/// A vector of what was made of the reals, of this row.
Value BlockProductLoops::readReals(Value source, ValueRange inner) {
  SmallVector<Value> indices =
      createRealIndices(op.getNumLoops() - product.first);
  llvm::append_range(indices, inner);
  auto type = cast<RankedTensorType>(source.getType());
  return read(VectorType::get(type.getShape().back(), type.getElementType()),
              source, indices);
}

Value BlockProductLoops::build(Value result, OpFoldResult firstColumn) {
  int64_t numColumns = 1;
  auto inColumns = [&](ValueRange carried, Body body) {
    return forEachPart(product.column, firstColumn, kColumns, carried,
                       [&](int64_t count, ValueRange inner) {
                         numColumns = count;
                         return body(inner);
                       });
  };
  return addSums(result, getRows(product), inColumns,
                 [&](int64_t numRows, Value inner) {
                   return buildSums(numColumns, numRows, inner);
                 });
}

/// Where blocks and bytes of this group begin.
SmallVector<OpFoldResult> BlockProductLoops::getOrigin(Value group) {
  SmallVector<int64_t> steps, counts;
  for (unsigned loop = product.first; loop < product.getEnd(); ++loop) {
    steps.push_back(
        std::max(product.vector.getCount(loop), product.group.getCount(loop)));
    counts.push_back(product.ranges[loop] / steps.back());
  }
  SmallVector<OpFoldResult> origin(offsets),
      indices = delinearize(group, counts);
  for (auto [i, index, step] : llvm::enumerate(indices, steps)) {
    if (auto value = dyn_cast<Value>(index); value && step > 1)
      index = arith::MulIOp::create(b, value, createIndex(step)).getResult();
    origin[product.first + i] = index;
  }
  return origin;
}

/// Goes to a vector of a group.
void BlockProductLoops::setVector(ArrayRef<OpFoldResult> origin,
                                  int64_t vector) {
  for (unsigned loop = product.first; loop < product.getEnd(); ++loop)
    offsets[loop] = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(),
        b.getAffineDimExpr(0) +
            product.group.getIteration(loop, vector * product.cut.parts),
        origin[loop]);
}

/// Values of the parts of a group, in the lanes of one of its
/// vectors. Null for null.
Value BlockProductLoops::spread(Value parts, int64_t vector) {
  if (!parts)
    return {};
  int64_t numParts = product.cut.parts, numLanes = product.getNumLanes();
  auto type = dyn_cast<VectorType>(parts.getType());
  if (!type)
    return vector::BroadcastOp::create(
        b, VectorType::get(numLanes, parts.getType()), parts);
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < numLanes; ++lane)
    order.push_back(vector * numParts + lane * numParts / numLanes);
  return vector::ShuffleOp::create(b, parts, parts, order);
}

/// The vector of codes of each field, as values without their offset.
SmallVector<Value> BlockProductLoops::readCodes() {
  if (!product.bytes)
    return createValues(
        b, product, BlockBody(*this, product, product.vector).computeCodes());
  ArrayRef<int64_t> shape = product.vector.counts;
  shape = shape.drop_while([](int64_t count) { return count == 1; });
  Value bytes = read(VectorType::get(shape, b.getI8Type()),
                     product.bytes->get(), createIndices(*product.bytes));
  auto type = VectorType::get(product.cut.getSize(), b.getI8Type());
  return createValues(b, product, vector::ShapeCastOp::create(b, type, bytes));
}

/// The products of this row with a vector of codes, less their zero points, in
/// units of the row, exact: digit by digit.
Value BlockProductLoops::addProducts(ArrayRef<Value> codes, Value zeroPoint,
                                     Value vector) {
  auto type = VectorType::get(product.getNumLanes(), b.getI32Type());
  Value total = createNumber(b, type, 0);
  for (auto [i, digit] : llvm::enumerate(digits)) {
    if (i > 0)
      total = Scalar(b, total) << BlockFloats::kDigitBits;
    SmallVector<Value> factors;
    for (size_t field = 0; field < codes.size(); ++field)
      factors.push_back(
          readReals(digit, {vector, createIndex(field), createIndex(0)}));
    total = addCodeProducts(b, total, codes, factors, product.range);
  }
  if (!corrections)
    return total;
  Value correction = readReals(corrections, {vector, createIndex(0)});
  if (zeroPoint)
    correction = arith::MulIOp::create(b, correction, zeroPoint);
  return Scalar(b, total) + correction;
}

/// Adds the products of a group of vectors to what this column carries: the
/// sums of each row, and, with a bias, those of its parts.
SmallVector<Value> BlockProductLoops::addGroup(ValueRange carried, Value group,
                                               int64_t numRows) {
  SmallVector<OpFoldResult> origin = getOrigin(group), outside(offsets);
  setVector(origin, 0);
  BlockBody parameters(*this, product, product.group);
  auto compute = [&](Value parameter) {
    return parameter ? parameters.compute(parameter) : Value();
  };
  Value scale = compute(product.scale), bias = compute(product.bias),
        zeroPoint = compute(product.zeroPoint);
  SmallVector<Value> realScales, next(carried);
  forEachOf(product.row, numRows, [&] {
    Value realScale = product.realScale
                          ? BlockBody(*this, product, product.group)
                                .compute(product.realScale)
                          : Value();
    if (bias) {
      Value real = readReals(reals, {group, createIndex(0)});
      if (product.group.getSize() == 1)
        real = vector::ExtractOp::create(b, real, 0);
      Value &sum = next[numRows + realScales.size()];
      sum = addBias(b, product, sum, real, realScale, bias);
    }
    realScales.push_back(realScale);
  });
  int64_t size = product.getGroupSize();
  Value first = arith::MulIOp::create(b, group, createIndex(size));
  for (int64_t i = 0; i < size; ++i) {
    setVector(origin, i);
    Value vector = arith::AddIOp::create(b, first, createIndex(i));
    SmallVector<Value> codes = readCodes();
    Value difference = spread(zeroPoint, i);
    if (difference)
      difference =
          Scalar(b, createNumber(b, difference.getType(), product.offset)) -
          difference;
    unsigned at = 0;
    forEachOf(product.row, numRows, [&] {
      BlockTerm term{addProducts(codes, difference, vector)};
      term.scale = spread(scale, i);
      term.realScale = spread(realScales[at], i);
      if (units)
        term.unit = readReals(units, {vector, createIndex(0)});
      next[at] = addTerm(b, product, next[at], term);
      ++at;
    });
  }
  offsets = outside;
  return next;
}

Value BlockProductLoops::buildSums(int64_t numColumns, int64_t numRows,
                                   Value result) {
  auto type = VectorType::get(product.getNumLanes(), b.getF32Type());
  // Start from -0.0, the identity of addition.
  auto zero = b.getF32FloatAttr(-0.0f);
  auto splat = [&](VectorType vector) -> Value {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, zero));
  };
  SmallVector<Value> ofColumn(numRows, splat(type));
  if (reals) {
    int64_t parts = product.group.getSize();
    ofColumn.append(numRows,
                    parts == 1 ? arith::ConstantOp::create(b, zero).getResult()
                               : splat(VectorType::get(parts, b.getF32Type())));
  }
  SmallVector<Value> sums;
  for (int64_t column = 0; column < numColumns; ++column)
    llvm::append_range(sums, ofColumn);
  int64_t numGroups = product.getNumVectors() / product.getGroupSize();
  auto addGroups = [&](Value group, ValueRange carried) {
    SmallVector<Value> next;
    forEachOf(product.column, numColumns, [&] {
      llvm::append_range(next,
                         addGroup(carried.slice(next.size(), ofColumn.size()),
                                  group, numRows));
    });
    return next;
  };
  sums =
      countUp(b.getIndexAttr(0), b.getIndexAttr(numGroups), 1, sums, addGroups);
  unsigned next = 0;
  auto reduce = [&](Value sums, Value start) -> Value {
    if (!isa<VectorType>(sums.getType()))
      return arith::AddFOp::create(b, start, sums, product.sum.getFastmath());
    return vector::ReductionOp::create(b, vector::CombiningKind::ADD, sums,
                                       start, product.sum.getFastmath());
  };
  forEachOf(product.column, numColumns, [&] {
    forEachOf(product.row, numRows, [&] {
      SmallVector<Value> indices = createIndices(op.getDpsInitsMutable()[0]);
      Value total = tensor::ExtractOp::create(b, result, indices);
      total = reduce(sums[next], total);
      if (reals)
        total = reduce(sums[next + numRows], total);
      result = tensor::InsertOp::create(b, total, result, indices);
      ++next;
    });
    next += ofColumn.size() - numRows;
  });
  return result;
}

Value mlir::qdq::createBlockProducts(ImplicitLocOpBuilder &b,
                                     const BlockProduct &product,
                                     BlockFloats &floats, Value result,
                                     OpFoldResult firstColumn) {
  return BlockProductLoops(b, product, floats).build(result, firstColumn);
}
