// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TilingInterface of quantize, dequantize and requantize. The loops are the
// dimensions of the value.

#include "Tiling.h"

using namespace mlir;
using namespace mlir::qdq;

template <typename OpTy>
static FailureOr<TilingResult>
getTile(OpTy op, OpBuilder &b, const Slice &loops, EmitError emitError) {
  Location loc = op.getLoc();
  FailureOr<ParameterTile> parameters =
      getParameterTile(b, loc, op.getGranularity(), loops);
  if (failed(parameters))
    return emitError() << "cannot be tiled across the middle of its blocks: "
                          "take a multiple or a divisor of the block length";

  SmallVector<Operation *> slices;
  SmallVector<Value> operands(op->getOperands());
  operands[0] = takeSlice(b, loc, op.getInput(), loops, slices);
  for (Value &parameter :
       MutableArrayRef(operands).slice(1, op.getParameters().size())) {
    if (isSingleElement(parameter.getType()))
      continue;
    // Where the whole can be tiled, a parameter that has fewer groups can.
    FailureOr<ParameterTile> tile =
        getParameterTile(b, loc, op.getGranularityOf(parameter), loops);
    if (failed(tile))
      return failure();
    parameter = takeSlice(b, loc, parameter, *tile, slices);
  }
  Type type = getTileType(loops.sizes, op.getResult().getType());
  auto tiled = cast<OpTy>(clone(b, op, type, operands));
  if constexpr (std::is_same_v<OpTy, QuantizeOp>) {
    if (tiled.needsPosition()) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(tiled);
      tiled.setPositionOfPart(b, loops.offsets,
                              tensor::getMixedSizes(b, loc, op.getInput()));
    }
  }
  if (op.getBlockShape())
    tiled.setBlockShape(parameters->blockShape);
  return toTilingResult(tiled, slices);
}

template <typename OpTy>
static FailureOr<Slice> fromOperandTile(OpTy, OpBuilder &,
                                        const Slice &operand) {
  return operand;
}

QDQ_DEFINE_TILING(QuantizeOp)
QDQ_DEFINE_TILING(DequantizeOp)
QDQ_DEFINE_TILING(RequantizeOp)
