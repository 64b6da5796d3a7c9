// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A translation for each operator of the dialect `tfl`, of which TFLToQDQ.cpp
// has the table.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_TRANSLATIONS_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_TRANSLATIONS_H

#include "../ForeignOps/CodeTensor.h"

namespace mlir::qdq {

// Casts.cpp
LogicalResult translateQuantize(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateDequantize(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateConstant(const ForeignOp &op, const Stamp &stamp);

// Convolution.cpp
LogicalResult translateConv2D(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateDepthwiseConv2D(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateDynamicConv2D(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateDynamicDepthwiseConv2D(const ForeignOp &op,
                                              const Stamp &stamp);

// TransposeConv.cpp
LogicalResult translateTransposeConv(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateDynamicTransposeConv(const ForeignOp &op,
                                            const Stamp &stamp);

// EmbeddingLookup.cpp
LogicalResult translateDynamicEmbeddingLookup(const ForeignOp &op,
                                              const Stamp &stamp);

// Division.cpp
LogicalResult translateDiv(const ForeignOp &op, const Stamp &stamp);

// FullyConnected.cpp
LogicalResult translateFullyConnected(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateDynamicFullyConnected(const ForeignOp &op,
                                             const Stamp &stamp);

// BatchMatMul.cpp
LogicalResult translateBatchMatMul(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateDynamicBatchMatMul(const ForeignOp &op,
                                          const Stamp &stamp);

// Elementwise.cpp
LogicalResult translateAdd(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateSub(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateMul(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateSquaredDifference(const ForeignOp &op,
                                         const Stamp &stamp);
LogicalResult translateMaximum(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateMinimum(const ForeignOp &op, const Stamp &stamp);

// Activations.cpp
LogicalResult translateRelu(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateRelu6(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateRelu0To1(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateReluN1To1(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateLeakyRelu(const ForeignOp &op, const Stamp &stamp);

// Functions.cpp
LogicalResult translateLogistic(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateGelu(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateTanh(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateExp(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateLog(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateElu(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateSqrt(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateAbs(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateNeg(const ForeignOp &op, const Stamp &stamp);

// Rsqrt.cpp
LogicalResult translateRsqrt(const ForeignOp &op, const Stamp &stamp);

// HardSwish.cpp
LogicalResult translateHardSwish(const ForeignOp &op, const Stamp &stamp);

// Softmax.cpp
LogicalResult translateSoftmax(const ForeignOp &op, const Stamp &stamp);

/// Softmax16.cpp: of signed 16 bits.
LogicalResult translateSoftmax16(const ForeignOp &op, const Stamp &stamp,
                                 const CodeTensor &input,
                                 const CodeType &result, float beta);

// Pools.cpp
LogicalResult translateAveragePool2D(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateMaxPool2D(const ForeignOp &op, const Stamp &stamp);

// Reductions.cpp
LogicalResult translateMean(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateSum(const ForeignOp &op, const Stamp &stamp);

// Shapes.cpp
LogicalResult translateReshape(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateTranspose(const ForeignOp &op, const Stamp &stamp);
/// The same operator on codes as integers, which convert-tfl-to-linalg moves.
LogicalResult translateMove(const ForeignOp &op, const Stamp &stamp);
LogicalResult translatePad(const ForeignOp &op, const Stamp &stamp);
LogicalResult translatePadV2(const ForeignOp &op, const Stamp &stamp);

// Slices.cpp
LogicalResult translateConcatenation(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateStridedSlice(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateSlice(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateSplit(const ForeignOp &op, const Stamp &stamp);
LogicalResult translateSplitV(const ForeignOp &op, const Stamp &stamp);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_TRANSLATIONS_H
