// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of codes: attributes, shapes, zero points.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_CONVOLUTION_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_CONVOLUTION_H

#include "../ForeignOps/Window.h"
#include "qdq/Conversion/IntegerProducts.h"

namespace mlir::qdq {

/// An input [N, C, spatial...], or with the channels last, and a filter [F, C /
/// groups, spatial...] with their zero points, which may be null.
struct Convolution {
  ForeignTensor input, inputZeroPoint, filter, filterZeroPoint, bias;
  Window window;
  int64_t groups = 1;
  bool isChannelsLast = false;
  /// The shape of the result.
  SmallVector<int64_t> shape;

  /// The dimension of the channels, in the input and in the result.
  int64_t getChannelDim() const {
    return isChannelsLast ? input.type.getRank() - 1 : 1;
  }
  int64_t getFirstSpatial() const { return isChannelsLast ? 1 : 2; }
};

/// Reads the attributes, and checks that the operands fit together.
FailureOr<Convolution> makeConvolution(const ForeignOp &node,
                                       const ForeignTensor &input,
                                       const ForeignTensor &filter,
                                       bool isChannelsLast = false);

/// The same of the codes at two indices.
FailureOr<Convolution> readConvolution(const ForeignOp &node,
                                       unsigned inputIndex,
                                       unsigned filterIndex,
                                       bool isChannelsLast = false);

/// Reads the zero points.
LogicalResult readZeroPoints(const ForeignOp &node, Convolution &convolution,
                             unsigned inputIndex, unsigned filterIndex);

/// Refuses a parameter that has neither one element nor one for each filter.
LogicalResult checkPerFilter(const ForeignOp &node, StringRef name,
                             const ForeignTensor &parameter,
                             const Convolution &convolution);

/// Builds the sum of products, with the bias, in integers.
FailureOr<Value> createProduct(const ForeignOp &node,
                               const Convolution &convolution,
                               Accumulator accumulator);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_CONVOLUTION_H
