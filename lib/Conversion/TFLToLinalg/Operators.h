// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of TFLite's operators on floats, and their shared parts.

#ifndef QDQ_LIB_CONVERSION_TFLTOLINALG_OPERATORS_H
#define QDQ_LIB_CONVERSION_TFLTOLINALG_OPERATORS_H

#include "../ForeignOps/CodeTensor.h"
#include "../ONNXToLinalg/NodeParts.h"
#include "../ONNXToLinalg/Operators.h"
#include "../TFLToQDQ/FloatActivation.h"

namespace mlir::qdq {

/// One table for each file.
OperatorRows getTFLElementwiseOperators, getTFLProductOperators,
    getTFLPoolOperators, getTFLReductionOperators, getTFLShapeOperators,
    getTFLResizeOperators;

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOLINALG_OPERATORS_H
