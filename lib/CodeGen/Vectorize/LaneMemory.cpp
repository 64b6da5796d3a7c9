// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of a tile, read and written for all its lanes.

#include "LaneMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

/// The elements of an operand for all lanes, in a row; of words, all parts.
Value LaneMemory::readAll(OpOperand &operand, LaneOperand kind) {
  auto type = cast<ShapedType>(operand.get().getType());
  AffineMap map = tile.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> shape = loops.getShape(kind);
  SmallVector<Value> origin = getOrigin(map);
  if (getWordPart(map)) {
    shape.push_back(type.getShape().back());
    origin.back() = arith::ConstantIndexOp::create(b, 0);
  }
  return readShape(operand, origin, shape);
}

/// The elements of one field for all containers; the operand has fields first.
Value LaneMemory::readField(OpOperand &operand, int64_t field) {
  AffineMap map = tile.getMatchingIndexingMap(&operand);
  SmallVector<Value> origin = getOrigin(map);
  for (auto [at, expr] : llvm::zip_equal(origin, map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (loops.isLane(loop) && loops.isField(loop))
      at = arith::ConstantIndexOp::create(b, loops.getIteration(loop, field));
  }
  return readShape(operand, origin, loops.getShape(LaneOperand::PerContainer));
}

SomeLanes LaneMemory::readSome(OpOperand &operand) {
  AffineMap map = tile.getMatchingIndexingMap(&operand);
  SomeLanes result;
  SmallVector<int64_t> shape;
  for (AffineExpr expr : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (!loops.isLane(loop))
      continue;
    result.loops.push_back(loop);
    shape.push_back(loops.getSize(loop));
  }
  result.elements = readShape(operand, getOrigin(map), shape);
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

LaneValue LaneMemory::read(OpOperand &operand) {
  if (start && tile.isDpsInit(&operand))
    return LaneValue::scalar(arith::ConstantOp::create(b, start));
  auto type = dyn_cast<ShapedType>(operand.get().getType());
  if (!type)
    return LaneValue::scalar(operand.get());
  AffineMap map = tile.getMatchingIndexingMap(&operand);
  LaneOperand kind = *loops.classify(map);
  SmallVector<Value> origin = getOrigin(map);
  if (kind == LaneOperand::Scalar) {
    if (isa<MemRefType>(type))
      return LaneValue::scalar(
          memref::LoadOp::create(b, operand.get(), origin));
    return LaneValue::scalar(
        tensor::ExtractOp::create(b, operand.get(), origin));
  }
  if (kind == LaneOperand::FieldsFirst) {
    LaneValue result{LaneValue::Kind::Fields, {}};
    for (int64_t field = 0; field < loops.getNumFields(); ++field)
      result.values.push_back(readField(operand, field));
    return result;
  }
  if (kind == LaneOperand::PerSome)
    return spread(readSome(operand));
  Value lanes = readAll(operand, kind);
  if (std::optional<int64_t> part = getWordPart(map))
    lanes = shuffle.takeEach(lanes, *part, type.getShape().back());
  switch (kind) {
  case LaneOperand::Scalar:
  case LaneOperand::FieldsFirst:
  case LaneOperand::PerSome:
    break;
  case LaneOperand::Words:
    lanes = vector::BitCastOp::create(
        b,
        VectorType::get(loops.getNumContainers(),
                        b.getIntegerType(LaneLoops::kWordBits)),
        lanes);
    return {LaneValue::Kind::Fields,
            SmallVector<Value>(loops.getNumFields(), lanes)};
  case LaneOperand::PerPart:
    return {LaneValue::Kind::Fields,
            SmallVector<Value>(loops.getNumFields(), shuffle.spread(lanes))};
  case LaneOperand::PerField: {
    LaneValue result{LaneValue::Kind::Fields, {}};
    for (int64_t field = 0; field < loops.getNumFields(); ++field)
      result.values.push_back(vector::ExtractOp::create(b, lanes, field));
    return result;
  }
  case LaneOperand::PerContainer:
    return {LaneValue::Kind::Fields,
            SmallVector<Value>(loops.getNumFields(), lanes)};
  case LaneOperand::Full:
    return {LaneValue::Kind::Flat, {lanes}};
  }
  llvm_unreachable("unknown kind of operand");
}

Value LaneMemory::write(OpOperand &init, Value lanes, LaneOperand kind) {
  auto element = cast<VectorType>(lanes.getType()).getElementType();
  auto type = VectorType::get(loops.getShape(kind), element);
  lanes = vector::ShapeCastOp::create(b, type, lanes);
  auto initType = cast<ShapedType>(init.get().getType());
  Value zero = arith::ConstantIndexOp::create(b, 0);
  auto op = vector::TransferWriteOp::create(
      b, lanes, init.get(), SmallVector<Value>(initType.getRank(), zero),
      SmallVector<bool>(type.getRank(), true));
  return op->getNumResults() ? op->getResult(0) : Value();
}
