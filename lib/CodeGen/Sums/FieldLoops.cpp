// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of a storage word as the innermost terms of a sum.

#include "../Analysis/SumOfProducts.h"
#include "../Dots/Transposition.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/LaneLoops.h"
#include "SumLayouts.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// As many rows of codes share a factor, at least, as pay for its
/// transposition. An open number counts as enough.
static constexpr int64_t kFewestSharing = 16;

/// Fewer words side by side fill no vector of floats.
static constexpr int64_t kFewWords = 16;

/// The reduction that counts fields around those that count their words, as in
/// the blocks of ggml, whose low halves of bytes come first.
static std::optional<unsigned> findOuterFields(linalg::GenericOp op) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  if (!sum || !sum->getFloatSum() || !sum->isReassociable() ||
      !op.hasPureTensorSemantics())
    return std::nullopt;
  for (unsigned loop = op.getNumLoops();
       loop-- > 0 && isReductionLoop(op, loop);)
    if (countsFields(op, loop))
      return loop + 1 < op.getNumLoops() ? std::optional(loop) : std::nullopt;
  return std::nullopt;
}

/// True if words side by side fill no vector of floats.
static bool hasFewWords(linalg::GenericOp op, unsigned fields) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  ArrayRef<int64_t> words = ArrayRef(ranges).drop_front(fields + 1);
  return !ShapedType::isDynamicShape(words) &&
         ShapedType::getNumElements(words) < kFewWords;
}

/// The factors whose last dimension becomes that of the fields; nothing if one
/// cannot be transposed to that, or if floats are as fast in the order that
/// they have.
static std::optional<SmallVector<OpOperand *>> findFactors(linalg::GenericOp op,
                                                           unsigned fields) {
  SmallVector<OpOperand *> factors;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!map.isFunctionOfDim(fields))
      continue;
    bool isCode = getElementTypeOrSelf(operand->get()).isInteger();
    if (!(isCode || hasFewWords(op, fields)) || !findOwnDim(map, fields) ||
        !hasWholeBytes(operand->get().getType()) ||
        countSharing(op, map, kFewestSharing) < kFewestSharing)
      return std::nullopt;
    factors.push_back(operand);
  }
  return factors;
}

void mlir::qdq::layOutFields(IRRewriter &rewriter, Operation *root) {
  auto hasOuterFields = [](linalg::GenericOp op) {
    std::optional<unsigned> fields = findOuterFields(op);
    return fields && findFactors(op, *fields);
  };
  for (linalg::GenericOp op : collectGenerics(root, hasOuterFields)) {
    unsigned fields = *findOuterFields(op);
    rewriter.setInsertionPoint(op);
    for (OpOperand *factor : *findFactors(op, fields)) {
      AffineMap map = op.getMatchingIndexingMap(factor);
      SmallVector<int64_t> order = moveLast(map, {fields});
      Value moved =
          createTransposition(rewriter, op.getLoc(), factor->get(), order);
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      maps[factor->getOperandNumber()] = permuteResults(map, order);
      rewriter.modifyOpInPlace(op, [&] {
        factor->set(moved);
        op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      });
    }
    SmallVector<unsigned> loops;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (loop != fields)
        loops.push_back(loop);
    loops.push_back(fields);
    (void)linalg::interchangeGenericOp(rewriter, op, loops);
  }
}
