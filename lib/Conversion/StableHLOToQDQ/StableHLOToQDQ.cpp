// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StableHLO's casts, and its other ops on quantized types, to qdq.

#include "qdq/Conversion/StableHLOToQDQ/StableHLOToQDQ.h"
#include "../ForeignOps/CodeTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/IR/DependentDialects.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTSTABLEHLOTOQDQPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Reals and codes
//===----------------------------------------------------------------------===//

/// The codes of `reals`.
static Value quantize(const ForeignOp &op, const Stamp &stamp, Value reals,
                      const CodeType &type) {
  FloatType expressed = type.expressed;
  return createQuantize(op, toForeign(reals), type.getStorage(),
                        type.parameters,
                        stamp({Direction::Quantize, expressed, expressed}),
                        /*scale=*/nullptr, getClamp(op.getRewriter(), type));
}

namespace {
/// An operand, with its parameters where it is quantized.
struct Operand {
  Value value;
  std::optional<CodeTensor> codes;

  Type getRealType() const {
    if (!codes)
      return value.getType();
    RankedTensorType type = codes->type;
    return type.clone(codes->expressed);
  }
};
} // namespace

static FailureOr<Operand> readOperand(const ForeignOp &op, unsigned index) {
  Operand operand{op.getOperation()->getOperand(index), std::nullopt};
  if (!isQuantized(operand.value.getType()))
    return operand;
  FailureOr<CodeTensor> codes =
      readCodes(op, index, "operand", /*allowsAxis=*/true);
  if (failed(codes))
    return failure();
  operand.codes = *codes;
  return operand;
}

/// The reals of an operand, itself where it is not quantized.
static Value dequantize(const ForeignOp &op, const Stamp &stamp,
                        const Operand &operand) {
  if (!operand.codes)
    return operand.value;
  FloatType expressed = operand.codes->expressed;
  return createDequantize(op, operand.codes->getTensor(op), expressed,
                          operand.codes->parameters,
                          stamp({Direction::Dequantize, expressed, expressed}));
}

/// The same op on other operands, with results of other element types.
static Operation *cloneWith(const ForeignOp &op, ValueRange operands,
                            TypeRange types) {
  Operation *own = op.getOperation();
  OperationState state(op.getLoc(), own->getName(), operands, types,
                       llvm::to_vector(own->getDiscardableAttrs()));
  // Those of an op that is not registered, too.
  state.propertiesAttr = own->getPropertiesAsAttribute();
  return op.getRewriter().create(state);
}

//===----------------------------------------------------------------------===//
// Translations
//===----------------------------------------------------------------------===//

/// From reals, or from other codes by way of their reals.
static LogicalResult translateQuantize(const ForeignOp &op,
                                       const Stamp &stamp) {
  if (failed(op.checkArity({1})))
    return failure();
  FailureOr<CodeType> result = readResultCodes(op, /*allowsAxis=*/true);
  FailureOr<Operand> operand = readOperand(op, 0);
  if (failed(result) || failed(operand))
    return failure();
  auto type = dyn_cast<TensorType>(operand->getRealType());
  if (!type || type.getElementType() != result->expressed ||
      failed(verifyCompatibleShape(type, result->type)))
    return op.refuse("has the operand ", operand->value.getType(),
                     " and the result ", result->type, " of ",
                     result->expressed,
                     ": expected one shape, and one expressed type");
  Value reals = dequantize(op, stamp, *operand);
  return replaceWithStorage(op, quantize(op, stamp, reals, *result));
}

static LogicalResult translateDequantize(const ForeignOp &op,
                                         const Stamp &stamp) {
  if (failed(op.checkArity({1})))
    return failure();
  FailureOr<Operand> operand = readOperand(op, 0);
  FailureOr<TensorType> result = op.getResultType(0);
  if (failed(operand) || failed(result))
    return failure();
  if (!operand->codes)
    return op.refuse("has an operand that is not quantized");
  FloatType expressed = operand->codes->expressed;
  if (expressed != result->getElementType() ||
      failed(verifyCompatibleShape(operand->codes->type, *result)))
    return op.refuse("has the result ", *result,
                     ": expected the shape of the operand, and ", expressed);
  return replaceWithStorage(op, dequantize(op, stamp, *operand));
}

static LogicalResult translateConstant(const ForeignOp &op, const Stamp &) {
  return replaceByConstant(op);
}

/// Whether what lies at one index of the axis of `from` lies at the same index
/// of the axis of `to`, and nothing else does.
static bool keepsAxis(const ForeignOp &op, const CodeType &from,
                      const CodeType &to) {
  int64_t fromAxis = *from.axis, toAxis = *to.axis;
  StringRef name = op.getOperation()->getName().getStringRef();
  name.consume_front("stablehlo.");
  auto isAt = [&](StringRef attribute, int64_t index, int64_t expected) {
    FailureOr<SmallVector<int64_t>> list = op.getIntegers(attribute);
    return succeeded(list) && index < static_cast<int64_t>(list->size()) &&
           (*list)[index] == expected;
  };
  if (name == "transpose")
    return isAt("permutation", toAxis, fromAxis);
  if (name == "broadcast_in_dim" || name == "dynamic_broadcast_in_dim")
    return isAt("broadcast_dimensions", fromAxis, toAxis);
  if (name != "reshape" && name != "dynamic_reshape")
    return false;
  auto before = from.type.getShape().take_front(fromAxis);
  auto after = to.type.getShape().take_front(toAxis);
  return from.type.getDimSize(fromAxis) == to.type.getDimSize(toAxis) &&
         (before == after || (!ShapedType::isDynamicShape(before) &&
                              !ShapedType::isDynamicShape(after) &&
                              ShapedType::getNumElements(before) ==
                                  ShapedType::getNumElements(after)));
}

/// An op that moves elements: the same op on codes.
static LogicalResult translateMovement(const ForeignOp &op, const Stamp &) {
  Operation *own = op.getOperation();
  if (own->getNumRegions() || own->getNumResults() != 1)
    return op.refuse("has a region, or not one result");
  FailureOr<CodeType> result = readResultCodes(op, /*allowsAxis=*/true);
  if (failed(result))
    return failure();
  for (auto [index, operand] : llvm::enumerate(own->getOperands())) {
    if (!isQuantized(operand.getType()))
      continue;
    FailureOr<CodeTensor> codes =
        readCodes(op, index, "operand", /*allowsAxis=*/true);
    if (failed(codes))
      return failure();
    // A scale belongs to one index of an axis, which may have another number
    // in the result.
    if (codes->getStorage() != result->getStorage() ||
        codes->scales != result->scales ||
        codes->zeroPoints != result->zeroPoints)
      return op.refuse("operand ", index, " has type ", operand.getType(),
                       ": expected the storage, scales and zero points of the "
                       "result ",
                       own->getResult(0).getType());
    if (codes->axis.has_value() != result->axis.has_value() ||
        (codes->axis && !keepsAxis(op, *codes, *result)))
      return op.refuse("operand ", index, " has type ", operand.getType(),
                       ": expected that scales follow their dimension to the "
                       "result ",
                       own->getResult(0).getType(),
                       ", in an op that does not mix or reorder them");
  }
  SmallVector<Value> operands;
  for (Value operand : own->getOperands())
    operands.push_back(toStorage(op, operand));
  Operation *moved = cloneWith(op, operands, result->type);
  return replaceWithStorage(op, moved->getResults());
}

/// An op whose meaning on codes is that on their reals:
/// `dequantize_op_quantize` of the specification.
static LogicalResult translateThroughReals(const ForeignOp &op,
                                           const Stamp &stamp) {
  Operation *own = op.getOperation();
  if (own->getNumRegions() || own->getNumResults() != 1)
    return op.refuse("has a region, or not one result");
  std::optional<CodeType> result;
  Type type = own->getResult(0).getType();
  if (isQuantized(type)) {
    FailureOr<CodeType> codes = readResultCodes(op, /*allowsAxis=*/true);
    if (failed(codes))
      return failure();
    result = *codes;
    type = codes->type.clone(codes->expressed);
  }
  SmallVector<Operand, 2> operands;
  for (unsigned index = 0; index < own->getNumOperands(); ++index) {
    FailureOr<Operand> operand = readOperand(op, index);
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  SmallVector<Value> reals;
  for (const Operand &operand : operands)
    reals.push_back(dequantize(op, stamp, operand));
  Value value = cloneWith(op, reals, type)->getResult(0);
  return replaceWithStorage(op, result ? quantize(op, stamp, value, *result)
                                       : value);
}

//===----------------------------------------------------------------------===//
// Table and pass
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kMovements[] = {
    "broadcast_in_dim",
    "concatenate",
    "dynamic_broadcast_in_dim",
    "dynamic_reshape",
    "dynamic_slice",
    "dynamic_update_slice",
    "pad",
    "reshape",
    "reverse",
    "slice",
    "transpose",
};

static constexpr StringLiteral kThroughReals[] = {
    "abs",
    "add",
    "atan2",
    "cbrt",
    "ceil",
    "clamp",
    "convolution",
    "cosine",
    "divide",
    "dot_general",
    "exponential",
    "exponential_minus_one",
    "floor",
    "log",
    "log_plus_one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "power",
    "remainder",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "sign",
    "sine",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
};

static Translation *findTranslation(StringRef name) {
  if (name == "uniform_quantize")
    return translateQuantize;
  if (name == "uniform_dequantize")
    return translateDequantize;
  if (name == "constant")
    return translateConstant;
  if (llvm::is_contained(kMovements, name))
    return translateMovement;
  if (llvm::is_contained(kThroughReals, name))
    return translateThroughReals;
  return nullptr;
}

bool mlir::qdq::isStableHLOQuantizationOp(Operation *op) {
  return isQuantizedOp(op, "stablehlo");
}

/// An op of the dialect on quantized types to ops on codes.
static LogicalResult lower(const ForeignOp &op,
                           const SemanticsOptions &options) {
  Operation *self = op.getOperation();
  if (!isStableHLOQuantizationOp(self))
    return op.getRewriter().notifyMatchFailure(
        op.getOperation(), "is no op of StableHLO on quantized types");
  Translation *translate = findTranslation(self->getName().stripDialect());
  if (!translate)
    return op.refuse("has quantized operands or results, and no translation");
  if (failed(checkBlockEnd(self, op.getRewriter())))
    return failure();
  return translate(op, Stamp{options, Profile::StableHLO});
}

void mlir::qdq::populateStableHLOToQDQPatterns(RewritePatternSet &patterns,
                                               const SemanticsOptions &options,
                                               PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(),
                        createConvertStableHLOToQDQPass());
  patterns.add<SourceLowering>(patterns.getContext(), lower, options, benefit);
}

namespace {
struct ConvertStableHLOToQDQPass
    : SourcePass<
          qdq::impl::ConvertStableHLOToQDQPassBase<ConvertStableHLOToQDQPass>> {
  using SourcePass::SourcePass;

  void runOnOperation() override {
    auto populate = [&](RewritePatternSet &patterns) {
      populateStableHLOToQDQPatterns(patterns, SemanticsOptions::from(*this));
    };
    convert(isStableHLOQuantizationOp, populate, eraseDeadStorage);
  }
};
} // namespace
