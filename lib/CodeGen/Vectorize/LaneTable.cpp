// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of short codes, looked up in a table in all lanes.

#include "LaneTable.h"
#include "LaneOps.h"
#include "WordBytes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::qdq;

void LaneTable::choose(linalg::GenericOp tile, Operation *end,
                       int64_t tableBits) {
  CodeTable found = CodeTable::get(tile, loops, end);
  if (!found.result)
    return;
  Type result = getLaneType(found.result.getType());
  int64_t lanes = tableBits / result.getIntOrFloatBitWidth();
  int64_t bits = found.code.getType().getIntOrFloatBitWidth();
  int64_t count = keepsFields ? loops.getNumContainers() : loops.getNumLanes();
  if (lanes < (1 << bits) || count % lanes != 0)
    return;
  table = std::move(found);
}

/// The codes of each field in lanes as wide as those of the table: containers
/// are widened once, and shifted then.
LaneValue LaneTable::widenCodes(LaneValue value, const CutField &cut) {
  unsigned width = getLaneType(table.result.getType()).getIntOrFloatBitWidth();
  auto type =
      VectorType::get(loops.getNumContainers(), b.getIntegerType(width));
  auto widen = [&](Value narrow) -> Value {
    Type wide =
        isa<VectorType>(narrow.getType()) ? Type(type) : type.getElementType();
    return narrow.getType() == wide ? narrow
                                    : arith::ExtUIOp::create(b, wide, narrow);
  };
  bool shiftsWide =
      cut.shifts && table.code.getWordType().getWidth() <= width &&
      cut.words.isVector() && cut.words.kind == LaneValue::Kind::Fields &&
      cut.shifts->kind == LaneValue::Kind::Fields && !cut.shifts->isVector();
  for (auto [field, part] : llvm::enumerate(value.values)) {
    if (shiftsWide) {
      Value amount = vector::BroadcastOp::create(
          b, type, widen(cut.shifts->values[field]));
      part = arith::ShRUIOp::create(b, widen(cut.words.values[field]), amount);
    } else {
      part = widen(part);
    }
  }
  return value;
}

/// The codes of each field, from words.
LaneValue LaneTable::cutWords(const CutField &cut) {
  LaneValue result = cut.words;
  LaneValue shifts = shuffle.split(*cut.shifts);
  IntegerType word = b.getIntegerType(LaneLoops::kWordBits);
  for (auto [field, part] : llvm::enumerate(result.values)) {
    Value amount = arith::AddIOp::create(
        b, getByteShift(b, loops.getWordByte(field), word),
        arith::ExtUIOp::create(b, word, shifts.values[field]));
    auto type = cast<VectorType>(part.getType());
    part = arith::ShRUIOp::create(b, part,
                                  vector::BroadcastOp::create(b, type, amount));
  }
  return result;
}

/// Bytes in lanes of the table.
LaneValue LaneTable::createIndices(function_ref<int8_t(int64_t)> getIndex) {
  SmallVector<int8_t> all;
  for (int64_t lane = 0; lane < getNumLanes(); ++lane)
    all.push_back(getIndex(lane));
  auto type = VectorType::get(all.size(), b.getI8Type());
  Value lanes = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<int8_t>(all)));
  return {LaneValue::Kind::Flat, {lanes}};
}

LaneValue LaneTable::start(LaneValue value, const CutField &cut) {
  for (Value &part : value.values)
    part =
        shuffle.broadcast(part, loops.getNumContainers(), table.code.getType());
  if (loops.hasWords()) {
    codes = cutWords(cut);
  } else if (keepsFields) {
    codes = widenCodes(value, cut);
  } else {
    codes = {LaneValue::Kind::Flat,
             {shuffle.merge(value, table.code.getType())}};
  }
  return createIndices([&](int64_t lane) { return lane % getNumCodes(); });
}

LaneValue LaneTable::startBit(LaneValue value) {
  bits = value;
  return createIndices([&](int64_t lane) { return lane / getNumCodes(); });
}

/// i1 in the lanes of each vector of `codes`: the bit.
SmallVector<Value> LaneTable::getBits() {
  Type type = table.bit.getType();
  bool isFlat = codes.kind == LaneValue::Kind::Flat;
  SmallVector<Value> parts{isFlat ? shuffle.merge(bits, type) : Value()};
  if (!isFlat)
    parts = shuffle.split(bits).values;
  for (Value &part : parts) {
    part = shuffle.broadcast(part, loops.getNumContainers(), type);
    auto bytes = cast<VectorType>(part.getType());
    part = arith::TruncIOp::create(b, bytes.clone(type), part);
  }
  return parts;
}

LaneValue LaneTable::end(LaneValue entries) {
  LaneValue result = codes;
  Value all = entries.values.front();
  auto lookUp = [&](Value entries, Value indices) -> Value {
    auto type = cast<VectorType>(indices.getType())
                    .clone(getElementTypeOrSelf(entries));
    return LookupOp::create(b, type, entries, indices);
  };
  if (!table.bit) {
    for (Value &part : result.values)
      part = lookUp(all, part);
    return result;
  }
  auto takeTable = [&](int64_t first) -> Value {
    return vector::ExtractStridedSliceOp::create(b, all, first, getNumCodes(),
                                                 1);
  };
  Value ofZero = takeTable(0), ofOne = takeTable(getNumCodes());
  for (auto [part, isSet] : llvm::zip_equal(result.values, getBits())) {
    part = arith::SelectOp::create(b, isSet, lookUp(ofOne, part),
                                   lookUp(ofZero, part));
  }
  return result;
}
