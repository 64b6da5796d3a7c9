// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of which a part of a loop reads a slice.

#ifndef QDQ_LIB_CODEGEN_DOTS_CONSTANTSLICE_H
#define QDQ_LIB_CODEGEN_DOTS_CONSTANTSLICE_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// A constant operand of a structured op, whole but for the iterations of one
/// loop.
struct ConstantSlice {
  /// Nothing for another operand, or if the slice does not begin at a multiple
  /// of `unit` iterations of `loop`.
  static std::optional<ConstantSlice> get(ImplicitLocOpBuilder &b,
                                          Value operand, AffineMap map,
                                          unsigned loop, int64_t unit);

  /// The whole constant.
  TypedAttr elements;
  /// The index of the slice along the loop's dimension.
  OpFoldResult offset;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_CONSTANTSLICE_H
