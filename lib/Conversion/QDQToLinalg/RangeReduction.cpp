// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one generic that looks for the smallest and largest values of groups.

#include "RangeReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

Value mlir::qdq::createEmptyRanges(OpBuilder &b, Location loc,
                                   ArrayRef<OpFoldResult> sizes, Type element) {
  Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(element, 0.0));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
  return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
}

linalg::GenericOp
mlir::qdq::createRangeReduction(OpBuilder &b, Location loc, Value input,
                                Value low, Value high, AffineMap toRange,
                                ArrayRef<utils::IteratorType> iterators) {
  AffineMap identity = b.getMultiDimIdentityMap(toRange.getNumDims());
  return linalg::GenericOp::create(
      b, loc, TypeRange{low.getType(), high.getType()}, input,
      ValueRange{low, high}, ArrayRef{identity, toRange, toRange}, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        auto pick = [&](arith::CmpFPredicate predicate, Value best) {
          Value x = arguments.front();
          Value isBetter =
              arith::CmpFOp::create(nested, loc, predicate, x, best);
          return arith::SelectOp::create(nested, loc, isBetter, x, best)
              .getResult();
        };
        Value lower = pick(arith::CmpFPredicate::OLT, arguments[1]);
        Value higher = pick(arith::CmpFPredicate::OGT, arguments[2]);
        linalg::YieldOp::create(nested, loc, ValueRange{lower, higher});
      });
}
