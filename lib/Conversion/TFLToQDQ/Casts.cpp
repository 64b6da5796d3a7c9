// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.quantize, tfl.dequantize and constants.

#include "Rescaling.h"
#include "Translations.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// XNNPACK's multiplier has 8 binary places. It takes no other ratios, and no
/// change of the storage.
static std::optional<SumRescaling> getXNNPACKRescaling(const CodeType &from,
                                                       const CodeType &to) {
  APFloat quotient = from.getScale();
  quotient.divide(to.getScale(), APFloat::rmNearestTiesToEven);
  double ratio = quotient.convertToFloat();
  if (from.getStorage() != to.getStorage() || !to.getStorage().isInteger(8) ||
      ratio < 1.0 / 256 || ratio > 128)
    return std::nullopt;
  return SumRescaling{Rescale::Fixed31Single,
                      {std::nearbyint(256 * ratio) / 256}};
}

static LogicalResult requantize(const ForeignOp &op, const Stamp &stamp) {
  FailureOr<CodeTensor> input = readCodes(op, 0, "input");
  FailureOr<CodeType> output = readResultCodes(op);
  if (failed(input) || failed(output))
    return failure();
  if (failed(verifyCompatibleShape(input->type, output->type)))
    return op.refuse("has the operand ", input->type, " and the result ",
                     output->type, ": expected one shape");
  double multiplier =
      getRealMultiplier(input->getScale(), APFloat(1.0f), output->getScale());
  SumRescaling rescaling{getOwnRescale(stamp, Rescale::Fixed31Double),
                         {multiplier}};
  if (stamp.getProfile() == Profile::XNNPACK) {
    auto own = getXNNPACKRescaling(*input, *output);
    rescaling = own.value_or(rescaling);
    rescaling.hasTiesUp = !own && input->getStorage().isInteger(8);
  }
  if (failed(checkRescaling(op, rescaling)))
    return failure();
  return replaceWithStorage(
      op, createRequantize(op, stamp, subtractZeroPoint(op, *input), *output,
                           rescaling, {output->lo, output->hi}));
}

LogicalResult mlir::qdq::translateQuantize(const ForeignOp &op,
                                           const Stamp &stamp) {
  FailureOr<ForeignTensor> input = op.getTensor(0, "input");
  if (failed(input))
    return failure();
  if (isQuantized(input->type))
    return requantize(op, stamp);
  FailureOr<CodeType> output = readResultCodes(op, /*allowsAxis=*/true);
  if (failed(output))
    return failure();
  if (failed(verifyCompatibleShape(input->type, output->type)))
    return op.refuse("has the operand ", input->type, " and the result ",
                     output->type, ": expected one shape");
  if (!input->type.getElementType().isF32())
    return op.refuse("input has type ", input->type,
                     ": expected f32 or a quantized type");
  // XNNPACK has no axes.
  SemanticsFields own;
  if (stamp.getProfile() == Profile::XNNPACK && !output->isPerTensor()) {
    own.rounding = Rounding::NearestAway;
    own.division = Division::Exact;
  }
  return replaceWithStorage(op,
                            quantizeF32(op, stamp, *input, output->getStorage(),
                                        output->parameters, own,
                                        getClamp(op.getRewriter(), *output)));
}

LogicalResult mlir::qdq::translateDequantize(const ForeignOp &op,
                                             const Stamp &stamp) {
  FailureOr<TensorType> output = op.getResultType(0);
  FailureOr<CodeTensor> input = readCodes(op, 0, "input", /*allowsAxis=*/true);
  if (failed(output) || failed(input))
    return failure();
  if (!output->getElementType().isF32() ||
      failed(verifyCompatibleShape(input->type, *output)))
    return op.refuse("output has type ", *output, ": expected f32, and the ",
                     "shape of ", input->type);
  return replaceWithStorage(
      op, dequantizeF32(op, stamp, input->getTensor(op), input->parameters));
}

LogicalResult mlir::qdq::translateConstant(const ForeignOp &op, const Stamp &) {
  return replaceByConstant(op);
}
