// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.unpack and qdq.pack to one linalg.generic each.

#include "PackingToLinalg.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/FunctionPattern.h"
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
template <auto lower, typename OpTy>
static LogicalResult lowerPacking(OpTy op, PatternRewriter &rewriter,
                                  const QDQToLinalgOptions &options) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Operation *before = op->getPrevNode();
  auto type = cast<RankedTensorType>(op.getType());
  Value result =
      castElementType(b, op.getLoc(),
                      castTo(b, lower(b, op, options),
                             cast<RankedTensorType>(toSignless(type))),
                      type);
  Operation *made = before ? before->getNextNode() : &op->getBlock()->front();
  for (; made != op; made = made->getNextNode())
    if (isa<linalg::GenericOp>(made))
      made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, result);
  return success();
}

void mlir::qdq::populatePackingToLinalgPatterns(
    RewritePatternSet &patterns, const QDQToLinalgOptions &options,
    PatternBenefit benefit) {
  patterns.add<FunctionPattern<lowerPacking<lowerUnpack, UnpackOp>>,
               FunctionPattern<lowerPacking<lowerPack, PackOp>>>(
      patterns.getContext(), options, benefit);
}
