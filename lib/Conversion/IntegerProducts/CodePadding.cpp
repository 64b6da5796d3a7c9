// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes that are padded where the reals are padded with 0.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/Support/Reason.h"

using namespace mlir;
using namespace mlir::qdq;

/// The zero point, if it is a constant of equal elements.
static std::optional<ConstantElements> getUniform(Value zero) {
  auto constant = ConstantElements::get(zero);
  if (constant && (constant->size() == 0 || !constant->isUniform()))
    return std::nullopt;
  return constant;
}

bool mlir::qdq::isSingle(Value value) {
  if (!isa<ShapedType>(value.getType()))
    return true;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type &&
         llvm::all_of(type.getShape(), [](int64_t size) { return size == 1; });
}

LogicalResult mlir::qdq::checkCodePadding(const ProductOperand &operand,
                                          std::string &reason) {
  Value zero = operand.zeroPoint;
  if (!zero)
    return success();
  Type codes = getElementTypeOrSelf(operand.codes);
  if (auto constant = getUniform(zero)) {
    reason = describeForeignZeroPoint(constant, codes);
    return success(reason.empty());
  }
  if (!isSingle(zero))
    return refuse(reason, "what is padded has more than one zero point");
  Type zeros = getElementTypeOrSelf(zero);
  bool isSame = toSignless(codes) == toSignless(zeros) &&
                isSignedStorage(codes) == isSignedStorage(zeros);
  if (!isSame)
    reason = "the zero point of what is padded has not the type of the codes";
  return success(isSame);
}

Value mlir::qdq::createCodePadding(ImplicitLocOpBuilder &b,
                                   const ProductOperand &operand) {
  auto type =
      cast<IntegerType>(toSignless(getElementTypeOrSelf(operand.codes)));
  if (!operand.zeroPoint)
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  if (auto constant = getUniform(operand.zeroPoint))
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(
               type,
               std::get<APSInt>((*constant)[0]).extOrTrunc(type.getWidth())));
  Value zero = asSignless(b, b.getLoc(), operand.zeroPoint);
  if (auto tensor = dyn_cast<RankedTensorType>(zero.getType()))
    zero = tensor::ExtractOp::create(
        b, zero,
        SmallVector<Value>(tensor.getRank(),
                           arith::ConstantIndexOp::create(b, 0)));
  return zero;
}
