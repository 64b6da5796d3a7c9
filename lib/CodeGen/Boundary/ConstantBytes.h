// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of which weight files are made, computed byte by byte.

#ifndef QDQ_LIB_CODEGEN_BOUNDARY_CONSTANTBYTES_H
#define QDQ_LIB_CODEGEN_BOUNDARY_CONSTANTBYTES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include <memory>
#include <vector>

namespace mlir::qdq {

/// The elements of a tensor, whole bytes each. An element of less than a byte
/// has zeros above it.
struct ConstantBytes {
  RankedTensorType type;
  ArrayRef<char> bytes;
  /// Keeps `bytes`, unless they are those of an attribute.
  std::shared_ptr<std::vector<char>> owner;

  unsigned getWidth() const;
};

/// True for the ops that `computeBytes` follows: layouts of fields, their
/// slices, bits of them joined, and numbers looked up by a byte.
bool movesBytes(Operation *op);

/// The elements of `value`, if constants determine them; nothing if they do
/// not, or an op on the way has another form.
std::optional<ConstantBytes> computeBytes(Value value);

/// The same elements with dimension `order[i]` in the place of dimension i.
ConstantBytes transposeBytes(const ConstantBytes &elements,
                             ArrayRef<int64_t> order);

/// The elements of `value`, which elementwise ops decode from bytes of a
/// constant; none if it depends on others.
std::optional<ConstantBytes> decodeBytes(Value value);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_BOUNDARY_CONSTANTBYTES_H
