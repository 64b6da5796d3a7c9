// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of unary operators, and lookup tables of all codes.

#include "../ForeignOps/TensorOps.h"
#include "Elementwise.h"
#include "KernelTables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

FailureOr<Unary> mlir::qdq::readUnary(const ForeignOp &op) {
  Reader read;
  Unary n{read(readCodes(op, 0, "input")), read(readResultCodes(op))};
  if (failed(read))
    return failure();
  if (n.input.getStorage() != n.result.getStorage() ||
      failed(verifyCompatibleShape(n.input.type, n.result.type)))
    return op.refuse("has the input ", n.input.type, " and the result ",
                     n.result.type, ": expected one type");
  return n;
}

FailureOr<Unary> mlir::qdq::readAllSigned(const ForeignOp &op) {
  FailureOr<Unary> n = readUnary(op);
  if (succeeded(n) && (!n->input.isSigned() || n->result.isNarrow ||
                       !(n->input.getStorage().isInteger(8) || n->is16Bits())))
    return op.refuse("has the input ", n->input.type,
                     ": expected all signed codes of 8 or 16 bits");
  return n;
}

FailureOr<Unary> mlir::qdq::readSigned(const ForeignOp &op) {
  FailureOr<Unary> n = readAllSigned(op);
  if (succeeded(n) && n->is16Bits() &&
      (n->input.getZeroPoint() || n->result.getZeroPoint()))
    return op.refuse("has 16 bits and the zero points ",
                     n->input.getZeroPoint(), " and ", n->result.getZeroPoint(),
                     ": expected 0");
  return n;
}

LogicalResult
mlir::qdq::replaceByTable(const ForeignOp &op, const Unary &n,
                          function_ref<int64_t(int64_t)> function) {
  // By the bits of the code.
  unsigned width = n.input.getWidth();
  SmallVector<APInt> table;
  for (int64_t bits = 0; bits < int64_t(1) << width; ++bits) {
    APInt code(width, bits);
    int64_t value = function(n.input.isSigned() ? code.getSExtValue()
                                                : code.getZExtValue());
    table.push_back(APInt(width, std::clamp(value, n.result.lo, n.result.hi),
                          /*isSigned=*/true, /*implicitTrunc=*/true));
  }
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Type element = b.getIntegerType(width);
  int64_t size = table.size();
  Value entries = arith::ConstantOp::create(
      b, DenseElementsAttr::get(RankedTensorType::get(size, element), table));
  return replaceWithStorage(
      op, mapElements(b, {n.input.getCodes(op)}, element,
                      [&](Scalar code) { return readEntry(entries, code); }));
}

LogicalResult mlir::qdq::replaceByLines(const ForeignOp &op, const Unary &n,
                                        function_ref<float(float)> function) {
  auto getScale = [](const CodeType &of) {
    return TableScale<float>{of.getFloatScale(), of.getZeroPoint()};
  };
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Value table = createInterpolationTable<float>(b, getScale(n.input),
                                                getScale(n.result), function);
  Type i16 = b.getI16Type(), i32 = b.getI32Type();
  return replaceWithStorage(
      op, mapElements(b, {n.input.getCodes(op)}, i16, [&](Scalar code) {
        return interpolate(table, code.to(i32)).to(i16);
      }));
}
