// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-codegen-expand-elements: element ops as the arithmetic of the target.

#include "Targets/Generic/Reciprocals.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/Conversion/QDQToArith/QDQToArith.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_EXPANDELEMENTSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

namespace {
struct ExpandElementsPass
    : qdq::impl::ExpandElementsPassBase<ExpandElementsPass> {
  using ExpandElementsPassBase::ExpandElementsPassBase;

  void runOnOperation() override {
    SmallVector<EncodeOp> ops;
    getOperation()->walk([&](EncodeOp op) { ops.push_back(op); });
    if (ops.empty())
      return markAllAnalysesPreserved();
    ReciprocalTensors tensors;
    for (EncodeOp op : ops) {
      ImplicitLocOpBuilder b(op.getLoc(), op);
      Reciprocals quotients(op, tensors);
      CodeOptions options;
      options.quotients = reciprocals ? &quotients : nullptr;
      options.tellsRange = true;
      Value code = expandEncode(b, op, contractionProof, options);
      op.replaceAllUsesWith(code);
      op.erase();
    }
  }
};
} // namespace
