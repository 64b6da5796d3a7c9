// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reasons for which something stays as it is, for a caller that reports them.

#ifndef QDQ_SUPPORT_REASON_H
#define QDQ_SUPPORT_REASON_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace mlir::qdq {

/// Fails, and sets the reason.
inline LogicalResult refuse(std::string &reason, const Twine &why) {
  reason = why.str();
  return failure();
}

} // namespace mlir::qdq

#endif // QDQ_SUPPORT_REASON_H
