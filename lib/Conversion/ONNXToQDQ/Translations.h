// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The systems that spell their ops as ONNX nodes: a translation for each op, of which ONNXToQDQ.cpp has the table.

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

// PMXToQDQ.cpp
LogicalResult translatePMXDequantize(const ONNXNode &node,
                                     const SemanticsOptions &options);

/// The complete semantics of an op: `own` with the given options on top.
SemanticsAttr stamp(const ONNXNode &node, const SemanticsOptions &options,
                    const SemanticsFields &own, ElementTypes types);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_TRANSLATIONS_H
