// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Biases of 32 and 64 bits.

#include "../ForeignOps/TensorOps.h"
#include "ProductEnd.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

/// LiteRT's own tolerance is wider; scales of this kind are rounded products.
static constexpr double kTolerance = 1e-3;

/// Refuses scales that are not those of the sums: the codes would stand for
/// other numbers.
static LogicalResult checkScales(const ForeignOp &op, Type type,
                                 const CodeType &input, const CodeType &filter,
                                 int64_t count) {
  auto element = cast<RankedTensorType>(type).getElementType();
  SmallVector<double> scales;
  if (auto perLayer = dyn_cast<quant::UniformQuantizedType>(element))
    scales = {perLayer.getScale()};
  else if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element))
    scales.assign(perAxis.getScales().begin(), perAxis.getScales().end());
  else
    return success();
  for (int64_t index = 0; index < count; ++index) {
    double expected =
        input.getFloatScale() * double(filter.getFloatScale(index));
    double scale = scales[scales.size() == 1 ? 0 : index];
    if (std::abs(scale - expected) > kTolerance * expected)
      return op.refuse("bias has the scale ", scale, " for output ", index,
                       ": expected that of the input times that of the "
                       "filter, ",
                       expected);
  }
  return success();
}

LogicalResult mlir::qdq::checkBias(const ForeignOp &op, unsigned index,
                                   const CodeType &input,
                                   const CodeType &filter, int64_t count) {
  Value operand = op.getOperand(index);
  if (!operand)
    return success();
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  int64_t size = type && type.hasStaticShape() ? type.getNumElements() : -1;
  if (size != count)
    return op.refuse("bias has type ", operand.getType(), ": expected ", count,
                     " integers, one for each output");
  if (auto perAxis =
          dyn_cast<quant::UniformQuantizedPerAxisType>(type.getElementType());
      perAxis && static_cast<int64_t>(perAxis.getScales().size()) != count)
    return op.refuse("bias has ", perAxis.getScales().size(),
                     " scales: expected ", count);
  Type element = type.getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    element = op.getRewriter().getIntegerType(
        quantized.getStorageTypeIntegralWidth());
  if (!element.isInteger(32) && !element.isInteger(64))
    return op.refuse("bias has type ", operand.getType(),
                     ": expected integers of 32 or 64 bits");
  return checkScales(op, type, input, filter, count);
}

Bias mlir::qdq::createBias(const ForeignOp &op, unsigned index, int64_t count) {
  Value operand = op.getOperand(index);
  if (!operand)
    return {};
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Value codes = toStorage(op, operand);
  auto type = cast<RankedTensorType>(codes.getType());
  if (type.getRank() != 1)
    codes = reshape(b, codes, {count});
  if (type.getElementType().isInteger(32))
    return {codes, {}};
  std::optional<ConstantElements> elements = ConstantElements::get(codes);
  if (!elements)
    return {{}, codes};
  SmallVector<int32_t> narrow;
  for (int64_t index = 0; index < count; ++index) {
    auto element = std::get<APSInt>((*elements)[index]);
    if (!element.isSignedIntN(32))
      return {{}, codes};
    narrow.push_back(element.getSExtValue());
  }
  return {arith::ConstantOp::create(
              b, DenseElementsAttr::get(
                     RankedTensorType::get(count, b.getI32Type()),
                     ArrayRef(narrow))),
          {}};
}

Value mlir::qdq::addBias(const ForeignOp &op, Value sum, const Bias &bias) {
  if (!bias.wide)
    return sum;
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Type i64 = b.getI64Type();
  return mapElements(b, {sum, bias.wide}, i64,
                     [&](Scalar x, Scalar y) { return x.to(i64) + y; });
}
