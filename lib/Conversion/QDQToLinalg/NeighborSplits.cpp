// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the neighbors of a value split its dimensions.

#include "NeighborSplits.h"
#include "PackingToLinalg.h"
#include "SubByteDigits.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;
using Splits = IterationSpace::Splits;

/// The slots of a packing of elements of this type.
static Splits getSlotSplits(const BitLayout &layout, Type elements) {
  auto type = cast<RankedTensorType>(elements);
  std::optional<BitLayout> along = packAlongLastAxis(layout, type);
  std::optional<SubByteDigits> digits;
  if (along)
    digits = SubByteDigits::get(*along);
  return digits ? digits->getSplits(type.getRank()) : Splits(type.getRank());
}

/// The blocks of a conversion on a ranked tensor.
template <typename OpTy>
static Splits getBlockSplits(OpTy op) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Splits splits(type.getRank());
  Granularity granularity = op.getGranularity();
  for (auto [dim, length] : llvm::enumerate(granularity.getBlockShape()))
    if (length > 1 && type.getDimSize(dim) > length)
      splits[dim].push_back(length);
  return splits;
}

/// The strides of the static inner sizes of each group, row-major in `shape`.
static Splits getReshapeSplits(ArrayRef<ReassociationIndices> groups,
                               ArrayRef<int64_t> shape) {
  Splits splits;
  for (const ReassociationIndices &group : groups) {
    SmallVector<int64_t> &strides = splits.emplace_back();
    int64_t stride = 1;
    for (int64_t dim : llvm::reverse(ArrayRef(group).drop_front())) {
      if (ShapedType::isDynamic(shape[dim]) || shape[dim] == 0)
        break;
      stride *= shape[dim];
      strides.push_back(stride);
    }
  }
  return splits;
}

/// The op that makes `value`, without the casts of signedness beside it.
static Operation *getMaker(Value value) {
  while (auto cast = value.getDefiningOp<tensor::BitcastOp>())
    value = cast.getSource();
  return value.getDefiningOp();
}

Splits mlir::qdq::getProducerSplits(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Operation *maker = getMaker(value);
  if (auto op = dyn_cast_if_present<QuantizeOp>(maker))
    return getBlockSplits(op);
  if (auto op = dyn_cast_if_present<RequantizeOp>(maker))
    return getBlockSplits(op);
  if (auto op = dyn_cast_if_present<UnpackOp>(maker))
    return getSlotSplits(op.getLayout(), op.getElements().getType());
  if (auto op = dyn_cast_if_present<tensor::CollapseShapeOp>(maker))
    return getReshapeSplits(op.getReassociationIndices(),
                            op.getSrcType().getShape());
  return Splits(type.getRank());
}

Splits mlir::qdq::getUnpackSplits(Value value) {
  auto op = dyn_cast_if_present<UnpackOp>(getMaker(value));
  if (!op || !isa<RankedTensorType>(op.getElements().getType()))
    return {};
  return getSlotSplits(op.getLayout(), op.getElements().getType());
}

Splits mlir::qdq::getConsumerSplits(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Splits all(type.getRank());
  auto add = [&](const Splits &splits) {
    for (auto [into, lengths] : llvm::zip_equal(all, splits))
      into.append(lengths);
  };
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto op = dyn_cast<DequantizeOp>(user);
        op && use.getOperandNumber() == 0)
      add(getBlockSplits(op));
    else if (auto op = dyn_cast<PackOp>(user))
      add(getSlotSplits(op.getLayout(), type));
    else if (auto op = dyn_cast<tensor::ExpandShapeOp>(user))
      add(getReshapeSplits(op.getReassociationIndices(),
                           op.getResultType().getShape()));
    else if (auto op = dyn_cast<tensor::BitcastOp>(user))
      add(getConsumerSplits(op.getResult()));
  }
  return all;
}
