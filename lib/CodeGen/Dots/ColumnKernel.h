// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that sum products of codes, with a column in each lane.

#ifndef QDQ_LIB_CODEGEN_DOTS_COLUMNKERNEL_H
#define QDQ_LIB_CODEGEN_DOTS_COLUMNKERNEL_H

#include "BlockProduct.h"

namespace mlir::qdq {

/// The sums of `product`, whose reals are codes, added to `result`, where
/// vectors of `lanes` columns, which lie together there, make whole ones.
/// Returns the first column that is left. Changes nothing, and returns 0, if
/// the blocks do not fit, or for a single row.
std::pair<Value, OpFoldResult> createColumnProducts(ImplicitLocOpBuilder &b,
                                                    const BlockProduct &product,
                                                    int64_t lanes,
                                                    Value result);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_COLUMNKERNEL_H
