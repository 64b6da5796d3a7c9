// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one generic that looks for the smallest and largest values of groups.

#include "RangeReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/BuildGeneric.h"

using namespace mlir;
using namespace mlir::qdq;

Value mlir::qdq::createEmptyRanges(OpBuilder &b, Location loc,
                                   ArrayRef<OpFoldResult> sizes, Type element) {
  Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(element, 0.0));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
  return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
}

linalg::GenericOp mlir::qdq::createRangeReduction(ImplicitLocOpBuilder &b,
                                                  Value input, Value low,
                                                  Value high,
                                                  AffineMap toRange) {
  AffineMap identity = b.getMultiDimIdentityMap(toRange.getNumDims());
  return buildGeneric(
      b, input, {low, high}, {identity, toRange, toRange},
      [](ImplicitLocOpBuilder &body, ValueRange x) -> SmallVector<Value> {
        auto pick = [&](arith::CmpFPredicate predicate, Value best) -> Value {
          Value isBetter =
              arith::CmpFOp::create(body, predicate, x.front(), best);
          return arith::SelectOp::create(body, isBetter, x.front(), best);
        };
        Value lower = pick(arith::CmpFPredicate::OLT, x[1]);
        return {lower, pick(arith::CmpFPredicate::OGT, x[2])};
      });
}
