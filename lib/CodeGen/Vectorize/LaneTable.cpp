// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of short codes, looked up in a table in all lanes.

#include "LaneTable.h"
#include "LaneOps.h"
#include "WordBytes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/Conversion/QDQToArith/Fields.h"

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
  bool shiftsWide =
      cut.shifts && table.code.getWordType().getWidth() <= width &&
      cut.words.isVector() && cut.words.kind == LaneValue::Kind::Fields &&
      cut.shifts->kind == LaneValue::Kind::Fields && !cut.shifts->isVector();
  for (auto [field, part] : llvm::enumerate(value.values)) {
    if (shiftsWide) {
      Value amount = vector::BroadcastOp::create(
          b, type, widenBits(b, cut.shifts->values[field], type));
      part = arith::ShRUIOp::create(
          b, widenBits(b, cut.words.values[field], type), amount);
    } else {
      part = widenBits(b, part, type);
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
  auto all = llvm::to_vector(llvm::seq<int8_t>(0, getNumLanes()));
  auto type = VectorType::get(all.size(), b.getI8Type());
  Value lanes = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<int8_t>(all)));
  return {LaneValue::Kind::Flat, {lanes}};
}

LaneValue LaneTable::end(LaneValue entries) {
  LaneValue result = codes;
  Value all = entries.values.front();
  for (Value &part : result.values) {
    auto type =
        cast<VectorType>(part.getType()).clone(getElementTypeOrSelf(all));
    part = LookupOp::create(b, type, all, part);
  }
  return result;
}
