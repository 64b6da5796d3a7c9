// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of elements that LLVM packs do not go between registers and memory,
// where each element has bytes of its own.

#include "mlir/IR/Diagnostics.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_VERIFYVECTORMEMORYPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

static bool isPackedInVectors(Type element) {
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 != 0;
}

/// The buffer whose elements the op moves as a vector, of a type that a vector
/// packs; or null.
static MemRefType findBuffer(Operation *op) {
  if (!isa_and_nonnull<vector::VectorDialect>(op->getDialect()))
    return {};
  for (Type type : op->getOperandTypes()) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer || !isPackedInVectors(buffer.getElementType()))
      continue;
    auto isMoved = [&](Type other) {
      auto vector = dyn_cast<VectorType>(other);
      return vector && vector.getElementType() == buffer.getElementType() &&
             (vector.isScalable() || vector.getNumElements() > 1);
    };
    if (llvm::any_of(op->getOperandTypes(), isMoved) ||
        llvm::any_of(op->getResultTypes(), isMoved))
      return buffer;
  }
  return {};
}

namespace {
struct VerifyVectorMemoryPass
    : qdq::impl::VerifyVectorMemoryPassBase<VerifyVectorMemoryPass> {
  using VerifyVectorMemoryPassBase::VerifyVectorMemoryPassBase;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      MemRefType buffer = findBuffer(op);
      if (!buffer)
        return WalkResult::advance();
      op->emitOpError() << "moves a vector between registers and " << buffer
                        << ": LLVM packs the elements of the vector, memory "
                           "holds each in bytes of its own. Move i8, and "
                           "truncate or extend the vector";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
