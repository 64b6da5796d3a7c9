// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.unpack and qdq.pack to one linalg.generic each.

#include "PackingToLinalg.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

static Value castTo(ImplicitLocOpBuilder &b, Value value,
                    RankedTensorType type) {
  if (value.getType() == type)
    return value;
  // Static sizes that contradict each other are wrong at run time only.
  if (!tensor::CastOp::areCastCompatible(value.getType(), type))
    value = tensor::CastOp::create(
        b,
        type.clone(SmallVector<int64_t>(type.getRank(), ShapedType::kDynamic)),
        value);
  return tensor::CastOp::create(b, type, value);
}

/// The generics that `lower` makes get the attributes of the op.
template <typename Lower>
static void replaceWithGenerics(PatternRewriter &rewriter, Operation *op,
                                Lower lower) {
  ImplicitLocOpBuilder b(op->getLoc(), rewriter);
  Operation *before = op->getPrevNode();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value result = castElementType(
      b, op->getLoc(),
      castTo(b, lower(b), cast<RankedTensorType>(toSignless(type))), type);
  Operation *made = before ? before->getNextNode() : &op->getBlock()->front();
  for (; made != op; made = made->getNextNode())
    if (isa<linalg::GenericOp>(made))
      made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, result);
}

namespace {
template <typename OpTy, Value (*lower)(ImplicitLocOpBuilder &, OpTy,
                                        const QDQToLinalgOptions &)>
struct PackingLowering : OpRewritePattern<OpTy> {
  PackingLowering(MLIRContext *ctx, const QDQToLinalgOptions &options,
                  PatternBenefit benefit)
      : OpRewritePattern<OpTy>(ctx, benefit), options(options) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    replaceWithGenerics(rewriter, op, [&](ImplicitLocOpBuilder &b) {
      return lower(b, op, options);
    });
    return success();
  }

private:
  QDQToLinalgOptions options;
};
} // namespace

void mlir::qdq::populatePackingToLinalgPatterns(
    RewritePatternSet &patterns, const QDQToLinalgOptions &options,
    PatternBenefit benefit) {
  patterns.add<PackingLowering<UnpackOp, lowerUnpack>,
               PackingLowering<PackOp, lowerPack>>(patterns.getContext(),
                                                   options, benefit);
}
