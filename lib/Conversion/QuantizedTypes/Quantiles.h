// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Storage of MLIR 23 that looks values up: !quant.quantile.

#ifndef QDQ_LIB_CONVERSION_QUANTIZEDTYPES_QUANTILES_H
#define QDQ_LIB_CONVERSION_QUANTIZEDTYPES_QUANTILES_H

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::qdq {

/// The table of a uniform type with quantile storage.
struct Quantiles {
  /// The type of an index of the table.
  Type codeType;
  /// The entries, rounded once to the type that the table names.
  DenseElementsAttr values;

  /// Nothing for all other storage, and with MLIR 22.
  static std::optional<Quantiles> get(quant::QuantizedType type);

  /// Fails, with the reason, for a table that no text assigns to codes, or
  /// whose entries qdq cannot scale.
  LogicalResult check(quant::QuantizedType type, raw_ostream &reason) const;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QUANTIZEDTYPES_QUANTILES_H
