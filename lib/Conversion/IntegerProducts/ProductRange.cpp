// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large the sums of a product can become.

#include "ProductRange.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/Support/Reason.h"

using namespace mlir;
using namespace mlir::qdq;

/// Smallest and largest value.
using Interval = std::pair<int64_t, int64_t>;

/// The range of a constant, or of the type.
static Interval getInterval(Value value) {
  std::optional<ConstantElements> constant = ConstantElements::get(value);
  if (!constant || constant->size() == 0)
    return getIntegerBounds(getElementTypeOrSelf(value));
  Interval range = {INT64_MAX, INT64_MIN};
  for (int64_t i = 0; i < constant->getNumDistinct(); ++i) {
    int64_t element = std::get<APSInt>((*constant)[i]).getExtValue();
    range = {std::min(range.first, element), std::max(range.second, element)};
  }
  return range;
}

static uint64_t getMagnitude(Interval range) {
  return std::max<int64_t>(std::abs(range.first), std::abs(range.second));
}

/// The largest magnitude of a code, and of its difference to the zero point.
static std::pair<uint64_t, uint64_t> getMagnitudes(const ProductOperand &x) {
  Interval codes = getIntegerBounds(getElementTypeOrSelf(x.codes));
  Interval zeros = x.zeroPoint ? getInterval(x.zeroPoint) : Interval(0, 0);
  return {getMagnitude(codes), getMagnitude({codes.first - zeros.second,
                                             codes.second - zeros.first})};
}

std::optional<int64_t>
mlir::qdq::getStaticTerms(const IntegerProduct &product) {
  return getStaticTerms(product,
                        cast<RankedTensorType>(product.a.codes.getType()),
                        cast<RankedTensorType>(product.b.codes.getType()));
}

std::optional<int64_t> mlir::qdq::getStaticTerms(const IntegerProduct &product,
                                                 RankedTensorType aType,
                                                 RankedTensorType bType) {
  // A size of an operand, where a loop alone is its index.
  SmallVector<std::optional<int64_t>> sizes(product.iterators.size());
  for (auto [type, map] :
       {std::pair(aType, product.aMap), std::pair(bType, product.bMap)})
    for (auto [index, size] : llvm::zip(map.getResults(), type.getShape()))
      if (auto loop = dyn_cast<AffineDimExpr>(index);
          loop && !ShapedType::isDynamic(size))
        sizes[loop.getPosition()] = size;
  uint64_t terms = 1;
  for (auto [iterator, size] : llvm::zip(product.iterators, sizes)) {
    if (iterator != utils::IteratorType::reduction)
      continue;
    if (!size)
      return std::nullopt;
    terms = llvm::SaturatingMultiply<uint64_t>(terms, *size);
  }
  return std::min<uint64_t>(terms, INT64_MAX);
}

FailureOr<ProductTypes>
mlir::qdq::getProductTypes(const ProductOperand &a, const ProductOperand &b,
                           Value bias, std::optional<int64_t> terms,
                           Accumulator accumulator, std::string &reason) {
  MLIRContext *ctx = a.codes.getContext();
  auto i32 = IntegerType::get(ctx, 32), i64 = IntegerType::get(ctx, 64);
  if (accumulator == Accumulator::Wrap32)
    return ProductTypes{i32, i32, uint64_t(1) << 31};
  auto [aCode, aDifference] = getMagnitudes(a);
  auto [bCode, bDifference] = getMagnitudes(b);
  uint64_t term = std::max(llvm::SaturatingMultiply(aCode, bCode),
                           llvm::SaturatingMultiply(aDifference, bDifference));
  uint64_t sum =
      llvm::SaturatingMultiply<uint64_t>(terms.value_or(INT32_MAX), term);
  uint64_t biasMagnitude = bias ? getMagnitude(getInterval(bias)) : 0;
  uint64_t total = llvm::SaturatingAdd(sum, biasMagnitude);
  if (total > INT64_MAX)
    return refuse(reason, "sums may need more than 64 bits");
  return ProductTypes{sum > INT32_MAX ? i64 : i32,
                      total > INT32_MAX ? i64 : i32, total};
}
