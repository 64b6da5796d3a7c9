// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The systems that spell their ops as ONNX nodes: a translation for each op, of
// which ONNXToQDQ.cpp has the table.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_TRANSLATIONS_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_TRANSLATIONS_H

#include "ONNXNode.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// Replaces the node by qdq ops, or refuses it with a reason.
using Translation = LogicalResult (*)(const ONNXNode &node,
                                      const SemanticsOptions &options);

// QuarkToQDQ.cpp
LogicalResult translateQuarkQuantize(const ONNXNode &node,
                                     const SemanticsOptions &options);
LogicalResult translateQuarkDequantize(const ONNXNode &node,
                                       const SemanticsOptions &options);
/// True for ops of a model that Quark wrote: by the name of the producer, or by
/// the domain of its operators.
bool isQuarkModel(Operation *op);
/// The `block_size` of a node of such a model. They leave it out of blocked
/// nodes, ONNX's own too; the blocks are then full ones, if the sizes allow it.
/// 0 where the node has no size and no such blocks.
FailureOr<int64_t> getQuarkBlockSize(const ONNXNode &node, TensorType input,
                                     RankedTensorType scale, int64_t axis);

// PMXToQDQ.cpp
LogicalResult translatePMXDequantize(const ONNXNode &node,
                                     const SemanticsOptions &options);

/// The complete semantics of an op: `own` with the given options on top.
SemanticsAttr stamp(const ONNXNode &node, const SemanticsOptions &options,
                    const SemanticsFields &own, ElementTypes types);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_TRANSLATIONS_H
