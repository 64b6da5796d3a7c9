// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of constants, as bytes.

#ifndef QDQ_LIB_CODEGEN_BOUNDARY_CONSTANTBYTES_H
#define QDQ_LIB_CODEGEN_BOUNDARY_CONSTANTBYTES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include <memory>

namespace mlir::qdq {

// ConstantBytes.cpp

/// The elements of a tensor, whole bytes each. An element of less than a byte
/// has zeros above it.
struct ConstantBytes {
  /// Elements of this type that are all zero at first.
  static ConstantBytes zeros(RankedTensorType type);
  /// Those of an attribute of a tensor with elements of at most 64 bits;
  /// nothing if it does not hold them, or is a large one of equal elements.
  static std::optional<ConstantBytes> get(Attribute constant,
                                          RankedTensorType type);

  uint64_t get(int64_t index) const;
  /// Sets an element of what `zeros` made.
  void set(int64_t index, uint64_t bits);

  RankedTensorType type;
  /// Bytes of an element.
  unsigned width;
  ArrayRef<char> bytes;
  /// Keeps `bytes`, unless they are those of an attribute.
  std::shared_ptr<SmallVector<char>> owner;
};

/// The same elements with dimension `order[i]` in the place of dimension i.
ConstantBytes transposeBytes(const ConstantBytes &elements,
                             ArrayRef<int64_t> order);

// ComputeBytes.cpp

/// As many ops, at most, lie between a constant and what is computed of it.
inline constexpr unsigned kMostBodyOps = 64;

/// True for the ops that `computeBytes` follows: layouts of fields, their
/// slices, bits of them joined, and numbers looked up by a byte.
bool movesBytes(Operation *op);

/// The elements of `value`, if constants determine them; nothing if they do
/// not, or an op on the way has another form.
std::optional<ConstantBytes> computeBytes(Value value);

/// The elements of `value`, which elementwise ops decode from bytes of a
/// constant; none if it depends on others.
std::optional<ConstantBytes> decodeBytes(Value value);

// RecordFields.cpp

/// Computes the fields of constant records that operands of contractions in
/// `root` are made of.
void splitConstantRecords(Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_BOUNDARY_CONSTANTBYTES_H
