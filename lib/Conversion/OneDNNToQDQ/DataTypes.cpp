// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The type tables of Quantize, Dequantize, DynamicQuantize and
// DynamicDequantize.

#include "DataTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::qdq;

std::string mlir::qdq::getDataTypeName(Type elementType) {
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return (integer.isUnsigned() ? "u" : "s") +
           std::to_string(integer.getWidth());
  if (isa<Float8E4M3FNType>(elementType))
    return "f8_e4m3";
  if (isa<Float8E5M2Type>(elementType))
    return "f8_e5m2";
  std::string text;
  llvm::raw_string_ostream(text) << elementType;
  return text;
}

/// Refuses a type that is not `allowed`; `condition` tells what decides that.
static LogicalResult checkType(const OneDNNOp &op, StringRef name,
                               TensorType type, ArrayRef<StringRef> allowed,
                               const Twine &condition = "") {
  std::string found = getDataTypeName(type.getElementType());
  if (llvm::is_contained(allowed, found))
    return success();
  return op.refuse(name, " type ", found, " is not allowed", condition,
                   ": expected ", llvm::join(allowed, ", "));
}

LogicalResult mlir::qdq::checkStaticTypes(const OneDNNOp &op, bool isQuantize) {
  TensorType real = op.getOperand(0).getType(), codes = op.getResultType();
  if (!isQuantize)
    std::swap(real, codes);
  StringRef src = "src", dst = "dst";
  return success(
      succeeded(checkType(op, isQuantize ? src : dst, real, {"f32"})) &&
      succeeded(checkType(op, isQuantize ? dst : src, codes, {"s8", "u8"})));
}

LogicalResult mlir::qdq::checkDynamicTypes(const OneDNNOp &op,
                                           bool isQuantize) {
  TensorType src = op.getOperand(0).getType(), dst = op.getResultType();
  TensorType scales = op.getOperand(1).getType();
  if (isQuantize) {
    if (failed(checkType(op, "src", src, {"f32"})) ||
        failed(checkType(op, "dst", dst, {"s8", "u8"})) ||
        failed(checkType(op, "scales", scales, {"f32"})))
      return failure();
  } else {
    if (failed(checkType(op, "src", src, {"s4", "u4", "s8", "u8"})) ||
        failed(checkType(op, "dst", dst, {"f16", "bf16", "f32"})))
      return failure();
    std::string dstName = getDataTypeName(dst.getElementType());
    if (failed(checkType(op, "scales", scales, {dstName},
                         " with dst type " + dstName)))
      return failure();
  }
  TypedValue<TensorType> zps = op.getOperand(2);
  if (!zps)
    return success();
  TensorType codes = isQuantize ? dst : src;
  std::string codesName = getDataTypeName(codes.getElementType());
  SmallVector<StringRef> allowed = {"s8", "u8", "s32"};
  if (codes.getElementTypeBitWidth() == 4)
    allowed = {"s4", "u4", "s32"};
  return checkType(op, "zps", zps.getType(), allowed,
                   Twine(isQuantize ? " with dst type " : " with src type ") +
                       codesName);
}
