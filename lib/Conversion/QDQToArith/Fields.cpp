// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields of storage words as shifts.

#include "qdq/Conversion/QDQToArith/Fields.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::qdq;

static Type cloneWith(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

static unsigned getWidth(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
}

Value mlir::qdq::widenBits(ImplicitLocOpBuilder &b, Value value, Type type) {
  type = cloneWith(value.getType(), getElementTypeOrSelf(type));
  if (value.getType() == type)
    return value;
  return arith::ExtUIOp::create(b, type, value);
}

Value mlir::qdq::joinParts(ImplicitLocOpBuilder &b, IntegerType type,
                           ValueRange parts) {
  Value word = parts.front();
  if (parts.size() == 1)
    return word;
  int64_t width = getWidth(word.getType());
  Type wide = cloneWith(word.getType(), type);
  word = widenBits(b, word, wide);
  for (auto [i, part] : llvm::enumerate(parts.drop_front())) {
    Value bits = widenBits(b, part, wide);
    Value amount = arith::ConstantOp::create(
        b, isa<VectorType>(wide)
               ? TypedAttr(DenseElementsAttr::get(
                     cast<ShapedType>(wide),
                     b.getIntegerAttr(type, (i + 1) * width)))
               : TypedAttr(b.getIntegerAttr(type, (i + 1) * width)));
    word =
        arith::OrIOp::create(b, word, arith::ShLIOp::create(b, bits, amount));
  }
  return word;
}

Value mlir::qdq::createFieldShift(ImplicitLocOpBuilder &b, ValueRange slots,
                                  ArrayRef<int64_t> strides, Type word) {
  Value shift;
  for (auto [slot, stride] : llvm::zip_equal(slots, strides)) {
    TypedAttr bits = b.getIndexAttr(stride);
    if (auto vector = dyn_cast<VectorType>(slot.getType()))
      bits = DenseElementsAttr::get(vector, bits);
    Value lowest =
        arith::MulIOp::create(b, slot, arith::ConstantOp::create(b, bits));
    shift =
        shift ? arith::AddIOp::create(b, shift, lowest).getResult() : lowest;
  }
  if (!shift)
    return shift;
  return arith::IndexCastUIOp::create(
      b, cloneWith(shift.getType(), getElementTypeOrSelf(word)), shift);
}

/// `v` in as many lanes as `type` has.
static Value broadcast(ImplicitLocOpBuilder &b, Value v, Type type) {
  return v.getType() == type ? v : vector::BroadcastOp::create(b, type, v);
}

Value mlir::qdq::extractField(ImplicitLocOpBuilder &b, Value word, Value shift,
                              Type result) {
  if (shift)
    word = arith::ShRUIOp::create(b, word, broadcast(b, shift, word.getType()));
  if (word.getType() != result)
    word = arith::TruncIOp::create(b, result, word);
  return word;
}

Value mlir::qdq::depositField(ImplicitLocOpBuilder &b, Value field,
                              Value shift) {
  if (!shift)
    return field;
  return arith::ShLIOp::create(b, field, broadcast(b, shift, field.getType()));
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
  unsigned bits = op.getType().getElementTypeBitWidth();
  unsigned width = op.getIndices().getType().getElementTypeBitWidth();
  IntegerType element = b.getIntegerType(bits);
  VectorType type = op.getType().clone(element);
  Value indices = op.getIndices();
  if (width < bits)
    indices = arith::ExtUIOp::create(b, type, indices);
  if (width > bits)
    indices = arith::TruncIOp::create(b, type, indices);
  if (entries == 0)
    return indices;
  Value mask = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, b.getIntegerAttr(element, entries - 1)));
  return arith::AndIOp::create(b, indices, mask);
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
