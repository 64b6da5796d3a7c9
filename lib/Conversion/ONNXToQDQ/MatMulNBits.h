// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a MatMulNBits node: what it says, its weight, its product.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_MATMULNBITS_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_MATMULNBITS_H

#include "../ForeignOps/QuantizationOps.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::qdq {

/// The attributes: a weight of `rows` output and `columns` input features.
struct NBitsLayout {
  int64_t rows, columns, bits, block, accuracy;

  int64_t getBlocks() const { return llvm::divideCeilSigned(columns, block); }
  int64_t getBytes(int64_t codes) const {
    return llvm::divideCeilSigned(codes * bits, 8);
  }
};

/// The operands. All but `weight` and `scale` may be missing.
struct NBitsNode {
  NBitsLayout layout;
  ForeignTensor input, weight, scale, zeroPoint, groups, bias;
  TensorType result;
};

/// The weight in parts: codes [N, columns], and scales and zero points, one for
/// each block or, where there are groups, for each code. A null zero point is
/// that of signed codes.
struct NBitsWeight {
  Value codes, scale, zeroPoint;
};

/// Unpacks the first `columns` codes of each row: K, or all that the blocks
/// have.
NBitsWeight unpackWeight(const ForeignOp &node, const NBitsNode &n,
                         int64_t columns);

/// The parameters [N, blocks] of the groups to which the columns belong: [N,
/// columns].
Value gatherGroups(const ForeignOp &node, Value parameters, Value groups,
                   int64_t columns);

/// The product with the weight as floats, in f32 whatever the type of A.
Value multiplyDequantized(const ForeignOp &node, const NBitsNode &n,
                          const Stamp &stamp);

/// The product with A in i8, block by block, by the largest magnitudes, and
/// dequantized again. For nodes without groups, whose zero points are integers.
Value multiplyQuantized(const ForeignOp &node, const NBitsNode &n,
                        const Stamp &stamp);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_MATMULNBITS_H
