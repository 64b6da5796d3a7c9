// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants as numbers that the evaluator takes.

#ifndef QDQ_IR_CONSTANTELEMENTS_H
#define QDQ_IR_CONSTANTELEMENTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include "qdq/Numerics/Evaluator.h"

namespace mlir::qdq {

class UnpackOp;

/// Random access to a constant, scalar or shaped, `dense` or a resource.
class ConstantElements {
public:
  /// Nothing if the attribute (null included) is not a constant whose elements
  /// can be read.
  static std::optional<ConstantElements> get(Attribute attr);
  /// Nothing if the value (null included) is not such a constant, or a reshape
  /// of one.
  static std::optional<ConstantElements> get(Value value);

  Type getElementType() const { return elementType; }
  bool isUniform() const;
  int64_t size() const;
  /// How many elements there are to look at: one stands for equal ones.
  int64_t getNumDistinct() const {
    return isUniform() ? std::min<int64_t>(size(), 1) : size();
  }
  /// Integers have the signedness of their type.
  Number operator[](int64_t index) const;
  /// Calls `use` with each integer of at most 64 bits, in their order. Weights
  /// have millions: one of a byte takes no APInt.
  void forEachInteger(llvm::function_ref<void(int64_t)> use) const;

private:
  DenseElementsAttr elements;
  /// The elements one after the other, unless they are all the same.
  std::optional<ArrayRef<char>> bytes;
  TypedAttr scalar;
  Type elementType;
};

/// A number of this element type as an attribute.
inline TypedAttr toAttribute(const Number &number, Type type) {
  if (auto *real = std::get_if<llvm::APFloat>(&number))
    return FloatAttr::get(type, *real);
  return IntegerAttr::get(type, std::get<llvm::APSInt>(number));
}

/// The bytes of a resource that has whole bytes for each element, as many as
/// its type needs; nothing for others.
std::optional<ArrayRef<char>> getBytes(DenseResourceElementsAttr resource);

/// The elements of a constant of `type`, with dimension `order[i]` in the place
/// of dimension i.
SmallVector<char> transposeBytes(ArrayRef<char> bytes, ShapedType type,
                                 ArrayRef<int64_t> order);

/// A constant whose dimension i is dimension `order[i]` of `elements`, a
/// resource if that is one. Null if there are no elements, if they cannot be
/// read, and for the bits of a `dense` i1.
TypedAttr transposeElements(ElementsAttr elements, ArrayRef<int64_t> order);

/// A constant of this shape whose elements are those of `elements` at `first`,
/// and the stride of each dimension times its index behind it. Null as for
/// `transposeElements`.
TypedAttr gatherElements(ElementsAttr elements, ArrayRef<int64_t> shape,
                         ArrayRef<int64_t> strides, int64_t first);

/// The same elements in another shape, not copied. Null for what is neither
/// `dense` nor a resource.
TypedAttr reshapeElements(ElementsAttr elements, ArrayRef<int64_t> shape);

/// The elements of a constant, or of one that is reshaped to static sizes, in
/// the shape of `value`; null for others.
TypedAttr getShapedConstant(Value value);

/// A resource of `type` with a copy of these bytes: one of this name that has
/// them already, such as a weight laid out for another product, or a new one,
/// whose name becomes unique.
TypedAttr createResource(ShapedType type, StringRef name, ArrayRef<char> bytes);

/// The elements of a resource, copied; null if its data do not fit its type.
/// Elements of less than a byte have one each, or are packed as in ONNX.
DenseElementsAttr readResource(DenseResourceElementsAttr resource);

/// The elements that `op` unpacks from these containers, of any size; null if
/// its shape is dynamic or empty.
DenseElementsAttr unpackElements(UnpackOp op, DenseElementsAttr containers);

/// Says which element of a constant integer zero point is no code of `storage`,
/// an integer type; empty where all are, or where the zero point (nothing
/// included) is not such a constant. No verifier asks: constants come and go as
/// IR is rewritten. `qdq-lint` and the source conversions do.
std::string
describeForeignZeroPoint(const std::optional<ConstantElements> &zeroPoint,
                         Type storage);

} // namespace mlir::qdq

#endif // QDQ_IR_CONSTANTELEMENTS_H
