// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements share a scale: qtype, axis and group_shape as attributes of a
// qdq op.

#ifndef QDQ_LIB_CONVERSION_ONEDNNTOQDQ_PLACEMENT_H
#define QDQ_LIB_CONVERSION_ONEDNNTOQDQ_PLACEMENT_H

#include "../ForeignOps/QuantizationOps.h"

namespace mlir::qdq {

/// From `qtype` (per_tensor by default), `axis` (1 by default) and
/// `group_shape`, for a source and a scale of these types. Only
/// DynamicDequantize has groups: `allowsGroups`. Refuses groups that do not
/// divide, and a scale of another shape.
FailureOr<Placement> getOneDNNPlacement(const ForeignOp &op, TensorType src,
                                        TensorType scales, bool allowsGroups);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONEDNNTOQDQ_PLACEMENT_H
