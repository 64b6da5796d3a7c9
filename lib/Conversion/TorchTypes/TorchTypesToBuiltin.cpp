// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// torch-mlir's tensor types to builtin ones, where nothing but functions and
// casts has them.

#include "qdq/Conversion/TorchTypes/TorchTypesToBuiltin.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/TorchTypes/TorchTypes.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/IR/Walk.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTTORCHTYPESPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// The builtin tensor of a `!torch.vtensor`; null for all other types, and
/// where there is none.
static Type toBuiltin(Type type) {
  std::string reason;
  return isTorchTensor(type) ? getBuiltinTensor(type, reason) : TensorType();
}

/// True for torch-mlir's casts between the two kinds of tensors.
static bool isCast(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  Type operand = op->getOperand(0).getType(),
       result = op->getResult(0).getType();
  return (name == kToBuiltinTensor && isa<TensorType>(result)) ||
         (name == kFromBuiltinTensor && isa<TensorType>(operand));
}

namespace {
/// A cast of torch-mlir to a cast between builtin tensors, or to nothing.
struct CastLowering : ConversionPattern {
  CastLowering(const TypeConverter &converter, StringRef name,
               PatternBenefit benefit, MLIRContext *ctx)
      : ConversionPattern(converter, name, benefit, ctx) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isCast(op))
      return rewriter.notifyMatchFailure(op, "is no cast of a tensor");
    if (failed(checkBlockEnd(op, rewriter)))
      return failure();
    Type type = getTypeConverter()->convertType(op->getResult(0).getType());
    if (!isa<TensorType>(operands[0].getType()) || !isa<TensorType>(type))
      return rewriter.notifyMatchFailure(op, "has no builtin tensor type");
    rewriter.replaceOp(
        op, castElementType(rewriter, op->getLoc(), operands[0], type));
    return success();
  }
};
} // namespace

void mlir::qdq::populateTorchTypesConversions(TypeConverter &converter) {
  populateElementTypeConversions(converter, toBuiltin);
}

void mlir::qdq::populateTorchTypesPatterns(const TypeConverter &converter,
                                           RewritePatternSet &patterns,
                                           PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createConvertTorchTypesPass());
  MLIRContext *ctx = patterns.getContext();
  for (StringRef name : {kToBuiltinTensor, kFromBuiltinTensor})
    patterns.add<CastLowering>(converter, name, benefit, ctx);
  populateTypeAgnosticOpPatterns(converter, patterns, toBuiltin,
                                 AttributeScope::Own, benefit);
}

void mlir::qdq::populateTorchTypesLegality(ConversionTarget &target,
                                           const TypeConverter &converter) {
  target.addDynamicallyLegalDialect([](Operation *op) { return !isCast(op); },
                                    "torch_c");
  populateTypeAgnosticOpLegality(target, converter, toBuiltin,
                                 AttributeScope::Own);
}

/// True if a value that `op` uses or defines has a type of which `predicate`
/// holds.
static bool hasValue(Operation *op, function_ref<bool(Type)> predicate) {
  if (llvm::any_of(op->getOperandTypes(), predicate) ||
      llvm::any_of(op->getResultTypes(), predicate))
    return true;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), predicate))
        return true;
  return false;
}

static bool hasNoBuiltin(Type type) {
  return isTorchTensor(type) && !toBuiltin(type);
}

namespace {
struct ConvertTorchTypesPass
    : qdq::impl::ConvertTorchTypesPassBase<ConvertTorchTypesPass> {
  using ConvertTorchTypesPassBase::ConvertTorchTypesPassBase;

  void runOnOperation() override {
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    populateTorchTypesConversions(converter);
    RewritePatternSet patterns(&getContext());
    populateTorchTypesPatterns(converter, patterns);
    ConversionTarget target(getContext());
    populateTorchTypesLegality(target, converter);
    auto isIllegal = [&](Operation *op) { return !target.isLegal(op); };
    // All or nothing: values that stay would need casts.
    auto stays = [](Operation *op) {
      bool isConverted = isCast(op) || isTypeAgnostic(op);
      return hasValue(op, isConverted ? hasNoBuiltin : isTorchTensor);
    };
    if (!hasAny(getOperation(), isIllegal) || hasAny(getOperation(), stays))
      return markAllAnalysesPreserved();
    if (failed(convertTypes(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
