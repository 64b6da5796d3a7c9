// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum of products of bytes in tiles of 16 columns, for AMX.

#include "TileProduct.h"
#include "../Plan/Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/CodeGen/Address.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/TensorSlice.h"

using namespace mlir;
using namespace mlir::qdq;

/// The rows and columns of a tile of sums, and the fours of one of factors.
/// Smaller tiles would be of other shapes, and LLVM has eight registers for all
/// the shapes of a function.
static constexpr int64_t kTileSide = 16;

int64_t TileProduct::getRows(int64_t rows) {
  for (int64_t part = std::min(rows, kMostRows); part >= kTileSide; --part)
    if (rows % part == 0 || rows % part >= kTileSide)
      return part;
  return 0;
}

ByteDots mlir::qdq::chooseDots(const ByteProduct &product,
                               const VectorizationOptions &options) {
  if (options.byteDots != ByteDots::X86AMX)
    return options.byteDots;
  SmallVector<int64_t> ranges = product.getOp().getStaticLoopRanges();
  auto isWhole = [&](unsigned loop, int64_t part) {
    return ShapedType::isStatic(ranges[loop]) && ranges[loop] > 0 &&
           ranges[loop] % part == 0;
  };
  bool fits = options.getByteDotBits() == 32 * kTileSide && product.row &&
              isWhole(*product.row, 1) &&
              TileProduct::getRows(ranges[*product.row]) != 0 &&
              isWhole(product.column, kTileSide) &&
              isWhole(product.depth, 4 * kTileSide);
  return fits ? ByteDots::X86AMX : ByteDots::X86VNNI;
}

Value mlir::qdq::buildTileProduct(ByteTile &tile, const BytePanel &panel) {
  ImplicitLocOpBuilder &b = tile.b;
  const ByteProduct &product = tile.product;
  linalg::GenericOp op = product.getOp();
  unsigned numLoops = op.getNumLoops();
  // A loop over fours and one over vectors are where those over factors and
  // columns were; columns of a vector and bytes of a four come last.
  unsigned column = numLoops, byte = numLoops + 1;
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    loops.push_back(b.getAffineDimExpr(loop));
  loops[product.depth] = loops[product.depth] * 4 + b.getAffineDimExpr(byte);
  loops[product.column] =
      loops[product.column] * kTileSide + b.getAffineDimExpr(column);
  auto divide = [&](AffineMap map) {
    return map.replaceDimsAndSymbols(loops, {}, numLoops + 2, 0);
  };
  SmallVector<AffineExpr> panelExprs;
  for (unsigned loop : getPanelLoops(tile))
    panelExprs.push_back(b.getAffineDimExpr(loop));
  for (unsigned loop : {product.depth, product.column, column, byte})
    panelExprs.push_back(b.getAffineDimExpr(loop));

  // The last columns of a constant fill a part of its panel.
  TensorSlice slice(b, panel.bytes);
  int64_t rank = slice.sizes.size();
  Value columns =
      slice.cut(rank - 2, 0, tile.getNumVectors()).take(panel.bytes);
  columns = splitDim(b, columns, rank - 1, kTileSide);

  AffineMap maps[] = {
      divide(product.getRowsMap()),
      AffineMap::get(numLoops + 2, 0, panelExprs, b.getContext()),
      divide(product.getResultMap())};
  return buildGeneric(
             b, {product.rows->get(), columns}, op.getDpsInits().front(), maps,
             [&](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
               auto extend = [&](Value bytes, bool isSigned) {
                 return convertScalarToDtype(body, body.getLoc(), bytes,
                                             args.back().getType(), !isSigned);
               };
               Value factors = arith::MulIOp::create(
                   body, extend(args[0], product.isRowsSigned),
                   extend(args[1], product.isColumnsSigned));
               return arith::AddIOp::create(body, args[2], factors);
             })
      .getResult(0);
}

/// How far the dimensions of `operand` move with a step of `loop`. Nothing if
/// that is not the same everywhere.
static std::optional<SmallVector<int64_t>> getMoves(OpOperand &operand,
                                                    unsigned loop) {
  auto op = cast<linalg::GenericOp>(operand.getOwner());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> moves;
  for (AffineExpr expr : map.getResults()) {
    std::optional<int64_t> move = getStride(expr, loop, map.getNumDims());
    if (!move)
      return std::nullopt;
    moves.push_back(*move);
  }
  return moves;
}

/// How many elements of `operand` lie between those of neighbors in a loop.
/// Nothing if that is not the same everywhere, or not known.
static std::optional<int64_t> getStep(OpOperand &operand, unsigned loop) {
  std::optional<SmallVector<int64_t>> moves = getMoves(operand, loop);
  SmallVector<int64_t> strides;
  int64_t offset = 0, step = 0;
  if (!moves || failed(cast<MemRefType>(operand.get().getType())
                           .getStridesAndOffset(strides, offset)))
    return std::nullopt;
  for (auto [move, stride] : llvm::zip_equal(*moves, strides)) {
    if (move != 0 && ShapedType::isDynamic(stride))
      return std::nullopt;
    step += move == 0 ? 0 : move * stride;
  }
  return step;
}

/// True if `operand` has the same elements in all iterations of `loop`.
static bool isSame(OpOperand &operand, unsigned loop) {
  auto op = cast<linalg::GenericOp>(operand.getOwner());
  return !op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop);
}

std::optional<TileProduct> TileProduct::get(linalg::GenericOp op) {
  auto signs = ByteProduct::getSigns(op);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!signs || !op.hasPureBufferSemantics() || !areVectorSizes(ranges))
    return std::nullopt;
  TileProduct product;
  product.op = op;
  std::tie(product.isRowsSigned, product.isColumnsSigned) = *signs;
  OpOperand &rows = product.getRows(), &panel = product.getPanel(),
            &sums = product.getSums();
  AffineMap map = op.getMatchingIndexingMap(&panel);
  if (map.getNumResults() < 4 || !map.isProjectedPermutation())
    return std::nullopt;
  unsigned first = map.getNumResults() - 4;
  product.four = map.getDimPosition(first);
  product.vector = map.getDimPosition(first + 1);
  product.column = map.getDimPosition(first + 2);
  product.byte = map.getDimPosition(first + 3);
  std::optional<unsigned> row;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool isColumn = loop == product.vector || loop == product.column;
    bool isFactor = loop == product.four || loop == product.byte;
    // Sums of a reduction, and rows of all columns, are the same.
    if (isReductionLoop(op, loop)
            ? isColumn || !isSame(sums, loop)
            : isFactor || (isColumn && !isSame(rows, loop)))
      return std::nullopt;
    if (isReductionLoop(op, loop) || isColumn || ranges[loop] == 1)
      continue;
    if (row)
      return std::nullopt;
    row = loop;
  }
  if (!row || !isSame(panel, *row) || ranges[*row] < kTileSide ||
      ranges[*row] > kMostRows || ranges[product.vector] > kMostVectors ||
      ranges[product.four] % kTileSide != 0 ||
      ranges[product.column] != kTileSide || ranges[product.byte] != 4)
    return std::nullopt;
  product.row = *row;
  bool isInLines =
      getStep(rows, product.byte) == 1 && getStep(rows, product.four) == 4 &&
      getStep(panel, product.byte) == 1 &&
      getStep(panel, product.column) == 4 && getStep(sums, product.column) == 1;
  bool hasMoves = getMoves(rows, product.row) && getMoves(sums, product.row);
  return isInLines && hasMoves ? std::optional(product) : std::nullopt;
}

namespace {
/// The loops of a product, while they are built.
class AMXLoops : TileNest {
public:
  AMXLoops(ImplicitLocOpBuilder &b, TileProduct product)
      : TileNest(b, product.op), product(product), rows(createI16(kTileSide)),
        rowBytes(createI16(4 * kTileSide)) {}

  void build();

private:
  Value createI16(int64_t value) const {
    return arith::ConstantOp::create(b, b.getI16IntegerAttr(value));
  }
  Value callIntrinsic(StringRef name, ArrayRef<Value> operands,
                      bool hasResult = true) const;
  SmallVector<Value> createTile(OpOperand &operand, unsigned line) const;
  Value load(OpOperand &operand, unsigned line) const;
  void forEachTile(function_ref<void()> visit);
  SmallVector<Value> addProducts(ValueRange sums);

  TileProduct product;
  /// Of each tile: its rows, and the bytes of each of them.
  Value rows, rowBytes;
};
} // namespace

/// The operands that say where a tile lies: its rows, their bytes, the address
/// of the first, where the loops are, and the bytes from one to the next, which
/// the loop over lines counts.
SmallVector<Value> AMXLoops::createTile(OpOperand &operand,
                                        unsigned line) const {
  auto op = cast<linalg::GenericOp>(operand.getOwner());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, operand.get());
  int64_t size =
      getElementTypeOrSelf(operand.get()).getIntOrFloatBitWidth() / 8;
  Value step = createIndex(0);
  for (auto [move, stride] :
       llvm::zip_equal(*getMoves(operand, line), metadata.getStrides()))
    step = arith::AddIOp::create(
        b, step, arith::MulIOp::create(b, createIndex(move * size), stride));
  auto toI64 = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  };
  Value address = createAddress(
      b, operand.get(), createIndices(op.getMatchingIndexingMap(&operand)));
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), toI64(address));
  return {rows, rowBytes, pointer, toI64(step)};
}

/// An intrinsic for whole tiles, which gives one if `hasResult`.
Value AMXLoops::callIntrinsic(StringRef name, ArrayRef<Value> operands,
                              bool hasResult) const {
  StringAttr full = b.getStringAttr("llvm.x86." + name + ".internal");
  if (hasResult)
    return LLVM::CallIntrinsicOp::create(
               b, LLVM::LLVMX86AMXType::get(b.getContext()), full, operands)
        .getResult(0);
  LLVM::CallIntrinsicOp::create(b, full, operands);
  return {};
}

Value AMXLoops::load(OpOperand &operand, unsigned line) const {
  return callIntrinsic("tileloadd64", createTile(operand, line));
}

/// Calls `visit` for each tile of rows, with the loop at its first. The last
/// one has rows of the one before it, where they leave less than a tile: it
/// computes the same.
void AMXLoops::forEachTile(function_ref<void()> visit) {
  int64_t numRows = *getStaticSize(product.row);
  for (int64_t first = 0; first < numRows; first += kTileSide) {
    offsets[product.row] = b.getIndexAttr(std::min(first, numRows - kTileSide));
    visit();
  }
  offsets[product.row] = b.getIndexAttr(0);
}

/// Adds the products of 64 factors, from where the loops are on, to each tile.
SmallVector<Value> AMXLoops::addProducts(ValueRange sums) {
  StringRef name = product.isRowsSigned
                       ? (product.isColumnsSigned ? "tdpbssd" : "tdpbsud")
                       : (product.isColumnsSigned ? "tdpbusd" : "tdpbuud");
  SmallVector<Value> columns, next;
  forEachOf(product.vector, *getStaticSize(product.vector),
            [&] { columns.push_back(load(product.getPanel(), product.four)); });
  forEachTile([&] {
    Value factors = load(product.getRows(), product.row);
    for (Value column : columns)
      next.push_back(callIntrinsic(name, {rows, rowBytes, rowBytes,
                                          sums[next.size()], factors, column}));
  });
  return next;
}

/// All sums are read before any is written: tiles may share rows.
void AMXLoops::build() {
  auto forEachSum = [&](function_ref<void()> visit) {
    forEachTile([&] {
      forEachOf(product.vector, *getStaticSize(product.vector), visit);
    });
  };
  SmallVector<Value> sums;
  forEachSum([&] { sums.push_back(load(product.getSums(), product.row)); });
  SmallVector<unsigned> reductions;
  product.op.getReductionDims(reductions);
  llvm::erase(reductions, product.four);
  llvm::erase(reductions, product.byte);
  sums = forEach(reductions, sums, [&](ValueRange carried) {
    return createLoop(product.four, kTileSide, carried,
                      [&](ValueRange values) { return addProducts(values); });
  });
  auto *sum = sums.begin();
  forEachSum([&] {
    SmallVector<Value> operands = createTile(product.getSums(), product.row);
    operands.push_back(*sum++);
    callIntrinsic("tilestored64", operands, /*hasResult=*/false);
  });
}

void mlir::qdq::lowerTileProduct(RewriterBase &rewriter, TileProduct product) {
  ImplicitLocOpBuilder b(product.op.getLoc(), rewriter);
  b.setInsertionPoint(product.op);
  AMXLoops(b, product).build();
  rewriter.eraseOp(product.op);
}
