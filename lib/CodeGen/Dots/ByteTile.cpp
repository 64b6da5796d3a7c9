// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of a sum of products of bytes: its sizes, loops and instruction.

#include "ByteTile.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::qdq;

ByteTile::ByteTile(ImplicitLocOpBuilder &b, const ByteProduct &product,
                   int64_t lanes)
    : TileNest(b, product.getOp()), product(product), lanes(lanes) {}

/// A tile of an unknown number of columns has this many vectors.
static constexpr int64_t kDynamicVectors = 4;

int64_t ByteTile::getNumVectors() const {
  std::optional<int64_t> columns = getStaticSize(product.column);
  return columns ? llvm::divideCeil(*columns, lanes) : kDynamicVectors;
}

bool ByteTile::hasFullVectors() const {
  std::optional<int64_t> columns = getStaticSize(product.column);
  return columns && *columns % lanes == 0;
}

SmallVector<unsigned> ByteTile::getOuterReductions() const {
  SmallVector<unsigned> loops;
  product.getOp().getReductionDims(loops);
  llvm::erase(loops, product.depth);
  return loops;
}

SmallVector<Value> ByteTile::createZeros(int64_t count, VectorType type) const {
  return SmallVector<Value>(count,
                            arith::ConstantOp::create(b, b.getZeroAttr(type)));
}

/// Adds products of `lhs` and `rhs`, the innermost dimension of which is that
/// of a lane of `sums`.
static vector::ContractionOp createDots(ImplicitLocOpBuilder &b, Value lhs,
                                        Value rhs, Value sums) {
  AffineExpr lane = b.getAffineDimExpr(0), term = b.getAffineDimExpr(1);
  using Exprs = ArrayRef<ArrayRef<AffineExpr>>;
  using vector::IteratorType;
  return vector::ContractionOp::create(
      b, lhs, rhs, sums,
      Exprs{{lane, term}, {lane, term}, ArrayRef<AffineExpr>(lane)},
      ArrayRef{IteratorType::parallel, IteratorType::reduction});
}

/// Products of `count` unsigned and signed bytes added to each of `sums`.
static vector::ContractionOp addProducts(ImplicitLocOpBuilder &b, Value sums,
                                         Value unsignedBytes, Value signedBytes,
                                         int64_t count) {
  auto type = cast<VectorType>(sums.getType());
  auto bytes = VectorType::get({type.getNumElements(), count}, b.getI8Type());
  auto wide = VectorType::get(bytes.getShape(), type.getElementType());
  Value lhs = vector::ShapeCastOp::create(b, bytes, unsignedBytes);
  lhs = arith::ExtUIOp::create(b, wide, lhs);
  Value rhs = vector::ShapeCastOp::create(b, bytes, signedBytes);
  rhs = arith::ExtSIOp::create(b, wide, rhs);
  return createDots(b, lhs, rhs, sums);
}

Value mlir::qdq::addByteProducts(ImplicitLocOpBuilder &b, Value sums,
                                 Value unsignedBytes, Value signedBytes,
                                 bool fitsI16) {
  vector::ContractionOp contraction =
      ::addProducts(b, sums, unsignedBytes, signedBytes, 4);
  if (fitsI16)
    contraction->setDiscardableAttr(kFitsI16Attr, b.getUnitAttr());
  return contraction;
}

Value mlir::qdq::addPairProducts(ImplicitLocOpBuilder &b, Value sums,
                                 Value unsignedBytes, Value signedBytes) {
  vector::ContractionOp contraction =
      ::addProducts(b, sums, unsignedBytes, signedBytes, 2);
  contraction->setDiscardableAttr(kFitsI16Attr, b.getUnitAttr());
  return contraction;
}

Value mlir::qdq::addHalves(ImplicitLocOpBuilder &b, Value sums, Value halves) {
  int64_t lanes = cast<VectorType>(sums.getType()).getNumElements();
  auto pairs = VectorType::get({lanes, 2}, b.getI16Type());
  auto words = VectorType::get(pairs.getShape(), b.getI32Type());
  Value lhs = vector::ShapeCastOp::create(b, pairs, halves);
  lhs = arith::ExtSIOp::create(b, words, lhs);
  Value ones = arith::ConstantOp::create(
      b, DenseElementsAttr::get(words, b.getI32IntegerAttr(1)));
  return createDots(b, lhs, ones, sums);
}

Value mlir::qdq::addByteProducts(ImplicitLocOpBuilder &b, Value sums,
                                 ArrayRef<Value> unsignedBytes,
                                 ArrayRef<Value> signedBytes, int64_t most) {
  int64_t lanes = cast<VectorType>(sums.getType()).getNumElements();
  int64_t pair = 2 * most * -std::numeric_limits<int8_t>::min();
  bool fitsI16 = pair <= std::numeric_limits<int16_t>::max();
  int64_t group = fitsI16 ? std::numeric_limits<int16_t>::max() / pair : 1;
  AffineExpr vector = b.getAffineDimExpr(0), lane = b.getAffineDimExpr(1),
             byte = b.getAffineDimExpr(2);
  using Exprs = ArrayRef<ArrayRef<AffineExpr>>;
  using vector::IteratorType;
  for (int64_t from = 0, end = unsignedBytes.size(); from < end;
       from += group) {
    int64_t count = std::min(group, end - from);
    if (count == 1) {
      sums = addByteProducts(b, sums, unsignedBytes[from], signedBytes[from],
                             fitsI16);
      continue;
    }
    auto four = VectorType::get({lanes, 4}, b.getI8Type());
    auto bytes = VectorType::get({count, lanes, 4}, b.getI8Type());
    auto words = VectorType::get(bytes.getShape(), b.getI32Type());
    auto stack = [&](ArrayRef<Value> vectors) {
      Value all = ub::PoisonOp::create(b, bytes);
      for (int64_t i = 0; i < count; ++i)
        all = vector::InsertOp::create(
            b, vector::ShapeCastOp::create(b, four, vectors[from + i]), all,
            ArrayRef<int64_t>{i});
      return all;
    };
    Value lhs = arith::ExtUIOp::create(b, words, stack(unsignedBytes));
    Value rhs = arith::ExtSIOp::create(b, words, stack(signedBytes));
    auto contraction = vector::ContractionOp::create(
        b, lhs, rhs, sums,
        Exprs{{vector, lane, byte}, {vector, lane, byte}, {lane}},
        ArrayRef{IteratorType::reduction, IteratorType::parallel,
                 IteratorType::reduction});
    contraction->setDiscardableAttr(kFitsI16Attr, b.getUnitAttr());
    sums = contraction;
  }
  return sums;
}

Value ByteTile::addProducts(Value sums, Value row, Value column,
                            bool fitsI16) const {
  return product.isColumnsSigned
             ? addByteProducts(b, sums, row, column, fitsI16)
             : addByteProducts(b, sums, column, row, fitsI16);
}

Value ByteTile::addPairs(Value halves, Value row, Value column) const {
  return product.isColumnsSigned ? addPairProducts(b, halves, row, column)
                                 : addPairProducts(b, halves, column, row);
}

SmallVector<Value> ByteTile::addColumns(ValueRange sums,
                                        ArrayRef<Value> columns) const {
  Value one = arith::ConstantOp::create(
      b, DenseElementsAttr::get(getBytes(), b.getI8IntegerAttr(1)));
  SmallVector<Value> next;
  for (auto [sum, column] : llvm::zip_equal(sums, columns))
    next.push_back(addProducts(sum, one, column));
  return next;
}

SmallVector<Value> ByteTile::forEachVectors(int64_t count, ValueRange values,
                                            Body body) {
  if (count == getNumVectors())
    return body(values);
  return createLoop(product.column, b.getIndexAttr(0),
                    b.getIndexAttr(getNumVectors() * lanes), count * lanes,
                    values, body);
}

SmallVector<Value> ByteTile::forEachDepth(
    int64_t step, ValueRange values,
    function_ref<SmallVector<Value>(ValueRange, bool isTail)> body) {
  OpFoldResult size = sizes[product.depth];
  OpFoldResult end = roundDown(size, step);
  SmallVector<Value> next = createLoop(
      product.depth, b.getIndexAttr(0), end, step, values,
      [&](ValueRange carried) { return body(carried, /*isTail=*/false); });
  return createLoop(
      product.depth, end, size, step, next,
      [&](ValueRange carried) { return body(carried, /*isTail=*/true); });
}
