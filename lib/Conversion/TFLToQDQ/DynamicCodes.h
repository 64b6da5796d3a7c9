// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of floats by quantized filters ("hybrid", "dynamic range"): the
// codes of the input are chosen at run time.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_DYNAMICCODES_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_DYNAMICCODES_H

#include "../ForeignOps/CodeTensor.h"

namespace mlir::qdq {

/// True for an op whose result is a tensor of f32, and the second operand
/// quantized.
bool isDynamicProduct(const ForeignOp &op);

/// The operands of such an op; the bias of floats may be null.
struct DynamicProduct {
  RankedTensorType input, result;
  CodeTensor filter;
  Value bias;
};

/// Refuses a filter that is not static, of `rank`, symmetric and signed, with
/// one scale or those of `outputAxis`. The input is operand `input`, and the
/// bias operand `bias`.
FailureOr<DynamicProduct> readDynamicProduct(const ForeignOp &op, int64_t rank,
                                             int64_t outputAxis,
                                             unsigned input = 0,
                                             unsigned bias = 2);

/// Codes i8 of a tensor of f32, with a scale (f32) and, if they are asymmetric,
/// a zero point (i32) for each index of dimension 0.
struct DynamicCodes {
  Value codes, scales, zeroPoints;
};

/// Codes with the parameters of LiteRT's hybrid kernels. Symmetric: 127 is the
/// largest magnitude. Asymmetric: -128 to 127 are the range, with 0 in it.
DynamicCodes createDynamicCodes(const ForeignOp &op, const Stamp &stamp,
                                Value input, bool isAsymmetric);

/// The differences of codes and zero points, as i16.
Value subtractDynamicZeroPoints(ImplicitLocOpBuilder &b,
                                const DynamicCodes &codes);

/// How a sum is multiplied by two scales: by their product, or one by one.
/// `InputFirst` rounds once for the second scale and the bias, as XNNPACK does.
enum class ScaleOrder { Product, FilterFirst, InputFirst };

/// The sums [rows, ..., outputs] of products as floats: times the scales of
/// both factors, plus the bias, behind the activation.
Value scaleDynamicProduct(const ForeignOp &op, const DynamicProduct &product,
                          Value sum, Value scales, ScaleOrder order);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_DYNAMICCODES_H
