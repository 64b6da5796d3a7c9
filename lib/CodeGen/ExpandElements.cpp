// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-codegen-expand-elements: element ops as the arithmetic of the target.

#include "Targets/Generic/Reciprocals.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/Conversion/QDQToArith/Fields.h"
#include "qdq/Conversion/QDQToArith/QDQToArith.h"
#include "llvm/ADT/TypeSwitch.h"

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
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<EncodeOp, ExtractFieldOp, DepositFieldOp>(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return markAllAnalysesPreserved();
    ReciprocalTensors tensors;
    for (Operation *op : ops) {
      ImplicitLocOpBuilder b(op->getLoc(), op);
      Value expanded =
          TypeSwitch<Operation *, Value>(op)
              .Case([&](EncodeOp encode) { return expand(b, encode, tensors); })
              .Case<ExtractFieldOp, DepositFieldOp>(
                  [&](auto field) { return expandField(b, field); });
      op->replaceAllUsesWith(ValueRange(expanded));
      op->erase();
    }
  }

private:
  Value expand(ImplicitLocOpBuilder &b, EncodeOp op,
               ReciprocalTensors &tensors) {
    Reciprocals quotients(op, tensors);
    CodeOptions options;
    options.quotients = reciprocals ? &quotients : nullptr;
    options.tellsRange = true;
    return expandEncode(b, op, contractionProof, options);
  }
};
} // namespace
