// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared parts of the folders of all conversions.

#ifndef QDQ_LIB_IR_FOLDING_H
#define QDQ_LIB_IR_FOLDING_H

#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/Granularity.h"

namespace mlir::qdq {

/// Larger results stay ops: a dequantized weight is several times the size of
/// its codes.
inline constexpr int64_t kMaxFoldedElements = 1024;

/// The linear parameter index of each linear element index.
class ParameterIndex {
public:
  ParameterIndex(const Granularity &granularity, ArrayRef<int64_t> shape,
                 MLIRContext *ctx)
      : map(granularity.getParameterMap(shape.size(), ctx)), shape(shape),
        parameterShape(granularity.getParameterShape(shape)) {}

  int64_t operator()(int64_t linear) const {
    SmallVector<int64_t> index(shape.size());
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      index[dim] = linear % shape[dim];
      linear /= shape[dim];
    }
    int64_t result = 0;
    for (auto [position, size] : llvm::zip(map.compose(index), parameterShape))
      result = result * size + position;
    return result;
  }

private:
  AffineMap map;
  ArrayRef<int64_t> shape;
  SmallVector<int64_t> parameterShape;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_IR_FOLDING_H
