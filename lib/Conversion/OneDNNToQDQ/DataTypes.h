// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The combinations of data types that oneDNN's documents of its ops allow.

#ifndef QDQ_LIB_CONVERSION_ONEDNNTOQDQ_DATATYPES_H
#define QDQ_LIB_CONVERSION_ONEDNNTOQDQ_DATATYPES_H

#include "../ForeignOps/ForeignOp.h"

namespace mlir::qdq {

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

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONEDNNTOQDQ_DATATYPES_H
