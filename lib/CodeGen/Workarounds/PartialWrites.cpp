// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors written to a part of a tensor, whose rest upstream's bufferization
// forgets: docs/upstream/transfer-write-of-lower-rank.

#include "Preparations.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

/// True if upstream takes `op` for a write of its whole tensor (22.1): it
/// compares as many sizes as the vector has, the first with the first.
static bool looksWhole(vector::TransferWriteOp op) {
  return op.getShapedType().hasStaticShape() && !op.isMasked() &&
         llvm::all_of(op.getIndices(),
                      [](Value index) { return isZeroInteger(index); }) &&
         llvm::all_of(llvm::zip(op.getShapedType().getShape(),
                                op.getVectorType().getShape()),
                      [](auto sizes) {
                        return std::get<0>(sizes) <= std::get<1>(sizes);
                      });
}

static bool isWhole(vector::TransferWriteOp op) {
  AffineMap map = op.getPermutationMap();
  return !op.getMask() &&
         llvm::all_of(
             llvm::enumerate(op.getShapedType().getShape()), [&](auto dim) {
               std::optional<unsigned> lanes = map.getResultPosition(
                   getAffineDimExpr(dim.index(), op.getContext()));
               return dim.value() <=
                      (lanes ? op.getVectorType().getDimSize(*lanes) : 1);
             });
}

void mlir::qdq::markPartialWrites(Operation *root) {
  root->walk([](vector::TransferWriteOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getShapedType());
    if (!type || type.getRank() == 0 || !looksWhole(op) || isWhole(op))
      return;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    SmallVector<int64_t> shape(type.getShape());
    shape.front() = ShapedType::kDynamic;
    auto open =
        RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
    op.getBaseMutable().assign(tensor::CastOp::create(b, open, op.getBase()));
    b.setInsertionPointAfter(op);
    auto written = tensor::CastOp::create(b, type, op.getResult());
    op.getResult().replaceAllUsesExcept(written, written);
    op.getResult().setType(open);
  });
}
