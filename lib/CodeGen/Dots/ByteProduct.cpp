// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products of bytes, as linalg.generic ops have them.

#include "ByteProduct.h"
#include "../Analysis/SumOfProducts.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// An input of the body, widened.
struct Factor {
  unsigned input;
  bool isSigned;
};
} // namespace

static std::optional<Factor> getFactor(linalg::GenericOp op, Value value) {
  Operation *cast = value.getDefiningOp();
  if (!isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(cast))
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(cast->getOperand(0));
  if (!argument || argument.getOwner() != op.getBody() ||
      argument == op.getRegionOutputArgs().front() ||
      !argument.getType().isInteger(8))
    return std::nullopt;
  return Factor{argument.getArgNumber(), isa<arith::ExtSIOp>(cast)};
}

/// The two factors of which the body adds the product to what it has.
static std::optional<std::pair<Factor, Factor>>
getFactors(linalg::GenericOp op) {
  std::optional<SumOfProducts> sum = SumOfProducts::getOfBody(op);
  auto product = sum ? sum->getProduct<arith::MulIOp>() : arith::MulIOp();
  if (!product || !product.getType().isInteger(32) || op.getNumDpsInputs() != 2)
    return std::nullopt;
  std::optional<Factor> lhs = getFactor(op, product.getLhs());
  std::optional<Factor> rhs = getFactor(op, product.getRhs());
  if (!lhs || !rhs || lhs->input == rhs->input)
    return std::nullopt;
  return std::pair(*lhs, *rhs);
}

static std::optional<unsigned> getDim(AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

static std::optional<unsigned> getInnermost(AffineMap map) {
  return map.getNumResults() == 0 ? std::nullopt
                                  : getDim(map.getResults().back());
}

/// The loop over the fours of a line, which others move along it.
static std::optional<unsigned> getWindow(linalg::GenericOp op, AffineMap rows) {
  if (rows.getNumResults() == 0)
    return std::nullopt;
  auto sum = dyn_cast<AffineBinaryOpExpr>(rows.getResults().back());
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  std::optional<unsigned> loop = getDim(sum.getRHS());
  if (!loop || sum.getLHS().isFunctionOfDim(*loop))
    return std::nullopt;
  int64_t size = op.getStaticLoopRanges()[*loop];
  return !ShapedType::isDynamic(size) && size % 4 == 0 ? loop : std::nullopt;
}

/// The loops and the layout for these operands, if they fit.
static std::optional<ByteProduct> getOriented(linalg::GenericOp op, Factor rows,
                                              Factor columns,
                                              bool acceptsWindows) {
  ByteProduct product;
  product.rows = op.getDpsInputOperand(rows.input);
  product.columns = op.getDpsInputOperand(columns.input);
  product.isRowsSigned = rows.isSigned;
  product.isColumnsSigned = columns.isSigned;
  AffineMap rowsMap = product.getRowsMap();
  AffineMap columnsMap = product.getColumnsMap();
  AffineMap resultMap = product.getResultMap();
  if (!columnsMap.isProjectedPermutation() ||
      !resultMap.isProjectedPermutation())
    return std::nullopt;

  std::optional<unsigned> depth = getInnermost(rowsMap);
  if (!depth && acceptsWindows)
    depth = getWindow(op, rowsMap);
  std::optional<unsigned> column = getInnermost(resultMap);
  std::optional<unsigned> innermost = getInnermost(columnsMap);
  auto iterators = op.getIteratorTypesArray();
  if (!depth || !column || !linalg::isReductionIterator(iterators[*depth]) ||
      rowsMap.dropResult(rowsMap.getNumResults() - 1).isFunctionOfDim(*depth) ||
      rowsMap.isFunctionOfDim(*column) ||
      !columnsMap.isFunctionOfDim(*column) ||
      !columnsMap.isFunctionOfDim(*depth) ||
      (innermost != column && innermost != depth))
    return std::nullopt;
  product.depth = *depth;
  product.column = *column;
  product.isTransposed = innermost == depth;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (AffineExpr expr : llvm::reverse(resultMap.getResults())) {
    unsigned loop = *getDim(expr);
    if (!rowsMap.isFunctionOfDim(loop) || columnsMap.isFunctionOfDim(loop))
      continue;
    product.row = loop;
    if (ranges[loop] != 1)
      break;
  }
  return product;
}

std::optional<std::pair<bool, bool>>
ByteProduct::getSigns(linalg::GenericOp op) {
  auto factors = getFactors(op);
  if (!factors)
    return std::nullopt;
  auto [lhs, rhs] = *factors;
  return lhs.input == 0 ? std::pair(lhs.isSigned, rhs.isSigned)
                        : std::pair(rhs.isSigned, lhs.isSigned);
}

bool ByteProduct::multipliesBytes(linalg::GenericOp op) {
  return op.getNumResults() == 1 && getFactors(op) &&
         !llvm::is_contained(op.getStaticLoopRanges(), 0);
}

std::optional<ByteProduct> ByteProduct::get(linalg::GenericOp op,
                                            bool acceptsWindows) {
  if (!multipliesBytes(op))
    return std::nullopt;
  auto [first, second] = *getFactors(op);
  if (std::optional<ByteProduct> product =
          getOriented(op, first, second, acceptsWindows))
    return product;
  return getOriented(op, second, first, acceptsWindows);
}

/// The role of the loop that indexes each dimension of the columns.
static SmallVector<int> getRoles(const ByteProduct &product) {
  enum Role { Column, Depth, Reduction, Batch };
  auto iterators = product.getOp().getIteratorTypesArray();
  return llvm::map_to_vector(
      product.getColumnsMap().getResults(), [&](AffineExpr expr) -> int {
        unsigned loop = *getDim(expr);
        if (loop == product.column)
          return Column;
        if (loop == product.depth)
          return Depth;
        return linalg::isReductionIterator(iterators[loop]) ? Reduction : Batch;
      });
}

bool ByteProduct::sharesColumns(const ByteProduct &other) const {
  return columns->get() == other.columns->get() &&
         isColumnsSigned == other.isColumnsSigned &&
         isRowsSigned == other.isRowsSigned &&
         getRoles(*this) == getRoles(other);
}
