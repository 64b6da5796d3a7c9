// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// numpy.matmul of codes.

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/Granularity.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// An operand by its dimensions: batches, one of its own unless it is a vector,
/// and the one that is summed.
struct MatmulOperand {
  RankedTensorType type;
  int64_t numBatches = 0;
  std::optional<int64_t> own = {};
  int64_t summed = 0;

  static MatmulOperand get(RankedTensorType type, bool sumsLast) {
    int64_t rank = type.getRank();
    if (rank == 1)
      return {type};
    return {type, rank - 2, sumsLast ? rank - 2 : rank - 1,
            sumsLast ? rank - 1 : rank - 2};
  }
};

/// The loops: batches, rows, columns, the sum.
struct MatmulLoops {
  int64_t numBatches = 0;
  std::optional<int64_t> row = {}, column = {};
  int64_t summed = 0;

  int64_t size() const { return summed + 1; }
};
} // namespace

static bool isUnit(RankedTensorType type, int64_t dim) {
  return type.getDimSize(dim) == 1;
}

/// The map of the codes. A size of 1 beside another one is repeated.
static AffineMap getMap(const MatmulOperand &operand,
                        const MatmulOperand &other, const MatmulLoops &loops,
                        std::optional<int64_t> ownLoop) {
  MLIRContext *ctx = operand.type.getContext();
  SmallVector<AffineExpr> indices(operand.type.getRank());
  for (int64_t dim = 0; dim < operand.numBatches; ++dim) {
    int64_t loop = loops.numBatches - operand.numBatches + dim;
    int64_t otherDim = loop - (loops.numBatches - other.numBatches);
    bool isRepeated = isUnit(operand.type, dim) && otherDim >= 0 &&
                      !isUnit(other.type, otherDim);
    indices[dim] = isRepeated ? getAffineConstantExpr(0, ctx)
                              : getAffineDimExpr(loop, ctx);
  }
  if (operand.own)
    indices[*operand.own] = getAffineDimExpr(*ownLoop, ctx);
  indices[operand.summed] = getAffineDimExpr(loops.summed, ctx);
  return AffineMap::get(loops.size(), 0, indices, ctx);
}

/// The map of a zero point.
static AffineMap getZeroPointMap(RankedTensorType zeros,
                                 const MatmulOperand &operand,
                                 AffineMap codes) {
  MLIRContext *ctx = zeros.getContext();
  AffineExpr zero = getAffineConstantExpr(0, ctx);
  SmallVector<AffineExpr> indices(zeros.getRank(), zero);
  // All of one element, whatever the rank.
  if (llvm::any_of(zeros.getShape(), [](int64_t size) { return size != 1; })) {
    assert(operand.own && "expected one zero point of a vector");
    if (zeros.getRank() == 1)
      indices[0] = codes.getResult(*operand.own);
    else
      for (int64_t dim = 0; dim < zeros.getRank(); ++dim)
        indices[dim] = isUnit(zeros, dim) ? zero : codes.getResult(dim);
  }
  return AffineMap::get(codes.getNumDims(), 0, indices, ctx);
}

/// The named op of these ranks.
template <typename Op>
static Operation *createOp(OpBuilder &b, Location loc, ValueRange inputs,
                           Value init, bool isUnsigned) {
  constexpr bool hasCast = std::is_same_v<Op, linalg::MatmulOp> ||
                           std::is_same_v<Op, linalg::BatchMatmulOp>;
  if (isUnsigned && !hasCast)
    return nullptr;
  SmallVector<NamedAttribute> attributes;
  if (isUnsigned)
    attributes.push_back(b.getNamedAttr(
        "cast", linalg::TypeFnAttr::get(b.getContext(),
                                        linalg::TypeFn::cast_unsigned)));
  return Op::create(b, loc, TypeRange(init.getType()), inputs, init,
                    attributes);
}

static decltype(IntegerProduct::createNamed)
getNamedOp(const IntegerProduct &product) {
  AffineMap maps[] = {product.aMap, product.bMap};
  if (llvm::any_of(maps,
                   [](AffineMap map) { return !map.isProjectedPermutation(); }))
    return {};
  std::pair ranks(product.aMap.getNumResults(), product.bMap.getNumResults());
  if (ranks == std::pair(1u, 1u))
    return createOp<linalg::DotOp>;
  if (ranks == std::pair(1u, 2u))
    return createOp<linalg::VecmatOp>;
  if (ranks == std::pair(2u, 1u))
    return createOp<linalg::MatvecOp>;
  if (ranks == std::pair(2u, 2u))
    return createOp<linalg::MatmulOp>;
  if (ranks == std::pair(3u, 3u))
    return createOp<linalg::BatchMatmulOp>;
  return {};
}

/// The loops of `numpy.matmul` on operands of these dimensions.
static MatmulLoops getLoops(const MatmulOperand &lhs,
                            const MatmulOperand &rhs) {
  MatmulLoops loops = {std::max(lhs.numBatches, rhs.numBatches)};
  int64_t next = loops.numBatches;
  if (lhs.own)
    loops.row = next++;
  if (rhs.own)
    loops.column = next++;
  loops.summed = next;
  return loops;
}

namespace {
/// The operands of a product, and its loops.
struct MatmulShape {
  MatmulOperand lhs, rhs;
  IntegerProduct product;

  static MatmulShape get(Value lhs, Value rhs, bool isLhsTransposed = false,
                         bool isRhsTransposed = false);

  /// Builds the sizes of the result.
  void addSizes(ImplicitLocOpBuilder &b);
};
} // namespace

MatmulShape MatmulShape::get(Value lhs, Value rhs, bool isLhsTransposed,
                             bool isRhsTransposed) {
  auto x = MatmulOperand::get(cast<RankedTensorType>(lhs.getType()),
                              /*sumsLast=*/!isLhsTransposed);
  auto y = MatmulOperand::get(cast<RankedTensorType>(rhs.getType()),
                              /*sumsLast=*/isRhsTransposed);
  MatmulLoops loops = getLoops(x, y);
  IntegerProduct product;
  product.a = {lhs};
  product.b = {rhs};
  product.aMap = getMap(x, y, loops, loops.row);
  product.bMap = getMap(y, x, loops, loops.column);
  product.resultMap =
      AffineMap::getMultiDimIdentityMap(loops.size(), lhs.getContext())
          .dropResult(loops.summed);
  product.iterators.assign(loops.size(), utils::IteratorType::parallel);
  product.iterators.back() = utils::IteratorType::reduction;
  return MatmulShape{x, y, product};
}

void MatmulShape::addSizes(ImplicitLocOpBuilder &b) {
  for (AffineExpr loop : product.resultMap.getResults()) {
    auto lhsDim = product.aMap.getResultPosition(loop);
    auto rhsDim = product.bMap.getResultPosition(loop);
    bool isRhs = !lhsDim || (rhsDim && lhs.type.isDynamicDim(*lhsDim) &&
                             !rhs.type.isDynamicDim(*rhsDim));
    product.resultSizes.push_back(tensor::getMixedSize(
        b, b.getLoc(), isRhs ? product.b.codes : product.a.codes,
        isRhs ? *rhsDim : *lhsDim));
  }
}

IntegerProduct mlir::qdq::describeMatmul(ImplicitLocOpBuilder &b, Value lhs,
                                         Value rhs, bool isLhsTransposed,
                                         bool isRhsTransposed) {
  MatmulShape shape =
      MatmulShape::get(lhs, rhs, isLhsTransposed, isRhsTransposed);
  shape.addSizes(b);
  return shape.product;
}

FailureOr<Value> mlir::qdq::buildIntegerMatmul(ImplicitLocOpBuilder &b,
                                               ProductOperand lhs,
                                               ProductOperand rhs,
                                               Accumulator accumulator,
                                               std::string &reason) {
  MatmulShape shape = MatmulShape::get(lhs.codes, rhs.codes);
  IntegerProduct &product = shape.product;
  product.createNamed = getNamedOp(product);
  product.accumulator = accumulator;
  for (auto [operand, dims, map] : {std::tuple(&lhs, &shape.lhs, product.aMap),
                                    {&rhs, &shape.rhs, product.bMap}})
    if (Value zero = operand->zeroPoint)
      if (auto zeros = dyn_cast<RankedTensorType>(zero.getType()))
        operand->zeroPointMap = getZeroPointMap(zeros, *dims, map);
  product.a = lhs;
  product.b = rhs;
  shape.addSizes(b);
  return buildIntegerProduct(b, product, reason);
}
