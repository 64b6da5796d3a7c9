// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of codes that are a named convolution of linalg.

#ifndef QDQ_LIB_CONVERSION_INTEGERPRODUCTS_NAMEDCONVOLUTION_H
#define QDQ_LIB_CONVERSION_INTEGERPRODUCTS_NAMEDCONVOLUTION_H

#include "mlir/IR/Builders.h"
#include "qdq/Conversion/IntegerProducts.h"

namespace mlir::qdq {

using CreateNamed = decltype(IntegerProduct::createNamed);

/// The op `Op` with these attributes; it extends its operands with their sign.
template <typename Op>
CreateNamed createConvolution(ArrayRef<int64_t> strides,
                              ArrayRef<int64_t> dilations) {
  return [strides = SmallVector<int64_t>(strides),
          dilations = SmallVector<int64_t>(dilations)](
             OpBuilder &b, Location loc, ValueRange inputs, Value init,
             bool isUnsigned) -> Operation * {
    if (isUnsigned)
      return nullptr;
    return Op::create(b, loc, TypeRange(init.getType()), inputs, init,
                      b.getI64TensorAttr(strides),
                      b.getI64TensorAttr(dilations));
  };
}

// IntegerConvolution.cpp

/// Which channels of the input a filter has: all, those of a group, or one.
enum class Channels { All, InGroups, Alone };

/// The op for an input [N, C, ...] and a filter [F, C, ...], or [C, ...] alone,
/// of 1 to 3 spatial dimensions; null where there is none.
CreateNamed getNamedConvolution(Channels channels, ArrayRef<int64_t> strides,
                                ArrayRef<int64_t> dilations);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_INTEGERPRODUCTS_NAMEDCONVOLUTION_H
