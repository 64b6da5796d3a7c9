// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A translation for each operator of the dialect `tfl`, of which TFLToQDQ.cpp
// has the table.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_TRANSLATIONS_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_TRANSLATIONS_H

#include "Elementwise.h"

namespace mlir::qdq {

// Casts.cpp
Translation translateQuantize, translateDequantize, translateConstant;

// Convolution.cpp
Translation translateConv2D, translateDynamicConv2D;

// TransposeConv.cpp
Translation translateTransposeConv, translateDynamicTransposeConv;

// EmbeddingLookup.cpp
Translation translateDynamicEmbeddingLookup;

// Division.cpp
TranslationOf<Binary> translateDiv;

// FullyConnected.cpp
Translation translateFullyConnected, translateDynamicFullyConnected;

// BatchMatMul.cpp
Translation translateBatchMatMul, translateDynamicBatchMatMul;

// Elementwise.cpp
TranslationOf<Binary> translateAdd, translateMul, translateSquaredDifference,
    translateExtremum;

// Activations.cpp
TranslationOf<Unary> translateRelu;
Translation translateLeakyRelu;

// Functions.cpp
TranslationOf<Unary> translateSigmoid, translateGelu, translateExp,
    translateLog, translateElu, translateSqrt, translateAbs, translateNeg;

// Rsqrt.cpp
TranslationOf<Unary> translateRsqrt;

// HardSwish.cpp
TranslationOf<Unary> translateHardSwish;

// Softmax.cpp
Translation translateSoftmax;

/// Softmax16.cpp: of signed 16 bits.
LogicalResult translateSoftmax16(const ForeignOp &op, const Stamp &stamp,
                                 const CodeTensor &input,
                                 const CodeType &result, float beta);

// Pools.cpp
Translation translateAveragePool2D, translateMaxPool2D;

// Reductions.cpp
Translation translateMean, translateSum;

// Shapes.cpp
Translation translateReshape, translateTranspose, translatePad, translatePadV2;
/// The same operator on codes as integers, which convert-tfl-to-linalg moves.
Translation translateMove;

/// Shapes.cpp: operand 1 of a pad, two numbers for each of `rank` dimensions.
struct Padding {
  SmallVector<int64_t> low, high;
};
FailureOr<Padding> readPadding(const ForeignOp &op, int64_t rank);

// Slices.cpp
Translation translateConcatenation, translateStridedSlice, translateSlice,
    translateSplit, translateSplitV;

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_TRANSLATIONS_H
