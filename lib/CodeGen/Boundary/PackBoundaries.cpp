// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sub-byte tensors of public functions as packed bytes.

#include "PackedBits.h"
#include "PublicFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_PACKBOUNDARIESPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

static bool isPackable(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && isSubByte(tensor.getElementType());
}

/// Says which type has no packed form.
static LogicalResult verifyRanked(func::FuncOp function, TypeRange types,
                                  StringRef what) {
  for (auto [index, type] : llvm::enumerate(types))
    if (isPackable(type) && isa<UnrankedTensorType>(type))
      return function.emitOpError()
             << what << " " << index << " of type " << type
             << " cannot be packed into bytes: its rank is not known";
  return success();
}

/// The types that replace a tensor type: its bytes, and an index for each
/// dynamic size.
static SmallVector<Type> getPackedTypes(RankedTensorType type) {
  SmallVector<Type> types = {getPackedType(type)};
  types.append(type.getNumDynamicDims(), IndexType::get(type.getContext()));
  return types;
}

/// The attributes of an argument or result stay with the bytes.
static SmallVector<DictionaryAttr>
getPackedAttrs(MLIRContext *ctx, DictionaryAttr attrs, size_t count) {
  SmallVector<DictionaryAttr> result(count, DictionaryAttr::get(ctx));
  if (attrs)
    result.front() = attrs;
  return result;
}

static LogicalResult packArgument(func::FuncOp function, unsigned index) {
  BlockArgument argument = function.getArgument(index);
  auto type = cast<RankedTensorType>(argument.getType());
  SmallVector<Type> types = getPackedTypes(type);
  size_t count = types.size();
  auto attrs = getPackedAttrs(function.getContext(),
                              function.getArgAttrDict(index), count);
  if (failed(function.insertArguments(
          SmallVector<unsigned>(count, index), types, attrs,
          SmallVector<Location>(count, argument.getLoc()))))
    return failure();
  auto b = ImplicitLocOpBuilder::atBlockBegin(argument.getLoc(),
                                              argument.getOwner());
  auto packed = function.getArguments().slice(index, count);
  argument.replaceAllUsesWith(
      unpackBits(b, packed.front(), type, packed.drop_front()));
  return function.eraseArgument(index + count);
}

static LogicalResult packResult(func::FuncOp function, unsigned index) {
  auto type = cast<RankedTensorType>(function.getResultTypes()[index]);
  SmallVector<Type> types = getPackedTypes(type);
  auto attrs = getPackedAttrs(function.getContext(),
                              function.getResultAttrDict(index), types.size());
  if (failed(function.insertResults(SmallVector<unsigned>(types.size(), index),
                                    types, attrs)) ||
      failed(function.eraseResult(index + types.size())))
    return failure();

  for (auto op : function.getOps<func::ReturnOp>()) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value value = op.getOperand(index);
    SmallVector<Value> packed = {packBits(b, value)};
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        packed.push_back(tensor::DimOp::create(b, value, dim));
    op.getOperandsMutable().slice(index, 1).assign(packed);
  }
  return success();
}

/// Backwards, so that the sizes that one position adds do not move the next.
static LogicalResult packSignature(func::FuncOp function) {
  auto toSignlessTypes = [](TypeRange types) {
    return llvm::map_to_vector(types, toSignless);
  };
  function->setAttr(
      kUnpackedTypeAttr,
      TypeAttr::get(FunctionType::get(
          function.getContext(), toSignlessTypes(function.getArgumentTypes()),
          toSignlessTypes(function.getResultTypes()))));
  for (int64_t index = function.getNumArguments(); index-- > 0;)
    if (isPackable(function.getArgument(index).getType()) &&
        failed(packArgument(function, index)))
      return failure();
  for (int64_t index = function.getNumResults(); index-- > 0;)
    if (isPackable(function.getResultTypes()[index]) &&
        failed(packResult(function, index)))
      return failure();
  return success();
}

namespace {
struct PackBoundariesPass
    : qdq::impl::PackBoundariesPassBase<PackBoundariesPass> {
  using PackBoundariesPassBase::PackBoundariesPassBase;

  void runOnOperation() override {
    // Readers take an attribute from outside for one of this pass.
    for (auto function : getOperation().getOps<func::FuncOp>())
      function->removeAttr(kUnpackedTypeAttr);
    auto isPacked = [](func::FuncOp function) {
      return llvm::any_of(function.getArgumentTypes(), isPackable) ||
             llvm::any_of(function.getResultTypes(), isPackable);
    };
    FailureOr<SmallVector<func::FuncOp>> functions =
        takePublicFunctions(getOperation(), isPacked);
    if (failed(functions))
      return signalPassFailure();
    for (func::FuncOp function : *functions)
      if (failed(verifyRanked(function, function.getArgumentTypes(),
                              "argument")) ||
          failed(verifyRanked(function, function.getResultTypes(), "result")) ||
          failed(packSignature(function)))
        return signalPassFailure();
  }
};
} // namespace
