// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a comparison of a clamp asks for.

#ifndef QDQ_LIB_TRANSFORMS_LEGALIZE_CLAMPS_H
#define QDQ_LIB_TRANSFORMS_LEGALIZE_CLAMPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <optional>

namespace mlir::qdq {

/// True if a comparison asks for what is greater, false for less, none for
/// others.
inline std::optional<bool> asksForGreater(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OGT:
  case arith::CmpFPredicate::OGE:
  case arith::CmpFPredicate::UGT:
  case arith::CmpFPredicate::UGE:
    return true;
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::OLE:
  case arith::CmpFPredicate::ULT:
  case arith::CmpFPredicate::ULE:
    return false;
  default:
    return std::nullopt;
  }
}

/// The same of signed integers.
inline std::optional<bool> asksForGreater(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::sge:
    return true;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sle:
    return false;
  default:
    return std::nullopt;
  }
}

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_LEGALIZE_CLAMPS_H
