// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes between two generics, a byte each.

#include "../Boundary/PackedBits.h"
#include "ElementTiles.h"
#include "LaneBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

static bool holdsCodes(Value value) {
  auto type = dyn_cast<TensorType>(value.getType());
  return type && isSubByte(type.getElementType());
}

/// True for ops that move the elements of their operands to their result.
static bool isMove(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ReshapeOp,
             tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::CastOp,
             tensor::EmptyOp>(op);
}

/// True for ops that may write and read the bytes of codes.
static bool isSupported(Operation *op) {
  if (isMove(op) || isa<tensor::DimOp, tensor::RankOp, tensor::ExtractOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.hasPureTensorSemantics() &&
         (generic.getNumReductionLoops() == 0 || isLaneBody(generic) ||
          getSum(generic));
}

/// The tensors of codes that get one element type with `value`. Fails where one
/// of them comes from, or goes to, an op that wants codes.
static FailureOr<SetVector<Value>> collectTensors(Value value) {
  SetVector<Value> tensors;
  tensors.insert(value);
  auto add = [&](ValueRange values) {
    for (Value other : values)
      if (holdsCodes(other))
        tensors.insert(other);
  };
  for (size_t i = 0; i < tensors.size(); ++i) {
    SmallVector<Operation *> ops(tensors[i].getUsers());
    ops.push_back(tensors[i].getDefiningOp());
    for (Operation *op : ops) {
      if (!op || !isSupported(op))
        return failure();
      if (isMove(op)) {
        add(op->getOperands());
        add(op->getResults());
      } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
        for (auto [init, result] :
             llvm::zip_equal(generic.getDpsInits(), op->getResults()))
          if (tensors.contains(init) || tensors.contains(result))
            add({init, result});
      }
    }
  }
  return tensors;
}

/// `value` in the bits of `type`, which has as many or is a byte.
static Value toBits(OpBuilder &b, Value value, Type type) {
  Location loc = value.getLoc();
  auto asInteger = [&](Type t) {
    return b.getIntegerType(t.getIntOrFloatBitWidth());
  };
  if (isa<FloatType>(value.getType()))
    value = arith::BitcastOp::create(b, loc, asInteger(value.getType()), value);
  value = convertScalarToDtype(b, loc, value, asInteger(type),
                               /*isUnsignedCast=*/true);
  if (isa<FloatType>(type))
    value = arith::BitcastOp::create(b, loc, type, value);
  return value;
}

/// The elements of the given tensors, which are bytes now, as codes.
static void convertBody(IRRewriter &rewriter, linalg::GenericOp op,
                        const SetVector<Value> &tensors, Type code) {
  Type byte = rewriter.getI8Type();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tensors.contains(operand.get()))
      continue;
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    rewriter.modifyOpInPlace(op, [&] { argument.setType(byte); });
    if (!argument.use_empty()) {
      rewriter.setInsertionPointToStart(op.getBody());
      Value bits = toBits(rewriter, argument, code);
      // The first of the new ops alone reads the byte.
      Operation *first = &op.getBody()->front();
      rewriter.replaceAllUsesExcept(argument, bits, first);
    }
    if (!op.isDpsInit(&operand))
      continue;
    Operation *yield = op.getBody()->getTerminator();
    OpOperand &yielded =
        yield->getOpOperand(op.getTiedOpResult(&operand).getResultNumber());
    rewriter.setInsertionPoint(yield);
    Value bits = toBits(rewriter, yielded.get(), byte);
    rewriter.modifyOpInPlace(yield, [&] { yielded.set(bits); });
  }
}

/// Makes the elements of `tensors`, which are of one type, bytes.
static void convert(IRRewriter &rewriter, const SetVector<Value> &tensors) {
  Type code = getElementTypeOrSelf(tensors.front());
  SetVector<Operation *> generics;
  for (Value value : tensors) {
    Type byte = rewriter.getI8Type();
    rewriter.modifyOpInPlace(value.getDefiningOp(), [&] {
      value.setType(cast<TensorType>(value.getType()).clone(byte));
    });
    for (Operation *user : value.getUsers()) {
      if (isa<linalg::GenericOp>(user)) {
        generics.insert(user);
      } else if (auto load = dyn_cast<tensor::ExtractOp>(user)) {
        rewriter.modifyOpInPlace(load, [&] { load.getResult().setType(byte); });
        rewriter.setInsertionPointAfter(load);
        Value bits = toBits(rewriter, load, code);
        rewriter.replaceAllUsesExcept(load.getResult(), bits,
                                      load->getNextNode());
      }
    }
  }
  for (Operation *op : generics)
    convertBody(rewriter, cast<linalg::GenericOp>(op), tensors, code);
}

void mlir::qdq::storeCodesInBytes(IRRewriter &rewriter, Operation *root) {
  SmallVector<Value> starts;
  root->walk([&](tensor::EmptyOp op) {
    if (holdsCodes(op))
      starts.push_back(op);
  });
  for (Value start : starts) {
    if (!holdsCodes(start))
      continue;
    FailureOr<SetVector<Value>> tensors = collectTensors(start);
    if (succeeded(tensors))
      convert(rewriter, *tensors);
  }
}
