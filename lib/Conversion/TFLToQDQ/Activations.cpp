// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.relu and its kin, tfl.logistic and tfl.tanh.

#include "../ForeignOps/TensorOps.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include <limits>

using namespace mlir;
using namespace mlir::qdq;

namespace {
struct Unary {
  CodeTensor input;
  CodeType result;
};
} // namespace

static FailureOr<Unary> readUnary(const ForeignOp &op) {
  if (failed(op.checkArity(1, 1, 1)))
    return failure();
  FailureOr<CodeTensor> input = readCodes(op, 0, "input");
  FailureOr<CodeType> result = readResultCodes(op);
  if (failed(input) || failed(result) ||
      failed(checkPerTensor(op, "input", *input)) ||
      failed(checkPerTensor(op, "result", *result)))
    return failure();
  if (input->getStorage() != result->getStorage() ||
      failed(verifyCompatibleShape(input->type, result->type)))
    return op.refuse("has the input ", input->type, " and the result ",
                     result->type, ": expected one type");
  return Unary{*input, *result};
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// The codes of the result's scale between the codes of two reals.
static LogicalResult translateBounds(const ForeignOp &op, const Stamp &stamp,
                                     float lowest, float highest) {
  FailureOr<Unary> n = readUnary(op);
  if (failed(n))
    return failure();
  std::pair bounds(
      std::max(n->result.lo, quantizeBound(stamp, lowest, n->result)),
      std::min(n->result.hi, quantizeBound(stamp, highest, n->result)));
  if (bounds.first > bounds.second)
    return op.refuse("leaves no code of the result");
  SumRescaling rescaling{getOwnRescale(stamp, Rescale::Fixed31Double),
                         {getRealMultiplier(n->input.getScale(), APFloat(1.0f),
                                            n->result.getScale())}};
  if (failed(checkRescaling(op, rescaling)))
    return failure();
  replaceWithStorage(op, createRequantize(op, stamp,
                                          subtractZeroPoint(op, n->input),
                                          n->result, rescaling, bounds));
  return success();
}

LogicalResult mlir::qdq::translateRelu(const ForeignOp &op,
                                       const Stamp &stamp) {
  return translateBounds(op, stamp, 0, std::numeric_limits<float>::infinity());
}

LogicalResult mlir::qdq::translateRelu6(const ForeignOp &op,
                                        const Stamp &stamp) {
  return translateBounds(op, stamp, 0, 6);
}

LogicalResult mlir::qdq::translateReluN1To1(const ForeignOp &op,
                                            const Stamp &stamp) {
  return translateBounds(op, stamp, -1, 1);
}

//===----------------------------------------------------------------------===//
// Functions of reals
//===----------------------------------------------------------------------===//

/// A function between dequantize and quantize, as the kernels tabulate it.
static LogicalResult
translateFunction(const ForeignOp &op, const Stamp &stamp,
                  function_ref<Value(ImplicitLocOpBuilder &, Value)> function) {
  FailureOr<Unary> n = readUnary(op);
  if (failed(n))
    return failure();
  if (!n->input.getStorage().isInteger(8))
    return op.refuse("has codes of ", n->input.getStorage(),
                     ": expected 8 bits, for which LiteRT tabulates the "
                     "function; its kernel of 16 bits interpolates");
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  FloatType f32 = b.getF32Type();
  Value reals =
      createDequantize(op, n->input.getTensor(op), f32, n->input.parameters,
                       stamp({Direction::Dequantize, f32, f32}));
  Value values = mapElements(b, {reals}, f32,
                             [&](ImplicitLocOpBuilder &body, ValueRange x) {
                               return function(body, x[0]);
                             });
  ForeignTensor results{values, cast<TensorType>(values.getType()), nullptr};
  SemanticsFields spelled;
  spelled.division = Division::Reciprocal;
  replaceWithStorage(
      op,
      createQuantize(op, results, n->result.getStorage(), n->result.parameters,
                     stamp({Direction::Quantize, f32, f32}, spelled)));
  return success();
}

LogicalResult mlir::qdq::translateLogistic(const ForeignOp &op,
                                           const Stamp &stamp) {
  return translateFunction(
      op, stamp, [](ImplicitLocOpBuilder &b, Value x) -> Value {
        Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1.0f));
        Value power = math::ExpOp::create(b, arith::NegFOp::create(b, x));
        return arith::DivFOp::create(b, one,
                                     arith::AddFOp::create(b, one, power));
      });
}

LogicalResult mlir::qdq::translateTanh(const ForeignOp &op,
                                       const Stamp &stamp) {
  return translateFunction(op, stamp,
                           [](ImplicitLocOpBuilder &b, Value x) -> Value {
                             return math::TanhOp::create(b, x);
                           });
}
