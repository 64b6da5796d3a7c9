// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of a sum that many rows share, computed once for a few columns.

#include "../Analysis/BodySlice.h"
#include "../Analysis/SumOfProducts.h"
#include "../Plan/ConsumerFusion.h"
#include "../Plan/Tiles.h"
#include "SumTiles.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;

/// As many rows repay that memory holds the factor.
static constexpr int64_t kFewestRows = 16;

/// Elements of the factor at a time: a part of the second cache.
static constexpr int64_t kMostElements = 1 << 16;

namespace {
/// A factor of a product, computed of operands of its own.
struct DecodedFactor {
  static std::optional<DecodedFactor> get(linalg::GenericOp op);

  /// Its values in the body, operands first.
  SetVector<Value> values;
  SmallVector<OpOperand *> operands;
  Value result;
  /// The loops that it has.
  SmallVector<unsigned> loops;

private:
  bool match(linalg::GenericOp op, Value side);
};
} // namespace

/// The slice of `v`, in the order of the body.
static SetVector<Value> collectValues(Value v, linalg::GenericOp op,
                                      Value known = {}) {
  SetVector<Value> slice = getBodySlice(op, v, known), sorted;
  for (BlockArgument argument : op.getBody()->getArguments())
    if (slice.contains(argument))
      sorted.insert(argument);
  for (Operation &nested : *op.getBody())
    for (Value value : nested.getResults())
      if (slice.contains(value))
        sorted.insert(value);
  return sorted;
}

/// The loops of the factor in the operands of `op`.
static AffineMap getMap(linalg::GenericOp op, ArrayRef<unsigned> loops) {
  return AffineMap::getMultiDimMapWithTargets(op.getNumLoops(), loops,
                                              op.getContext());
}

/// True if codes whose neighbors are terms, among others, make `side`, by more
/// than a conversion and a product. Notes what it is made of.
bool DecodedFactor::match(linalg::GenericOp op, Value side) {
  *this = {};
  result = side;
  values = collectValues(side, op);
  bool hasCodes = false, hasFields = false;
  SmallVector<bool> has(op.getNumLoops(), false);
  for (Value v : values) {
    if (auto index = v.getDefiningOp<linalg::IndexOp>())
      has[index.getDim()] = true;
    hasFields |= static_cast<bool>(v.getDefiningOp<ExtractFieldOp>());
    OpOperand *operand = getOperandOf(op, v);
    if (!operand)
      continue;
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!op.isDpsInput(operand) || !map.isProjectedPermutation())
      return false;
    // Codes of neighboring results are lanes as they are.
    hasCodes |=
        v.getType().isInteger() && map.getNumResults() > 0 &&
        isReductionLoop(op, map.getDimPosition(map.getNumResults() - 1));
    operands.push_back(operand);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      has[loop] = has[loop] || map.isFunctionOfDim(loop);
  }
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (has[loop])
      loops.push_back(loop);
    else if (isReductionLoop(op, loop))
      return false;
  bool hasColumns = loops.size() > op.getNumReductionLoops();
  return hasCodes && (hasFields || operands.size() > 2) && hasColumns &&
         countSharing(op, getMap(op, loops), /*open=*/1) >= kFewestRows &&
         countTerms(op, /*open=*/1) <= kMostElements;
}

std::optional<DecodedFactor> DecodedFactor::get(linalg::GenericOp op) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  auto term = sum ? sum->getProduct<arith::MulFOp>() : arith::MulFOp();
  // Values that a region uses are no operands of its op.
  bool hasRegions = llvm::any_of(
      *op.getBody(), [](Operation &by) { return by.getNumRegions() > 0; });
  if (!term || !sum->isReassociable() || hasRegions ||
      ShapedType::isDynamicShape(op.getStaticLoopRanges()))
    return std::nullopt;
  for (Value side : term->getOperands())
    if (DecodedFactor factor; factor.match(op, side))
      return factor;
  return std::nullopt;
}

/// The elementwise op that computes the factor.
static linalg::GenericOp createFactor(IRRewriter &rewriter,
                                      linalg::GenericOp op,
                                      const DecodedFactor &factor) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> dims(op.getNumLoops(),
                               getAffineConstantExpr(0, context));
  SmallVector<int64_t> shape;
  for (auto [i, loop] : llvm::enumerate(factor.loops)) {
    dims[loop] = getAffineDimExpr(i, context);
    shape.push_back(op.getStaticLoopRanges()[loop]);
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *operand : factor.operands) {
    inputs.push_back(operand->get());
    maps.push_back(op.getMatchingIndexingMap(operand).replaceDimsAndSymbols(
        dims, {}, shape.size(), 0));
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(shape.size()));
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value init = tensor::EmptyOp::create(b, shape, factor.result.getType());
  return buildGeneric(
      b, inputs, init, maps,
      [&](ImplicitLocOpBuilder &body, ValueRange elements) {
        IRMapping mapping;
        for (auto [operand, element] : llvm::zip(factor.operands, elements))
          mapping.map(op.getMatchingBlockArgument(operand), element);
        for (Value v : factor.values) {
          Operation *by = v.getDefiningOp();
          if (!by)
            continue;
          Operation *copy = body.clone(*by, mapping);
          if (auto index = dyn_cast<linalg::IndexOp>(copy))
            index.setDim(llvm::find(factor.loops, index.getDim()) -
                         factor.loops.begin());
        }
        return mapping.lookup(factor.result);
      });
}

/// `op` with the factor as an operand, instead of what it is computed of.
static linalg::GenericOp useFactor(IRRewriter &rewriter, linalg::GenericOp op,
                                   const DecodedFactor &factor, Value value) {
  SetVector<Value> values = collectValues(
      op.getBody()->getTerminator()->getOperand(0), op, factor.result);
  SmallVector<Value> inputs{value};
  SmallVector<AffineMap> maps{getMap(op, factor.loops)};
  SmallVector<Value> arguments{factor.result};
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (op.isDpsInput(&operand) && !values.contains(argument))
      continue;
    arguments.push_back(argument);
    maps.push_back(op.getMatchingIndexingMap(&operand));
    if (op.isDpsInput(&operand))
      inputs.push_back(operand.get());
  }
  SmallVector<Value> inits(op.getDpsInits());
  auto product = linalg::GenericOp::create(
      rewriter, op.getLoc(), op->getResultTypes(), inputs, inits, maps,
      op.getIteratorTypesArray(), [&](OpBuilder &b, Location, ValueRange own) {
        IRMapping mapping;
        mapping.map(arguments, own);
        for (Value v : values)
          if (Operation *by = v.getDefiningOp(); by && v != factor.result)
            b.clone(*by, mapping);
        b.clone(*op.getBody()->getTerminator(), mapping);
      });
  product->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, product->getResults());
  return product;
}

/// As many columns as make `kMostElements` of the factor, those of the inner
/// loops first.
static SmallVector<OpFoldResult>
getTileSizes(Builder &b, linalg::GenericOp product, ArrayRef<unsigned> loops) {
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  SmallVector<OpFoldResult> sizes(ranges.size(), b.getIndexAttr(0));
  int64_t rest =
      std::max<int64_t>(kMostElements / countTerms(product, /*open=*/1), 4);
  for (unsigned loop : llvm::reverse(loops)) {
    if (isReductionLoop(product, loop))
      continue;
    int64_t size =
        getEvenPart(ranges[loop], std::clamp<int64_t>(ranges[loop], 1, rest));
    sizes[loop] = b.getIndexAttr(size);
    rest = std::max<int64_t>(rest / size, 1);
  }
  return sizes;
}

void mlir::qdq::decodeFactors(TileRewriter &rewriter, Operation *root) {
  auto isShared = [](linalg::GenericOp op) {
    return DecodedFactor::get(op).has_value();
  };
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isShared)) {
    DecodedFactor factor = *DecodedFactor::get(op);
    rewriter.setInsertionPoint(op);
    linalg::GenericOp decoded = createFactor(rewriter, op, factor);
    linalg::GenericOp product =
        useFactor(rewriter, op, factor, decoded.getResult(0));
    (void)tileFused(rewriter, {product, decoded},
                    getTileSizes(rewriter, product, factor.loops),
                    scf::SCFTilingOptions::LoopType::ForOp);
  }
}
