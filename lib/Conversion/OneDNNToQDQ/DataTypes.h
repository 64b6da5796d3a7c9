// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The combinations of data types that oneDNN's documents of its ops allow.

#ifndef QDQ_LIB_CONVERSION_ONEDNNTOQDQ_DATATYPES_H
#define QDQ_LIB_CONVERSION_ONEDNNTOQDQ_DATATYPES_H

#include "OneDNNOp.h"

namespace mlir::qdq {

/// Refuses what the section "Supported data types" of the static op does not
/// list. f8 is refused as well: the profile `onednn` states integer storage.
LogicalResult checkStaticTypes(const OneDNNOp &op, bool isQuantize);

/// The same for the ops with operands `scales` and `zps`.
LogicalResult checkDynamicTypes(const OneDNNOp &op, bool isQuantize);

/// oneDNN's name of an element type: s8 for `i8` and `si8`, u8 for `ui8`; the
/// type's own spelling where oneDNN has none.
std::string getDataTypeName(Type elementType);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONEDNNTOQDQ_DATATYPES_H
