// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.reshape, tfl.squeeze, tfl.expand_dims, tfl.transpose and tfl.pad: codes
// in other places.

#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/TensorOps.h"
#include "../ForeignOps/Window.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// An operand of any element type, as it is stored, and the type of the result.
struct Moved {
  Value operand;
  RankedTensorType type, result;
};
} // namespace

/// Reads the first operand, whose elements the op moves as they are.
static FailureOr<Moved> readMoved(const ForeignOp &op) {
  Value operand = op.getOperand(0);
  auto result =
      dyn_cast<RankedTensorType>(op.getOperation()->getResult(0).getType());
  auto type = operand ? dyn_cast<RankedTensorType>(operand.getType())
                      : RankedTensorType();
  if (!type || !result)
    return op.refuse("has an operand or a result that is no ranked tensor");
  if (isQuantized(type) || isQuantized(result)) {
    FailureOr<CodeType> from = readCodeType(op, "input", type);
    FailureOr<CodeType> to = readResultCodes(op);
    if (failed(from) || failed(to) ||
        failed(checkSameParameters(op, "input", *from, "result", *to)))
      return failure();
    type = from->type;
    result = to->type;
  } else if (type.getElementType() != result.getElementType()) {
    return op.refuse("has the input ", type, " and the result ", result,
                     ": expected one element type");
  }
  return Moved{operand, type, result};
}

/// The product of the sizes of a tensor, by the product of `known`.
static Value divideSize(ImplicitLocOpBuilder &b, Value value, int64_t known) {
  auto type = cast<RankedTensorType>(value.getType());
  Value count = arith::ConstantIndexOp::create(b, 1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    count =
        arith::MulIOp::create(b, count, tensor::DimOp::create(b, value, dim));
  return arith::DivUIOp::create(b, count,
                                arith::ConstantIndexOp::create(b, known));
}

LogicalResult mlir::qdq::translateReshape(const ForeignOp &op, const Stamp &) {
  FailureOr<Moved> moved = readMoved(op);
  if (failed(moved))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  RankedTensorType from = moved->type, to = moved->result;
  if (from.hasStaticShape() && to.hasStaticShape()) {
    if (from.getNumElements() != to.getNumElements())
      return op.refuse("has the input ", from, " and the result ", to,
                       ": expected one number of elements");
    Value value = toStorage(op, moved->operand);
    // Through one dimension, where neither shape is a collapsed form of the
    // other.
    if (from.getRank() == to.getRank()
            ? from != to
            : !getReassociationIndicesForReshape(from, to))
      value = reshape(b, value, {from.getNumElements()});
    return replaceWithStorage(op, reshape(b, value, to.getShape()));
  }
  int64_t known = 1, open = 0;
  for (int64_t size : to.getShape())
    if (ShapedType::isDynamic(size))
      ++open;
    else
      known *= size;
  if (open > 1 || known == 0)
    return op.refuse("has the input ", from, " and the result ", to,
                     ": expected at most one open size in the result");
  Value value = toStorage(op, moved->operand);
  SmallVector<Value> sizes;
  for (int64_t size : to.getShape())
    sizes.push_back(ShapedType::isDynamic(size)
                        ? divideSize(b, value, known)
                        : arith::ConstantIndexOp::create(b, size).getResult());
  assertSameCount(op, tensor::getMixedSizes(b, b.getLoc(), value),
                  getAsOpFoldResult(sizes));
  Value shape =
      sizes.empty()
          ? tensor::EmptyOp::create(b, ArrayRef<int64_t>{0}, b.getIndexType())
                .getResult()
          : tensor::FromElementsOp::create(b, sizes).getResult();
  Value signless = asSignless(b, b.getLoc(), value);
  return replaceWithStorage(
      op, tensor::ReshapeOp::create(b, to.clone(getElementTypeOrSelf(signless)),
                                    signless, shape)
              .getResult());
}

LogicalResult mlir::qdq::translateTranspose(const ForeignOp &op,
                                            const Stamp &) {
  FailureOr<Moved> moved = readMoved(op);
  FailureOr<SmallVector<int64_t>> order = readConstantIntegers(op, 1, "perm");
  if (failed(moved) || failed(order))
    return failure();
  int64_t rank = moved->type.getRank();
  for (int64_t &dim : *order)
    dim += dim < 0 ? rank : 0;
  if (static_cast<int64_t>(order->size()) != rank ||
      !isPermutationVector(*order))
    return op.refuse("perm is no permutation of the ", rank,
                     " dimensions of the input");
  SmallVector<int64_t> shape = applyPermutation(moved->type.getShape(), *order);
  if (failed(verifyCompatibleShape(shape, moved->result.getShape())))
    return op.refuse("result has type ", moved->result,
                     ": expected the shape of ", moved->result.clone(shape));
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Value signless = toSignlessStorage(op, moved->operand);
  if (rank == 0)
    return replaceWithStorage(op, signless);
  SmallVector<OpFoldResult> sizes =
      applyPermutation(tensor::getMixedSizes(b, b.getLoc(), signless), *order);
  Value init =
      tensor::EmptyOp::create(b, sizes, getElementTypeOrSelf(signless));
  return replaceWithStorage(
      op, linalg::TransposeOp::create(b, signless, init, *order)->getResults());
}

FailureOr<Padding> mlir::qdq::readPadding(const ForeignOp &op, int64_t rank) {
  FailureOr<SmallVector<int64_t>> amounts =
      readConstantIntegers(op, 1, "padding");
  if (failed(amounts))
    return failure();
  if (static_cast<int64_t>(amounts->size()) != 2 * rank ||
      llvm::any_of(*amounts, [](int64_t amount) {
        return amount < 0 || amount > INT32_MAX;
      }))
    return op.refuse("padding has not two numbers from 0 on for each of the ",
                     rank, " dimensions of the input");
  Padding padding;
  for (int64_t dim = 0; dim < rank; ++dim) {
    padding.low.push_back((*amounts)[2 * dim]);
    padding.high.push_back((*amounts)[2 * dim + 1]);
  }
  return padding;
}

/// Pads by one element.
static LogicalResult translatePad(const ForeignOp &op,
                                  function_ref<ForeignTensor()> createPadding) {
  FailureOr<Moved> moved = readMoved(op);
  if (failed(moved))
    return failure();
  FailureOr<Padding> padding = readPadding(op, moved->type.getRank());
  if (failed(padding))
    return failure();
  SmallVector<int64_t> shape(moved->type.getShape());
  for (auto [dim, size] : llvm::enumerate(shape))
    if (ShapedType::isStatic(size))
      size += padding->low[dim] + padding->high[dim];
  if (failed(verifyCompatibleShape(shape, moved->result.getShape())))
    return op.refuse("result has type ", moved->result,
                     ": expected the shape of ", moved->result.clone(shape));
  MLIRContext *ctx = op.getRewriter().getContext();
  return replaceWithStorage(
      op, padCodes(op, toStorage(op, moved->operand), createPadding(),
                   /*first=*/0, getAsIndexOpFoldResult(ctx, padding->low),
                   getAsIndexOpFoldResult(ctx, padding->high)));
}

LogicalResult mlir::qdq::translatePad(const ForeignOp &op, const Stamp &) {
  FailureOr<CodeType> result = readResultCodes(op);
  if (failed(result))
    return failure();
  return ::translatePad(op, [&] { return result->parameters.zeroPoint; });
}

LogicalResult mlir::qdq::translatePadV2(const ForeignOp &op, const Stamp &) {
  FailureOr<CodeType> result = readResultCodes(op);
  FailureOr<CodeTensor> padding = readCodes(op, 2, "constant_values");
  if (failed(result) || failed(padding) ||
      failed(checkSameParameters(op, "constant_values", *padding, "result",
                                 *result)))
    return failure();
  if (!isSingle(padding->type))
    return op.refuse("constant_values has type ", padding->type,
                     ": expected one element");
  return ::translatePad(op, [&] { return padding->getTensor(op); });
}

LogicalResult mlir::qdq::translateMove(const ForeignOp &op, const Stamp &) {
  Operation *self = op.getOperation();
  PatternRewriter &b = op.getRewriter();
  std::optional<CodeType> first;
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(self->getOperandTypes()),
                                SmallVector<Type>(self->getResultTypes()))) {
    if (!isQuantized(type))
      continue;
    FailureOr<CodeType> own = readCodeType(op, "a value", type);
    if (failed(own) || (first && failed(checkSameParameters(
                                     op, "a value", *own, "another", *first))))
      return failure();
    first = first.value_or(*own);
  }
  if (llvm::none_of(self->getOperandTypes(), isQuantized))
    return op.refuse("has quantized results alone");
  OperationState state(op.getLoc(), self->getName());
  for (Value operand : self->getOperands())
    state.operands.push_back(isQuantized(operand.getType())
                                 ? toSignlessStorage(op, operand)
                                 : operand);
  for (Type type : self->getResultTypes()) {
    auto tensor = cast<TensorType>(type);
    Type code = b.getIntegerType(first->getWidth());
    state.types.push_back(isQuantized(type) ? tensor.clone(code) : type);
  }
  state.addAttributes(self->getAttrs());
  return replaceWithStorage(op, b.create(state)->getResults());
}
