// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of public functions into buffers of the caller.

#include "PublicFunctions.h"
#include "ShapeCompanion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_RESULTSTODESTINATIONSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

namespace {
/// One function that is given destinations.
class DestinationRewriter {
public:
  DestinationRewriter(func::FuncOp function, SymbolTable &symbols)
      : function(function), symbols(symbols) {}
  LogicalResult run();

private:
  ResultPassing choose(unsigned index, ShapeCompanion &shapes);
  void write(ImplicitLocOpBuilder b, Value result, Value destination);

  func::FuncOp function;
  SymbolTable &symbols;
  SmallVector<func::ReturnOp> returns;
};
} // namespace

ResultPassing DestinationRewriter::choose(unsigned index,
                                          ShapeCompanion &shapes) {
  Type type = function.getResultTypes()[index];
  // Only one return op can say what its operand is before the call.
  Value only =
      returns.size() == 1 ? returns.front().getOperand(index) : Value();
  if (type.isIndex() && only && shapes.addIndex(only))
    return ResultPassing::Shape;
  if (isScalar(type))
    return ResultPassing::Destination;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && (tensor.hasStaticShape() || (only && shapes.addSizes(only))))
    return ResultPassing::Destination;
  return ResultPassing::Returned;
}

/// Stores `result` in `destination`, an argument, before a return op. Reshapes
/// at the end move to the destination, so that the op before them can write
/// there.
void DestinationRewriter::write(ImplicitLocOpBuilder b, Value result,
                                Value destination) {
  if (isScalar(result.getType())) {
    memref::StoreOp::create(b, result, destination, ValueRange());
    return;
  }
  auto entry =
      ImplicitLocOpBuilder::atBlockBegin(b.getLoc(), &function.front());
  ArgumentSlice slice(function, function.getArguments(), entry);
  auto getBufferType = [](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return MemRefType::get(type.getShape(), type.getElementType());
  };
  auto getSizes =
      [&](Value tensor) -> std::optional<SmallVector<OpFoldResult>> {
    SmallVector<OpFoldResult> sizes;
    auto type = cast<RankedTensorType>(tensor.getType());
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      if (!ShapedType::isDynamic(size))
        sizes.push_back(b.getIndexAttr(size));
      else if (Value known = slice.getDim(tensor, dim))
        sizes.push_back(known);
      else
        return std::nullopt;
    }
    return sizes;
  };
  while (Operation *op = result.getDefiningOp()) {
    auto type = cast<RankedTensorType>(result.getType());
    if (llvm::is_contained(type.getShape(), 0))
      return; // There is nothing to write.
    Value source;
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      source = collapse.getSrc();
      auto sizes = getSizes(source);
      if (!sizes)
        break;
      destination = memref::ExpandShapeOp::create(
          entry, getBufferType(source), destination,
          collapse.getReassociationIndices(), *sizes);
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      source = expand.getSrc();
      destination = memref::CollapseShapeOp::create(
          entry, destination, expand.getReassociationIndices());
    } else if (auto cast = dyn_cast<tensor::CastOp>(op);
               cast && isa<RankedTensorType>(cast.getSource().getType())) {
      source = cast.getSource();
      destination =
          memref::CastOp::create(entry, getBufferType(source), destination);
    } else {
      break;
    }
    result = source;
  }
  bufferization::MaterializeInDestinationOp::create(
      b, /*result=*/Type(), result, destination, /*restrict=*/true,
      /*writable=*/true);
}

LogicalResult DestinationRewriter::run() {
  llvm::append_range(returns, function.getOps<func::ReturnOp>());
  function->setAttr(kTensorTypeAttr, TypeAttr::get(function.getFunctionType()));

  ShapeCompanion shapes(function, symbols);
  shapes.takeAssertions();
  SmallVector<ResultPassing> passing;
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    passing.push_back(choose(index, shapes));
  shapes.finish(symbols);

  SmallVector<Attribute> names;
  BitVector removed(passing.size());
  for (auto [index, way] : llvm::enumerate(passing)) {
    names.push_back(StringAttr::get(function.getContext(), stringify(way)));
    if (way == ResultPassing::Returned)
      continue;
    removed.set(index);
    if (way == ResultPassing::Shape)
      continue;
    Type type = function.getResultTypes()[index];
    auto shaped = dyn_cast<RankedTensorType>(type);
    auto buffer =
        shaped ? MemRefType::get(shaped.getShape(), shaped.getElementType())
               : MemRefType::get({}, type);
    unsigned position = function.getNumArguments();
    if (failed(
            function.insertArgument(position, buffer, {}, function.getLoc())))
      return failure();
    for (func::ReturnOp op : returns)
      write(ImplicitLocOpBuilder(op.getLoc(), op), op.getOperand(index),
            function.getArgument(position));
  }
  function->setAttr(kResultsAttr, ArrayAttr::get(function.getContext(), names));
  for (func::ReturnOp op : returns)
    op->eraseOperands(removed);
  return function.eraseResults(removed);
}

namespace {
struct ResultsToDestinationsPass
    : qdq::impl::ResultsToDestinationsPassBase<ResultsToDestinationsPass> {
  using ResultsToDestinationsPassBase::ResultsToDestinationsPassBase;

  void runOnOperation() override {
    // Readers take an attribute from outside for one of this pass.
    for (auto function : getOperation().getOps<func::FuncOp>())
      function->removeAttr(kShapeFunctionAttr);
    FailureOr<SmallVector<func::FuncOp>> functions =
        takePublicFunctions(getOperation(), [](func::FuncOp) { return true; });
    if (failed(functions))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    for (func::FuncOp function : *functions)
      if (failed(DestinationRewriter(function, symbols).run()))
        return signalPassFailure();
  }
};
} // namespace
