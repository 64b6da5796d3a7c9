// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TilingInterface of choose_params. The loops are the dimensions of the input;
// those that share a parameter are reductions.

#include "Tiling.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qdq/IR/TileBounds.h"

using namespace mlir;
using namespace mlir::qdq;

// Where the loops are not the dimensions of the result.
namespace mlir::qdq {
static Value getLoopValue(ChooseParamsOp op) { return op.getInput(); }

static SmallVector<OpFoldResult> getLoopSizes(ChooseParamsOp op, OpBuilder &b) {
  return tensor::getMixedSizes(b, op.getLoc(), op.getInput());
}

/// The tile of the input whose groups have these parameters.
static FailureOr<Slice> fromResultTile(ChooseParamsOp op, OpBuilder &b,
                                       const Slice &parameters) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Granularity granularity = op.getGranularity();
  Slice loops;
  for (auto [dim, whole] :
       llvm::enumerate(tensor::getMixedSizes(b, op.getLoc(), op.getInput()))) {
    int64_t length = granularity.getGroupLength(dim);
    loops.add(b.getIndexAttr(0), whole);
    if (length == 0)
      continue;
    OpFoldResult &offset = loops.offsets.back(), &size = loops.sizes.back();
    offset = parameters.offsets[granularity.isAxis() ? 0 : dim];
    size = parameters.sizes[granularity.isAxis() ? 0 : dim];
    if (length > 1)
      scaleUp(b, op.getLoc(), b.getAffineSymbolExpr(0) * length, whole,
              type.getDimSize(dim) % length == 0 && !type.isDynamicDim(dim),
              offset, size);
  }
  return loops;
}

static FailureOr<Slice> toResultTile(ChooseParamsOp op, OpBuilder &b,
                                     const Slice &loops) {
  return getParameterTile(b, op.getLoc(), op.getGranularity(), loops);
}
} // namespace mlir::qdq

static FailureOr<TilingResult> getTile(ChooseParamsOp op, OpBuilder &b,
                                       const Slice &loops,
                                       EmitError emitError) {
  Granularity granularity = op.getGranularity();
  for (auto [dim, offset, size] : llvm::enumerate(loops.offsets, loops.sizes)) {
    Bound whole(op.getInput(), dim);
    int64_t length = granularity.getGroupLength(dim);
    bool isWhole = length
                       ? holdsWholeGroups(offset, size, whole, length)
                       : isConstantIntValue(offset, 0) && areEqual(size, whole);
    if (isWhole)
      continue;
    InFlightDiagnostic error = emitError();
    error << "cannot be tiled through its groups: expected ";
    return length
               ? error << "multiples of " << length << " in dimension " << dim
               : error << "the whole of dimension " << dim;
  }
  FailureOr<ParameterTile> parameters =
      getParameterTile(b, op.getLoc(), granularity, loops);
  if (failed(parameters))
    return failure();
  SmallVector<Operation *> slices;
  Value input = takeSlice(b, op.getLoc(), op.getInput(), loops, slices);
  SmallVector<Type> types =
      llvm::map_to_vector(op.getResultTypes(), [&](Type result) -> Type {
        return getTileType(parameters->sizes, result);
      });
  return toTilingResult(clone(b, op, types, input), slices);
}

static FailureOr<Slice> fromOperandTile(ChooseParamsOp, OpBuilder &,
                                        const Slice &operand) {
  return operand;
}

QDQ_DEFINE_TILING(ChooseParamsOp)
