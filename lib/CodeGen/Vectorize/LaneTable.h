// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of short codes, looked up in a table in all lanes.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_LANETABLE_H
#define QDQ_LIB_CODEGEN_VECTORIZE_LANETABLE_H

#include "CodeTable.h"
#include "LaneValue.h"

namespace mlir::qdq {

/// The table of a body, if it has one: between a code and the result, lane i
/// computes the value of code i.
class LaneTable {
public:
  /// The lanes of a value of the body.
  using Get = function_ref<LaneValue(Value)>;

  /// Codes and results stay one vector for each field with `keepsFields`.
  LaneTable(ImplicitLocOpBuilder &b, const LaneLoops &loops, bool keepsFields)
      : b(b), loops(loops), keepsFields(keepsFields), shuffle(b, loops) {}

  /// Looks for a table of the body up to `end` that fits `tableBits`.
  void choose(linalg::GenericOp tile, Operation *end, int64_t tableBits);

  /// The value that indexes the table; null if there is none.
  arith::TruncIOp getCode() { return table.code; }
  /// The bit that chooses one of two tables, or null.
  arith::TruncIOp getBit() { return table.bit; }
  Value getResult() const { return table.result; }
  bool isEntry(Value value) const { return table.entries.contains(value); }
  /// Of both tables, if there is a bit.
  int64_t getNumLanes() { return getBit() ? 2 * numLanes : numLanes; }

  /// All codes, in lanes of the table. Keeps `value`, the code in all lanes of
  /// the tile, as indices.
  LaneValue start(LaneValue value, Get get);
  /// The same of the bit.
  LaneValue startBit(LaneValue value);
  /// The entries at these indices.
  LaneValue end(LaneValue entries);

private:
  Value createMask(VectorType type);
  SmallVector<Value> getBits();
  LaneValue createIndices(function_ref<int8_t(int64_t)> getIndex);
  LaneValue widenCodes(LaneValue value, Get get);
  LaneValue cutWords(Get get);

  ImplicitLocOpBuilder &b;
  const LaneLoops &loops;
  bool keepsFields;
  LaneShuffle shuffle;
  CodeTable table;
  /// Of one table.
  int64_t numLanes = 0;
  /// The code and the bit in all lanes of the tile.
  LaneValue codes, bits;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_LANETABLE_H
