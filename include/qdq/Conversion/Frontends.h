// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes for operators of whole networks, apart from the sources.

#ifndef QDQ_CONVERSION_FRONTENDS_H
#define QDQ_CONVERSION_FRONTENDS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "qdq/Conversion/ONNXToLinalg/ONNXToLinalg.h"
#include "qdq/Conversion/TFLToLinalg/TFLToLinalg.h"
#include "qdq/Conversion/TFLToQDQ/TFLToQDQ.h"
#include "qdq/Conversion/Unconverted.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/PassOptions.h"

namespace mlir::qdq {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qdq/Conversion/Frontends.h.inc"
} // namespace mlir::qdq

#endif // QDQ_CONVERSION_FRONTENDS_H
