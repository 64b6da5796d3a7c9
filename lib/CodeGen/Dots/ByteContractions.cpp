// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes as the vector.contract ops that have instructions.

#include "ByteContractions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::qdq;

/// Adds products of `lhs` and `rhs`, whose last dimension is that of a lane of
/// `sums`, the one before it that of the lanes.
static vector::ContractionOp createDots(ImplicitLocOpBuilder &b, Value lhs,
                                        Value rhs, Value sums) {
  int64_t rank = cast<VectorType>(lhs.getType()).getRank();
  using vector::IteratorType;
  SmallVector<AffineExpr> all = llvm::map_to_vector(
      llvm::seq(rank), [&](int64_t dim) { return b.getAffineDimExpr(dim); });
  SmallVector<IteratorType> iterators(rank, IteratorType::reduction);
  iterators[rank - 2] = IteratorType::parallel;
  return vector::ContractionOp::create(
      b, lhs, rhs, sums,
      ArrayRef<ArrayRef<AffineExpr>>{all, all, ArrayRef(all[rank - 2])},
      iterators);
}

/// Integers as those of `element`.
static Value extend(ImplicitLocOpBuilder &b, Type element, ByteFactor factor) {
  Type type = cast<VectorType>(factor.bytes.getType()).clone(element);
  if (factor.isSigned)
    return arith::ExtSIOp::create(b, type, factor.bytes);
  return arith::ExtUIOp::create(b, type, factor.bytes);
}

Value mlir::qdq::addByteProducts(ImplicitLocOpBuilder &b, Value sums,
                                 ByteFactor lhs, ByteFactor rhs, bool fitsI16) {
  auto type = cast<VectorType>(sums.getType());
  int64_t lanes = type.getNumElements();
  auto widen = [&](ByteFactor factor) {
    auto bytes = cast<VectorType>(factor.bytes.getType());
    bytes = VectorType::get({lanes, bytes.getNumElements() / lanes},
                            bytes.getElementType());
    factor.bytes = vector::ShapeCastOp::create(b, bytes, factor.bytes);
    return extend(b, type.getElementType(), factor);
  };
  vector::ContractionOp contraction =
      createDots(b, widen(lhs), widen(rhs), sums);
  if (fitsI16)
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

/// Vectors of four bytes for each of `lanes` lanes as one.
static Value stack(ImplicitLocOpBuilder &b, ArrayRef<Value> vectors,
                   int64_t lanes) {
  auto four = VectorType::get({lanes, 4}, b.getI8Type());
  auto cast = [&](Value bytes) -> Value {
    return vector::ShapeCastOp::create(b, four, bytes);
  };
  if (vectors.size() == 1)
    return cast(vectors.front());
  int64_t count = vectors.size();
  Value all = ub::PoisonOp::create(
      b, VectorType::get({count, lanes, 4}, b.getI8Type()));
  for (auto [i, bytes] : llvm::enumerate(vectors))
    all = vector::InsertOp::create(b, cast(bytes), all, ArrayRef<int64_t>(i));
  return all;
}

/// Codes of at most `most` in as many bits as that has.
static Value truncate(ImplicitLocOpBuilder &b, Value codes, int64_t most) {
  unsigned bits = llvm::bit_width(uint64_t(most));
  if (bits == 8)
    return codes;
  Type type = cast<VectorType>(codes.getType()).clone(b.getIntegerType(bits));
  return arith::TruncIOp::create(b, type, codes,
                                 arith::IntegerOverflowFlags::nuw);
}

Value mlir::qdq::addCodeProducts(ImplicitLocOpBuilder &b, Value sums,
                                 ArrayRef<Value> codes,
                                 ArrayRef<Value> signedBytes, int64_t most) {
  int64_t lanes = cast<VectorType>(sums.getType()).getNumElements();
  int64_t group =
      std::max<int64_t>(getMostInI16(llvm::bit_width(uint64_t(most))), 1);
  for (int64_t from = 0, end = codes.size(); from < end; from += group) {
    int64_t count = std::min(group, end - from);
    Value lhs = stack(b, codes.slice(from, count), lanes);
    lhs = truncate(b, lhs, most);
    Value rhs = stack(b, signedBytes.slice(from, count), lanes);
    sums = createDots(b, extend(b, b.getI32Type(), {lhs, false}),
                      extend(b, b.getI32Type(), {rhs, true}), sums);
  }
  return sums;
}
