// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposed tensors of whole bytes, in vectors, and contractions of them.

#ifndef QDQ_LIB_CODEGEN_DOTS_TRANSPOSITION_H
#define QDQ_LIB_CODEGEN_DOTS_TRANSPOSITION_H

#include "../Plan/TilePlan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

// Transposition.cpp

/// The tensor with its dimensions in this order: dimension i of the result is
/// `order[i]` of the source. A constant becomes another constant;
/// dimensions that stay side by side are transposed as one.
Value createTransposition(ImplicitLocOpBuilder &b, Value source,
                          ArrayRef<int64_t> order);

/// The map of an operand whose dimensions are in this order now.
AffineMap permuteResults(AffineMap map, ArrayRef<int64_t> order);

/// Replaces an operand by its transposition, which `op` reads in that order.
void transposeOperand(IRRewriter &rewriter, linalg::GenericOp op,
                      OpOperand &operand, ArrayRef<int64_t> order);

/// Squares of lanes, which are read as rows and written as columns, by
/// interleaving: `rows` are as many vectors as they have lanes, a power of two.
SmallVector<Value> transposeVectors(ImplicitLocOpBuilder &b,
                                    SmallVector<Value> rows);

/// Tiles each `linalg.transpose` under `root` that changes the innermost
/// dimension, of elements of whole bytes, to squares.
void tileTranspositions(TileRewriter &rewriter, Operation *root);

/// Replaces the squares, whose sizes are static by now, by vectors.
void vectorizeTranspositions(TileRewriter &rewriter, Operation *root);

// TransposeContraction.cpp

/// Where in `map` a loop is, if it is a dimension of its own.
std::optional<unsigned> findOwnDim(AffineMap map, unsigned loop);

/// The dimensions of an operand in an order that ends with these loops, each a
/// dimension of its own.
SmallVector<int64_t> moveLast(AffineMap map, ArrayRef<unsigned> loops);

/// Replaces `op` by the same sums of operands whose last dimensions are those
/// of the loops `last`, for the inputs and the result. The elementwise ops that
/// alone use the result one after the other are computed in its order.
void transposeContraction(IRRewriter &rewriter, linalg::GenericOp op,
                          ArrayRef<SmallVector<unsigned>> last);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_TRANSPOSITION_H
