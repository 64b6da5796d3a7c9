// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum that a reduction forms.

#ifndef QDQ_LIB_CODEGEN_ANALYSIS_SUMOFPRODUCTS_H
#define QDQ_LIB_CODEGEN_ANALYSIS_SUMOFPRODUCTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::qdq {

/// The sum of a `linalg.generic` on tensors with one result, whose body adds a
/// term to what the sum has, or a product that is rounded with it, as the only
/// use of that, and has no effects.
struct SumOfProducts {
  static std::optional<SumOfProducts> get(linalg::GenericOp op);
  /// The same, on buffers, too.
  static std::optional<SumOfProducts> getOfBody(linalg::GenericOp op);

  /// The sum of floats; null if it is of integers.
  arith::AddFOp getFloatSum() const { return dyn_cast<arith::AddFOp>(sum); }
  /// The product that a term is; null for other terms.
  template <typename Product>
  Product getProduct() const {
    return term ? term.getDefiningOp<Product>() : Product();
  }
  /// True for floats whose terms may be added in any order.
  bool isReassociable() const;
  /// True for floats.
  bool isOfFloats() const {
    return isa<FloatType>(sum->getResult(0).getType());
  }

  /// The `arith.addf`, `arith.addi` or `math.fma`.
  Operation *sum;
  /// The value that it adds; null for `math.fma`.
  Value term;
};

/// The results that share an element of an operand with this map. A loop of an
/// open number counts as `open`.
int64_t countSharing(linalg::GenericOp op, AffineMap map, int64_t open);

/// The terms of a result, with the same for an open number.
int64_t countTerms(linalg::GenericOp op, int64_t open);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_ANALYSIS_SUMOFPRODUCTS_H
