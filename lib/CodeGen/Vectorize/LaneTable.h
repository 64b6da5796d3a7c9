// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of short codes, looked up in a table in all lanes.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_LANETABLE_H
#define QDQ_LIB_CODEGEN_VECTORIZE_LANETABLE_H

#include "CodeTable.h"
#include "LaneValue.h"

namespace mlir::qdq {

/// The operands of a `qdq.extract_field` in all lanes.
struct CutField {
  /// The words of the containers, and the lowest bit of the field in each, if
  /// it is not bit 0.
  LaneValue words;
  std::optional<LaneValue> shifts;
  /// The bytes that the words are joined of, or null.
  Value bytes;
};

/// The table of a body, if it has one: between a code and the result, lane i
/// computes the value of code i.
class LaneTable {
public:
  /// Codes and results stay one vector for each field with `keepsFields`.
  LaneTable(ImplicitLocOpBuilder &b, const LaneLoops &loops, bool keepsFields)
      : b(b), loops(loops), keepsFields(keepsFields), shuffle(b, loops) {}

  /// Looks for a table of the body up to `end` that fits `tableBits`.
  void choose(linalg::GenericOp tile, Operation *end, int64_t tableBits);

  /// The value that indexes the table; null if there is none.
  ExtractFieldOp getCode() { return table.code; }
  Value getResult() const { return table.result; }
  bool isEntry(Value value) const { return table.entries.contains(value); }
  int64_t getNumLanes() {
    return int64_t(1) << getCode().getType().getIntOrFloatBitWidth();
  }

  /// All codes, in lanes of the table: the bits above an index may be anything.
  /// Keeps `value`, the code in all lanes of
  /// the tile, or the words that it is cut from, as indices.
  LaneValue start(LaneValue value, const CutField &cut);
  /// The entries at these indices.
  LaneValue end(LaneValue entries);

private:
  LaneValue widenCodes(LaneValue value, const CutField &cut);
  LaneValue cutWords(const CutField &cut);

  ImplicitLocOpBuilder &b;
  const LaneLoops &loops;
  bool keepsFields;
  LaneShuffle shuffle;
  CodeTable table;
  /// The code in all lanes of the tile.
  LaneValue codes;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_LANETABLE_H
