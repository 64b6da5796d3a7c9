// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of a sum of products of bytes: its sizes and loops.

#include "ByteTile.h"
#include "ByteContractions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::qdq;

ByteTile::ByteTile(ImplicitLocOpBuilder &b, const ByteProduct &product,
                   int64_t lanes, ByteDots dots)
    : TileNest(b, product.getOp()), product(product), lanes(lanes), dots(dots) {
}

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
  return SmallVector<Value>(
      count,
      arith::ConstantOp::create(b, b.getZeroAttr(type ? type : getWords())));
}

Value ByteTile::addProducts(Value sums, Value row, Value column,
                            bool fitsI16) const {
  bool isRowSigned = product.isRowsSigned != movesRows();
  return addByteProducts(b, sums, {row, isRowSigned},
                         {column, product.isColumnsSigned}, fitsI16);
}

SmallVector<Value> ByteTile::addColumns(ValueRange sums,
                                        ArrayRef<Value> columns) const {
  Value one = arith::ConstantOp::create(
      b, DenseElementsAttr::get(getBytes(), b.getI8IntegerAttr(1)));
  bool isSigned = product.isColumnsSigned;
  bool isOneSigned = multipliesMixedSigns(dots) ? !isSigned : isSigned;
  SmallVector<Value> next;
  for (auto [sum, column] : llvm::zip_equal(sums, columns))
    next.push_back(
        addByteProducts(b, sum, {one, isOneSigned}, {column, isSigned}));
  return next;
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
