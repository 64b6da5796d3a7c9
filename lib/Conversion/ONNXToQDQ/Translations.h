// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The systems that spell their ops as ONNX nodes: a translation for each op, of
// which ONNXToQDQ.cpp has the table.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_TRANSLATIONS_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_TRANSLATIONS_H

#include "LinearNode.h"

namespace mlir::qdq {

// QuantizeLinear.cpp
Translation translateQuantizeLinear, translateDequantizeLinear;

// DynamicQuantizeLinear.cpp
Translation translateDynamicQuantizeLinear;

// QuarkBlocks.cpp
Translation translateQuarkBFP, translateQuarkMX;

// QuarkToQDQ.cpp
Translation translateQuarkQuantize, translateQuarkDequantize;
/// True for ops of a model that Quark wrote: by the name of the producer, or by
/// the domain of its operators.
bool isQuarkModel(Operation *op);

// PMXToQDQ.cpp
Translation translatePMXDequantize;

// QONNXToQDQ.cpp
Translation translateQONNXQuant, translateQONNXBipolarQuant;

// QONNXTrunc.cpp
Translation translateQONNXTrunc;

// MatMulInteger.cpp
Translation translateMatMulInteger, translateConvInteger;

// MatMulIntegerToFloat.cpp
Translation translateMatMulIntegerToFloat, translateDynamicQuantizeMatMul;

// MatMulBnb4.cpp
Translation translateMatMulBnb4;

// MatMulNBits.cpp
Translation translateMatMulNBits;

// GatherBlockQuantized.cpp
Translation translateGatherBlockQuantized;

// QLinearActivation.cpp
Translation translateQLinearLeakyRelu, translateQLinearSigmoid;

// QLinearBinary.cpp
Translation translateQLinearAdd, translateQLinearMul, translateQLinearWhere;

// QLinearConcat.cpp
Translation translateQLinearConcat;

// QLinearPool.cpp
Translation translateQLinearAveragePool, translateQLinearGlobalAveragePool;

// QLinearProduct.cpp
Translation translateQLinearMatMul, translateQLinearConv;

// QLinearSoftmax.cpp
Translation translateQLinearSoftmax;

// QGemm.cpp
Translation translateQGemm;

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_TRANSLATIONS_H
