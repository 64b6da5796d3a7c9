// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of blocks, for the lanes of a vector.

#ifndef QDQ_LIB_CODEGEN_DOTS_BLOCKPARAMETERS_H
#define QDQ_LIB_CODEGEN_DOTS_BLOCKPARAMETERS_H

#include "../Plan/TileNest.h"
#include "BlockProduct.h"

namespace mlir::qdq {

/// Values of a body that are equal within a block, computed for the blocks of
/// the vector at which the loops of `nest` are.
class BlockParameters {
public:
  BlockParameters(const TileNest &nest, const BlockProduct &product)
      : nest(nest), product(product), b(nest.b) {}

  /// The value of each lane's block.
  Value createLanes(Value value);

private:
  int64_t getNumParts() const { return product.cut.parts; }
  Value widen(Value scalar);
  Value shuffle(Value source, ArrayRef<int64_t> order);
  Value readOperand(OpOperand *operand);
  Value createIndexOf(unsigned loop);
  Value computeBits(Value value);
  /// A vector with an element for each part, or a scalar for a single part.
  Value computeParts(Value value);

  const TileNest &nest;
  const BlockProduct &product;
  ImplicitLocOpBuilder &b;
  IRMapping known, bits;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BLOCKPARAMETERS_H
