// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places of elements in memory.

#include "qdq/CodeGen/Address.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

Value mlir::qdq::createAddress(ImplicitLocOpBuilder &b, Value memref,
                               ValueRange indices) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  Value elements = metadata.getOffset();
  for (auto [index, stride] : llvm::zip_equal(indices, metadata.getStrides()))
    elements = arith::AddIOp::create(b, elements,
                                     arith::MulIOp::create(b, index, stride));
  int64_t size =
      cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
  Value bytes = arith::MulIOp::create(b, elements,
                                      arith::ConstantIndexOp::create(b, size));
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
  return arith::AddIOp::create(b, start, bytes);
}
