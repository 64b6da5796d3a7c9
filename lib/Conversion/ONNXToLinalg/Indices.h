// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices into a tensor, which gathers read and scatters write.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_INDICES_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_INDICES_H

#include "../ForeignOps/ForeignOp.h"

namespace mlir::qdq {

/// Operand 1, of i32 or i64.
FailureOr<ForeignTensor> getIndices(const ForeignOp &node, int64_t minRank);

/// Refuses a dimension of which indices could read no element.
LogicalResult checkElements(const ForeignOp &node, const ForeignTensor &data,
                            int64_t dim);

/// The same, and constant indices that lie outside of a dimension.
LogicalResult checkIndices(const ForeignOp &node, const ForeignTensor &data,
                           int64_t axis);

/// Refuses indices that have not the rank of data, or more elements along
/// another dimension than the axis.
LogicalResult checkExtents(const ForeignOp &node, const ForeignTensor &data,
                           const ForeignTensor &indices, int64_t axis);

/// The axis, and the other dimensions whose sizes may differ: indices reach
/// beyond those, too, if a size is open.
SmallVector<int64_t> findDoubtfulDims(ArrayRef<OpFoldResult> data,
                                      ArrayRef<OpFoldResult> indices,
                                      int64_t axis);

/// The dimensions of data that the coordinates in the last dimension of indices
/// stand for, behind `batch` ones; refuses what data does not have.
FailureOr<int64_t> getDepth(const ForeignOp &node, const ForeignTensor &data,
                            const ForeignTensor &indices, int64_t batch);

/// Asserts that those coordinates lie inside of the dimensions of data, whose
/// sizes are `own`.
void assertCoordinates(const ForeignOp &node, Value indices,
                       ArrayRef<OpFoldResult> own, int64_t batch);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_INDICES_H
