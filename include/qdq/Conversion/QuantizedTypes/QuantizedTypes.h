// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding the types of the quant dialect in what ops mention.

#ifndef QDQ_CONVERSION_QUANTIZEDTYPES_QUANTIZEDTYPES_H
#define QDQ_CONVERSION_QUANTIZEDTYPES_QUANTIZEDTYPES_H

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "qdq/IR/TypeRewrite.h"

namespace mlir::qdq {

/// Cached: one visit of each type and attribute.
class QuantizedTypeFinder {
public:
  QuantizedTypeFinder();

  /// A quantized type that the operands, results, region arguments or
  /// attributes of `op` hold at any depth, or null. With `rewriter`: that they
  /// would hold after it.
  quant::QuantizedType find(Operation *op, TypeRewriter *rewriter = nullptr);

private:
  template <typename T>
  quant::QuantizedType findIn(T element, TypeRewriter *rewriter);

  AttrTypeWalker walker;
};

/// The type in quotes, cut short where its parameters fill pages.
std::string describe(Type type);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_QUANTIZEDTYPES_QUANTIZEDTYPES_H
