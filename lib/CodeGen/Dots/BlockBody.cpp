// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of a body with codes in blocks, for a vector.

#include "BlockBody.h"
#include "../Analysis/BodySlice.h"
#include "../Vectorize/LaneOps.h"
#include "../Vectorize/LaneValue.h"
#include "ConstantSlice.h"
#include "Transposition.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/QDQToArith/Fields.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

ColumnConstants::ColumnConstants(TileNest &nest, const BlockProduct &product)
    : nest(nest) {
  linalg::GenericOp op = nest.op;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    // An operand that the body does not use may have any map.
    if (operand == product.bytes || !map.isProjectedPermutation() ||
        !map.isFunctionOfDim(*product.column) ||
        op.getMatchingBlockArgument(operand).use_empty())
      continue;
    auto slice = ConstantSlice::get(nest.b, operand->get(), map,
                                    *product.column, /*unit=*/1);
    if (!slice)
      continue;
    // The columns innermost, the other dimensions in their order.
    auto column = static_cast<int64_t>(
        *map.getResultPosition(nest.b.getAffineDimExpr(*product.column)));
    auto order = llvm::to_vector(llvm::seq<int64_t>(map.getNumResults()));
    order.erase(order.begin() + column);
    order.push_back(column);
    TypedAttr elements = slice->elements;
    if (!isIdentityPermutation(order))
      elements = transposeElements(cast<ElementsAttr>(elements), order);
    if (!elements)
      continue;
    constants.insert({operand,
                      {arith::ConstantOp::create(nest.b, elements),
                       permuteResults(map, order), slice->offset}});
  }
}

Value ColumnConstants::read(OpOperand *operand, int64_t columns) const {
  auto found = constants.find(operand);
  if (found == constants.end())
    return {};
  const Constant &constant = found->second;
  SmallVector<Value> indices = nest.createIndices(constant.map);
  indices.back() = nest.createIndex(affine::makeComposedFoldedAffineApply(
      nest.b, nest.b.getLoc(),
      nest.b.getAffineDimExpr(0) + nest.b.getAffineDimExpr(1),
      {indices.back(), constant.offset}));
  Type element = getElementTypeOrSelf(constant.elements);
  return nest.read(VectorType::get(columns, element), constant.elements,
                   indices);
}

Value BlockBody::widen(Value scalar) {
  if (getNumParts() == 1)
    return scalar;
  if (isOfCodes && sharesByte(scalar.getType()))
    scalar = arith::ExtUIOp::create(b, b.getI8Type(), scalar);
  return vector::BroadcastOp::create(
      b, VectorType::get(getNumParts(), scalar.getType()), scalar);
}

Value BlockBody::shuffle(Value source, ArrayRef<int64_t> order) {
  auto type = cast<VectorType>(source.getType());
  if (llvm::equal(order, llvm::seq(type.getNumElements())))
    return source;
  return vector::ShuffleOp::create(b, source, source, order);
}

Value BlockBody::readColumns(OpOperand *operand) {
  if (Value constant = constants->read(operand, getNumParts()))
    return constant;
  SmallVector<Value> elements;
  nest.forEachOf(product.column, getNumParts(),
                 [&] { elements.push_back(nest.readScalar(*operand)); });
  auto type =
      VectorType::get(getNumParts(), getElementTypeOrSelf(operand->get()));
  return vector::FromElementsOp::create(b, type, elements);
}

/// The place of a part in a row of what these loops of the box index.
int64_t BlockBody::getPlace(ArrayRef<unsigned> loops, int64_t part) const {
  int64_t place = 0;
  for (unsigned loop : loops)
    place = place * box.getCount(loop) + box.getIteration(loop, part);
  return place;
}

/// The elements of an operand at the parts, in a row, and the loops that they
/// differ along. Null for a single one.
Value BlockBody::readElements(OpOperand *operand,
                              SmallVectorImpl<unsigned> &loops) {
  SmallVector<int64_t> shape;
  for (AffineExpr expr : nest.op.getMatchingIndexingMap(operand).getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    int64_t count = box.getCount(loop);
    if (shape.empty() && count == 1)
      continue;
    loops.push_back(loop);
    shape.push_back(count);
  }
  if (shape.empty())
    return {};
  auto type =
      VectorType::get(shape, getElementTypeOrSelf(operand->get().getType()));
  Value elements =
      nest.read(type, operand->get(), nest.createIndices(*operand));
  return vector::ShapeCastOp::create(
      b, VectorType::get(type.getNumElements(), type.getElementType()),
      elements);
}

Value BlockBody::readOperand(OpOperand *operand) {
  if (constants &&
      nest.op.getMatchingIndexingMap(operand).isFunctionOfDim(*product.column))
    return readColumns(operand);
  SmallVector<unsigned> loops;
  Value elements = readElements(operand, loops);
  if (!elements)
    return widen(nest.readScalar(*operand));
  SmallVector<int64_t> order;
  for (int64_t part = 0; part < getNumParts(); ++part)
    order.push_back(getPlace(loops, part));
  return shuffle(elements, order);
}

Value BlockBody::createIndexOf(unsigned loop) {
  Value first = widen(nest.createIndex(nest.offsets[loop]));
  if (box.getCount(loop) == 1)
    return first;
  SmallVector<int64_t> indices;
  for (int64_t part = 0; part < getNumParts(); ++part)
    indices.push_back(box.getIteration(loop, part));
  Value added = arith::ConstantOp::create(
      b, DenseIntElementsAttr::get(cast<VectorType>(first.getType()), indices));
  return arith::AddIOp::create(b, first, added);
}

/// The bits of an integer of less than 32 bits in i32, zeros above them: x86
/// shifts no bytes.
Value BlockBody::computeBits(Value value) {
  if (Value found = bits.lookupOrNull(value))
    return found;
  auto type = [&](Value v) -> Type {
    auto vector = dyn_cast<VectorType>(v.getType());
    return vector ? Type(vector.clone(b.getI32Type())) : b.getI32Type();
  };
  Value result;
  auto field = value.getDefiningOp<ExtractFieldOp>();
  if (field && field.getParts().size() == 1 &&
      field.getWordType().getWidth() < 32) {
    auto slots = llvm::map_to_vector(field.getSlots(),
                                     [&](Value slot) { return compute(slot); });
    Value word = computeBits(field.getParts().front());
    Value shift =
        createFieldShift(b, slots, field.getStrides(), word.getType());
    word = extractField(b, word, shift, word.getType());
    unsigned width = cast<IntegerType>(field.getType()).getWidth();
    Value mask =
        arith::ConstantOp::create(b, b.getI32IntegerAttr((1 << width) - 1));
    result = arith::AndIOp::create(b, word, widen(mask));
  } else {
    Value parts = compute(value);
    result = arith::ExtUIOp::create(b, type(parts), parts);
  }
  bits.map(value, result);
  return result;
}

/// True for a word whose bytes lie in operands, if scalars hold it.
bool BlockBody::isJoined(ExtractFieldOp op) {
  return !constants && op.getParts().size() > 1 && op.getSlots().empty() &&
         llvm::all_of(op.getParts(),
                      [&](Value v) { return getOperandOf(nest.op, v); });
}

/// The words of all parts, each from scalars: memory has them in one piece,
/// but not beside each other.
Value BlockBody::createWords(ExtractFieldOp op) {
  SmallVector<Value> words;
  SmallVector<OpFoldResult> first = nest.offsets;
  for (int64_t part = 0; part < getNumParts(); ++part) {
    for (unsigned loop = product.first; loop < product.byte; ++loop)
      nest.offsets[loop] = affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), b.getAffineDimExpr(0) + box.getIteration(loop, part),
          first[loop]);
    auto bytes = llvm::map_to_vector(op.getParts(), [&](Value v) {
      return nest.readScalar(*getOperandOf(nest.op, v));
    });
    words.push_back(expandField(b, op, bytes, op.getType()));
    nest.offsets = first;
  }
  if (words.size() == 1)
    return words.front();
  return vector::FromElementsOp::create(
      b, VectorType::get(words.size(), op.getType()), words);
}

Value BlockBody::compute(Value value) {
  if (Value found = known.lookupOrNull(value))
    return found;
  Value result;
  if (value.getParentBlock() != nest.op.getBody()) {
    result = widen(value);
  } else if (OpOperand *operand = getOperandOf(nest.op, value)) {
    result = readOperand(operand);
  } else if (auto index = value.getDefiningOp<linalg::IndexOp>()) {
    result = createIndexOf(index.getDim());
  } else if (auto wide = value.getDefiningOp<arith::ExtUIOp>();
             wide && wide.getType().isInteger(32) && !isOfCodes) {
    result = computeBits(wide.getIn());
  } else if (auto field = value.getDefiningOp<ExtractFieldOp>();
             field && isOfCodes) {
    result = createFields(field);
  } else if (field && isJoined(field)) {
    result = createWords(field);
  } else {
    Operation *by = value.getDefiningOp();
    auto operands = llvm::map_to_vector(
        by->getOperands(), [&](Value operand) { return compute(operand); });
    if (operands.empty()) {
      result = widen(b.clone(*by)->getResult(0));
    } else if (isOfCodes) {
      result = createOnLanes(b, by, operands);
    } else {
      result = b.clone(*by, known)->getResult(0);
      if (getNumParts() > 1)
        result.setType(VectorType::get(getNumParts(), result.getType()));
    }
  }
  known.map(value, result);
  return result;
}
