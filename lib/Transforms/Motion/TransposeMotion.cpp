// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transpositions past quantize and dequantize: parameters are transposed alike.

#include "MotionPatterns.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

/// `value` with dimension `permutation[i]` in the place of dimension i.
static Value transpose(RewriterBase &rewriter, Location loc, Value value,
                       ArrayRef<int64_t> permutation,
                       DictionaryAttr attributes = {}) {
  Value source = toSignless(rewriter, value);
  SmallVector<OpFoldResult> sizes = applyPermutation(
      tensor::getMixedSizes(rewriter, loc, source), permutation);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes,
                                        getElementTypeOrSelf(source));
  auto op =
      linalg::TransposeOp::create(rewriter, loc, source, empty, permutation);
  if (attributes)
    op->setDiscardableAttrs(attributes);
  return fromSignless(rewriter, op.getResult()[0], getElementTypeOrSelf(value));
}

static bool isTransposition(linalg::TransposeOp) { return true; }
static bool isTransposition(linalg::GenericOp op) {
  return linalg::isaTransposeOpInterface(op).has_value();
}

namespace {
template <typename TransposeOp>
class TransposeMotion {
public:
  using Op = TransposeOp;
  static PositionChange getPositionChange(Op) { return PositionChange::Any; }

  TransposeMotion(Op op, bool isForward) : permutation(getPermutation(op)) {
    if (!isForward)
      permutation = invertPermutationVector(permutation);
  }

  static Value getSource(Op op) {
    if (!op.hasPureTensorSemantics() || !isTransposition(op))
      return {};
    return op->getOperand(0);
  }

  static Value apply(RewriterBase &rewriter, Op op, Value value) {
    return transpose(rewriter, op.getLoc(), value, getPermutation(op),
                     op->getDiscardableAttrDictionary());
  }

  FailureOr<Granularity> move(const Granularity &granularity, StringRef &) {
    if (granularity.isAxis())
      return Granularity::alongAxis(std::distance(
          permutation.begin(), llvm::find(permutation, granularity.getAxis())));
    if (!granularity.isBlock())
      return granularity;
    return Granularity::inBlocks(
        applyPermutation(granularity.getBlockShape(), permutation));
  }

  bool canMove(RankedTensorType, const Granularity &) { return true; }

  Value moveParameter(RewriterBase &rewriter, Value parameter,
                      const Granularity &moved, Value) {
    if (!moved.isBlock())
      return parameter;
    // Constants stay constants, for later readers.
    ElementsAttr constant;
    if (matchPattern(parameter, m_Constant(&constant)))
      if (TypedAttr moved = transposeElements(constant, permutation))
        return arith::ConstantOp::create(rewriter, parameter.getLoc(), moved);
    return transpose(rewriter, parameter.getLoc(), parameter, permutation);
  }

private:
  /// Dimension i of the result is dimension `permutation[i]` of the source.
  static SmallVector<int64_t> getPermutation(Op op) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<int64_t> permutation;
    for (AffineExpr loop : maps[1].getResults())
      permutation.push_back(*maps[0].getResultPosition(loop));
    return permutation;
  }

  SmallVector<int64_t> permutation;
};
} // namespace

void mlir::qdq::populateTransposeMotionPatterns(RewritePatternSet &patterns,
                                                MovedValues moved,
                                                PatternBenefit benefit) {
  addMotion<TransposeMotion<linalg::TransposeOp>>(patterns, moved, benefit);
  addMotion<TransposeMotion<linalg::GenericOp>>(patterns, moved, benefit);
}
