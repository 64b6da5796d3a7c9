// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The globals of bufferization, in the order of the constants. Upstream's order
// is fixed after LLVM 22: https://github.com/llvm/llvm-project/pull/184722
// Scalars: docs/upstream/global-of-rank-0-resource.

#include "Preparations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;

/// Makes `dense` of a `dense_resource` of rank 0: upstream's conversion to LLVM
/// asks such a global for its one element, which only `dense` can tell (22.1).
static LogicalResult spellScalar(arith::ConstantOp op) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
  if (!resource || resource.getType().getRank() != 0)
    return success();
  DenseElementsAttr elements = qdq::readResource(resource);
  if (!elements)
    return op.emitOpError() << "has no data of one element in resource '"
                            << resource.getRawHandle().getKey() << "'";
  op.setValueAttr(elements);
  return success();
}

LogicalResult mlir::qdq::declareGlobals(Operation *root) {
  // Bufferization looks for a global of this alignment.
  uint64_t alignment = bufferization::BufferizationOptions().bufferAlignment;
  SymbolTableCollection symbols;
  WalkResult result = root->walk([&](arith::ConstantOp op) {
    if (failed(spellScalar(op)))
      return WalkResult::interrupt();
    return WalkResult(isa<RankedTensorType>(op.getType())
                          ? success(succeeded(bufferization::getGlobalFor(
                                op, symbols, alignment)))
                          : success());
  });
  return failure(result.wasInterrupted());
}
