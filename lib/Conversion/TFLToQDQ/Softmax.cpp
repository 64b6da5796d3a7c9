// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.softmax of 8 bits: by LiteRT's fixed-point kernel, or by its kernel of
// floats.

#include "../ForeignOps/Rows.h"
#include "../ForeignOps/TensorOps.h"
#include "ExpTable.h"
#include "FixedReciprocal.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

/// The entry of a table for the difference of a code to the largest one.
static Value lookUp(ImplicitLocOpBuilder &b, const Rows &rows, Value table,
                    Value code, Value largest) {
  auto toIndex = [&](Value value) -> Value {
    if (rows.isSigned)
      return arith::IndexCastOp::create(b, b.getIndexType(), value);
    return arith::IndexCastUIOp::create(b, b.getIndexType(), value);
  };
  Value difference = arith::SubIOp::create(b, toIndex(largest), toIndex(code));
  return tensor::ExtractOp::create(b, table, difference);
}

/// A value of i64 as a code, which is `lowest` more, bounded to 8 bits.
static Value toCode(ImplicitLocOpBuilder &b, Value value, int64_t lowest) {
  value = arith::AddIOp::create(b, value, createI64(b, lowest));
  value = arith::MinSIOp::create(b, value, createI64(b, lowest + 255));
  value = arith::MaxSIOp::create(b, value, createI64(b, lowest));
  return arith::TruncIOp::create(b, b.getI8Type(), value);
}

//===----------------------------------------------------------------------===//
// In fixed point
//===----------------------------------------------------------------------===//

static Value createFixed(const ForeignOp &op, const Rows &rows, double step,
                         int64_t lowest) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  SmallVector<int32_t> exps = getFixedExpTable(step), terms;
  // Sums have 12 integer bits.
  for (int64_t entry : exps)
    terms.push_back((entry + (1 << 11)) >> 12);
  auto tableType = RankedTensorType::get(kDifferences, i32);
  auto createTable = [&](ArrayRef<int32_t> entries) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(tableType, entries));
  };
  Value expTable = createTable(exps), termTable = createTable(terms);
  Value sums =
      rows.fold(b, {rows.codes, rows.largest}, b.getI32IntegerAttr(0),
                [&](ImplicitLocOpBuilder &body, ValueRange x) -> Value {
                  return arith::AddIOp::create(
                      body, x[2], lookUp(body, rows, termTable, x[0], x[1]));
                });
  auto mapSums = [&](function_ref<Value(ImplicitLocOpBuilder &, Value)> body) {
    return mapElements(b, {sums}, i64,
                       [&](ImplicitLocOpBuilder &inner, ValueRange x) {
                         return body(inner, x[0]);
                       });
  };
  Value reciprocals = mapSums(getReciprocal);
  // The sum has 12 - headroom integer bits beside the first one, and the code
  // 8 bits.
  Value shifts = mapSums([](ImplicitLocOpBuilder &body, Value sum) -> Value {
    return arith::SubIOp::create(body, createI64(body, 12 + 31 - 8),
                                 getHeadroom(body, sum));
  });
  return rows.map(
      b, {rows.codes, rows.largest, reciprocals, shifts}, b.getI8Type(),
      [&](ImplicitLocOpBuilder &body, ValueRange x) -> Value {
        Value entry = arith::ExtSIOp::create(
            body, i64, lookUp(body, rows, expTable, x[0], x[1]));
        Value product = emitMultiplyHigh(body, x[2], entry);
        Value below = arith::SubIOp::create(body, x[3], createI64(body, 1));
        Value nearest = arith::AddIOp::create(
            body, product,
            arith::ShLIOp::create(body, createI64(body, 1), below));
        return toCode(body, arith::ShRSIOp::create(body, nearest, x[3]),
                      lowest);
      });
}

//===----------------------------------------------------------------------===//
// In floats
//===----------------------------------------------------------------------===//

static Value createFloat(const ForeignOp &op, const Rows &rows, float step,
                         float scale, int64_t lowest) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  FloatType f32 = b.getF32Type();
  SmallVector<float> exps = getFloatExpTable(step);
  Value table = arith::ConstantOp::create(
      b, DenseElementsAttr::get(RankedTensorType::get(kDifferences, f32),
                                ArrayRef(exps)));
  auto create = [&](ImplicitLocOpBuilder &inner, float value) -> Value {
    return arith::ConstantOp::create(inner, inner.getF32FloatAttr(value));
  };
  Value sums = rows.fold(
      b, {rows.codes, rows.largest}, b.getF32FloatAttr(0.0f),
      [&](ImplicitLocOpBuilder &body, ValueRange x) -> Value {
        return addInOrder(body, x[2], lookUp(body, rows, table, x[0], x[1]));
      });
  Value inverses = mapElements(
      b, {sums}, f32, [&](ImplicitLocOpBuilder &body, ValueRange x) -> Value {
        Value units = arith::MulFOp::create(body, x[0], create(body, scale));
        return arith::DivFOp::create(body, create(body, 1.0f), units);
      });
  return rows.map(
      b, {rows.codes, rows.largest, inverses}, b.getI8Type(),
      [&](ImplicitLocOpBuilder &body, ValueRange x) -> Value {
        Value entry = lookUp(body, rows, table, x[0], x[1]);
        Value code = arith::MulFOp::create(body, entry, x[2]);
        // Not negative: the sum is 1 or more.
        code = arith::AddFOp::create(body, code, create(body, 0.5f));
        return toCode(body,
                      arith::FPToSIOp::create(body, body.getI64Type(), code),
                      lowest);
      });
}

LogicalResult mlir::qdq::translateSoftmax(const ForeignOp &op,
                                          const Stamp &stamp) {
  FailureOr<CodeTensor> input = readCodes(op, 0, "input");
  FailureOr<CodeType> result = readResultCodes(op);
  FailureOr<float> beta = op.getFloat("beta", 1.0f);
  if (failed(input) || failed(result) || failed(beta) ||
      failed(checkPerTensor(op, "input", *input)) ||
      failed(checkPerTensor(op, "result", *result)))
    return failure();
  if (!(*beta > 0) || std::isinf(*beta))
    return op.refuse("beta is ", *beta, ": expected a positive number");
  if (input->getStorage().isInteger(16))
    return translateSoftmax16(op, stamp, *input, *result, *beta);
  int64_t lowest = getIntegerBounds(result->getStorage()).first;
  if (input->getStorage() != result->getStorage() ||
      !input->getStorage().isInteger(8) ||
      failed(verifyCompatibleShape(input->type, result->type)) ||
      result->getScale().convertToFloat() != 1.0f / 256 ||
      result->getZeroPoint() != lowest)
    return op.refuse("has the input ", input->type, " and a result ",
                     result->type, " of scale ",
                     result->getScale().convertToFloat(), " and zero point ",
                     result->getZeroPoint(),
                     ": expected one type of 8 bits, and the scale 1/256 and "
                     "the zero point ",
                     lowest, ", as LiteRT does");
  int64_t rank = input->type.getRank();
  // Sums of the fixed-point kernel have 12 integer bits.
  bool isFixed = stamp.getProfile() == Profile::TFLite;
  if (rank == 0 || input->type.isDynamicDim(rank - 1) ||
      (isFixed && input->type.getDimSize(rank - 1) > 4095))
    return op.refuse("input has type ", input->type,
                     ": expected rows of a static size of up to 4095 (of any "
                     "static size where the profile is not tflite)");
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Rows rows(b, input->getCodes(op), input->isSigned(), rank - 1);
  rows.findLargest(b);
  float scale = input->getScale().convertToFloat();
  replaceWithStorage(
      op, isFixed ? createFixed(op, rows, double(scale) * *beta, lowest)
                  : createFloat(op, rows, scale * *beta, 1.0f / 256, lowest));
  return success();
}
