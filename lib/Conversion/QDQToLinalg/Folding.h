// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which qdq ops become part of the generic of their neighbour: unpack and pack,
// and the dequantize of a scale.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_FOLDING_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_FOLDING_H

#include "SlotDigits.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// On an op that has become part of a user's generic: it is erased once it has
/// no other user.
inline constexpr llvm::StringLiteral kFoldedAttr = "qdq.folded";

/// The loops of a conversion, and the packing that it reads or writes directly.
struct ConversionSpace {
  IterationSpace space;
  /// The layout, along an axis, of the codes that it reads from containers or
  /// writes to them; nothing for plain elements.
  std::optional<SlotDigits> digits;
};

/// The loops of a quantize or dequantize on a ranked tensor. Nothing is built.
/// Fails only where `block-form=expand` cannot be met.
FailureOr<ConversionSpace>
getSpace(QuantizeOp op, const QDQToLinalgOptions &options, std::string &reason);
/// With the digits of the unpack that it reads, where these fit its blocks.
FailureOr<ConversionSpace> getSpace(DequantizeOp op,
                                    const QDQToLinalgOptions &options,
                                    std::string &reason);

/// The loops of a pack together with the quantize that only it reads; nothing
/// where the two do not fit.
std::optional<ConversionSpace> getSpace(PackOp op,
                                        const QDQToLinalgOptions &options);

/// True if `op` gives nothing but scales that its users compute in their
/// bodies, since they do not change along the innermost dimension.
bool isComputedByUsers(DequantizeOp op, const QDQToLinalgOptions &options);

/// True if the only reader of `op` packs it in its own generic.
bool isPackedByUser(QuantizeOp op, const QDQToLinalgOptions &options);

/// True if the reader takes its codes out of the containers by itself.
bool isUnpackedByUser(OpOperand &use, const QDQToLinalgOptions &options);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_FOLDING_H
