// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of a tile, read and written for all its lanes.

#include "LaneMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::qdq;

/// The first element of an operand with this map.
SmallVector<Value> LaneMemory::getOrigin(AffineMap map) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) -> Value {
    if (auto part = dyn_cast<AffineConstantExpr>(expr))
      return arith::ConstantIndexOp::create(b, part.getValue()).getResult();
    return offsets.empty() ? zero
                           : offsets[cast<AffineDimExpr>(expr).getPosition()];
  });
}

/// A part of an operand of this shape, in a row.
Value LaneMemory::readShape(OpOperand &operand, ValueRange origin,
                            ArrayRef<int64_t> shape) {
  Type element = getElementTypeOrSelf(operand.get());
  Value padding = ub::PoisonOp::create(b, element);
  return shuffle.flatten(vector::TransferReadOp::create(
      b, VectorType::get(shape, element), operand.get(), origin, padding,
      SmallVector<bool>(shape.size(), true)));
}

Value LaneMemory::readAll(OpOperand &operand) {
  AffineMap map = tile.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> shape = loops.getShape(map);
  SmallVector<Value> origin = getOrigin(map);
  if (getWordPart(map)) {
    shape.push_back(tile.getShape(&operand).back());
    origin.back() = arith::ConstantIndexOp::create(b, 0);
  }
  return readShape(operand, origin, shape);
}

/// The elements of one field for all containers; the operand has fields first.
Value LaneMemory::readField(OpOperand &operand, int64_t field) {
  AffineMap map = tile.getMatchingIndexingMap(&operand);
  SmallVector<Value> origin = getOrigin(map);
  SmallVector<int64_t> shape;
  for (auto [at, expr] : llvm::zip_equal(origin, map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (!loops.isLane(loop))
      continue;
    if (loops.isField(loop))
      at = arith::ConstantIndexOp::create(b, loops.getIteration(loop, field));
    else
      shape.push_back(loops.getSize(loop));
  }
  return readShape(operand, origin, shape);
}

SomeLanes LaneMemory::readSome(OpOperand &operand) {
  SomeLanes result;
  for (AffineExpr expr : tile.getMatchingIndexingMap(&operand).getResults())
    if (unsigned loop = cast<AffineDimExpr>(expr).getPosition();
        loops.isLane(loop))
      result.loops.push_back(loop);
  result.elements = readAll(operand);
  return result;
}

LaneValue LaneMemory::spread(const SomeLanes &some) {
  SmallVector<int64_t> order(loops.getNumLanes());
  for (auto [lane, position] : llvm::enumerate(order)) {
    auto [field, container] = loops.getFieldAndContainer(lane);
    for (unsigned loop : some.loops)
      position =
          position * loops.getSize(loop) +
          loops.getIteration(loop, loops.isField(loop) ? field : container);
  }
  return {LaneValue::Kind::Flat,
          {vector::ShuffleOp::create(b, some.elements, some.elements, order)}};
}

/// The op that fills a destination, or null.
static linalg::FillOp getFill(OpOperand &operand) {
  auto tile = cast<linalg::GenericOp>(operand.getOwner());
  auto fill = operand.get().getDefiningOp<linalg::FillOp>();
  bool isStart = fill && tile.isDpsInit(&operand) &&
                 fill.value().getType() == getElementTypeOrSelf(operand.get());
  return isStart ? fill : linalg::FillOp();
}

LaneValue LaneMemory::read(OpOperand &operand) {
  if (linalg::FillOp fill = getFill(operand))
    return LaneValue::scalar(fill.value());
  auto type = dyn_cast<ShapedType>(operand.get().getType());
  if (!type)
    return LaneValue::scalar(operand.get());
  AffineMap map = tile.getMatchingIndexingMap(&operand);
  LaneOperand kind = *loops.classify(map);
  SmallVector<Value> origin = getOrigin(map);
  if (kind == LaneOperand::Scalar)
    return LaneValue::scalar(
        tensor::ExtractOp::create(b, operand.get(), origin));
  if (kind == LaneOperand::FieldsFirst) {
    LaneValue result{LaneValue::Kind::Fields, {}};
    for (int64_t field = 0; field < loops.getNumFields(); ++field)
      result.values.push_back(readField(operand, field));
    return result;
  }
  Value lanes = readAll(operand);
  if (std::optional<int64_t> part = getWordPart(map))
    lanes = shuffle.takeEach(lanes, *part, type.getShape().back());
  if (kind == LaneOperand::Full)
    return {LaneValue::Kind::Flat, {lanes}};
  if (kind == LaneOperand::Words)
    lanes = vector::BitCastOp::create(
        b,
        VectorType::get(loops.getNumContainers(),
                        b.getIntegerType(LaneLoops::kWordBits)),
        lanes);
  if (kind == LaneOperand::PerPart)
    lanes = shuffle.spread(lanes);
  SmallVector<Value> fields(loops.getNumFields(), lanes);
  if (kind == LaneOperand::PerField)
    for (auto [field, value] : llvm::enumerate(fields))
      value = vector::ExtractOp::create(b, lanes, field);
  return {LaneValue::Kind::Fields, fields};
}

Value LaneMemory::write(OpOperand &init, Value lanes) {
  linalg::FillOp fill = getFill(init);
  auto type =
      VectorType::get(loops.getShape(tile.getMatchingIndexingMap(&init)),
                      cast<VectorType>(lanes.getType()).getElementType());
  lanes = vector::ShapeCastOp::create(b, type, lanes);
  auto initType = cast<ShapedType>(init.get().getType());
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return vector::TransferWriteOp::create(
             b, lanes, fill ? fill.output() : init.get(),
             SmallVector<Value>(initType.getRank(), zero),
             SmallVector<bool>(type.getRank(), true))
      .getResult();
}
