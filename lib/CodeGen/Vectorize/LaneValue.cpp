// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value of a body in all lanes of a tile.

#include "LaneValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;
using namespace mlir::qdq;

bool mlir::qdq::sharesByte(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() > 1 &&
         type.getIntOrFloatBitWidth() < 8;
}

Type mlir::qdq::getLaneType(Type type) {
  return sharesByte(type) ? IntegerType::get(type.getContext(), 8) : type;
}

Value LaneShuffle::flatten(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  if (type.getRank() == 1)
    return vector;
  return vector::ShapeCastOp::create(
      b, VectorType::get(type.getNumElements(), type.getElementType()), vector);
}

Value LaneShuffle::takeEach(Value lanes, int64_t first, int64_t stride) {
  int64_t count = cast<VectorType>(lanes.getType()).getNumElements();
  SmallVector<int64_t> order;
  for (int64_t lane = first; lane < count; lane += stride)
    order.push_back(lane);
  return vector::ShuffleOp::create(b, lanes, lanes, order);
}

Value LaneShuffle::spread(Value lanes) {
  int64_t count = cast<VectorType>(lanes.getType()).getNumElements();
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < loops.getNumContainers(); ++i)
    order.push_back(i / (loops.getNumContainers() / count));
  return vector::ShuffleOp::create(b, lanes, lanes, order);
}

Value LaneShuffle::broadcast(Value value, int64_t count, Type type) {
  if (isa<VectorType>(value.getType()))
    return value;
  if (sharesByte(type)) {
    if (isa<FloatType>(type))
      value = arith::BitcastOp::create(
          b, b.getIntegerType(type.getIntOrFloatBitWidth()), value);
    value = arith::ExtUIOp::create(b, b.getI8Type(), value);
  }
  return vector::BroadcastOp::create(b, VectorType::get(count, value.getType()),
                                     value);
}

/// Lane i of the result is lane `order[i]` of the vectors in a row.
static Value shuffleRow(ImplicitLocOpBuilder &b, SmallVector<Value> row,
                        ArrayRef<int64_t> order) {
  int64_t width = cast<VectorType>(row.front().getType()).getNumElements();
  while (row.size() > 2) {
    if (row.size() % 2 != 0)
      row.push_back(row.back());
    SmallVector<Value> pairs;
    for (size_t i = 0; i < row.size(); i += 2)
      pairs.push_back(vector::ShuffleOp::create(
          b, row[i], row[i + 1], llvm::to_vector(llvm::seq(2 * width))));
    row = pairs;
    width *= 2;
  }
  return vector::ShuffleOp::create(b, row.front(), row.back(), order);
}

bool LaneShuffle::areFieldsInnermost() const {
  for (int64_t lane = 0; lane < loops.getNumLanes(); ++lane)
    if (loops.getFieldAndContainer(lane).first != lane % loops.getNumFields())
      return false;
  return true;
}

/// The lanes of two vectors in turn. LLVM 22 does not end at a shuffle of 17 to
/// 20, or 25 to 28, bytes for AVX-512 without VBMI
/// (docs/upstream/x86-interleave-of-bytes): there each pair is one word, whose
/// low half comes first on every target here.
static Value interleave(ImplicitLocOpBuilder &b, Value even, Value odd) {
  auto type = cast<VectorType>(even.getType());
  if (!type.getElementType().isInteger(8) ||
      llvm::isPowerOf2_64(type.getNumElements()))
    return vector::InterleaveOp::create(b, even, odd);
  VectorType words = type.clone(b.getI16Type());
  Type word = words.getElementType();
  Scalar low = Scalar(b, even).toUnsigned(word);
  Scalar high = Scalar(b, odd).toUnsigned(word) << 8;
  Value pairs = low | high;
  auto bytes = VectorType::get(2 * type.getNumElements(), b.getI8Type());
  return vector::BitCastOp::create(b, bytes, pairs);
}

Value LaneShuffle::merge(const LaneValue &value, Type type) {
  int64_t fields = loops.getNumFields(), containers = loops.getNumContainers();
  if (value.kind == LaneValue::Kind::Flat)
    return value.values.front();
  if (value.kind == LaneValue::Kind::Scalar)
    return broadcast(value.values.front(), loops.getNumLanes(), type);
  SmallVector<Value> row;
  for (Value part : value.values)
    row.push_back(broadcast(part, containers, type));
  if (llvm::isPowerOf2_64(fields) && areFieldsInnermost()) {
    // Each step interleaves the two halves of the row.
    while (row.size() > 1) {
      SmallVector<Value> half;
      for (size_t i = 0; i < row.size() / 2; ++i)
        half.push_back(interleave(b, row[i], row[i + row.size() / 2]));
      row = half;
    }
    return row.front();
  }
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < loops.getNumLanes(); ++lane) {
    auto [field, container] = loops.getFieldAndContainer(lane);
    order.push_back(field * containers + container);
  }
  return shuffleRow(b, row, order);
}

LaneValue LaneShuffle::split(const LaneValue &value) {
  int64_t fields = loops.getNumFields();
  if (value.kind == LaneValue::Kind::Fields)
    return value;
  LaneValue result{LaneValue::Kind::Fields, {}};
  if (value.kind == LaneValue::Kind::Scalar) {
    result.values.assign(fields, value.values.front());
    return result;
  }
  SmallVector<SmallVector<int64_t>> lanes(
      fields, SmallVector<int64_t>(loops.getNumContainers()));
  for (int64_t lane = 0; lane < loops.getNumLanes(); ++lane) {
    auto [field, container] = loops.getFieldAndContainer(lane);
    lanes[field][container] = lane;
  }
  Value flat = value.values.front();
  for (ArrayRef<int64_t> order : lanes)
    result.values.push_back(vector::ShuffleOp::create(b, flat, flat, order));
  return result;
}
