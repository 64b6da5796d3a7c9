// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared parts of float operators: operands, axes, tensors of other shapes.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_NODEPARTS_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_NODEPARTS_H

#include "../ForeignOps/ForeignOp.h"
#include "../ForeignOps/Scalar.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/TensorSlice.h"

namespace mlir::qdq {

using Sizes = SmallVector<OpFoldResult>;

/// The newest opset where the module does not say.
int64_t getOpset(const ForeignOp &node);

/// The tensor before casts that forgot sizes: results have the types that the
/// file says, and nodes may know more.
Value skipCasts(Value tensor);

/// An operand with a rank of at least `minRank`.
FailureOr<ForeignTensor> getRanked(const ForeignOp &node, unsigned index,
                                   StringRef name, int64_t minRank = 0);

/// The same of floats.
FailureOr<ForeignTensor> getFloats(const ForeignOp &node, unsigned index,
                                   StringRef name, int64_t minRank = 0);

inline RankedTensorType getRankedType(Value value) {
  return cast<RankedTensorType>(value.getType());
}
inline RankedTensorType getRankedType(const ForeignTensor &tensor) {
  return cast<RankedTensorType>(tensor.type);
}

/// An operand of one element, which is of type `element`.
FailureOr<ForeignTensor> getSingle(const ForeignOp &node, unsigned index,
                                   StringRef name, Type element);

/// The result, which has a rank; null where it has none.
RankedTensorType getResultShape(const ForeignOp &node);

/// The elements of a constant; nothing where it is not one.
std::optional<ConstantElements> getElements(Value constant);

/// The integers of a constant operand; nothing where it is absent or not
/// constant.
std::optional<SmallVector<int64_t>> getKnownIntegers(const ForeignOp &node,
                                                     unsigned index);

/// A list of integers that is an attribute in older opsets and an operand in
/// newer ones; nothing where both are absent. Refuses an operand that is not
/// constant.
FailureOr<std::optional<SmallVector<int64_t>>>
getIntegerList(const ForeignOp &node, StringRef name,
               std::optional<unsigned> index);

/// A constant operand of floats; nothing where it is absent or empty.
FailureOr<std::optional<SmallVector<double>>>
getFloatList(const ForeignOp &node, unsigned index, StringRef name);

/// Distinct axes, in their order in the list.
FailureOr<SmallVector<int64_t>>
normalizeAxes(const ForeignOp &node, ArrayRef<int64_t> axes, int64_t rank);

/// Replaces the node by `value`; refuses where its type contradicts that of the
/// result.
LogicalResult replaceBy(const ForeignOp &node, Value value);

/// The same for all results but those of type none and those beyond `values`,
/// which nobody uses. The node may lack the last results.
LogicalResult replaceByAll(const ForeignOp &node, ValueRange values);

/// A vector [C] as [C, 1, ...], which broadcasts to a tensor [N, C, ...] of
/// `rank`.
Value placeChannels(ImplicitLocOpBuilder &b, Value vector, int64_t rank);

/// The elements in row-major order as a tensor of these sizes, of which there
/// are as many. `own` are the sizes of the tensor: open ones that are the same
/// value in both are the same size.
Value reshapeTo(ImplicitLocOpBuilder &b, Value tensor,
                ArrayRef<OpFoldResult> own, ArrayRef<OpFoldResult> sizes);

/// Repeats a tensor to these sizes, as Expand does.
Value broadcastTo(ImplicitLocOpBuilder &b, Value tensor,
                  ArrayRef<OpFoldResult> sizes);

Value transpose(ImplicitLocOpBuilder &b, Value tensor, ArrayRef<int64_t> order);

/// A tensor of `sizes` whose element at each place is the one of `source` at
/// the place that `getPlace` gives; 0 where `isEmpty`, unless it is null, says
/// that `source` has no elements.
Value gatherPlaces(
    ImplicitLocOpBuilder &b, Value source, ArrayRef<OpFoldResult> sizes,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, ValueRange)>
        getPlace,
    Value isEmpty = {});

/// A tensor of this shape whose elements are those of `source`, of a static
/// shape, at `first`, and the stride of each dimension times its index behind
/// it. A constant is a constant.
Value viewElements(ImplicitLocOpBuilder &b, Value source,
                   ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                   int64_t first);

/// The elements of a tensor at the places of `table` along a dimension.
Value takeAlong(ImplicitLocOpBuilder &b, Value tensor, int64_t dim,
                ArrayRef<int64_t> table);

/// A tensor without the dimensions `axes`, whose elements are joined to
/// `initial`: a linalg.reduce. `join` sees the element and what is joined.
Value reduceOver(ImplicitLocOpBuilder &b, Value tensor, ArrayRef<int64_t> axes,
                 TypedAttr initial, const ElementBody &join);

/// Elements of floats of one type, which broadcast, by a function.
Value mapFloats(ImplicitLocOpBuilder &b, SmallVector<Value> values,
                const ElementBody &body);

/// The sum of floats over `axes`, which stay as dimensions of size 1.
Value sumOver(ImplicitLocOpBuilder &b, Value tensor, ArrayRef<int64_t> axes);

/// The number of elements over `axes`, as a float of `type`.
Value countOver(ImplicitLocOpBuilder &b, Value tensor, ArrayRef<int64_t> axes,
                Type type);

/// |x|^p: what a norm sums up. And the norm of such a sum.
Scalar emitPower(Scalar x, int64_t p);
Scalar emitRoot(Scalar sum, int64_t p);

/// The attribute `p` of a norm; refuses numbers below 1.
FailureOr<int64_t> getNorm(const ForeignOp &node);

/// A float as an integer toward zero; beyond the type its nearest value, and 0
/// for NaN.
Value toInteger(ImplicitLocOpBuilder &b, Value x, IntegerType type,
                bool isUnsigned);

/// The type in which floats of `type` are computed: f32 for narrower ones.
Type getComputeType(Type type);

/// A tensor of floats in the type in which they are computed, or back.
Value castFloats(ImplicitLocOpBuilder &b, Value tensor, Type element);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_NODEPARTS_H
