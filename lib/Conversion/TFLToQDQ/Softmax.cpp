// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.softmax of 8 bits: by LiteRT's fixed-point kernel, or by its kernel of
// floats.

#include "../ForeignOps/Rows.h"
#include "../ForeignOps/TensorOps.h"
#include "KernelTables.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

/// The entry of a table for the difference of a code to the largest one.
static Scalar lookUp(const Rows &rows, Value table, Scalar code,
                     Scalar largest) {
  Type index = code.getBuilder().getIndexType();
  auto toIndex = [&](Scalar value) {
    return rows.isSigned ? value.to(index) : value.toUnsigned(index);
  };
  return readEntry(table, toIndex(largest) - toIndex(code));
}

/// A value of i64 as a code, which is `lowest` more, bounded to 8 bits.
static Scalar toCode(Scalar value, int64_t lowest) {
  return max(min(value + lowest, lowest + 255), lowest)
      .to(value.getBuilder().getI8Type());
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
  Value sums = rows.fold(b, {rows.codes, rows.largest}, b.getI32IntegerAttr(0),
                         [&](Scalar code, Scalar largest, Scalar sum) {
                           return sum + lookUp(rows, termTable, code, largest);
                         });
  Value reciprocals = mapElements(b, {sums}, i64, getReciprocal);
  // The sum has 12 - headroom integer bits beside the first one, and the code
  // 8 bits.
  Value shifts = mapElements(b, {sums}, i64, [&](Scalar sum) {
    Scalar bits(sum.getBuilder(), createNumber(sum.getBuilder(), i64, 35));
    return bits - getHeadroom(sum);
  });
  return rows.map(
      b, {rows.codes, rows.largest, reciprocals, shifts}, b.getI8Type(),
      [&](Scalar code, Scalar largest, Scalar reciprocal, Scalar shift) {
        Scalar entry = lookUp(rows, expTable, code, largest).to(i64);
        Scalar product = emitMultiplyHigh(reciprocal, entry), below = shift - 1;
        Scalar nearest = product + (product.constant(1) << below);
        return toCode(nearest >> shift, lowest);
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
  Value sums =
      rows.fold(b, {rows.codes, rows.largest}, b.getF32FloatAttr(0.0f),
                [&](Scalar code, Scalar largest, Scalar sum) {
                  return addInOrder(sum, lookUp(rows, table, code, largest));
                });
  Value inverses = mapElements(b, {sums}, f32, [&](Scalar sum) {
    Scalar units = sum * scale;
    return 1 / units;
  });
  return rows.map(b, {rows.codes, rows.largest, inverses}, b.getI8Type(),
                  [&](Scalar code, Scalar largest, Scalar inverse) {
                    // Not negative: the sum is 1 or more.
                    Scalar entry = lookUp(rows, table, code, largest);
                    Scalar rounded = entry * inverse + 0.5;
                    return toCode(rounded.to(b.getI64Type()), lowest);
                  });
}

LogicalResult mlir::qdq::translateSoftmax(const ForeignOp &op,
                                          const Stamp &stamp) {
  FailureOr<CodeTensor> input = readCodes(op, 0, "input");
  FailureOr<CodeType> result = readResultCodes(op);
  FailureOr<float> beta = op.getFloat("beta", 1.0f);
  if (failed(input) || failed(result) || failed(beta))
    return failure();
  if (!(*beta > 0) || std::isinf(*beta))
    return op.refuse("beta is ", *beta, ": expected a positive number");
  if (input->getStorage().isInteger(16))
    return translateSoftmax16(op, stamp, *input, *result, *beta);
  int64_t lowest = getIntegerBounds(result->getStorage()).first;
  if (input->getStorage() != result->getStorage() ||
      !input->getStorage().isInteger(8) ||
      failed(verifyCompatibleShape(input->type, result->type)) ||
      result->getFloatScale() != 1.0f / 256 || result->getZeroPoint() != lowest)
    return op.refuse("has the input ", input->type, " and a result ",
                     result->type, " of scale ", result->getFloatScale(),
                     " and zero point ", result->getZeroPoint(),
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
  float scale = input->getFloatScale();
  return replaceWithStorage(
      op, isFixed ? createFixed(op, rows, double(scale) * *beta, lowest)
                  : createFloat(op, rows, scale * *beta, 1.0f / 256, lowest));
}
