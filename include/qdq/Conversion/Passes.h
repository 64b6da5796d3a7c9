// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes and pattern libraries into and out of the qdq dialect.

#ifndef QDQ_CONVERSION_PASSES_H
#define QDQ_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "qdq/Conversion/ONNXToQDQ/ONNXToQDQ.h"
#include "qdq/Conversion/OneDNNToQDQ/OneDNNToQDQ.h"
#include "qdq/Conversion/QDQToArith/QDQToArith.h"
#include "qdq/Conversion/QDQToLinalg/QDQToLinalg.h"
#include "qdq/Conversion/QuantToQDQ/QuantToQDQ.h"
#include "qdq/Conversion/StableHLOToQDQ/StableHLOToQDQ.h"
#include "qdq/Conversion/TOSAToQDQ/TOSAToQDQ.h"
#include "qdq/Conversion/TorchToQDQ/TorchToQDQ.h"
#include "qdq/Conversion/TorchTypes/TorchTypesToBuiltin.h"
#include "qdq/Conversion/Unconverted.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/PassOptions.h"

namespace mlir::qdq {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

#endif // QDQ_CONVERSION_PASSES_H
