// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants as numbers that the evaluator takes.

#ifndef QDQ_IR_CONSTANTELEMENTS_H
#define QDQ_IR_CONSTANTELEMENTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include "qdq/Numerics/Evaluator.h"

namespace mlir::qdq {

class UnpackOp;

/// Random access to a constant, scalar or shaped.
class ConstantElements {
public:
  /// Nothing if the attribute (null included) is not a constant whose elements
  /// can be read.
  static std::optional<ConstantElements> get(Attribute attr);
  /// Nothing if the value (null included) is not such a constant.
  static std::optional<ConstantElements> get(Value value);

  Type getElementType() const { return elementType; }
  bool isUniform() const { return !elements || elements.isSplat(); }
  int64_t size() const { return elements ? elements.getNumElements() : 1; }
  /// How many elements there are to look at: one stands for equal ones.
  int64_t getNumDistinct() const {
    return isUniform() ? std::min<int64_t>(size(), 1) : size();
  }
  /// Integers have the signedness of their type.
  Number operator[](int64_t index) const;

private:
  DenseElementsAttr elements;
  TypedAttr scalar;
  Type elementType;
};

/// The bytes of a resource that has whole bytes for each element, as many as
/// its type needs; nothing for others.
std::optional<ArrayRef<char>> getBytes(DenseResourceElementsAttr resource);

/// A constant whose dimension i is dimension `order[i]` of `elements`. Null
/// where there are none, and for i1, whose elements are bits.
DenseElementsAttr transposeElements(DenseElementsAttr elements,
                                    ArrayRef<int64_t> order);

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
