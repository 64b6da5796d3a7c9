// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Granularity as oneDNN Graph decides it.

#include "Operands.h"

using namespace mlir;
using namespace mlir::qdq;

/// Where the op leaves `axis` out.
static constexpr int64_t kDefaultAxis = 1;

static FailureOr<Placement> getPerChannel(const ForeignOp &op, TensorType src,
                                          TensorType scales) {
  FailureOr<int64_t> axisOr = op.getInteger("axis", kDefaultAxis);
  if (failed(axisOr))
    return failure();
  int64_t axis = *axisOr;
  Builder &b = op.getRewriter();
  if (!src.hasRank()) {
    if (scales.getRank() == 1)
      return Placement{b.getI64IntegerAttr(axis), nullptr};
    return op.refuse("scales has type ", scales,
                     ": expected rank 1, since the rank of src is unknown");
  }
  int64_t rank = src.getRank();
  if (axis < -rank || axis >= rank)
    return op.refuse("axis ", axis, " is out of range for src of type ", src,
                     ": expected ", -rank, " to ", rank - 1,
                     " (where 'axis' is absent it is 1)");
  if (axis < 0)
    axis += rank;
  // Beside the list of channels oneDNN takes the full rank, with ones.
  bool isFullRank = scales.getRank() == rank && rank != 1;
  if (!isFullRank && scales.getRank() != 1)
    return op.refuse("scales has type ", scales,
                     ": expected rank 1 (per_channel), or rank ", rank,
                     " like src");
  int64_t channels = src.getDimSize(axis);
  if (differ(scales.getDimSize(isFullRank ? axis : 0), channels))
    return op.refuse("scales has type ", scales, ": expected ", channels,
                     " elements, the size of dimension ", axis, " of src ",
                     src);
  if (!isFullRank)
    return Placement{b.getI64IntegerAttr(axis), nullptr};
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis && scales.getDimSize(dim) != 1)
      return op.refuse("scales has type ", scales, ": expected size 1 in ",
                       "dimension ", dim, ", which is not the axis ", axis);
  SmallVector<int64_t> blockShape(rank, 0);
  blockShape[axis] = 1;
  return Placement{nullptr, b.getDenseI64ArrayAttr(blockShape)};
}

static FailureOr<Placement> getPerGroup(const ForeignOp &op, TensorType src,
                                        TensorType scales) {
  FailureOr<SmallVector<int64_t>> groupShape = op.getIntegers("group_shape");
  if (failed(groupShape))
    return failure();
  if (!src.hasRank())
    return op.refuse("qtype 'per_group' needs a src of known rank, not ", src);
  int64_t rank = src.getRank();
  if (static_cast<int64_t>(groupShape->size()) != rank)
    return op.refuse("group_shape has ", groupShape->size(),
                     " entries: expected ", rank, ", the rank of src ", src);
  if (scales.getRank() != rank)
    return op.refuse("scales has type ", scales, ": expected rank ", rank,
                     " like src (per_group)");
  for (auto [dim, length] : llvm::enumerate(*groupShape)) {
    if (length < 1)
      return op.refuse("group_shape[", dim, "] is ", length,
                       ": expected 1 or more");
    int64_t size = src.getDimSize(dim);
    if (ShapedType::isDynamic(size))
      continue;
    if (size % length != 0)
      return op.refuse("group_shape[", dim, "] is ", length,
                       ", which does not divide dimension ", dim, " of src ",
                       src);
    if (differ(scales.getDimSize(dim), size / length))
      return op.refuse("scales has size ", scales.getDimSize(dim),
                       " in dimension ", dim, ": expected ", size / length,
                       ", the number of groups of ", length, " in ", size);
  }
  return Placement{nullptr, op.getRewriter().getDenseI64ArrayAttr(*groupShape)};
}

FailureOr<Placement> mlir::qdq::getOneDNNPlacement(const ForeignOp &op,
                                                   TensorType src,
                                                   TensorType scales,
                                                   bool allowsGroups) {
  if (op.has("mask"))
    return op.refuse("attribute 'mask' is not supported: use 'qtype' and "
                     "'axis' instead");
  FailureOr<StringRef> qtype = op.getString("qtype", "per_tensor");
  if (failed(qtype))
    return failure();
  bool isKnown = *qtype == "per_tensor" || *qtype == "per_channel" ||
                 (*qtype == "per_group" && allowsGroups);
  if (!isKnown)
    return op.refuse("qtype '", *qtype, "' is not allowed: expected ",
                     allowsGroups ? "'per_tensor', 'per_channel' or "
                                    "'per_group'"
                                  : "'per_tensor' or 'per_channel'");
  if (*qtype != "per_group" && op.has("group_shape"))
    return op.refuse("has a 'group_shape', but qtype is '", *qtype,
                     "': expected 'per_group'");
  if (!scales.hasRank())
    return op.refuse("scales has type ", scales, ": expected a ranked tensor");
  if (*qtype == "per_channel")
    return getPerChannel(op, src, scales);
  if (*qtype == "per_group")
    return getPerGroup(op, src, scales);
  if (!isSingle(scales))
    return op.refuse("scales has type ", scales,
                     ": expected one element (per_tensor)");
  return Placement();
}
