// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A translation for each operator, of which TorchToQDQ.cpp has the table.

#ifndef QDQ_LIB_CONVERSION_TORCHTOQDQ_TRANSLATIONS_H
#define QDQ_LIB_CONVERSION_TORCHTOQDQ_TRANSLATIONS_H

#include "../ForeignOps/QuantizationOps.h"

namespace mlir::qdq {

/// Replaces the op by qdq ops, or refuses it with a reason.
using TorchTranslation = LogicalResult (*)(const ForeignOp &node,
                                           const Stamp &stamp);

// PerTensor.cpp
LogicalResult translateQuantizePerTensor(const ForeignOp &node,
                                         const Stamp &stamp);
LogicalResult translateDequantizePerTensor(const ForeignOp &node,
                                           const Stamp &stamp);

// PerGroup.cpp
LogicalResult translateQuantizePerChannel(const ForeignOp &node,
                                          const Stamp &stamp);
LogicalResult translateDequantizePerChannel(const ForeignOp &node,
                                            const Stamp &stamp);
LogicalResult translateQuantizePerToken(const ForeignOp &node,
                                        const Stamp &stamp);
LogicalResult translateDequantizePerToken(const ForeignOp &node,
                                          const Stamp &stamp);
LogicalResult translateQuantizePerChannelGroup(const ForeignOp &node,
                                               const Stamp &stamp);
LogicalResult translateDequantizePerChannelGroup(const ForeignOp &node,
                                                 const Stamp &stamp);
LogicalResult translateQuantizeAffine(const ForeignOp &node,
                                      const Stamp &stamp);
LogicalResult translateDequantizeAffine(const ForeignOp &node,
                                        const Stamp &stamp);

// ChooseParameters.cpp
LogicalResult translateChooseQParams(const ForeignOp &node, const Stamp &stamp);
LogicalResult translateChooseQParamsSymmetric(const ForeignOp &node,
                                              const Stamp &stamp);
LogicalResult translateChooseQParamsPerToken(const ForeignOp &node,
                                             const Stamp &stamp);
LogicalResult translateChooseQParamsPerTokenAsymmetric(const ForeignOp &node,
                                                       const Stamp &stamp);
LogicalResult translateChooseQParamsAffine(const ForeignOp &node,
                                           const Stamp &stamp);

// ConvertElementType.cpp
LogicalResult translateConvertElementType(const ForeignOp &node,
                                          const Stamp &stamp);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TORCHTOQDQ_TRANSLATIONS_H
