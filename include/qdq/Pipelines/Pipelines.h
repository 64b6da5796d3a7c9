// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lower-quant and quant-to-llvm: the passes of this project in their order.

#ifndef QDQ_PIPELINES_PIPELINES_H
#define QDQ_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "qdq/Conversion/QDQToLinalg/QDQToLinalg.h"
#include "qdq/Numerics/PassOptions.h"

namespace mlir::qdq {

/// What `lower-quant` produces.
enum class LoweringTarget { Linalg, Vector };

/// The options of `lower-quant`; the numeric ones are those of every pass.

} // namespace mlir::qdq

#endif // QDQ_PIPELINES_PIPELINES_H
