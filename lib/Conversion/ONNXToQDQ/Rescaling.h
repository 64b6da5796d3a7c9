// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a sum of products to codes: what the scales of an operator become.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_RESCALING_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_RESCALING_H

#include "../ForeignOps/QuantizationOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The scales of a sum and of its result. Those of the factors are single
/// elements or placed beside the sum: along `axis`, or of its rank with a
/// size of 1 where they are shared.
struct SumScales {
  Value a, b;
  /// Null for a result of floats.
  Value result;
  IntegerAttr axis;
};

/// Refuses scales that the rescaling of the profile cannot take: integer
/// multipliers are made of constants, for one row or column at a time.
LogicalResult checkRescaling(const ForeignOp &node, const Stamp &stamp,
                             ArrayRef<ForeignTensor> scales);

/// Where the zero point of a sum of products is added: ONNX's evaluator does it
/// before the rounding, unlike its QuantizeLinear; ONNX Runtime's kernels do it
/// in `ortOrder`.
SemanticsFields getSumFields(const Stamp &stamp,
                             Order ortOrder = Order::RoundThenAdd);

/// The codes of a sum of products, rescaled as the profile does it. `ortOrder`
/// is where ONNX Runtime's kernel adds the zero point.
Value createRequantize(const ForeignOp &node, const Stamp &stamp, Value sum,
                       Type storage, const SumScales &scales,
                       const ForeignTensor &zeroPoint,
                       Order ortOrder = Order::RoundThenAdd);

/// The same with the multiplier in one value, in f32.
Value createRequantize(const ForeignOp &node, const Stamp &stamp, Value sum,
                       Type storage, Value multiplier,
                       const ForeignTensor &zeroPoint);

/// The reals of a sum of products in f32: the integer by `a * b`, which is
/// rounded first.
Value createDequantize(const ForeignOp &node, const Stamp &stamp, Value sum,
                       const SumScales &scales);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_RESCALING_H
