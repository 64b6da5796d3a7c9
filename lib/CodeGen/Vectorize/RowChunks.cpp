// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed codes of rows that begin inside a byte, unpacked a few rows at a time.

#include "RowChunks.h"
#include "../Boundary/PackedBits.h"
#include "../Plan/Tiles.h"
#include "LaneLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <numeric>

using namespace mlir;
using namespace mlir::qdq;

/// The least codes of a chunk: some KiB of bytes, of the 32 or 48 that the
/// nearest cache has.
static constexpr int64_t kChunk = 4096;

/// A chunk may unpack as many codes more, so that vectors fill it.
static constexpr int64_t kSlack = 256;

/// True for neighboring elements from index 0 on.
static bool beginsAtZero(OffsetSizeAndStrideOpInterface op) {
  return llvm::all_of(op.getMixedOffsets(), isZeroInteger) &&
         llvm::all_of(op.getMixedStrides(), isOneInteger);
}

namespace {
/// Rows of codes that lie in a flat tensor.
struct FlatRows {
  /// The rows, of these sizes.
  Value codes;
  SmallVector<OpFoldResult> sizes;
  /// Unpacks units of codes: the loops are over units and codes of one.
  linalg::GenericOp units;
  /// The codes behind the last unit, if some may be: `rest` is of `restSize`.
  Value rest;
  OpFoldResult restSize;

  /// Reads of its sizes are no use of `codes` afterwards.
  static std::optional<FlatRows> get(IRRewriter &rewriter, Value codes);

  int64_t getUnit() const {
    return linalg::GenericOp(units).getStaticLoopRanges().back();
  }

private:
  bool setUnits(Value flat);
};
} // namespace

/// The flat tensor whose reshape `value` is.
static Value getFlat(Value value) {
  Value source;
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
    source = expand.getSrc();
  else if (auto reshape = value.getDefiningOp<tensor::ReshapeOp>())
    source = reshape.getSource();
  auto type = source ? dyn_cast<RankedTensorType>(source.getType())
                     : RankedTensorType();
  return type && type.getRank() == 1 ? source : Value();
}

/// The sizes of a reshape of a flat tensor, none if it does not say them.
static SmallVector<OpFoldResult> getSizes(Value value) {
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
    return expand.getMixedOutputShape();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto shape = value.getDefiningOp<tensor::ReshapeOp>()
                   .getShape()
                   .getDefiningOp<tensor::FromElementsOp>();
  SmallVector<OpFoldResult> sizes;
  if (!type || !shape)
    return sizes;
  for (auto [dim, size] : llvm::enumerate(shape.getElements())) {
    if (!size.getType().isIndex())
      return {};
    sizes.push_back(type.isDynamicDim(dim)
                        ? getAsOpFoldResult(size)
                        : OpFoldResult(IntegerAttr::get(size.getType(),
                                                        type.getDimSize(dim))));
  }
  return sizes;
}

/// Takes the sizes of `value`, which are these, from where it has them.
static void replaceDims(IRRewriter &rewriter, Value value,
                        ArrayRef<OpFoldResult> sizes) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    auto dim = dyn_cast<tensor::DimOp>(user);
    std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
    if (!index || *index >= static_cast<int64_t>(sizes.size()))
      continue;
    rewriter.setInsertionPoint(dim);
    rewriter.replaceOp(dim, getValueOrCreateConstantIndexOp(
                                rewriter, dim.getLoc(), sizes[*index]));
  }
}

bool FlatRows::setUnits(Value flat) {
  if (auto slice = flat.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (!slice->hasOneUse() || !beginsAtZero(slice) ||
        slice.getSourceType().getRank() != 1)
      return false;
    flat = slice.getSource();
  }
  if (auto insert = flat.getDefiningOp<tensor::InsertSliceOp>()) {
    auto ofRest = insert.getDest().getDefiningOp<tensor::InsertSliceOp>();
    if (!insert->hasOneUse() || !beginsAtZero(insert) || !ofRest ||
        !ofRest->hasOneUse() || ofRest.getSourceType().getRank() != 1 ||
        !ofRest.getDest().getDefiningOp<tensor::EmptyOp>())
      return false;
    flat = insert.getSource();
    rest = ofRest.getSource();
    restSize = ofRest.getMixedSizes().front();
  }
  auto collapse = flat.getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse || !collapse->hasOneUse() ||
      collapse.getSrcType().getRank() != 2)
    return false;
  units = collapse.getSrc().getDefiningOp<linalg::GenericOp>();
  if (!units || !units->hasOneUse() || units.getNumResults() != 1 ||
      !units.hasPureTensorSemantics() || units.getNumLoops() != 2 ||
      units.getNumParallelLoops() != 2 || !countsSlots(units, 1) ||
      ShapedType::isDynamic(units.getStaticLoopRanges().back()) ||
      !units.getDpsInits().front().getDefiningOp<tensor::EmptyOp>() ||
      !units.getIndexingMapsArray().back().isIdentity())
    return false;
  // Units are independent, and lie one after another in every operand.
  auto hasUnits = [&](OpOperand *operand) {
    AffineMap map = units.getMatchingIndexingMap(operand);
    return isa<RankedTensorType>(operand->get().getType()) &&
           map.getNumResults() > 0 &&
           map.getResult(0) == getAffineDimExpr(0, map.getContext()) &&
           llvm::all_of(map.getResults().drop_front(),
                        llvm::IsaPred<AffineConstantExpr>);
  };
  return llvm::all_of(units.getDpsInputOperands(), hasUnits) &&
         llvm::all_of(units.getBody()->getOps<linalg::IndexOp>(),
                      [](linalg::IndexOp op) { return op.getDim() == 1; });
}

std::optional<FlatRows> FlatRows::get(IRRewriter &rewriter, Value codes) {
  Value flat = getFlat(codes);
  if (!flat || !isSubByte(getElementTypeOrSelf(codes.getType())))
    return std::nullopt;
  FlatRows rows;
  rows.codes = codes;
  rows.sizes = getSizes(codes);
  replaceDims(rewriter, codes, rows.sizes);
  if (rows.sizes.size() < 2 || !codes.hasOneUse() || !flat.hasOneUse() ||
      !rows.setUnits(flat) ||
      rows.units->getBlock() != codes.getDefiningOp()->getBlock())
    return std::nullopt;
  return rows;
}

namespace {
/// What the chunks of `rows` have in common.
class RowChunks {
public:
  RowChunks(ImplicitLocOpBuilder &b, const FlatRows &rows);

  /// The rows of a chunk: nothing if they are all of them.
  std::optional<OpFoldResult> chooseRows();
  /// The codes of `count` rows from `first` on, in their shape.
  Value unpack(OpFoldResult first, OpFoldResult count);

private:
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> symbols) {
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, symbols);
  }
  Value asValue(OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
  }
  Value unpackUnits(OpFoldResult first, OpFoldResult count);
  Value reshape(Value flat, OpFoldResult count);

  ImplicitLocOpBuilder &b;
  FlatRows rows;
  AffineExpr s0, s1, s2;
  int64_t unit;
  /// The codes of a row.
  OpFoldResult length;
  /// The units of all rows, and those of a chunk.
  OpFoldResult numUnits, chunkUnits;
  /// The codes that a buffer holds: known outside the loop, so that one buffer
  /// serves all chunks.
  OpFoldResult capacity;
};
} // namespace

RowChunks::RowChunks(ImplicitLocOpBuilder &b, const FlatRows &rows)
    : b(b), rows(rows), unit(rows.getUnit()), length(b.getIndexAttr(1)) {
  bindSymbols(b.getContext(), s0, s1, s2);
  for (OpFoldResult size : ArrayRef(rows.sizes).drop_front())
    length = apply(s0 * s1, {length, size});
  auto init =
      this->rows.units.getDpsInits().front().getDefiningOp<tensor::EmptyOp>();
  numUnits = init.getMixedSizes().front();
}

std::optional<OpFoldResult> RowChunks::chooseRows() {
  OpFoldResult all = rows.sizes.front();
  std::optional<int64_t> numRows = getConstantIntValue(all),
                         numCodes = getConstantIntValue(length);
  // The first row of a chunk begins with a unit.
  int64_t step = unit / (numCodes ? std::gcd(unit, *numCodes) : 1);
  if ((numRows && *numRows <= step) || (numCodes && *numCodes == 0))
    return std::nullopt;
  OpFoldResult chosen;
  if (numCodes) {
    int64_t least = llvm::divideCeil(kChunk, step * *numCodes) * step;
    int64_t count = least;
    // Rather a few more than a shorter last chunk.
    while (numRows && *numRows % count != 0 && count < 2 * least)
      count += step;
    if (!numRows || *numRows % count != 0)
      count = least;
    if (numRows && *numRows <= count)
      return std::nullopt;
    chosen = b.getIndexAttr(count);
  } else {
    Value codes = asValue(apply(s0 * step, {length}));
    codes =
        arith::MaxUIOp::create(b, codes, arith::ConstantIndexOp::create(b, 1));
    Value steps = arith::CeilDivUIOp::create(
        b, arith::ConstantIndexOp::create(b, kChunk), codes);
    chosen = apply(s0 * step, {steps});
  }
  int64_t slack = std::lcm(kSlack, unit);
  chunkUnits =
      apply((s0 * s1).ceilDiv(slack) * (slack / unit), {chosen, length});
  capacity = apply(s0 * unit + (rows.rest ? unit : 0), {chunkUnits});
  return chosen;
}

/// `count` units from `first` on.
Value RowChunks::unpackUnits(OpFoldResult first, OpFoldResult count) {
  SmallVector<Value> operands;
  // The parts of words are one operand several times, and stay that.
  DenseMap<Value, Value> slices;
  for (Value input : rows.units.getDpsInputs()) {
    Value &slice = slices[input];
    if (slice) {
      operands.push_back(slice);
      continue;
    }
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, b.getLoc(), input);
    offsets.front() = first;
    sizes.front() = count;
    slice = tensor::ExtractSliceOp::create(b, input, offsets, sizes, strides);
    operands.push_back(slice);
  }
  Type element = getElementTypeOrSelf(rows.codes.getType());
  Value init = tensor::EmptyOp::create(
      b, SmallVector<OpFoldResult>{count, b.getIndexAttr(unit)}, element);
  operands.push_back(init);
  Operation *part = clone(b, rows.units, init.getType(), operands);
  SmallVector<ReassociationIndices> groups{{0, 1}};
  return tensor::CollapseShapeOp::create(b, part->getResult(0), groups);
}

/// Flat codes as `count` rows.
Value RowChunks::reshape(Value flat, OpFoldResult count) {
  SmallVector<OpFoldResult> sizes(rows.sizes);
  sizes.front() = count;
  auto type = RankedTensorType::get(decomposeMixedValues(sizes).first,
                                    getElementTypeOrSelf(flat.getType()));
  if (type.getNumDynamicDims() <= 1) {
    SmallVector<ReassociationIndices> groups{
        llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()))};
    return tensor::ExpandShapeOp::create(b, type, flat, groups, sizes);
  }
  // As convert-qdq-to-linalg does: upstream's expand-strided-metadata crashes
  // at two dynamic sizes in one group.
  Value shape = tensor::FromElementsOp::create(
      b, getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes));
  return tensor::ReshapeOp::create(b, type, flat, shape);
}

Value RowChunks::unpack(OpFoldResult first, OpFoldResult count) {
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  OpFoldResult begin = apply((s0 * s1).floorDiv(unit), {first, length});
  OpFoldResult numPart = affine::makeComposedFoldedAffineMin(
      b, b.getLoc(), AffineMap::get(0, 3, {s0, s1 - s2}, b.getContext()),
      {chunkUnits, numUnits, begin});
  OpFoldResult numCodes = apply(s0 * unit, {numPart});
  SmallVector<Value> dynamic;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(capacity, dynamic, shape);
  Value flat = bufferization::AllocTensorOp::create(
      b,
      RankedTensorType::get(shape, getElementTypeOrSelf(rows.codes.getType())),
      dynamic);
  // In all chunks but the last one, where it belongs, nobody reads it.
  if (rows.rest)
    flat =
        tensor::InsertSliceOp::create(b, rows.rest, flat, ArrayRef{numCodes},
                                      ArrayRef{rows.restSize}, ArrayRef{one});
  // Behind its place, so that it is made there.
  Value units = unpackUnits(begin, numPart);
  flat = tensor::InsertSliceOp::create(b, units, flat, ArrayRef{zero},
                                       ArrayRef{numCodes}, ArrayRef{one});
  flat = tensor::ExtractSliceOp::create(
      b, flat, ArrayRef{zero}, ArrayRef{apply(s0 * s1, {count, length})},
      ArrayRef{one});
  return reshape(flat, count);
}

/// True if the rows of `codes` are those of the outermost loop of `op`.
static bool hasRows(linalg::GenericOp op, OpOperand *codes) {
  AffineMap map = op.getMatchingIndexingMap(codes);
  return map.isProjectedPermutation() && map.getNumResults() > 1 &&
         map.getResult(0) == getAffineDimExpr(0, map.getContext());
}

/// Erases `op`, and what is dead without it.
static void eraseDead(IRRewriter &rewriter, Operation *op) {
  SetVector<Operation *> candidates;
  candidates.insert(op);
  while (!candidates.empty()) {
    op = candidates.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp())
        candidates.insert(source);
    rewriter.eraseOp(op);
  }
}

/// Tiles `op` by rows, and unpacks what a tile reads by `codes` in it.
static void chunk(IRRewriter &rewriter, linalg::GenericOp op, OpOperand *codes,
                  const FlatRows &rows) {
  if (hasEmptyLoop(cast<TilingInterface>(op.getOperation())))
    return;
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  RowChunks chunks(b, rows);
  std::optional<OpFoldResult> count = chunks.chooseRows();
  if (!count)
    return;
  SmallVector<OpFoldResult> sizes(op.getNumLoops(), b.getIndexAttr(0));
  sizes.front() = *count;
  scf::SCFTilingOptions options;
  options.setTileSizes(sizes);
  unsigned number = codes->getOperandNumber();
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return;
  rewriter.replaceOp(op, tiled->replacements);
  auto tile = cast<linalg::GenericOp>(tiled->tiledOps.front());
  auto slice = tile->getOperand(number).getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getSource() != rows.codes)
    return;
  b.setInsertionPoint(tile);
  rewriter.replaceOp(slice, chunks.unpack(slice.getMixedOffsets().front(),
                                          slice.getMixedSizes().front()));
  eraseDead(rewriter, rows.codes.getDefiningOp());
}

void mlir::qdq::unpackByRows(IRRewriter &rewriter, Operation *root) {
  if (!root->getContext()
           ->getLoadedDialect<bufferization::BufferizationDialect>())
    return;
  auto isElementwise = [](linalg::GenericOp op) {
    return op.getNumLoops() > 1 &&
           op.getNumLoops() == op.getNumParallelLoops() &&
           op.hasPureTensorSemantics();
  };
  for (linalg::GenericOp op : collectGenerics(root, isElementwise)) {
    for (OpOperand *input : op.getDpsInputOperands()) {
      Value value = input->get();
      if (!hasRows(op, input))
        continue;
      std::optional<FlatRows> rows = FlatRows::get(rewriter, value);
      if (!rows || value.getDefiningOp()->getBlock() != op->getBlock())
        continue;
      chunk(rewriter, op, input, *rows);
      break;
    }
  }
}
