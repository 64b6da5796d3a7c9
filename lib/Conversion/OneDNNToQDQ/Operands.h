// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data types and scales as oneDNN Graph spells them.

#ifndef QDQ_LIB_CONVERSION_ONEDNNTOQDQ_OPERANDS_H
#define QDQ_LIB_CONVERSION_ONEDNNTOQDQ_OPERANDS_H

#include "../ForeignOps/ForeignOp.h"
#include "../ForeignOps/QuantizationOps.h"

namespace mlir::qdq {

// DataTypes.cpp

/// Refuses element types that the section "Supported data types" of the static
/// op does not list.
LogicalResult checkStaticTypes(const ForeignOp &op, bool isQuantize, Type src,
                               Type dst);

/// The same for the ops with operands `scales` and `zps`, which may be null.
LogicalResult checkDynamicTypes(const ForeignOp &op, bool isQuantize, Type src,
                                Type dst, Type scales, Type zps);

/// oneDNN's name of an element type: s8 for `i8` and `si8`, u8 for `ui8`; the
/// type's own spelling where oneDNN has none.
std::string getDataTypeName(Type elementType);

// Placement.cpp

/// From `qtype` (per_tensor by default), `axis` (1 by default) and
/// `group_shape`, for a source and a scale of these types. Only
/// DynamicDequantize has groups: `allowsGroups`. Refuses groups that do not
/// divide, and a scale of another shape.
FailureOr<Placement> getOneDNNPlacement(const ForeignOp &op, TensorType src,
                                        TensorType scales, bool allowsGroups);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONEDNNTOQDQ_OPERANDS_H
