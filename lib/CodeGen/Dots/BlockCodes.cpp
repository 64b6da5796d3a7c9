// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes that a body computes of the fields of several operands, in vectors.

#include "../Analysis/BodySlice.h"
#include "../Analysis/ConstantValue.h"
#include "../Vectorize/LaneOps.h"
#include "../Vectorize/LaneValue.h"
#include "BlockBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::qdq;

/// The lowest bits of the fields in all parts; nothing if these are not known.
std::optional<SmallVector<int64_t>> BlockBody::getAmounts(ExtractFieldOp op) {
  SmallVector<int64_t> amounts(getNumParts(), 0);
  for (auto [part, amount] : llvm::enumerate(amounts)) {
    DenseMap<Value, Attribute> indices;
    for (auto index : nest.op.getBody()->getOps<linalg::IndexOp>())
      if (unsigned loop = index.getDim();
          box.getCount(loop) == product.ranges[loop])
        indices[index] = b.getIndexAttr(box.getIteration(loop, part));
    for (auto [slot, stride] :
         llvm::zip_equal(op.getSlots(), op.getStrides())) {
      auto number = dyn_cast_if_present<IntegerAttr>(foldWith(slot, indices));
      if (!number)
        return std::nullopt;
      amount += stride * number.getInt();
    }
  }
  return amounts;
}

/// All bits of bytes, as i1, where they are the parts in their order; else
/// null.
Value BlockBody::createBits(ExtractFieldOp op, ArrayRef<int64_t> amounts) {
  OpOperand *operand = getOperandOf(nest.op, op.getParts().front());
  if (!operand || !op.getType().isInteger(1))
    return {};
  SmallVector<unsigned> loops;
  Value bytes = readElements(operand, loops);
  for (auto [part, amount] : llvm::enumerate(amounts))
    if (8 * getPlace(loops, part) + amount != static_cast<int64_t>(part))
      return {};
  return vector::BitCastOp::create(
      b, VectorType::get(getNumParts(), b.getI1Type()), bytes);
}

/// The fields of bytes, zeros above them, or bits as i1.
Value BlockBody::createFields(ExtractFieldOp op) {
  std::optional<SmallVector<int64_t>> amounts;
  if (op.getWordType().isInteger(8))
    amounts = getAmounts(op);
  if (Value all = amounts ? createBits(op, *amounts) : Value())
    return all;
  auto operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return compute(operand); });
  auto arePairs = [](ArrayRef<int64_t> amounts) {
    for (size_t i = 0; i < amounts.size(); i += 2)
      if (amounts[i] != amounts[i + 1])
        return false;
    return true;
  };
  if (!amounts || !arePairs(*amounts))
    return createOnLanes(b, op, operands);
  // x86 shifts no bytes.
  auto bytes = cast<VectorType>(operands.front().getType());
  auto pairs = VectorType::get(getNumParts() / 2, b.getI16Type());
  SmallVector<int16_t> shifts;
  for (size_t i = 0; i < amounts->size(); i += 2)
    shifts.push_back((*amounts)[i]);
  Value shift = arith::ConstantOp::create(
      b, DenseElementsAttr::get(pairs, ArrayRef(shifts)));
  Value word = vector::BitCastOp::create(b, pairs, operands.front());
  word = arith::ShRUIOp::create(b, word, shift);
  Value field = extendBits(b, vector::BitCastOp::create(b, bytes, word),
                           op.getType().getIntOrFloatBitWidth(),
                           /*isSigned=*/false);
  if (op.getType().isInteger(1))
    field = arith::TruncIOp::create(b, bytes.clone(b.getI1Type()), field);
  return field;
}

Value BlockBody::computeCodes() {
  isOfCodes = true;
  Value codes = compute(product.code);
  auto bytes = cast<VectorType>(codes.getType()).clone(b.getI8Type());
  if (codes.getType() != bytes)
    return arith::ExtUIOp::create(b, bytes, codes);
  return product.width == 8
             ? codes
             : extendBits(b, codes, product.width, /*isSigned=*/false);
}
