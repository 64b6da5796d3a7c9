// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposed tensors of whole bytes, in vectors.

#include "Transposition.h"
#include "../Plan/Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

/// The rows and columns of a square.
static constexpr int64_t kSide = 16;

/// Dimensions of the source that follow each other in both orders, as groups
/// in the order of the source.
static SmallVector<ReassociationIndices> getNeighbors(ArrayRef<int64_t> order) {
  SmallVector<int64_t> back = invertPermutationVector(order);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0, rank = order.size(); dim < rank; ++dim) {
    if (dim > 0 && back[dim] == back[dim - 1] + 1)
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  }
  return groups;
}

/// A pad of the transposed tensor by the same value, if `source` is padded and
/// nothing else uses it: lines of channels are copied as one. Null otherwise.
static Value createPaddedTransposition(ImplicitLocOpBuilder &b, Value source,
                                       ArrayRef<int64_t> order) {
  auto pad = source.getDefiningOp<tensor::PadOp>();
  Value padding = pad ? pad.getConstantPaddingValue() : Value();
  if (!padding || !pad->hasOneUse())
    return {};
  Operation *constant = padding.getDefiningOp();
  if (constant && pad->isProperAncestor(constant))
    padding = b.clone(*constant)->getResult(0);
  Value transposed = createTransposition(b, pad.getSource(), order);
  auto type = cast<RankedTensorType>(source.getType());
  return tensor::PadOp::create(
      b, type.clone(applyPermutation(type.getShape(), order)), transposed,
      applyPermutation(pad.getMixedLowPad(), order),
      applyPermutation(pad.getMixedHighPad(), order), padding, pad.getNofold());
}

Value mlir::qdq::createTransposition(ImplicitLocOpBuilder &b, Value source,
                                     ArrayRef<int64_t> order) {
  if (isIdentityPermutation(order))
    return source;
  if (auto constant =
          dyn_cast_if_present<ElementsAttr>(getShapedConstant(source)))
    if (TypedAttr transposed = transposeElements(constant, order))
      return arith::ConstantOp::create(b, transposed);
  if (Value padded = createPaddedTransposition(b, source, order))
    return padded;
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> sizes =
      applyPermutation(tensor::getMixedSizes(b, b.getLoc(), source), order);
  SmallVector<ReassociationIndices> groups = getNeighbors(order);
  bool isGrouped = static_cast<int64_t>(groups.size()) < type.getRank();
  if (isGrouped)
    source = tensor::CollapseShapeOp::create(b, source, groups);

  // The groups by where their first dimension goes.
  SmallVector<int64_t> groupOrder;
  SmallVector<ReassociationIndices> resultGroups;
  int64_t next = 0;
  for (int64_t dim : order)
    for (auto [i, group] : llvm::enumerate(groups))
      if (group.front() == dim) {
        groupOrder.push_back(i);
        resultGroups.emplace_back(
            llvm::to_vector(llvm::seq<int64_t>(next, next + group.size())));
        next += group.size();
      }
  SmallVector<OpFoldResult> groupSizes = applyPermutation(
      tensor::getMixedSizes(b, b.getLoc(), source), groupOrder);
  Value empty = tensor::EmptyOp::create(b, groupSizes, type.getElementType());
  Value result =
      linalg::TransposeOp::create(b, source, empty, groupOrder)->getResult(0);
  if (!isGrouped)
    return result;
  return tensor::ExpandShapeOp::create(
      b, type.clone(applyPermutation(type.getShape(), order)), result,
      resultGroups, sizes);
}

AffineMap mlir::qdq::permuteResults(AffineMap map, ArrayRef<int64_t> order) {
  return AffineMap::get(map.getNumDims(), 0,
                        applyPermutation(map.getResults(), order),
                        map.getContext());
}

void mlir::qdq::transposeOperand(IRRewriter &rewriter, linalg::GenericOp op,
                                 OpOperand &operand, ArrayRef<int64_t> order) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value moved = createTransposition(b, operand.get(), order);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = maps[operand.getOperandNumber()];
  map = permuteResults(map, order);
  rewriter.modifyOpInPlace(op, [&] {
    operand.set(moved);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
}

/// The lanes of both vectors in turns: the lower or the upper half of them.
static Value interleaveHalf(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                            bool isUpper) {
  int64_t lanes = cast<VectorType>(lhs.getType()).getNumElements();
  SmallVector<int64_t> mask;
  for (int64_t i = 0; i < lanes / 2; ++i) {
    int64_t lane = i + (isUpper ? lanes / 2 : 0);
    mask.append({lane, lanes + lane});
  }
  return vector::ShuffleOp::create(b, lhs, rhs, mask);
}

SmallVector<Value> mlir::qdq::transposeVectors(ImplicitLocOpBuilder &b,
                                               SmallVector<Value> rows) {
  // Each round moves one bit of the number of a row to that of a lane.
  size_t half = rows.size() / 2;
  for (size_t round = 1; round < rows.size(); round *= 2) {
    SmallVector<Value> next;
    for (size_t row = 0; row < half; ++row)
      for (bool isUpper : {false, true})
        next.push_back(interleaveHalf(b, rows[row], rows[row + half], isUpper));
    rows = next;
  }
  return rows;
}

void mlir::qdq::tileTranspositions(TileRewriter &rewriter, Operation *root) {
  SmallVector<linalg::TransposeOp> ops;
  root->walk([&](linalg::TransposeOp op) {
    int64_t last = op.getPermutation().size() - 1;
    if (op.hasPureTensorSemantics() && last > 0 &&
        op.getPermutation().back() != last &&
        hasWholeBytes(op.getInput().getType()))
      ops.push_back(op);
  });
  for (linalg::TransposeOp op : ops) {
    // The dimension of the result that is innermost in the source.
    ArrayRef<int64_t> order = op.getPermutation();
    int64_t last = order.size() - 1;
    SmallVector<int64_t> sizes(order.size(), 1);
    sizes[llvm::find(order, last) - order.begin()] = kSide;
    sizes[last] = kSide;
    SmallVector<int64_t> ranges =
        cast<linalg::LinalgOp>(op.getOperation()).getStaticLoopRanges();
    if (llvm::any_of(llvm::zip_equal(sizes, ranges), [](auto pair) {
          auto [size, range] = pair;
          return !ShapedType::isDynamic(range) && range < size;
        }))
      continue;
    rewriter.setPlan(op, {TileStrategy::Transposition});
    FailureOr<SmallVector<scf::ForOp>> nest = tileLoops(rewriter, op, sizes);
    if (failed(nest)) {
      rewriter.dropPlan(op);
      continue;
    }
    for (scf::ForOp loop : *nest)
      if (scf::ForOp remainder = peelRemainder(rewriter, loop))
        remainder.walk(
            [&](linalg::TransposeOp rest) { rewriter.dropPlan(rest); });
  }
}

void mlir::qdq::vectorizeTranspositions(TileRewriter &rewriter,
                                        Operation *root) {
  for (auto op : rewriter.getTiles<linalg::TransposeOp>(
           root, TileStrategy::Transposition)) {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    b.setInsertionPoint(op);
    Type element = getElementTypeOrSelf(op.getInput());
    auto type = VectorType::get(kSide, element);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value padding = arith::ConstantOp::create(b, b.getZeroAttr(element));
    ArrayRef<int64_t> order = op.getPermutation();
    int64_t last = order.size() - 1;
    auto getIndices = [&](int64_t dim, int64_t at) {
      SmallVector<Value> indices(order.size(), zero);
      indices[dim] = arith::ConstantIndexOp::create(b, at);
      return indices;
    };
    SmallVector<Value> rows;
    for (int64_t i = 0; i < kSide; ++i)
      rows.push_back(vector::TransferReadOp::create(b, type, op.getInput(),
                                                    getIndices(order[last], i),
                                                    padding, ArrayRef(true)));
    Value result = op.getInit();
    int64_t row = llvm::find(order, last) - order.begin();
    for (auto [i, column] : llvm::enumerate(transposeVectors(b, rows)))
      result = vector::TransferWriteOp::create(
                   b, column, result, getIndices(row, i), ArrayRef(true))
                   .getResult();
    rewriter.replaceOp(op, result);
  }
}
