// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums in vectors, a lane for each of their results.

#include "ResultLanes.h"
#include "../Analysis/MayTrap.h"
#include "../Dots/ByteProduct.h"
#include "../Plan/ConsumerFusion.h"
#include "../Plan/TileNest.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/SubByteTiles.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// Rows of results in a tile of one vector, which share what is the same for
/// all rows.
static constexpr int64_t kRows = 4;

/// The same of floats, and the vectors of their tiles, as measured: rows share
/// what a code becomes, and vectors side by side hide the latency of addition.
static constexpr int64_t kFloatRows = 8;
static constexpr int64_t kFloatVectors = 16;

/// Fewer results are no vector.
static constexpr int64_t kMinLanes = 4;

/// Vectors of a small op that are in registers at the same time.
static constexpr int64_t kSmallVectors = 16;

/// Iterations of the reductions that are written out one by one.
static constexpr int64_t kUnrolled = 25;

namespace {
/// A sum whose neighboring results come from neighbors in the operands.
struct ResultLanes {
  linalg::GenericOp op;
  /// The loop over the lanes: innermost in the result.
  unsigned lane;
  /// The loop around it in the result, if there is one.
  std::optional<unsigned> row;
  /// How far the elements of two neighboring lanes are apart, for each input: 0
  /// where all lanes read one element, else 1 or 2.
  SmallVector<int64_t> strides;

  static std::optional<ResultLanes> get(linalg::GenericOp op);
};
} // namespace

/// How far `expr` moves with a step of `loop`; nothing if that depends on where
/// the loops are.
static std::optional<int64_t> getStride(AffineExpr expr, unsigned loop,
                                        unsigned numLoops) {
  MLIRContext *context = expr.getContext();
  AffineExpr dim = getAffineDimExpr(loop, context);
  AffineExpr step =
      simplifyAffineExpr(expr.replace(dim, dim + 1) - expr, numLoops, 0);
  auto constant = dyn_cast<AffineConstantExpr>(step);
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

/// How far apart the elements of two lanes are in an operand of this map.
static std::optional<int64_t> getLaneStride(AffineMap map, unsigned lane) {
  int64_t stride = 0;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    std::optional<int64_t> step = getStride(expr, lane, map.getNumDims());
    bool isInnermost = i + 1 == map.getNumResults();
    if (!step || *step < 0 || *step > (isInnermost ? 2 : 0))
      return std::nullopt;
    stride = *step;
  }
  return stride;
}

std::optional<ResultLanes> ResultLanes::get(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || op.getNumDpsInputs() == 0 ||
      llvm::is_contained(op.getStaticLoopRanges(), 0))
    return std::nullopt;
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0]);
  if (!sum.isInteger(32) && !sum.isF32())
    return std::nullopt;
  // All operands are numbers in bytes of their own, and all ops elementwise.
  // They run on lanes that do not exist, too.
  auto isElementwise = [](Operation &nested) {
    return isa<linalg::YieldOp, linalg::IndexOp>(nested) ||
           nested.hasTrait<OpTrait::ConstantLike>() ||
           (OpTrait::hasElementwiseMappableTraits(&nested) &&
            !mayTrap(&nested) &&
            llvm::all_of(nested.getOperandTypes(), [](Type type) {
              return type.isSignlessInteger() || type.isIndex() ||
                     isa<Float16Type, BFloat16Type, Float32Type>(type);
            }));
  };
  if (!llvm::all_of(op->getOperandTypes(), hasWholeBytes) ||
      !llvm::all_of(*op.getBody(), isElementwise))
    return std::nullopt;
  AffineMap result = op.getIndexingMapsArray().back();
  Operation *last =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!result.isProjectedPermutation() || result.getNumResults() == 0 ||
      result.getNumResults() != op.getNumParallelLoops() || !last ||
      last->getBlock() != op.getBody())
    return std::nullopt;
  ResultLanes lanes;
  lanes.op = op;
  lanes.lane = result.getDimPosition(result.getNumResults() - 1);
  int64_t numLanes = op.getStaticLoopRanges()[lanes.lane];
  if (!ShapedType::isDynamic(numLanes) && numLanes < kMinLanes)
    return std::nullopt;
  // Lanes have no index of their own.
  if (llvm::any_of(
          op.getBody()->getOps<linalg::IndexOp>(),
          [&](linalg::IndexOp index) { return index.getDim() == lanes.lane; }))
    return std::nullopt;
  if (result.getNumResults() > 1)
    lanes.row = result.getDimPosition(result.getNumResults() - 2);
  bool varies = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    std::optional<int64_t> stride =
        getLaneStride(op.getMatchingIndexingMap(input), lanes.lane);
    if (!stride)
      return std::nullopt;
    varies |= *stride > 0;
    lanes.strides.push_back(*stride);
  }
  return varies ? std::optional(lanes) : std::nullopt;
}

static SmallVector<int64_t> getTileSizes(const ResultLanes &sum,
                                         int64_t vectorBits) {
  linalg::GenericOp op = sum.op;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  for (AffineExpr expr : op.getIndexingMapsArray().back().getResults())
    sizes[cast<AffineDimExpr>(expr).getPosition()] = 1;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op.getDpsInits()[0]));
  int64_t rows = 1;
  if (sum.row) {
    rows = getEvenPart(ranges[*sum.row], isFloat ? kFloatRows : kRows);
    sizes[*sum.row] = rows;
    if (!ShapedType::isDynamic(ranges[*sum.row]))
      rows = std::min(rows, ranges[*sum.row]);
  }
  sizes[sum.lane] = vectorBits / 32;
  if (isFloat && !ShapedType::isDynamic(ranges[sum.lane]))
    sizes[sum.lane] *=
        getEvenPart(llvm::divideCeil(ranges[sum.lane], sizes[sum.lane]),
                    kFloatVectors / rows);
  return sizes;
}

/// Tiles of one row each, of rows left over whose number is dynamic.
static void tileToRows(TileRewriter &rewriter, linalg::GenericOp tile) {
  std::optional<ResultLanes> lanes = ResultLanes::get(tile);
  if (!lanes || !lanes->row ||
      !ShapedType::isDynamic(tile.getStaticLoopRanges()[*lanes->row]))
    return;
  SmallVector<int64_t> sizes(tile.getNumLoops(), 0);
  sizes[*lanes->row] = 1;
  (void)tileGeneric(rewriter, tile, sizes);
}

void mlir::qdq::tileResultLanes(TileRewriter &rewriter, Operation *root,
                                int64_t vectorBits, bool usesByteDots) {
  auto isCandidate = [&](linalg::GenericOp op) {
    return ResultLanes::get(op) && !(usesByteDots && ByteProduct::get(op));
  };
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isCandidate)) {
    ResultLanes lanes = *ResultLanes::get(op);
    SmallVector<int64_t> sizes = getTileSizes(lanes, vectorBits);
    rewriter.setPlan(op, {TileStrategy::ResultLanes});
    for (scf::ForOp loop : tileWithConsumer(rewriter, op, sizes))
      if (scf::ForOp remainder = peelRemainder(rewriter, loop))
        for (linalg::GenericOp tile :
             rewriter.getTiles(remainder, TileStrategy::ResultLanes))
          tileToRows(rewriter, tile);
  }
}

bool mlir::qdq::planResultLanes(TileRewriter &rewriter, linalg::GenericOp op,
                                int64_t vectorBits) {
  std::optional<ResultLanes> lanes = ResultLanes::get(op);
  if (!lanes)
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  int64_t others = 1;
  for (unsigned loop : parallel) {
    if (ShapedType::isDynamic(ranges[loop]))
      return false;
    if (loop != lanes->lane)
      others *= ranges[loop];
  }
  rewriter.setPlan(op, {TileStrategy::ResultLanes});
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  sizes[lanes->lane] = std::max<int64_t>(kSmallVectors / others, 1) *
                       std::min<int64_t>(vectorBits, 512) / 32;
  if (sizes[lanes->lane] < ranges[lanes->lane])
    (void)tileGeneric(rewriter, op, sizes);
  return true;
}

namespace {
/// The sums of a tile, in registers.
class LaneTile : TileNest {
public:
  LaneTile(ImplicitLocOpBuilder &b, const ResultLanes &sum, int64_t vectorBits);

  /// Builds the tile; its result.
  Value build();

private:
  using Sums = SmallVector<Value>;

  VectorType getType(Type element) const {
    return VectorType::get(lanes, element);
  }
  /// True if all lanes of the vector at `offsets` exist.
  bool isFull() const {
    return *getConstantIntValue(offsets[sum.lane]) + lanes <= numLanes;
  }
  Value readLanes(OpOperand *operand, int64_t stride);
  Value readInput(unsigned input);
  /// The body, for the lanes at `offsets`, with what they have so far.
  Value compute(Value sums);
  /// Calls `visit` at each vector of each row, of the rows from `loop` on.
  void forEachVector(function_ref<void()> visit, unsigned loop = 0);
  Sums addUp(ArrayRef<unsigned> reductions, ValueRange sums);

  ResultLanes sum;
  SmallVector<int64_t> ranges;
  /// The lanes of a vector, and all of them: the last vector need not be full.
  int64_t lanes, numLanes;
};
} // namespace

LaneTile::LaneTile(ImplicitLocOpBuilder &b, const ResultLanes &sum,
                   int64_t vectorBits)
    : TileNest(b, sum.op), sum(sum),
      ranges(linalg::GenericOp(sum.op).getStaticLoopRanges()),
      numLanes(ranges[sum.lane]) {
  lanes =
      std::min<int64_t>(vectorBits / 32, llvm::bit_ceil(uint64_t(numLanes)));
}

/// The elements of all lanes; those of lanes that do not exist are 0.
Value LaneTile::readLanes(OpOperand *operand, int64_t stride) {
  Type element = getElementTypeOrSelf(operand->get());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  // With a stride of 2, what follows the last element need not exist.
  bool isInBounds = stride == 1 && isFull();
  Value read = vector::TransferReadOp::create(
      b, VectorType::get(stride * lanes, element), operand->get(),
      createIndices(sum.op.getMatchingIndexingMap(operand)), zero,
      ArrayRef(isInBounds));
  if (stride == 1)
    return read;
  return vector::DeinterleaveOp::create(b, read).getRes1();
}

Value LaneTile::readInput(unsigned input) {
  OpOperand *operand = sum.op.getDpsInputOperand(input);
  if (int64_t stride = sum.strides[input])
    return readLanes(operand, stride);
  Value scalar = operand->get();
  if (!isa<ShapedType>(scalar.getType()))
    return scalar;
  return tensor::ExtractOp::create(
      b, scalar, createIndices(sum.op.getMatchingIndexingMap(operand)));
}

Value LaneTile::compute(Value sums) {
  Block *body = sum.op.getBody();
  IRMapping mapping;
  for (unsigned i = 0; i < sum.strides.size(); ++i)
    if (!body->getArgument(i).use_empty())
      mapping.map(body->getArgument(i), readInput(i));
  mapping.map(body->getArguments().back(), sums);
  auto isVector = [&](Value value) {
    return isa<VectorType>(mapping.lookupOrDefault(value).getType());
  };
  for (Operation &op : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      mapping.map(index.getResult(), createIndex(offsets[index.getDim()]));
      continue;
    }
    // Ops that do not depend on lanes are computed once for all.
    if (llvm::none_of(op.getOperands(), isVector)) {
      b.clone(op, mapping);
      continue;
    }
    for (Value operand : op.getOperands())
      if (!isVector(operand))
        mapping.map(operand, vector::BroadcastOp::create(
                                 b, getType(operand.getType()),
                                 mapping.lookupOrDefault(operand)));
    Operation *clone = op.clone(mapping);
    for (auto [from, to] :
         llvm::zip_equal(op.getResults(), clone->getResults())) {
      to.setType(getType(from.getType()));
      mapping.map(from, to);
    }
    b.insert(clone);
  }
  Value result = body->getTerminator()->getOperand(0);
  // A result may depend on no lane.
  Value computed = mapping.lookupOrDefault(result);
  if (isVector(result))
    return computed;
  return vector::BroadcastOp::create(b, getType(result.getType()), computed);
}

void LaneTile::forEachVector(function_ref<void()> visit, unsigned loop) {
  bool isRow = loop < ranges.size() && loop != sum.lane &&
               linalg::isParallelIterator(sum.op.getIteratorTypesArray()[loop]);
  if (loop < ranges.size() && !isRow)
    return forEachVector(visit, loop + 1);
  if (isRow) {
    for (int64_t row = 0; row < ranges[loop]; ++row) {
      offsets[loop] = b.getIndexAttr(row);
      forEachVector(visit, loop + 1);
    }
    return;
  }
  for (int64_t at = 0; at < numLanes; at += lanes) {
    offsets[sum.lane] = b.getIndexAttr(at);
    visit();
  }
}

LaneTile::Sums LaneTile::addUp(ArrayRef<unsigned> reductions, ValueRange sums) {
  if (reductions.empty()) {
    Sums next;
    forEachVector([&] { next.push_back(compute(sums[next.size()])); });
    return next;
  }
  unsigned loop = reductions.front();
  int64_t count = 1;
  for (unsigned inner : reductions)
    count = ShapedType::isDynamic(ranges[inner]) || count > kUnrolled
                ? kUnrolled + 1
                : count * ranges[inner];
  auto addInner = [&](ValueRange carried) {
    return addUp(reductions.drop_front(), carried);
  };
  if (count > kUnrolled)
    return createLoop(loop, 1, sums, addInner);
  Sums total(sums);
  for (int64_t i = 0; i < ranges[loop]; ++i) {
    offsets[loop] = b.getIndexAttr(i);
    total = addInner(total);
  }
  return total;
}

Value LaneTile::build() {
  OpOperand &init = sum.op.getDpsInitsMutable()[0];
  auto fill = init.get().getDefiningOp<linalg::FillOp>();
  Type element = getElementTypeOrSelf(init.get());
  TypedAttr start;
  bool isConstant = fill && fill.value().getType() == element &&
                    matchPattern(fill.value(), m_Constant(&start));
  Sums sums;
  forEachVector([&] {
    sums.push_back(isConstant
                       ? arith::ConstantOp::create(
                             b, DenseElementsAttr::get(getType(element), start))
                       : readLanes(&init, 1));
  });
  SmallVector<unsigned> reductions;
  sum.op.getReductionDims(reductions);
  sums = addUp(reductions, sums);
  Value result = isConstant ? fill.output() : init.get();
  AffineMap map = sum.op.getMatchingIndexingMap(&init);
  unsigned next = 0;
  forEachVector([&] {
    result =
        vector::TransferWriteOp::create(b, sums[next++], result,
                                        createIndices(map), ArrayRef(isFull()))
            .getResult();
  });
  return result;
}

void mlir::qdq::vectorizeResultLanes(TileRewriter &rewriter, Operation *root,
                                     int64_t vectorBits) {
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::ResultLanes)) {
    expandBodyAffine(rewriter, tile);
    std::optional<ResultLanes> lanes = ResultLanes::get(tile);
    SmallVector<int64_t> ranges = tile.getStaticLoopRanges();
    SmallVector<unsigned> parallel;
    tile.getParallelDims(parallel);
    if (!lanes || llvm::any_of(parallel, [&](unsigned loop) {
          return ShapedType::isDynamic(ranges[loop]);
        }))
      continue;
    ImplicitLocOpBuilder b(tile.getLoc(), rewriter);
    b.setInsertionPoint(tile);
    rewriter.replaceOp(tile, LaneTile(b, *lanes, vectorBits).build());
  }
}
