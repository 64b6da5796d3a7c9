// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields of storage words as shifts.

#include "qdq/Conversion/QDQToArith/Fields.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;
using namespace mlir::qdq;

Value mlir::qdq::widenBits(ImplicitLocOpBuilder &b, Value value, Type type) {
  return Scalar(b, value).toUnsigned(getElementTypeOrSelf(type));
}

Value mlir::qdq::joinParts(ImplicitLocOpBuilder &b, IntegerType type,
                           ValueRange parts) {
  if (parts.size() == 1)
    return parts.front();
  Scalar word = Scalar(b, parts.front()).toUnsigned(type);
  int64_t width = getElementTypeOrSelf(parts.front()).getIntOrFloatBitWidth();
  for (auto [i, part] : llvm::enumerate(parts.drop_front()))
    word = word | (Scalar(b, part).toUnsigned(type) << (i + 1) * width);
  return word;
}

Value mlir::qdq::createFieldShift(ImplicitLocOpBuilder &b, ValueRange slots,
                                  ArrayRef<int64_t> strides, Type word) {
  std::optional<Scalar> shift;
  for (auto [slot, stride] : llvm::zip_equal(slots, strides)) {
    Scalar lowest = Scalar(b, slot) * stride;
    shift = shift ? *shift + lowest : lowest;
  }
  return shift ? Value(shift->toUnsigned(getElementTypeOrSelf(word))) : Value();
}

/// `v` in as many lanes as `type` has.
static Value broadcast(ImplicitLocOpBuilder &b, Value v, Type type) {
  return v.getType() == type ? v : vector::BroadcastOp::create(b, type, v);
}

Value mlir::qdq::extractField(ImplicitLocOpBuilder &b, Value word, Value shift,
                              Type result) {
  Scalar bits(b, word);
  if (shift)
    bits = shiftRight(bits, broadcast(b, shift, word.getType()));
  return bits.to(getElementTypeOrSelf(result));
}

Value mlir::qdq::depositField(ImplicitLocOpBuilder &b, Value field,
                              Value shift) {
  if (!shift)
    return field;
  return Scalar(b, field) << broadcast(b, shift, field.getType());
}

Value mlir::qdq::expandField(ImplicitLocOpBuilder &b, ExtractFieldOp op,
                             ValueRange operands, Type result) {
  size_t numParts = op.getParts().size();
  Value word = joinParts(b, op.getWordType(), operands.take_front(numParts));
  Value shift = createFieldShift(b, operands.drop_front(numParts),
                                 op.getStrides(), word.getType());
  return extractField(b, word, shift, result);
}

Value mlir::qdq::expandField(ImplicitLocOpBuilder &b, DepositFieldOp op) {
  Value field = widenBits(b, op.getField(), op.getType());
  return depositField(
      b, field,
      createFieldShift(b, op.getSlots(), op.getStrides(), field.getType()));
}

Value mlir::qdq::createLookupIndices(ImplicitLocOpBuilder &b, LookupOp op,
                                     int64_t entries) {
  Scalar indices =
      Scalar(b, op.getIndices())
          .toUnsigned(b.getIntegerType(op.getType().getElementTypeBitWidth()));
  return entries == 0 ? indices : indices & (entries - 1);
}

Value mlir::qdq::expandLookup(ImplicitLocOpBuilder &b, LookupOp op) {
  VectorType type = op.getType();
  Type element = b.getIntegerType(type.getElementTypeBitWidth());
  VectorType tableType = op.getTable().getType().clone(element);
  Value table = b.createOrFold<arith::BitcastOp>(tableType, op.getTable());
  Value indices = createLookupIndices(b, op, tableType.getNumElements());
  SmallVector<Value> entries;
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
    Value index = arith::IndexCastUIOp::create(
        b, b.getIndexType(), vector::ExtractOp::create(b, indices, lane));
    entries.push_back(vector::ExtractOp::create(b, table, index));
  }
  Value result =
      vector::FromElementsOp::create(b, type.clone(element), entries);
  return b.createOrFold<arith::BitcastOp>(type, result);
}
