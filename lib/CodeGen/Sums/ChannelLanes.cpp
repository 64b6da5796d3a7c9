// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels of a small picture as lanes.

#include "../Analysis/SumOfProducts.h"
#include "../Dots/Transposition.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/ElementwiseBody.h"
#include "SumLayouts.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

/// Floats in a vector.
static constexpr int64_t kVector = 16;

/// Fewer results are no vector.
static constexpr int64_t kFewLanes = 4;

/// The iterations of a loop. One that is open is the same for all choices.
static int64_t getRange(linalg::GenericOp op, unsigned loop) {
  int64_t range = op.getStaticLoopRanges()[loop];
  return ShapedType::isDynamic(range) ? 1 : range;
}

/// The elements of a tensor, for one iteration of open loops.
static double countElements(Value tensor) {
  double count = 1;
  for (int64_t size : cast<RankedTensorType>(tensor.getType()).getShape())
    count *= ShapedType::isDynamic(size) ? 1 : size;
  return count;
}

/// Steps of vectors of `lanes` neighbors, of which the last one is not full.
static double countSteps(linalg::GenericOp op, int64_t lanes) {
  double steps = 1;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    steps *= getRange(op, loop);
  return lanes < kFewLanes ? steps
                           : steps / lanes * llvm::divideCeil(lanes, kVector);
}

/// Steps with the loop `lane` innermost, and one for each element that a
/// transposition moves. Nothing where an operand cannot be transposed to that.
static std::optional<double> countStepsTransposed(linalg::GenericOp op,
                                                  unsigned lane) {
  double steps = countSteps(op, getRange(op, lane));
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(lane))
      continue;
    if (!findOwnDim(map, lane))
      return std::nullopt;
    if (!getShapedConstant(operand.get()))
      steps += countElements(operand.get());
  }
  return steps;
}

/// The loop over the innermost results of a sum of products in f32, where it
/// runs along lines of an input. Along other lines, terms are neighbors.
static std::optional<unsigned> getLine(linalg::GenericOp op) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  AffineMap result = op.getIndexingMapsArray().back();
  if (!sum || op.hasIndexSemantics() || op.getNumDpsInputs() != 2 ||
      !result.isProjectedPermutation() || result.getNumResults() < 2 ||
      !sum->isOfFloats() ||
      !getElementTypeOrSelf(op.getDpsInits()[0]).isF32() ||
      !llvm::all_of(op->getOperandTypes(), hasWholeBytes))
    return std::nullopt;
  unsigned line = result.getDimPosition(result.getNumResults() - 1);
  return isAlongLine(op, line) &&
                 !ShapedType::isDynamic(op.getStaticLoopRanges()[line])
             ? std::optional(line)
             : std::nullopt;
}

/// The loop over results that should be innermost, if it is not.
static std::optional<unsigned> getChannelLoop(linalg::GenericOp op) {
  std::optional<unsigned> line = getLine(op);
  if (!line)
    return std::nullopt;
  bool hasSteps = llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return getLaneStride(map, *line).has_value();
  });
  double least = countSteps(op, hasSteps ? getRange(op, *line) : 1);
  std::optional<unsigned> best;
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  for (unsigned loop : parallel) {
    if (ShapedType::isDynamic(op.getStaticLoopRanges()[loop]))
      continue;
    std::optional<double> steps = countStepsTransposed(op, loop);
    if (loop == *line || !steps || *steps >= least)
      continue;
    least = *steps;
    best = loop;
  }
  return best;
}

void mlir::qdq::layOutChannels(IRRewriter &rewriter, Operation *root) {
  auto hasShortLines = [](linalg::GenericOp op) {
    return getChannelLoop(op).has_value();
  };
  for (linalg::GenericOp op : collectGenerics(root, hasShortLines)) {
    unsigned channels = *getChannelLoop(op);
    SmallVector<SmallVector<unsigned>> last;
    for (AffineMap map : op.getIndexingMapsArray())
      last.push_back(map.isFunctionOfDim(channels)
                         ? SmallVector<unsigned>{channels}
                         : SmallVector<unsigned>());
    transposeContraction(rewriter, op, last);
  }
}
