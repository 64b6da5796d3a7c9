// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of linalg.generic as vectors.

#ifndef QDQ_CODEGEN_VECTORIZE_H
#define QDQ_CODEGEN_VECTORIZE_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/CodeGen/ByteDots.h"

namespace mlir::qdq {

struct VectorizationOptions {
  /// Bits of a vector: a power of two, at least 64.
  int64_t vectorBits = 512;
  /// Sums of products of bytes in fours, for `qdq-codegen-lower-byte-dots` with
  /// these instructions. Constant columns for pairs become parts of which two
  /// products fit in i16.
  ByteDots byteDots = ByteDots::None;
  /// Bits of the vectors of these sums, if fewer than `vectorBits`.
  int64_t byteDotBits = 512;
  /// Vector registers that hold these sums and their factors.
  int64_t registers = 32;
  /// Quantized values in as many vectors as fill one of codes, and casts of
  /// floats of 8 bits in as many lanes as fill a vector of f16, for
  /// `qdq-expand-floats{through-f16}`, where that leaves nothing over.
  bool wideVectors = false;
  /// Values of short codes in tables, where permutations of lanes are an
  /// instruction.
  bool lookupTables = true;

  /// Bits of a table of all codes: 0 for none.
  int64_t getTableBits() const { return lookupTables ? vectorBits : 0; }
  /// Registers of four to 16 lanes have instructions for bytes.
  int64_t getByteBits() const { return std::min<int64_t>(vectorBits, 512); }
  int64_t getByteDotBits() const {
    return std::min(getByteBits(), byteDotBits);
  }
  /// Bytes are looked up 16 entries at a time, where no instruction has more.
  bool usesByteLookups() const {
    return byteDots != ByteDots::None && !lookupTables;
  }
  bool usesByteDots() const {
    return byteDots != ByteDots::None && getByteDotBits() >= 128;
  }
};

/// Tiles and vectorizes the generics under `root`, and folds what it meets: see
/// `qdq-codegen-vectorize`. `listener`, if it is not null, hears of every
/// change. Fails, with an error at `root`, if no vector has these bits.
LogicalResult vectorizeGenerics(OpBuilder::Listener *listener, Operation *root,
                                const VectorizationOptions &options);

} // namespace mlir::qdq

#endif // QDQ_CODEGEN_VECTORIZE_H
