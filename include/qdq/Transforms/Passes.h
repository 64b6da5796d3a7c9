// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that stay within one level.

#ifndef QDQ_TRANSFORMS_PASSES_H
#define QDQ_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "qdq/Conversion/Unconverted.h"
#include "qdq/Numerics/PassOptions.h"
#include "qdq/Transforms/DeclareSumOrder.h"
#include "qdq/Transforms/DequantizeConstants.h"
#include "qdq/Transforms/FuseContractions.h"
#include "qdq/Transforms/IntegerContractions.h"
#include "qdq/Transforms/Legalize/ExpandFloats.h"
#include "qdq/Transforms/Legalize/ExpandMath.h"
#include "qdq/Transforms/Motion.h"
#include "qdq/Transforms/QuantizeActivations.h"
#include "qdq/Transforms/Simplify.h"
#include "qdq/Transforms/StripSignedness.h"

namespace mlir::qdq {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_PASSES_H
