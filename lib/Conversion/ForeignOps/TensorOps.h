// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that translations of operators build around qdq ops: reshapes, sums with
// a bias.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_TENSOROPS_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_TENSOROPS_H

#include "ForeignOp.h"
#include "Scalar.h"
#include "qdq/IR/TensorSlice.h"

namespace mlir::qdq {

/// A size as a value of type index.
Value toValue(ImplicitLocOpBuilder &b, OpFoldResult size);

/// True for the 8-bit codes of ONNX: i8, si8 or ui8.
bool isCode8(Type type);

/// The elements of a tensor in another static shape, of which one is a
/// collapsed form of the other. Open sizes of the tensor are taken to be the
/// ones that fit.
Value reshape(ImplicitLocOpBuilder &b, Value tensor, ArrayRef<int64_t> shape);

/// Calls `make` on the tensor with signless elements, since bodies have no
/// others, and gives the result the element type of the tensor.
Value onSignless(ImplicitLocOpBuilder &b, Value tensor,
                 function_ref<Value(Value)> make);

/// A tensor of `sizes` whose element at each place is that of `source`, which
/// is signless, at `places`: expressions of the loops.
Value readPlaces(ImplicitLocOpBuilder &b, Value source,
                 ArrayRef<OpFoldResult> sizes, ArrayRef<AffineExpr> places);

/// A tensor of these sizes whose elements are all `value`.
Value createFilled(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                   TypedAttr value);

/// A tensor of `rank` whose dimensions lie at `places`, which are sorted, with
/// a size of 1 wherever none has its place. A constant stays one.
Value placeDims(ImplicitLocOpBuilder &b, Value value, ArrayRef<int64_t> places,
                int64_t rank);

/// The sum of `values` [..., N], of floats, and `bias` [N], which may be null
/// and is not wider, as `elementType`. Each of the two steps rounds once.
Value addBias(ImplicitLocOpBuilder &b, Value values, Value bias,
              Type elementType);

/// A sum of floats in a reduction that a runtime adds in the written order.
Scalar addInOrder(Scalar sum, Scalar term);

/// Sums over the last loop, in f32, or in f64 of f64. The loops are the
/// dimensions of the result, of `sizes`, and the sum; `weight` has the last
/// two.
Value contractLast(ImplicitLocOpBuilder &b, Value lhs, AffineMap lhsMap,
                   Value weight, ArrayRef<OpFoldResult> sizes);

/// `input` [..., K] times `weight` [N, K]: [..., N]. In f32, or in f64 of f64.
Value contractColumns(ImplicitLocOpBuilder &b, Value input, Value weight);

/// A scalar, or the element of a tensor of rank 0; null where there is none.
Value toScalar(ImplicitLocOpBuilder &b, Value single);

/// The element of a tensor of rank 1 at an unsigned index of any type.
Scalar readEntry(Value table, Scalar index);

/// A scalar code as an f32, exactly; zero where there is none.
Value toF32(ImplicitLocOpBuilder &b, Value code, bool isSigned);

/// The number of elements in dimensions of these sizes, as an f32.
Value countAsF32(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes);

/// A linalg.generic with one result, by the maps of `inputs` and `init`. Loops
/// that the map of `init` lacks are reductions. `body` sees the elements of
/// both.
Value createGeneric(ImplicitLocOpBuilder &b, ValueRange inputs, Value init,
                    ArrayRef<AffineMap> maps, const ElementBody &body);

/// Applies `body` to the elements of tensors, which are broadcast.
/// Bodies see signless integers.
Value mapElements(ImplicitLocOpBuilder &b, SmallVector<Value> operands,
                  Type resultType, const ElementBody &body);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_TENSOROPS_H
