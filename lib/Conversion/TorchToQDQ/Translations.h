// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A translation for each operator, of which TorchToQDQ.cpp has the table.

#ifndef QDQ_LIB_CONVERSION_TORCHTOQDQ_TRANSLATIONS_H
#define QDQ_LIB_CONVERSION_TORCHTOQDQ_TRANSLATIONS_H

#include "../ForeignOps/QuantizationOps.h"

namespace mlir::qdq {

// PerTensor.cpp
Translation translateQuantizePerTensor, translateDequantizePerTensor;

// PerGroup.cpp
Translation translateQuantizePerChannel, translateDequantizePerChannel,
    translateQuantizePerToken, translateDequantizePerToken,
    translateQuantizePerChannelGroup, translateDequantizePerChannelGroup,
    translateQuantizeAffine, translateDequantizeAffine;

// ChooseParameters.cpp
Translation translateChooseQParams, translateChooseQParamsSymmetric,
    translateChooseQParamsPerToken, translateChooseQParamsPerTokenAsymmetric,
    translateChooseQParamsAffine;

// ConvertElementType.cpp
Translation translateConvertElementType;

// ScaledProduct.cpp
Translation translateScaledProduct;

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TORCHTOQDQ_TRANSLATIONS_H
