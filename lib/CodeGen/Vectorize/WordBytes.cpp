// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words and their bytes, in either order of bytes.

#include "WordBytes.h"
#include "LaneLoops.h"
#include "LaneValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;
using namespace mlir::qdq;

Value mlir::qdq::getByteShift(ImplicitLocOpBuilder &b, int64_t byte,
                              IntegerType word) {
  SmallVector<int8_t> bytes(word.getWidth() / 8);
  bytes[byte] = 1;
  auto type = VectorType::get(bytes.size(), b.getI8Type());
  Value one = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes)));
  Value bits = vector::BitCastOp::create(b, VectorType::get(1, word), one);
  return math::CountTrailingZerosOp::create(
      b, vector::ExtractOp::create(b, bits, 0));
}

/// True for one value, and for the slices that tiling makes of one.
static bool areSame(Value a, Value b) {
  if (a == b)
    return true;
  auto slice = a.getDefiningOp<tensor::ExtractSliceOp>();
  auto other = b.getDefiningOp<tensor::ExtractSliceOp>();
  return slice && other &&
         OperationEquivalence::isEquivalentTo(
             slice, other, OperationEquivalence::IgnoreLocations);
}

OpOperand *mlir::qdq::getBytesOfWord(linalg::GenericOp tile,
                                     ExtractFieldOp op) {
  OpOperand *bytes = nullptr;
  AffineMap ofAll;
  for (auto [i, part] : llvm::enumerate(op.getParts())) {
    auto byte = dyn_cast<BlockArgument>(part);
    if (!byte || !byte.getType().isInteger(8) ||
        byte.getOwner() != tile.getBody())
      return nullptr;
    OpOperand &operand = tile->getOpOperand(byte.getArgNumber());
    AffineMap map = tile.getMatchingIndexingMap(&operand);
    if (getWordPart(map) != static_cast<int64_t>(i))
      return nullptr;
    map = map.dropResult(map.getNumResults() - 1);
    if (!bytes) {
      bytes = &operand;
      ofAll = map;
    } else if (map != ofAll || !areSame(operand.get(), bytes->get())) {
      return nullptr;
    }
  }
  bool areAll =
      tile.getShape(bytes).back() == static_cast<int64_t>(op.getParts().size());
  return areAll ? bytes : nullptr;
}

Value mlir::qdq::joinBytes(ImplicitLocOpBuilder &b, Value bytes, int64_t parts,
                           ArrayRef<int64_t> groups, IntegerType word) {
  int64_t size = word.getWidth() / 8;
  auto type = cast<VectorType>(bytes.getType());
  // Lane i of the second vector is 0.
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(type));
  SmallVector<int64_t> order;
  for (int64_t group : groups)
    for (int64_t byte = 0; byte < size; ++byte)
      order.push_back(byte < parts ? group * parts + byte
                                   : type.getNumElements());
  bytes = vector::ShuffleOp::create(b, bytes, zeros, order);
  Value words =
      vector::BitCastOp::create(b, VectorType::get(groups.size(), word), bytes);
  auto broadcast = [&](Value amount) {
    return vector::BroadcastOp::create(b, words.getType(), amount);
  };
  Value result;
  for (int64_t byte = 0; byte < size; ++byte) {
    Value from = getByteShift(b, byte, word);
    Value to = arith::ConstantOp::create(b, b.getIntegerAttr(word, 8 * byte));
    Scalar part =
        shiftRight(Scalar(b, words), broadcast(from).getResult()) & 255;
    part = part << broadcast(to).getResult();
    result = result ? Value(Scalar(b, result) | part) : Value(part);
  }
  return result;
}
