// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The systems that spell their ops as ONNX nodes: a translation for each op, of
// which ONNXToQDQ.cpp has the table.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_TRANSLATIONS_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_TRANSLATIONS_H

#include "LinearNode.h"

namespace mlir::qdq {

/// Replaces the node by qdq ops, or refuses it with a reason.
using Translation = LogicalResult (*)(const ForeignOp &node,
                                      const Stamp &stamp);

// QuantizeLinear.cpp
LogicalResult translateQuantizeLinear(const ForeignOp &node,
                                      const Stamp &stamp);
LogicalResult translateDequantizeLinear(const ForeignOp &node,
                                        const Stamp &stamp);

// DynamicQuantizeLinear.cpp
LogicalResult translateDynamicQuantizeLinear(const ForeignOp &node,
                                             const Stamp &stamp);

// QuarkBlocks.cpp
LogicalResult translateQuarkBFP(const ForeignOp &node, const Stamp &stamp);
LogicalResult translateQuarkMX(const ForeignOp &node, const Stamp &stamp);

// QuarkToQDQ.cpp
LogicalResult translateQuarkQuantize(const ForeignOp &node, const Stamp &stamp);
LogicalResult translateQuarkDequantize(const ForeignOp &node,
                                       const Stamp &stamp);
/// True for ops of a model that Quark wrote: by the name of the producer, or by
/// the domain of its operators.
bool isQuarkModel(Operation *op);

// PMXToQDQ.cpp
LogicalResult translatePMXDequantize(const ForeignOp &node, const Stamp &stamp);

// QONNXToQDQ.cpp
LogicalResult translateQONNXQuant(const ForeignOp &node, const Stamp &stamp);
LogicalResult translateQONNXBipolarQuant(const ForeignOp &node,
                                         const Stamp &stamp);

// QONNXTrunc.cpp
LogicalResult translateQONNXTrunc(const ForeignOp &node, const Stamp &stamp);

// MatMulInteger.cpp
LogicalResult translateMatMulInteger(const ForeignOp &node, const Stamp &stamp);
LogicalResult translateConvInteger(const ForeignOp &node, const Stamp &stamp);

// MatMulIntegerToFloat.cpp
LogicalResult translateMatMulIntegerToFloat(const ForeignOp &node,
                                            const Stamp &stamp);
LogicalResult translateDynamicQuantizeMatMul(const ForeignOp &node,
                                             const Stamp &stamp);

// MatMulBnb4.cpp
LogicalResult translateMatMulBnb4(const ForeignOp &node, const Stamp &stamp);

// MatMulNBits.cpp
LogicalResult translateMatMulNBits(const ForeignOp &node, const Stamp &stamp);

// GatherBlockQuantized.cpp
LogicalResult translateGatherBlockQuantized(const ForeignOp &node,
                                            const Stamp &stamp);

// QLinearActivation.cpp
LogicalResult translateQLinearLeakyRelu(const ForeignOp &node,
                                        const Stamp &stamp);
LogicalResult translateQLinearSigmoid(const ForeignOp &node,
                                      const Stamp &stamp);

// QLinearBinary.cpp
LogicalResult translateQLinearAdd(const ForeignOp &node, const Stamp &stamp);
LogicalResult translateQLinearMul(const ForeignOp &node, const Stamp &stamp);

// QLinearConcat.cpp
LogicalResult translateQLinearConcat(const ForeignOp &node, const Stamp &stamp);

// QLinearPool.cpp
LogicalResult translateQLinearAveragePool(const ForeignOp &node,
                                          const Stamp &stamp);
LogicalResult translateQLinearGlobalAveragePool(const ForeignOp &node,
                                                const Stamp &stamp);

// QLinearProduct.cpp
LogicalResult translateQLinearMatMul(const ForeignOp &node, const Stamp &stamp);
LogicalResult translateQLinearConv(const ForeignOp &node, const Stamp &stamp);

// QLinearSoftmax.cpp
LogicalResult translateQLinearSoftmax(const ForeignOp &node,
                                      const Stamp &stamp);

// QGemm.cpp
LogicalResult translateQGemm(const ForeignOp &node, const Stamp &stamp);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_TRANSLATIONS_H
