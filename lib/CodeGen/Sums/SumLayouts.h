// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and operands of sums of floats, laid out for vectors.

#ifndef QDQ_LIB_CODEGEN_SUMS_SUMLAYOUTS_H
#define QDQ_LIB_CODEGEN_SUMS_SUMLAYOUTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

// ChannelLanes.cpp

/// Transposes each sum of products of floats under `root` whose lines of
/// results are too short for vectors, or lie apart in a factor, so that another
/// dimension of the result, such as the channels of a convolution, is
/// innermost: where that saves more steps than the transpositions cost.
void layOutChannels(IRRewriter &rewriter, Operation *root);

// CollapseLanes.cpp

/// True if neighbors along the loop are neighbors in an input. Those of sums of
/// rows are not.
bool isAlongLine(linalg::GenericOp op, unsigned loop);

/// Collapses the innermost loops of results of each sum of floats under `root`,
/// where neighbors of the result come from neighbors of the operands across
/// them, such as the lines of a convolution of one pixel: vectors are full
/// then. Ops that use the result are collapsed with it.
void collapseLanes(IRRewriter &rewriter, Operation *root);

// FieldLoops.cpp

/// Makes the fields of storage words the innermost terms of each sum of floats
/// in any order under `root`, where words lie inside of them. With
/// `blockFloats`, few rows of floats are multiplied as bytes.
void layOutFields(IRRewriter &rewriter, Operation *root, bool blockFloats);

// LayOutFactors.cpp

/// Transposes factors of each sum of floats under `root`, so that neighbors of
/// a factor belong to neighbors of the result: constants, and others that many
/// rows or iterations read. If the order of the sum is free, constants alone;
/// of those that few rows read, neighbors belong to terms.
void layOutFactors(IRRewriter &rewriter, Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_SUMLAYOUTS_H
