// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of codes as packed bytes, each field by itself.

#include "ConstantBytes.h"
#include "PackedBits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_PACKCONSTANTSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// The codes of a constant, a byte each; null for one that may stay as it is.
static FailureOr<ArrayRef<char>> getCodes(arith::ConstantOp op,
                                          int64_t minElements) {
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    if (dense.isSplat() || dense.getNumElements() < minElements)
      return ArrayRef<char>();
    return dense.getRawData();
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
  if (!resource)
    return ArrayRef<char>();
  std::optional<ArrayRef<char>> bytes = getBytes(resource);
  if (!bytes)
    return op.emitOpError() << "has no data of " << resource.getNumElements()
                            << " bytes, one for each element, in resource '"
                            << resource.getRawHandle().getKey() << "'";
  return *bytes;
}

namespace {
struct PackConstantsPass : qdq::impl::PackConstantsPassBase<PackConstantsPass> {
  using PackConstantsPassBase::PackConstantsPassBase;

  void runOnOperation() override {
    splitConstantRecords(getOperation());
    WalkResult result = getOperation()->walk([&](arith::ConstantOp op) {
      auto type = dyn_cast<RankedTensorType>(op.getType());
      if (!type || !isSubByte(type.getElementType()))
        return WalkResult::advance();
      FailureOr<ArrayRef<char>> codes = getCodes(op, minElements);
      if (failed(codes))
        return WalkResult::interrupt();
      if (codes->empty())
        return WalkResult::advance();

      ImplicitLocOpBuilder b(op.getLoc(), op);
      auto bytes = DenseElementsAttr::getFromRawBuffer(
          getPackedType(type),
          packCodeBytes(*codes, type.getElementTypeBitWidth()));
      Value packed = arith::ConstantOp::create(b, bytes);
      op.getResult().replaceAllUsesWith(unpackBits(b, packed, type, {}));
      op.erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
