// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding the types of the quant dialect in what ops mention.

#ifndef QDQ_IR_QUANTIZEDTYPES_H
#define QDQ_IR_QUANTIZEDTYPES_H

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace mlir::qdq {

/// Cached: one visit of each type and attribute.
class QuantizedTypeFinder {
public:
  QuantizedTypeFinder();

  /// A quantized type that the operands, results, region arguments or attributes of `op` hold at any depth, or null.
  quant::QuantizedType find(Operation *op);

  /// The same for one type or attribute.
  quant::QuantizedType find(Type type) { return findImpl(type); }
  quant::QuantizedType find(Attribute attr) { return findImpl(attr); }

private:
  template <typename T>
  quant::QuantizedType findImpl(T element);

  AttrTypeWalker walker;
};

/// The type or attribute in quotes, cut short where its parameters fill pages.
std::string describe(Type type);
std::string describe(Attribute attr);

} // namespace mlir::qdq

#endif // QDQ_IR_QUANTIZEDTYPES_H
