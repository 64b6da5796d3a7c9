// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared parts of the views and verifiers of quantize, dequantize, requantize
// and choose_params.

#ifndef QDQ_LIB_IR_OPCHECKS_H
#define QDQ_LIB_IR_OPCHECKS_H

#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// The rank of a value; nothing for an unranked tensor.
inline std::optional<int64_t> getRank(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return 0;
  return shaped.hasRank() ? std::optional(shaped.getRank()) : std::nullopt;
}

/// `clamp` as bounds of a storage.
inline std::optional<std::pair<int64_t, int64_t>>
toBounds(std::optional<ArrayRef<int64_t>> clamp) {
  if (!clamp)
    return std::nullopt;
  return std::pair((*clamp)[0], (*clamp)[1]);
}

/// Fails, with an error, where the attributes do not go with the input.
template <typename OpTy>
FailureOr<Granularity> parseGranularity(OpTy op) {
  std::optional<int64_t> axis;
  if (IntegerAttr attr = op.getAxisAttr())
    axis = attr.getInt();
  return Granularity::get(getRank(op.getInput().getType()), axis,
                          op.getBlockShape(), [&] { return op.emitOpError(); });
}

/// `clamp` is a non-empty range of codes.
template <typename OpTy>
LogicalResult verifyClamp(OpTy op, Type storageType) {
  std::optional<ArrayRef<int64_t>> clamp = op.getClamp();
  if (!clamp)
    return success();
  if (!isa<IntegerType>(storageType))
    return op.emitOpError()
           << "'clamp' needs integer storage, not " << storageType;
  if (clamp->size() != 2)
    return op.emitOpError() << "clamp has " << clamp->size()
                            << " entries: expected [lowest, highest]";
  auto [lo, hi] = getIntegerBounds(storageType);
  if ((*clamp)[0] > (*clamp)[1] || (*clamp)[0] < lo || (*clamp)[1] > hi)
    return op.emitOpError() << "clamp [" << (*clamp)[0] << ", " << (*clamp)[1]
                            << "] is not a range within " << storageType
                            << ", which holds " << lo << " to " << hi;
  return success();
}

/// Input and result are values of one kind and shape.
LogicalResult verifySameShape(Operation *op, Type input, Type result);

} // namespace mlir::qdq

#endif // QDQ_LIB_IR_OPCHECKS_H
