// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The type tables of Quantize, Dequantize, DynamicQuantize and
// DynamicDequantize.

#include "Operands.h"
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
static LogicalResult checkType(const ForeignOp &op, StringRef name, Type type,
                               ArrayRef<StringRef> allowed,
                               const Twine &condition = "") {
  std::string found = getDataTypeName(type);
  if (llvm::is_contained(allowed, found))
    return success();
  return op.refuse(name, " type ", found, " is not allowed", condition,
                   ": expected ", llvm::join(allowed, ", "));
}

LogicalResult mlir::qdq::checkStaticTypes(const ForeignOp &op, bool isQuantize,
                                          Type src, Type dst) {
  SmallVector<StringRef> real = {"f32"};
  SmallVector<StringRef> codes = {"s8", "u8", "f8_e4m3", "f8_e5m2"};
  return success(
      succeeded(checkType(op, "src", src, isQuantize ? real : codes)) &&
      succeeded(checkType(op, "dst", dst, isQuantize ? codes : real)));
}

LogicalResult mlir::qdq::checkDynamicTypes(const ForeignOp &op, bool isQuantize,
                                           Type src, Type dst, Type scales,
                                           Type zps) {
  if (isQuantize) {
    if (failed(checkType(op, "src", src, {"f32"})) ||
        failed(checkType(op, "dst", dst, {"s8", "u8"})) ||
        failed(checkType(op, "scales", scales, {"f32"})))
      return failure();
  } else {
    if (failed(checkType(op, "src", src, {"s4", "u4", "s8", "u8"})) ||
        failed(checkType(op, "dst", dst, {"f16", "bf16", "f32"})))
      return failure();
    std::string dstName = getDataTypeName(dst);
    if (failed(checkType(op, "scales", scales, {dstName},
                         " with dst type " + dstName)))
      return failure();
  }
  if (!zps)
    return success();
  Type codes = isQuantize ? dst : src;
  SmallVector<StringRef> allowed = {"s8", "u8", "s32"};
  if (codes.getIntOrFloatBitWidth() == 4)
    allowed = {"s4", "u4", "s32"};
  return checkType(op, "zps", zps, allowed,
                   Twine(isQuantize ? " with dst type " : " with src type ") +
                       getDataTypeName(codes));
}
