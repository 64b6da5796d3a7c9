// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that sum products of bytes in blocks.

#ifndef QDQ_LIB_CODEGEN_DOTS_BLOCKKERNEL_H
#define QDQ_LIB_CODEGEN_DOTS_BLOCKKERNEL_H

#include "../Plan/TileNest.h"
#include "BlockProduct.h"

namespace mlir::qdq {

// BlockKernel.cpp

/// The sums of `product` from `firstColumn` on, of which `floats` are the
/// reals, added to `result`.
Value createBlockProducts(ImplicitLocOpBuilder &b, const BlockProduct &product,
                          BlockFloats &floats, Value result,
                          OpFoldResult firstColumn);

/// The loops around the sums of a product.
class BlockLoops : protected TileNest {
protected:
  /// Builds `body` in one loop more, or in several.
  using InLoops = function_ref<SmallVector<Value>(ValueRange, Body body)>;

  BlockLoops(ImplicitLocOpBuilder &b, const BlockProduct &product)
      : TileNest(b, product.op), product(product) {}

  /// Adds sums to `result`, in loops of which `inColumns` builds that over
  /// columns: `buildSums` is told how many rows there are, of `most` at once.
  Value addSums(Value result, int64_t most, InLoops inColumns,
                function_ref<Value(int64_t numRows, Value result)> buildSums);
  /// The indices of the reals but for the last `count`, where the loops are.
  SmallVector<Value> createRealIndices(unsigned count);

  BlockProduct product;
};

/// The codes of each field of a vector of bytes, as values without their
/// offset.
SmallVector<Value> createValues(ImplicitLocOpBuilder &b,
                                const BlockProduct &product, Value bytes);

/// Terms that vectors of a block add to sums: integers by their unit, the
/// scales of the reals' codes and of the weight. Other than `sums`, each may be
/// null for none.
struct BlockTerm {
  Value sums, unit = {}, realScale = {}, scale = {};
};

/// `sum`, f32, and the term.
Value addTerm(ImplicitLocOpBuilder &b, const BlockProduct &product, Value sum,
              const BlockTerm &term);

/// `sum`, and a sum of reals, by the scale of their codes, if it is not null,
/// and by their bias.
Value addBias(ImplicitLocOpBuilder &b, const BlockProduct &product, Value sum,
              Value reals, Value realScale, Value bias);

// ColumnKernel.cpp

/// The sums of `product`, whose reals are codes, added to `result`, where
/// vectors of `lanes` columns, which lie together there, make whole ones.
/// Returns the first column that is left. Changes nothing, and returns 0, if
/// the blocks do not fit, or for a single row.
std::pair<Value, OpFoldResult> createColumnProducts(ImplicitLocOpBuilder &b,
                                                    const BlockProduct &product,
                                                    int64_t lanes,
                                                    Value result);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BLOCKKERNEL_H
