// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants on both sides of a conversion: images and preimages, evaluated.

#include "MotionConstants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

template <typename ConvertOp>
static FailureOr<SmallVector<GroupParameters>>
getDecidedParameters(ConvertOp op, PatternRewriter &rewriter) {
  if (!op.getSemanticsFields().isComplete())
    return rewriter.notifyMatchFailure(op, "leaves semantics open");
  auto parameters = getConstantParameters(op);
  if (!parameters)
    return rewriter.notifyMatchFailure(op, "parameters are not constant");
  return *parameters;
}

FailureOr<SmallVector<ElementFunction>>
mlir::qdq::getElementFunctions(QuantizeOp op, PatternRewriter &rewriter) {
  auto parameters = getDecidedParameters(op, rewriter);
  if (failed(parameters))
    return failure();
  Semantics semantics = resolve(op.getSemanticsFields(), op.getElementTypes());
  SmallVector<ElementFunction> functions;
  for (const GroupParameters &group : *parameters)
    functions.push_back(QuantizeFunction{semantics, op.getStorage(), group});
  return functions;
}

FailureOr<SmallVector<ElementFunction>>
mlir::qdq::getElementFunctions(DequantizeOp op, PatternRewriter &rewriter) {
  auto parameters = getDecidedParameters(op, rewriter);
  if (failed(parameters))
    return failure();
  Semantics semantics = resolve(op.getSemanticsFields(), op.getElementTypes());
  auto real = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  SmallVector<ElementFunction> functions;
  for (const GroupParameters &group : *parameters)
    functions.push_back(DequantizeFunction{semantics, real, group});
  return functions;
}

static bool haveSameBits(const Number &a, const Number &b) {
  if (auto *integer = std::get_if<APSInt>(&a))
    return *integer == std::get<APSInt>(b);
  return std::get<APFloat>(a).bitwiseIsEqual(std::get<APFloat>(b));
}

std::optional<Number>
mlir::qdq::getCommonImage(ArrayRef<ElementFunction> functions,
                          const Number &value) {
  std::optional<Number> common;
  for (const ElementFunction &function : functions) {
    std::optional<Number> image = function(value);
    if (!image || (common && !haveSameBits(*common, *image)))
      return std::nullopt;
    common = image;
  }
  return common;
}

/// `candidate` if all functions make `image` of it.
static std::optional<Number>
verifyPreimage(const FailureOr<SmallVector<ElementFunction>> &functions,
               std::optional<Number> candidate, const Number &image) {
  if (failed(functions) || !candidate)
    return std::nullopt;
  std::optional<Number> common = getCommonImage(*functions, *candidate);
  if (!common || !haveSameBits(*common, image))
    return std::nullopt;
  return candidate;
}

std::optional<Number> mlir::qdq::getCommonPreimage(QuantizeOp op,
                                                   const Number &image,
                                                   PatternRewriter &rewriter) {
  auto real = dyn_cast<FloatType>(getElementTypeOrSelf(op.getInput()));
  auto parameters = getConstantParameters(op);
  if (!real || !parameters)
    return std::nullopt;
  Semantics semantics =
      resolve(SemanticsFields(),
              {Direction::Dequantize, real,
               cast<FloatType>(getElementTypeOrSelf(op.getScale()))});
  Number candidate =
      DequantizeFunction{semantics, real, parameters->front()}(image);
  return verifyPreimage(getElementFunctions(op, rewriter), candidate, image);
}

std::optional<Number> mlir::qdq::getCommonPreimage(DequantizeOp op,
                                                   const Number &image,
                                                   PatternRewriter &rewriter) {
  auto parameters = getConstantParameters(op);
  if (!parameters)
    return std::nullopt;
  Semantics semantics =
      resolve(SemanticsFields(),
              {Direction::Quantize, getElementTypeOrSelf(op.getType()),
               cast<FloatType>(getElementTypeOrSelf(op.getScale()))});
  std::optional<Number> candidate =
      QuantizeFunction{semantics, op.getStorage(), parameters->front()}(image);
  return verifyPreimage(getElementFunctions(op, rewriter), candidate, image);
}

Value mlir::qdq::createConstant(RewriterBase &rewriter, Location loc,
                                const Number &number, Type type) {
  if (auto *real = std::get_if<APFloat>(&number))
    return arith::ConstantOp::create(rewriter, loc,
                                     rewriter.getFloatAttr(type, *real));
  Type signless = rewriter.getIntegerType(type.getIntOrFloatBitWidth());
  return arith::ConstantOp::create(
      rewriter, loc,
      rewriter.getIntegerAttr(signless, std::get<APSInt>(number)));
}
