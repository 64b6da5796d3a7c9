// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of codes, in integers: what sources and passes build contractions
// and convolutions of quantized tensors with.

#ifndef QDQ_CONVERSION_INTEGERPRODUCTS_H
#define QDQ_CONVERSION_INTEGERPRODUCTS_H

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <functional>
#include <string>

namespace mlir::qdq {

/// An operand of a product. The element types say how codes and zero points are
/// read: `ui8` is unsigned, `i8` and `si8` are signed.
struct ProductOperand {
  /// A ranked tensor of integers of up to 32 bits.
  Value codes;
  /// Null: none. A scalar or a ranked tensor of integers of up to 32 bits.
  Value zeroPoint = {};
  /// For a zero point of rank 1 and more, in `buildIntegerProduct` only: from
  /// the loops to its elements. Each result is a loop that the codes follow and
  /// that is not reduced.
  AffineMap zeroPointMap = {};
};

/// The type of the sum.
enum class Accumulator {
  /// i32 where the sizes and the ranges of the codes prove that no sum
  /// overflows, else i64. A loop of dynamic size counts as 2^31 - 1 iterations,
  /// and so do several reduced ones together.
  Proven,
  /// i32, modulo 2^32.
  Wrap32
};

/// True for a scalar, or a tensor of one element.
bool isSingle(Value value);

/// A tensor of zeros, which sums start from.
Value createZeros(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                  Type elementType);

/// `sum((a - za) * (b - zb)) + bias`, the sum over all reduction loops.
struct IntegerProduct {
  ProductOperand a, b;
  /// From the loops to elements. Reduction loops are dimensions of at least one
  /// operand, and parts of the indices of both. The results of `resultMap` are
  /// all parallel loops. In all other maps 0 stands for a dimension of size 1.
  AffineMap aMap, bMap, resultMap;
  SmallVector<utils::IteratorType> iterators;
  SmallVector<OpFoldResult> resultSizes;
  /// Null, or a ranked tensor of integers of up to 32 bits.
  Value bias = {};
  AffineMap biasMap = {};
  Accumulator accumulator = Accumulator::Proven;
  /// Makes the named op of these loops on `inputs`, signless, with the
  /// destination `init`; null where `isUnsigned` asks for what it does not
  /// have. Absent: there is none. Used where both operands have one signedness:
  /// a target selects instructions by named ops.
  std::function<Operation *(OpBuilder &, Location, ValueRange inputs,
                            Value init, bool isUnsigned)>
      createNamed = {};
  /// Discardable attributes of the generic, where there is no named op.
  SmallVector<NamedAttribute> attributes = {};
};

/// Fails, with a reason, where `buildIntegerProduct` would. `aType` and `bType`
/// are those of the codes, which need not be there yet: only element types of
/// `a.codes` and `b.codes` are looked at.
LogicalResult checkIntegerProduct(const IntegerProduct &product,
                                  RankedTensorType aType,
                                  RankedTensorType bType, std::string &reason);

/// The largest magnitude that a sum can have, with the bias, for a product that
/// passes `checkIntegerProduct`.
uint64_t getLargestSum(const IntegerProduct &product, RankedTensorType aType,
                       RankedTensorType bType);

/// Builds the product: a contraction of the codes in their own types, with the
/// zero points' share beside it. `acc = S(a b) - za S(b) - zb S(a) + K za zb`:
/// each sum is a reduction, constant where its codes are. Returns a signless
/// tensor of i32 or i64. Fails before it builds anything, and sets `reason`.
FailureOr<Value> buildIntegerProduct(ImplicitLocOpBuilder &b,
                                     const IntegerProduct &product,
                                     std::string &reason);

/// Fails, with a reason, unless the zero point is one code, by which codes can
/// be padded where reals are padded with 0.
LogicalResult checkCodePadding(const ProductOperand &operand,
                               std::string &reason);

/// Builds that code, as a signless scalar; 0 without a zero point.
Value createCodePadding(ImplicitLocOpBuilder &b, const ProductOperand &operand);

/// Collapses the dimensions of a tensor for which `map` has a constant; others
/// and null stay.
void dropUnitDims(ImplicitLocOpBuilder &b, Value &value, AffineMap &map);

/// `numpy.matmul` of two tensors without zero points: operands of rank 1,
/// batches, static sizes of 1 that are repeated. Other sizes fit together. The
/// last two dimensions of an operand may be the other way round. The loops are
/// those of a product of floats, too.
IntegerProduct describeMatmul(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                              bool isLhsTransposed = false,
                              bool isRhsTransposed = false);

/// Builds `numpy.matmul` of codes, as `describeMatmul`. A zero point is a
/// single element; of rank 1, one for each row of `lhs` or column of `rhs`; or
/// of the operand's rank, with 1 in the place of the reduced dimension.
FailureOr<Value> buildIntegerMatmul(ImplicitLocOpBuilder &b, ProductOperand lhs,
                                    ProductOperand rhs, Accumulator accumulator,
                                    std::string &reason);

/// How the filter moves, by spatial dimension. No padding is none.
struct ConvolutionShape {
  SmallVector<int64_t> strides, dilations, padLow, padHigh;
  int64_t groups = 1;
  /// The input and the result are [N, spatial..., C]; the filter is as ever.
  bool isChannelsLast = false;

  int64_t getFirstSpatial() const { return isChannelsLast ? 1 : 2; }
  int64_t getChannelDim(int64_t rank) const {
    return isChannelsLast ? rank - 1 : 1;
  }
};

/// Builds a convolution of an input [N, C, spatial...] with a filter
/// [F, C / groups, spatial...], as [N, F, spatial...], or with the channels
/// last, of 1 to 3 spatial dimensions. The input is padded with its zero point,
/// a single element of its type. The filter's zero point is a single element,
/// or has one for each F, as has the bias. Fails before it builds anything, and
/// sets `reason`, where a sum may have more than 64 bits.
FailureOr<Value> buildIntegerConvolution(ImplicitLocOpBuilder &b,
                                         ProductOperand input,
                                         ProductOperand filter, Value bias,
                                         const ConvolutionShape &shape,
                                         Accumulator accumulator,
                                         std::string &reason);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_INTEGERPRODUCTS_H
