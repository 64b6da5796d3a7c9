// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NonZero: the places of elements, as many as the elements tell.

#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/TensorSlice.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

/// The indices [count] of the elements of `x` [n] other than 0, of i64. Each
/// index is written behind the ones that stay, where the next one replaces it
/// unless it stays.
static Value listNonZeros(B &b, Value x) {
  OpFoldResult size = tensor::getMixedSize(b, b.getLoc(), x, 0);
  Type i64 = b.getI64Type();
  Value all = tensor::EmptyOp::create(b, ArrayRef(size), i64);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(
      b, zero, toValue(b, size), one, ValueRange{all, zero},
      [&](OpBuilder &nested, Location loc, Value place, ValueRange carried) {
        B body(loc, nested);
        Scalar element(body, tensor::ExtractOp::create(body, x, place));
        Scalar count(body, carried[1]);
        Value index = arith::IndexCastOp::create(body, i64, place);
        Value list =
            tensor::InsertOp::create(body, index, carried[0], carried[1]);
        Scalar next = select(equal(element, 0), count, count + 1);
        scf::YieldOp::create(body, ValueRange{list, next});
      });
  OpFoldResult count = loop.getResult(1);
  return TensorSlice(b, count).take(loop.getResult(0));
}

/// In row-major order, as [rank of X, count].
LogicalResult mlir::qdq::translateNonZero(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "X", 1);
  if (failed(input))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Value x = asSignless(b, b.getLoc(), node.materialize(*input));
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  Value indices =
      listNonZeros(b, reshapeTo(b, x, sizes, multiplySizes(b, sizes)));
  Type i64 = b.getI64Type();
  OpFoldResult count = tensor::getMixedSize(b, b.getLoc(), indices, 0);
  int64_t rank = sizes.size();
  Value all =
      tensor::EmptyOp::create(b, Sizes{b.getIndexAttr(rank), count}, i64);
  TensorSlice row(b, {b.getIndexAttr(1), count});
  for (int64_t dim = 0; dim < rank; ++dim) {
    auto asNumber = [&](OpFoldResult size) -> Value {
      return arith::IndexCastOp::create(b, i64, toValue(b, size));
    };
    Value size = asNumber(sizes[dim]);
    Value inner =
        asNumber(multiplySizes(b, ArrayRef(sizes).drop_front(dim + 1)));
    Value places = mapElements(b, {indices}, i64, [&](Scalar index) {
      return (index / inner).apply<arith::RemUIOp>(size);
    });
    all = row.cut(0, dim, 1).put(places, all);
  }
  return replaceBy(node, all);
}
