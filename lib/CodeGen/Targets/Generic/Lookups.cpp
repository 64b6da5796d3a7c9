// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lookups that are no instruction of the target.

#include "../LowerToTarget.h"
#include "qdq/Conversion/QDQToArith/Fields.h"

using namespace mlir;
using namespace mlir::qdq;

LogicalResult mlir::qdq::lowerLookups(Operation *root) {
  root->walk([](LookupOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.replaceAllUsesWith(expandLookup(b, op));
    op.erase();
  });
  return success();
}
