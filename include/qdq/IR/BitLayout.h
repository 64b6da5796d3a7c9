// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the bits of elements lie in containers: the one statement of every
// layout, for verifiers, folders and lowerings.

#ifndef QDQ_IR_BITLAYOUT_H
#define QDQ_IR_BITLAYOUT_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include <optional>

// The generated enum parsers need the declaration of FieldParser.
#include "mlir/IR/DialectImplementation.h"
#include "qdq/IR/PackingEnums.h.inc"

namespace mlir::qdq {

class PackingAttr;

/// A packing of one element type in one container type along one axis, all
/// parameters known. Lengths are in elements or containers.
struct BitLayout {
  /// Of an element, and of a container.
  int64_t bits = 0, containerBits = 0;
  /// Of the elements, from the front; nothing: the whole tensor, row-major, in
  /// rank 1.
  std::optional<int64_t> axis;
  /// Elements that begin a new container together; nothing: they all follow
  /// each other.
  std::optional<int64_t> block;
  /// The element of a block in each of its slots; empty: ascending.
  SmallVector<int64_t> order;
  /// Containers from one block to the next, and the block's first among them.
  int64_t record = 0, at = 0;
  /// Stored code = element + offset, modulo 2^bits.
  int64_t offset = 0;
  /// A stored -0 is read as +0.
  bool positiveZero = false;

  /// The layout that `packing` gives for these tensors; fails with the numbers
  /// that do not fit.
  static FailureOr<BitLayout> get(PackingAttr packing,
                                  RankedTensorType elements,
                                  RankedTensorType containers,
                                  function_ref<InFlightDiagnostic()> emitError);

  /// The packing of `qdq.packing<onnx>`: the whole tensor in bytes, the first
  /// element lowest.
  static BitLayout getFlatBytes(int64_t bits);

  /// True if `axis` names the packed dimension.
  bool hasAxis() const { return axis.has_value(); }

  /// The containers that the elements of one block fill.
  int64_t getBlockContainers() const {
    return llvm::divideCeil(*block * bits, containerBits);
  }

  /// The containers of an axis with this many elements; either may be dynamic.
  int64_t getNumContainers(int64_t elements) const;

  /// The elements that fit into this many containers; either may be dynamic.
  int64_t getMaxElements(int64_t containers) const;

  /// The same of an unknown number.
  AffineExpr getNumContainers(AffineExpr elements) const;
  AffineExpr getMaxElements(AffineExpr containers) const;

  /// The elements that fill whole containers, by which the layout repeats.
  int64_t getPeriod() const;

  /// The lowest bit of element `index` of the axis.
  int64_t getBitPosition(int64_t index) const;

  /// The elements of a container, where all containers of a block hold the same
  /// whole number.
  std::optional<int64_t> getElementsPerContainer() const {
    if (containerBits % bits)
      return std::nullopt;
    return containerBits / bits;
  }
};

/// The shape of an axis within a tensor: (before the axis, axis, behind it).
struct AxisView {
  int64_t outer = 1, size = 1, inner = 1;

  /// Of a static shape. No axis: one dimension of all elements.
  static AxisView get(ArrayRef<int64_t> shape, std::optional<int64_t> axis);
};

/// The codes of all elements, row-major, in the low bits; `containers`
/// likewise. Sizes must fit the layout.
SmallVector<uint64_t> unpackCodes(const BitLayout &layout,
                                  ArrayRef<uint64_t> containers,
                                  ArrayRef<int64_t> containerShape,
                                  ArrayRef<int64_t> elementShape);
SmallVector<uint64_t> packCodes(const BitLayout &layout,
                                ArrayRef<uint64_t> codes,
                                ArrayRef<int64_t> elementShape,
                                ArrayRef<int64_t> containerShape);

} // namespace mlir::qdq

#endif // QDQ_IR_BITLAYOUT_H
