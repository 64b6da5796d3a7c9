// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of a storage word as the innermost terms of a sum.

#include "../Analysis/SumOfProducts.h"
#include "../Dots/BlockProduct.h"
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
  if (!sum || !sum->getFloatSum() || !sum->isReassociable())
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

static bool isCode(OpOperand *operand) {
  return getElementTypeOrSelf(operand->get()).isInteger();
}

/// True for as few rows beside the codes as block floating point multiplies.
static bool hasFewRows(linalg::GenericOp op) {
  llvm::SmallSetVector<unsigned, 4> loops;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (AffineMap map = op.getMatchingIndexingMap(operand); isCode(operand))
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (map.isFunctionOfDim(loop))
          loops.insert(loop);
  auto codes = AffineMap::getMultiDimMapWithTargets(
      op.getNumLoops(), loops.getArrayRef(), op.getContext());
  int64_t rows = countSharing(op, codes, BlockProduct::kMostRows + 1);
  return 0 < rows && rows <= BlockProduct::kMostRows;
}

/// False if a factor cannot have the fields in its last dimension, or if floats
/// are as fast in the order that they have: those that are no `bytes`.
static bool mayMoveFields(linalg::GenericOp op, unsigned fields, bool bytes) {
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    return !map.isFunctionOfDim(fields) ||
           ((bytes || isCode(operand) || hasFewWords(op, fields)) &&
            findOwnDim(map, fields) &&
            hasWholeBytes(operand->get().getType()) &&
            countSharing(op, map, kFewestSharing) >= kFewestSharing);
  });
}

void mlir::qdq::layOutFields(IRRewriter &rewriter, Operation *root,
                             bool blockFloats) {
  auto hasOuterFields = [&](linalg::GenericOp op) {
    std::optional<unsigned> fields = findOuterFields(op);
    return fields && mayMoveFields(op, *fields, blockFloats && hasFewRows(op));
  };
  for (linalg::GenericOp op : collectGenerics(root, hasOuterFields)) {
    unsigned fields = *findOuterFields(op);
    for (OpOperand *factor : op.getDpsInputOperands())
      if (AffineMap map = op.getMatchingIndexingMap(factor);
          map.isFunctionOfDim(fields))
        transposeOperand(rewriter, op, *factor, moveLast(map, {fields}));
    auto loops = llvm::to_vector(llvm::seq(op.getNumLoops()));
    std::rotate(loops.begin() + fields, loops.begin() + fields + 1,
                loops.end());
    rewriter.setInsertionPoint(op);
    (void)linalg::interchangeGenericOp(rewriter, op, loops);
  }
}
