// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants on both sides of a conversion: images and preimages, evaluated.

#include "MotionConstants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

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

/// The inverse conversion, with the parameters of one group.
static std::optional<Number> convertBack(QuantizeOp op, const Number &code,
                                         const GroupParameters &group) {
  ElementTypes types = op.getElementTypes();
  auto real = dyn_cast<FloatType>(types.expressed);
  if (!real)
    return std::nullopt;
  types.direction = Direction::Dequantize;
  return DequantizeFunction{resolve(SemanticsFields(), types), real,
                            group}(code);
}
static std::optional<Number> convertBack(DequantizeOp op, const Number &real,
                                         const GroupParameters &group) {
  ElementTypes types = op.getElementTypes();
  types.direction = Direction::Quantize;
  return QuantizeFunction{resolve(SemanticsFields(), types), op.getStorage(),
                          group}(real);
}

template <typename ConvertOp>
std::optional<Number> mlir::qdq::getCommonPreimage(ConvertOp op,
                                                   const Number &image,
                                                   PatternRewriter &rewriter) {
  auto functions = getElementFunctions(op, rewriter);
  if (failed(functions))
    return std::nullopt;
  auto candidate = convertBack(op, image, getConstantParameters(op)->front());
  auto common = candidate ? getCommonImage(*functions, *candidate) : candidate;
  return common && haveSameBits(*common, image) ? candidate : std::nullopt;
}
template std::optional<Number>
mlir::qdq::getCommonPreimage(QuantizeOp, const Number &, PatternRewriter &);
template std::optional<Number>
mlir::qdq::getCommonPreimage(DequantizeOp, const Number &, PatternRewriter &);

Value mlir::qdq::createConstant(RewriterBase &rewriter, Location loc,
                                const Number &number, Type type) {
  return arith::ConstantOp::create(rewriter, loc,
                                   toAttribute(number, toSignless(type)));
}
