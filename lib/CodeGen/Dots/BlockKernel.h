// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that sum products of bytes in blocks.

#ifndef QDQ_LIB_CODEGEN_DOTS_BLOCKKERNEL_H
#define QDQ_LIB_CODEGEN_DOTS_BLOCKKERNEL_H

#include "BlockProduct.h"

namespace mlir::qdq {

/// The sums of `product`, of which `floats` are the reals, added to `result`.
Value createBlockProducts(ImplicitLocOpBuilder &b, const BlockProduct &product,
                          BlockFloats &floats, Value result);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BLOCKKERNEL_H
