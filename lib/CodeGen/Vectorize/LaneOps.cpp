// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One op of a body, on vectors of lanes.

#include "LaneOps.h"
#include "LaneValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "qdq/Conversion/QDQToArith/Fields.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;
using namespace mlir::qdq;

static bool hasSharedBytes(TypeRange types) {
  return llvm::any_of(types, sharesByte);
}

/// True for ops whose low bits depend on low bits only, and for those that
/// `createOnBytes` widens itself.
static bool isSupportedOnBytes(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp, arith::SelectOp, arith::CmpIOp,
             arith::TruncIOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::BitcastOp, arith::ExtFOp, arith::TruncFOp,
             EncodeOp, ExtractFieldOp, DepositFieldOp>(op);
}

/// True if `v` is an integer, or needs no other lanes than its own type.
static bool isOnLanes(Value v) {
  return !v || !sharesByte(v.getType()) || isa<IntegerType>(v.getType());
}

DenseElementsAttr mlir::qdq::getTableAtCode(tensor::ExtractOp op) {
  DenseElementsAttr table;
  if (op.getTensor().getType().getRank() != 1 ||
      !matchPattern(op.getTensor(), m_Constant(&table)) ||
      sharesByte(op.getType()) || op.getType().isInteger(1))
    return {};
  auto index = op.getIndices().front().getDefiningOp<arith::IndexCastUIOp>();
  auto code =
      index ? dyn_cast<IntegerType>(index.getIn().getType()) : IntegerType();
  bool isWhole = code && code.getWidth() > 1 && code.getWidth() <= 8 &&
                 table.getNumElements() == int64_t(1) << code.getWidth();
  return isWhole ? table : DenseElementsAttr();
}

bool mlir::qdq::isTableIndex(Operation &op) {
  return isa<arith::IndexCastUIOp>(op) &&
         llvm::all_of(op.getUsers(), [](Operation *user) {
           auto read = dyn_cast<tensor::ExtractOp>(user);
           return read && getTableAtCode(read);
         });
}

bool mlir::qdq::isSupportedOnLanes(Operation &op) {
  if (auto read = dyn_cast<tensor::ExtractOp>(op))
    return static_cast<bool>(getTableAtCode(read));
  if (isTableIndex(op))
    return true;
  if (isa<linalg::YieldOp, linalg::IndexOp>(op) ||
      op.hasTrait<OpTrait::ConstantLike>())
    return true;
  if (!OpTrait::hasElementwiseMappableTraits(&op) || op.getNumResults() != 1 ||
      !isMemoryEffectFree(&op))
    return false;
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return !sharesByte(op.getResult(0).getType());
  if (auto encode = dyn_cast<EncodeOp>(op))
    return isOnLanes(encode.getInput()) && isOnLanes(encode.getZeroPoint());
  bool isOnBytes = hasSharedBytes(op.getOperandTypes()) ||
                   hasSharedBytes(op.getResultTypes());
  return !isOnBytes || isSupportedOnBytes(&op);
}

Value mlir::qdq::extendBits(ImplicitLocOpBuilder &b, Value bytes, unsigned bits,
                            bool isSigned) {
  auto type = cast<VectorType>(bytes.getType());
  if (!isSigned)
    return Scalar(b, bytes) & ((1 << bits) - 1);
  Value shift = createNumber(b, type, int64_t(8 - bits));
  return Scalar(b, bytes) << shift >> shift;
}

bool mlir::qdq::isReadAsSigned(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto encode = dyn_cast<EncodeOp>(op))
    return operand.getOperandNumber() == 0 ? !encode.getUnsignedInput()
                                           : !encode.getUnsignedZeroPoint();
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return llvm::is_contained(
        {arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
         arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge},
        compare.getPredicate());
  return isa<arith::ExtSIOp, arith::SIToFPOp>(op);
}

/// A cast from or to floats below a byte, which the target expands.
static Value castFloats(ImplicitLocOpBuilder &b, Operation *op, Value value) {
  auto lanes = cast<VectorType>(value.getType());
  auto cloneBits = [&](Type type) {
    return lanes.clone(b.getIntegerType(type.getIntOrFloatBitWidth()));
  };
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (sharesByte(from))
    value = arith::BitcastOp::create(
        b, lanes.clone(from),
        arith::TruncIOp::create(b, cloneBits(from), value));
  OperationState state(b.getLoc(), op->getName(), value, lanes.clone(to),
                       op->getAttrs());
  value = b.create(state)->getResult(0);
  if (!sharesByte(to))
    return value;
  return arith::ExtUIOp::create(
      b, lanes.clone(b.getI8Type()),
      arith::BitcastOp::create(b, cloneBits(to), value));
}

/// An op some of whose values are below a byte, on vectors of bytes whose high
/// bits are arbitrary.
static Value createOnBytes(ImplicitLocOpBuilder &b, Operation *op,
                           ArrayRef<Value> operands) {
  Type result = op->getResult(0).getType();
  auto type = cast<VectorType>(operands.back().getType());
  auto resultType = VectorType::get(type.getShape(), getLaneType(result));
  // Floats have their own bits while they are cast.
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return castFloats(b, op, operands[0]);
  if (isa<arith::TruncIOp, arith::BitcastOp>(op)) {
    if (type == resultType)
      return operands[0];
    return arith::TruncIOp::create(b, resultType, operands[0]);
  }
  SmallVector<Value> extended(operands);
  if (isa<arith::CmpIOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
          arith::UIToFPOp, EncodeOp>(op))
    for (auto [value, scalar] : llvm::zip(extended, op->getOpOperands())) {
      Type own = scalar.get().getType();
      if (sharesByte(own))
        value = extendBits(b, value, own.getIntOrFloatBitWidth(),
                           isReadAsSigned(scalar));
    }
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op) && type == resultType)
    return extended[0];
  OperationState state(b.getLoc(), op->getName(), extended, resultType);
  // Its result holds the code, whatever its width.
  if (isa<EncodeOp>(op))
    state.addAttributes(op->getAttrs());
  // Flags of overflow hold for the narrow type.
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return arith::CmpIOp::create(b, compare.getPredicate(), extended[0],
                                 extended[1]);
  return b.create(state)->getResult(0);
}

Value mlir::qdq::createOnLanes(ImplicitLocOpBuilder &b, Operation *op,
                               ArrayRef<Value> operands) {
  // A table ignores the bits above a code.
  if (auto read = dyn_cast<tensor::ExtractOp>(op)) {
    DenseElementsAttr entries = getTableAtCode(read);
    auto table = VectorType::get(entries.getNumElements(), read.getType());
    return LookupOp::create(
        b, cast<VectorType>(operands.back().getType()).clone(read.getType()),
        arith::ConstantOp::create(b, entries.reshape(table)), operands.back());
  }
  // Bits above a field are arbitrary.
  if (auto field = dyn_cast<ExtractFieldOp>(op))
    return expandField(b, field, operands,
                       cast<VectorType>(operands.front().getType())
                           .clone(getLaneType(field.getType())));
  if (hasSharedBytes(op->getOperandTypes()) ||
      hasSharedBytes(op->getResultTypes()))
    return createOnBytes(b, op, operands);
  auto type = cast<VectorType>(operands.back().getType());
  OperationState state(
      b.getLoc(), op->getName(), operands,
      VectorType::get(type.getShape(), op->getResult(0).getType()),
      op->getAttrs());
  return b.create(state)->getResult(0);
}
