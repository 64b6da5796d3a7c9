// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of a sum that many rows share, computed once for a few columns.

#include "../Analysis/SumOfProducts.h"
#include "../Plan/ConsumerFusion.h"
#include "../Plan/Tiles.h"
#include "SumTiles.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::qdq;

/// As many rows, also times the operands of the factor but one, repay that
/// memory holds it.
static constexpr int64_t kFewestRows = 8, kFewestUses = 16;

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
};
} // namespace

/// What the body computes `v` of, in its order; not what `known` is made of.
static SetVector<Value> collectValues(Value v, linalg::GenericOp op,
                                      Value known = {}) {
  SetVector<Value> slice, sorted;
  slice.insert(v);
  for (size_t i = 0; i < slice.size(); ++i)
    if (Operation *by = slice[i].getDefiningOp();
        by && by->getBlock() == op.getBody() && slice[i] != known)
      slice.insert_range(by->getOperands());
  for (BlockArgument argument : op.getBody()->getArguments())
    if (slice.contains(argument))
      sorted.insert(argument);
  for (Operation &nested : *op.getBody())
    for (Value result : nested.getResults())
      if (slice.contains(result))
        sorted.insert(result);
  return sorted;
}

std::optional<DecodedFactor> DecodedFactor::get(linalg::GenericOp op) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  auto term = sum ? sum->getProduct<arith::MulFOp>() : arith::MulFOp();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  // What regions use are no operands of their ops.
  bool hasRegions = llvm::any_of(
      *op.getBody(), [](Operation &by) { return by.getNumRegions() > 0; });
  if (!term || !sum->isReassociable() || hasRegions ||
      ShapedType::isDynamicShape(ranges))
    return std::nullopt;
  for (Value side : term->getOperands()) {
    DecodedFactor factor{collectValues(side, op), {}, side, {}};
    bool hasCodes = false, isMapped = true;
    SmallVector<bool> has(op.getNumLoops(), false);
    for (Value v : factor.values) {
      auto argument = dyn_cast<BlockArgument>(v);
      if (auto index = v.getDefiningOp<linalg::IndexOp>())
        has[index.getDim()] = true;
      if (!argument)
        continue;
      OpOperand *operand = op.getMatchingOpOperand(argument);
      AffineMap map = op.getMatchingIndexingMap(operand);
      isMapped &= op.isDpsInput(operand) && map.isProjectedPermutation();
      if (!isMapped)
        break;
      // Neighbors are terms: those of results are lanes as they are.
      hasCodes |=
          argument.getType().isInteger() && map.getNumResults() > 0 &&
          isReductionLoop(op, map.getDimPosition(map.getNumResults() - 1));
      factor.operands.push_back(operand);
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        has[loop] = has[loop] || map.isFunctionOfDim(loop);
    }
    int64_t rows = 1, elements = 1;
    bool hasColumns = false;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      if (has[loop])
        factor.loops.push_back(loop);
      if (isReductionLoop(op, loop)) {
        isMapped &= has[loop];
        elements *= ranges[loop];
      } else if (has[loop]) {
        hasColumns = true;
      } else {
        rows *= ranges[loop];
      }
    }
    int64_t uses = rows * (int64_t(factor.operands.size()) - 1);
    if (!isMapped || !hasCodes || !hasColumns || rows < kFewestRows ||
        uses < kFewestUses || elements > kMostElements)
      continue;
    return factor;
  }
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
  Value init = tensor::EmptyOp::create(rewriter, op.getLoc(), shape,
                                       factor.result.getType());
  SmallVector<utils::IteratorType> loops(shape.size(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      rewriter, op.getLoc(), init.getType(), inputs, init, maps, loops,
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        IRMapping mapping;
        for (auto [operand, argument] : llvm::zip(factor.operands, arguments))
          mapping.map(op.getMatchingBlockArgument(operand), argument);
        for (Value v : factor.values) {
          Operation *by = v.getDefiningOp();
          if (!by)
            continue;
          Operation *copy = b.clone(*by, mapping);
          if (auto index = dyn_cast<linalg::IndexOp>(copy))
            index.setDim(llvm::find(factor.loops, index.getDim()) -
                         factor.loops.begin());
        }
        linalg::YieldOp::create(b, loc, mapping.lookup(factor.result));
      });
}

/// `op` with the factor as an operand, instead of what it is computed of.
static linalg::GenericOp useFactor(IRRewriter &rewriter, linalg::GenericOp op,
                                   const DecodedFactor &factor, Value value) {
  SetVector<Value> values = collectValues(
      op.getBody()->getTerminator()->getOperand(0), op, factor.result);
  SmallVector<Value> inputs{value};
  SmallVector<AffineMap> maps{AffineMap::getMultiDimMapWithTargets(
      op.getNumLoops(), factor.loops, op.getContext())};
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
    SmallVector<int64_t> ranges = product.getStaticLoopRanges();
    int64_t rest = kMostElements;
    for (unsigned loop : factor.loops)
      if (isReductionLoop(product, loop))
        rest /= ranges[loop];
    rest = std::max<int64_t>(rest, 4);
    SmallVector<OpFoldResult> sizes(product.getNumLoops(),
                                    rewriter.getIndexAttr(0));
    for (unsigned loop : llvm::reverse(factor.loops)) {
      if (isReductionLoop(product, loop))
        continue;
      int64_t size =
          getEvenPart(ranges[loop], std::clamp<int64_t>(ranges[loop], 1, rest));
      sizes[loop] = rewriter.getIndexAttr(size);
      rest = std::max<int64_t>(rest / size, 1);
    }
    (void)tileFused(rewriter,
                    {cast<linalg::LinalgOp>(product.getOperation()),
                     cast<linalg::LinalgOp>(decoded.getOperation())},
                    sizes, scf::SCFTilingOptions::LoopType::ForOp);
  }
}
