// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers of unpack and pack to ShardingInterface.

#ifndef QDQ_LIB_IR_PACKINGSHARDING_H
#define QDQ_LIB_IR_PACKINGSHARDING_H

#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// The units of which a dimension may be split between any two.
struct SplitUnit {
  /// So many indices each.
  int64_t length;
  /// In errors: "has blocks of 4", and "blocks of 4 elements", which is empty
  /// for single elements.
  std::string elements, parts;
};

/// The loops that the dimensions of an operand or result of a packing op
/// follow. There are two for each dimension of the elements, of which the first
/// ones are used.
AffineMap getPackingMap(RankedTensorType elements, Value value);

/// The indices of a dimension of the elements that fill whole containers.
/// Fails, with an error, where it cannot be split. `givesSizes` if the sizes of
/// the elements are operands, which are those of the whole.
FailureOr<SplitUnit> getPackingUnit(Operation *op, RankedTensorType elements,
                                    const BitLayout &layout, bool givesSizes,
                                    int64_t dim);

} // namespace mlir::qdq

#endif // QDQ_LIB_IR_PACKINGSHARDING_H
