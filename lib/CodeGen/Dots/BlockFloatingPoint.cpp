// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products with short codes, of numbers in block floating point.

#include "BlockFloatingPoint.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/LaneBody.h"
#include "../Vectorize/LaneValue.h"
#include "BlockProduct.h"
#include "ByteTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_BLOCKFLOATINGPOINTPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// The loops over vectors of bytes, which replace a product.
class BlockProductLoops : TileNest {
public:
  BlockProductLoops(ImplicitLocOpBuilder &b, BlockProduct product,
                    BlockFloats &floats);

  /// The sums, added to `result`.
  Value build(Value result);

private:
  int64_t getNumLanes() const {
    return product.cut.getSize() / BlockFloats::kLaneBytes;
  }
  Value read(VectorType type, Value source, ValueRange indices);
  Value readReals(Value source, ValueRange inner);
  /// Calls `visit` for each row, with the offsets of its loops set.
  void forEachRow(function_ref<void()> visit, size_t index = 0);

  Value buildSums(Value result);
  void setVector(Value vector);
  Value createTable(VectorType type);
  SmallVector<Value> readCodes();
  Value readScale();
  Value computeScale(Value value, IRMapping &known);
  Value addProducts(ArrayRef<Value> codes, Value vector);

  BlockProduct product;
  SmallVector<Value> digits;
  /// The share of the codes' offset in each lane; null for none.
  Value corrections;
  Value units;
};
} // namespace

BlockProductLoops::BlockProductLoops(ImplicitLocOpBuilder &b,
                                     BlockProduct product, BlockFloats &floats)
    : TileNest(b, product.op), product(product), digits(floats.createDigits()),
      units(floats.createLaneUnits(product.exponent)) {
  if (product.offset != 0)
    corrections = floats.createLaneSums(product.offset);
}

Value BlockProductLoops::read(VectorType type, Value source,
                              ValueRange indices) {
  Value padding = ub::PoisonOp::create(b, type.getElementType());
  return vector::TransferReadOp::create(
      b, type, source, indices, padding,
      SmallVector<bool>(type.getRank(), true));
}

/// A vector of what was made of the reals, of this row.
Value BlockProductLoops::readReals(Value source, ValueRange inner) {
  AffineMap map = product.op.getMatchingIndexingMap(product.real);
  unsigned numReductions = product.op.getNumLoops() - product.first;
  SmallVector<Value> indices = createIndices(AffineMap::get(
      map.getNumDims(), 0, map.getResults().drop_back(numReductions),
      b.getContext()));
  llvm::append_range(indices, inner);
  auto type = cast<RankedTensorType>(source.getType());
  return read(VectorType::get(type.getShape().back(), type.getElementType()),
              source, indices);
}

void BlockProductLoops::forEachRow(function_ref<void()> visit, size_t index) {
  if (index == product.rows.size())
    return visit();
  unsigned loop = product.rows[index];
  for (int64_t row = 0; row < product.ranges[loop]; ++row) {
    offsets[loop] = b.getIndexAttr(row);
    forEachRow(visit, index + 1);
  }
}

Value BlockProductLoops::build(Value result) {
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < product.first; ++loop)
    if (!product.isRow(loop))
      loops.push_back(loop);
  return forEach(loops, result,
                 [&](ValueRange carried) {
                   return SmallVector<Value>{buildSums(carried.front())};
                 })
      .front();
}

/// Where blocks and bytes of this vector begin.
void BlockProductLoops::setVector(Value vector) {
  const BlockCut &cut = product.cut;
  OpFoldResult &byte = offsets[product.byte];
  if (!product.hasBlocks()) {
    byte = arith::MulIOp::create(b, vector, createIndex(cut.getSize()))
               .getResult();
    return;
  }
  OpFoldResult &block = offsets[product.first];
  if (cut.parts > 1) {
    block =
        arith::MulIOp::create(b, vector, createIndex(cut.parts)).getResult();
    byte = b.getIndexAttr(0);
    return;
  }
  Value count = createIndex(product.ranges[product.byte] / cut.getSize());
  block = arith::DivUIOp::create(b, vector, count).getResult();
  byte = arith::MulIOp::create(b, arith::RemUIOp::create(b, vector, count),
                               createIndex(cut.getSize()))
             .getResult();
}

/// The values of all codes without their offset, again and again.
Value BlockProductLoops::createTable(VectorType type) {
  SmallVector<int8_t> entries;
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
    entries.push_back(product.table[lane % product.table.size()]);
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef(entries)));
}

/// The values of each slot, without their offset.
SmallVector<Value> BlockProductLoops::readCodes() {
  const BlockCut &cut = product.cut;
  SmallVector<int64_t> shape{cut.containers};
  if (cut.parts > 1)
    shape.insert(shape.begin(), cut.parts);
  Value bytes =
      read(VectorType::get(shape, b.getI8Type()), product.bytes->get(),
           createIndices(product.op.getMatchingIndexingMap(product.bytes)));
  auto type = VectorType::get(cut.getSize(), b.getI8Type());
  bytes = vector::ShapeCastOp::create(b, type, bytes);
  Value mask = createSplat(b, type, (int64_t(1) << product.getWidth()) - 1);
  Value table = product.table.empty() ? Value() : createTable(type);
  SmallVector<Value> slots;
  for (int64_t amount : product.codes.amounts) {
    Value code = arith::ShRUIOp::create(b, bytes, createSplat(b, type, amount));
    code = arith::AndIOp::create(b, code, mask);
    if (table)
      code = permute(b, table, code);
    else if (product.flip != 0)
      code = arith::XOrIOp::create(b, code, createSplat(b, type, product.flip));
    slots.push_back(code);
  }
  return slots;
}

/// A value of the body that is one for each part: a vector, or, if the vector
/// is one part, a scalar.
Value BlockProductLoops::computeScale(Value value, IRMapping &known) {
  if (Value found = known.lookupOrNull(value))
    return found;
  int64_t parts = product.cut.parts;
  auto widen = [&](Value scalar) -> Value {
    if (parts == 1)
      return scalar;
    return vector::BroadcastOp::create(
        b, VectorType::get(parts, scalar.getType()), scalar);
  };
  linalg::GenericOp op = product.op;
  Value result;
  if (value.getParentBlock() != op.getBody()) {
    result = widen(value);
  } else if (auto argument = dyn_cast<BlockArgument>(value)) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    AffineMap map = op.getMatchingIndexingMap(operand);
    Value source = operand->get();
    if (!isa<ShapedType>(source.getType()))
      result = widen(source);
    else if (parts > 1 && map.isFunctionOfDim(product.first))
      result = read(VectorType::get(parts, value.getType()), source,
                    createIndices(map));
    else
      result = widen(tensor::ExtractOp::create(b, source, createIndices(map)));
  } else {
    Operation *by = value.getDefiningOp();
    for (Value operand : by->getOperands())
      computeScale(operand, known);
    Operation *clone = b.clone(*by, known);
    if (clone->getNumOperands() == 0)
      result = widen(clone->getResult(0));
    else {
      result = clone->getResult(0);
      if (parts > 1)
        result.setType(VectorType::get(parts, result.getType()));
    }
  }
  known.map(value, result);
  return result;
}

/// The scale of each lane; null for 1.
Value BlockProductLoops::readScale() {
  if (!product.scale)
    return {};
  IRMapping known;
  Value scale = computeScale(product.scale, known);
  int64_t parts = product.cut.parts;
  if (parts == 1)
    return vector::BroadcastOp::create(
        b, VectorType::get(getNumLanes(), b.getF32Type()), scale);
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < getNumLanes(); ++lane)
    order.push_back(lane * parts / getNumLanes());
  return vector::ShuffleOp::create(b, scale, scale, order);
}

/// The products of this row with a vector of codes in units of the row, exact:
/// digit by digit.
Value BlockProductLoops::addProducts(ArrayRef<Value> codes, Value vector) {
  auto type = VectorType::get(getNumLanes(), b.getI32Type());
  Value total = createSplat(b, type, 0);
  for (auto [i, digit] : llvm::enumerate(digits)) {
    if (i > 0)
      total = arith::ShLIOp::create(
          b, total, createSplat(b, type, BlockFloats::kDigitBits));
    for (auto [slot, code] : llvm::enumerate(codes))
      total = addByteProducts(
          b, total, code,
          readReals(digit, {vector, createIndex(slot), createIndex(0)}));
  }
  if (corrections)
    total = arith::AddIOp::create(
        b, total, readReals(corrections, {vector, createIndex(0)}));
  return total;
}

Value BlockProductLoops::buildSums(Value result) {
  auto type = VectorType::get(getNumLanes(), b.getF32Type());
  // Start from -0.0, the identity of addition.
  Value none = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, b.getF32FloatAttr(-0.0f)));
  SmallVector<Value> sums;
  forEachRow([&] { sums.push_back(none); });
  auto loop = scf::ForOp::create(b, createIndex(0),
                                 createIndex(product.getNumVectors()),
                                 createIndex(1), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value vector = loop.getInductionVar();
    setVector(vector);
    SmallVector<Value> codes = readCodes();
    Value scale = readScale();
    SmallVector<Value> next;
    // An op may be fused with another where its author allows it.
    auto isFused = [](arith::FastMathFlags flags) {
      return flags & arith::FastMathFlags::contract;
    };
    forEachRow([&] {
      Value term = arith::SIToFPOp::create(b, type, addProducts(codes, vector));
      // A power of two: nothing is rounded again.
      term = arith::MulFOp::create(b, term,
                                   readReals(units, {vector, createIndex(0)}));
      if (scale)
        term = arith::MulFOp::create(b, term, scale,
                                     isFused(product.term.getFastmath()));
      next.push_back(
          arith::AddFOp::create(b, loop.getRegionIterArg(next.size()), term,
                                isFused(product.sum.getFastmath())));
    });
    scf::YieldOp::create(b, next);
  }
  AffineMap map =
      product.op.getMatchingIndexingMap(&product.op.getDpsInitsMutable()[0]);
  unsigned row = 0;
  forEachRow([&] {
    SmallVector<Value> indices = createIndices(map);
    Value start = tensor::ExtractOp::create(b, result, indices);
    Value total = vector::ReductionOp::create(b, vector::CombiningKind::ADD,
                                              loop.getResult(row++), start,
                                              product.sum.getFastmath());
    result = tensor::InsertOp::create(b, total, result, indices);
  });
  return result;
}

/// Replaces `op` by a choice: vectors of bytes where block floating point holds
/// the reals, or the sum as it is.
static void toBlockFloatingPoint(IRRewriter &rewriter, BlockProduct product) {
  linalg::GenericOp op = product.op;
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  b.setInsertionPoint(op);
  unsigned numContainerDims = product.byte - product.first + 1;
  BlockFloats floats(b, product.real->get(), numContainerDims, product.cut);
  auto choice = scf::IfOp::create(b, op.getResultTypes(), floats.createCheck(),
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.thenBlock());
  Value init = op.getDpsInits().front();
  scf::YieldOp::create(b, BlockProductLoops(b, product, floats).build(init));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, b.clone(*op)->getResults());
  rewriter.replaceOp(op, choice.getResults());
}

LogicalResult mlir::qdq::planBlockFloatingPoint(TileRewriter &rewriter,
                                                Operation *root,
                                                int64_t vectorBits) {
  if (vectorBits != 128 && vectorBits != 256 && vectorBits != 512)
    return emitError(root->getLoc())
           << "vector-bits is " << vectorBits << ": expected 128, 256 or 512";
  auto pays = [&](linalg::GenericOp op) {
    return succeeded(BlockProduct::get(op, vectorBits, /*isPlanned=*/false));
  };
  for (linalg::GenericOp op : collectGenerics(root, pays))
    rewriter.setPlan(op, {TileStrategy::BlockFloatingPoint});
  return success();
}

void mlir::qdq::applyBlockFloatingPoint(TileRewriter &rewriter, Operation *root,
                                        int64_t vectorBits) {
  for (linalg::GenericOp op :
       rewriter.getTiles(root, TileStrategy::BlockFloatingPoint)) {
    auto product = BlockProduct::get(op, vectorBits, /*isPlanned=*/true);
    if (succeeded(product))
      toBlockFloatingPoint(rewriter, *product);
  }
}

namespace {
struct BlockFloatingPointPass
    : qdq::impl::BlockFloatingPointPassBase<BlockFloatingPointPass> {
  using BlockFloatingPointPassBase::BlockFloatingPointPassBase;

  void runOnOperation() override {
    TileRewriter rewriter(&getContext());
    if (failed(planBlockFloatingPoint(rewriter, getOperation(), vectorBits)))
      return signalPassFailure();
    applyBlockFloatingPoint(rewriter, getOperation(), vectorBits);
  }
};
} // namespace
