// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.transpose_conv as a convolution of the spread input. Operands: the shape
// of the result, weights [outputs, height, width, inputs], the input and a
// bias.

#include "../ForeignOps/TensorOps.h"
#include "../ONNXToLinalg/NodeParts.h"
#include "DynamicCodes.h"
#include "FloatActivation.h"
#include "ProductEnd.h"
#include "Rescaling.h"
#include "Spread.h"
#include "Translations.h"
#include "Windows.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

namespace {
/// Where the elements of the input are in the spread one, and the shape of the
/// result.
struct Transposed {
  SpreadDim dims[2];
  SmallVector<int64_t> result;
};
} // namespace

/// One spatial dimension: zero points between and around the codes.
static FailureOr<SpreadDim> readSpread(const ForeignOp &op, StringRef stride,
                                       bool isSame, int64_t size,
                                       int64_t kernel, int64_t output) {
  FailureOr<int64_t> step = op.getInteger(stride, 1);
  if (failed(step))
    return failure();
  if (*step < 1 || *step > INT16_MAX || kernel < 1)
    return op.refuse("attribute '", stride, "' is ", *step, " and the filter ",
                     kernel, ": expected positive numbers");
  auto spread = getSpread(size, kernel, output, *step, isSame);
  if (!spread)
    return op.refuse("has ", output, " elements from ", size,
                     " in a spatial dimension of the result: expected those of "
                     "the input of a convolution");
  return *spread;
}

static FailureOr<Transposed> readTransposed(const ForeignOp &op,
                                            RankedTensorType input,
                                            RankedTensorType filter,
                                            ShapedType result) {
  auto shape = readConstantIntegers(op, 0, "output_shape");
  FailureOr<StringRef> padding = op.getString("padding", "SAME");
  if (failed(shape) || failed(padding))
    return failure();
  ArrayRef<int64_t> x = input.getShape(), w = filter.getShape();
  if (x.size() != 4 || w.size() != 4 || shape->size() != 4 ||
      ShapedType::isDynamicShape(x) || ShapedType::isDynamicShape(w) ||
      llvm::is_contained(x, 0) || llvm::is_contained(w, 0) || x[3] != w[3])
    return op.refuse("input has type ", input, " and weights ", filter,
                     ": expected static shapes, [batch, height, width, "
                     "channels] and [outputs, height, width, channels]");
  Transposed places;
  places.result = {x[0], (*shape)[1], (*shape)[2], w[0]};
  for (int64_t dim : {0, 1}) {
    auto spread =
        readSpread(op, dim ? "stride_w" : "stride_h", *padding == "SAME",
                   x[1 + dim], w[1 + dim], (*shape)[1 + dim]);
    if (failed(spread))
      return failure();
    places.dims[dim] = *spread;
  }
  if (failed(verifyCompatibleShape(places.result, result.getShape())))
    return op.refuse(
        "result has type ", result, ": expected the shape ",
        RankedTensorType::get(places.result, result.getElementType()));
  return places;
}

/// The sum of products, of codes that are spread by their zero point.
static FailureOr<Value> buildSum(const ForeignOp &op, const Transposed &places,
                                 Value spreadCodes, ForeignTensor zeroPoint,
                                 const CodeTensor &filter, Value bias) {
  B b(op.getLoc(), op.getRewriter());
  ArrayRef<int64_t> w = filter.type.getShape();
  Window window;
  window.kernel.assign(w.begin() + 1, w.begin() + 3);
  window.strides = window.dilations = {1, 1};
  window.padLow.assign(2, 0);
  window.padHigh.assign(2, 0);
  Windowed windowed{
      spreadCodes, getAsIndexOpFoldResult(b.getContext(),
                                          ArrayRef(places.result).slice(1, 2))};
  return buildConv2D(op,
                     {windowed, zeroPoint, filter,
                      reverse(b, filter.getCodes(op), {1, 2}), window, bias});
}

//===----------------------------------------------------------------------===//
// Codes
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::translateTransposeConv(const ForeignOp &op,
                                                const Stamp &stamp) {
  FailureOr<CodeTensor> filter =
      readCodes(op, 1, "weights", /*allowsAxis=*/true);
  FailureOr<CodeTensor> input = readCodes(op, 2, "input");
  FailureOr<CodeType> result = readResultCodes(op);
  if (failed(filter) || failed(input) || failed(result))
    return failure();
  if (filter->axis.value_or(0) != 0 || !input->isSigned() ||
      input->getWidth() > 16)
    return op.refuse("input has type ", input->type, " and weights ",
                     filter->type,
                     ": expected codes i8 or i16, and one scale or those of "
                     "axis 0 of the weights");
  FailureOr<Transposed> places =
      readTransposed(op, input->type, filter->type, result->type);
  if (failed(places))
    return failure();
  // XNNPACK has no 16 bits.
  Rescale rescale = input->getStorage().isInteger(16)
                        ? getOwnRescale(stamp, Rescale::Fixed15)
                        : getSumRescale(stamp, Rescale::Fixed31Double);
  SumRescaling rescaling = getRescaling(rescale, *input, *filter, *result,
                                        ScaleProduct::F64, /*axis=*/3);
  auto bounds = readActivationBounds(op, stamp, *result);
  int64_t outputs = places->result.back();
  if (failed(bounds) || failed(checkRescaling(op, rescaling)) ||
      failed(checkBias(op, 3, *input, *filter, outputs)))
    return failure();

  B b(op.getLoc(), op.getRewriter());
  Bias bias = createBias(op, 3, outputs);
  Value codes = asSignless(b, b.getLoc(), input->getCodes(op));
  FailureOr<Value> sum = buildSum(
      op, *places, spread(b, codes, places->dims, input->getZeroPoint()),
      input->parameters.zeroPoint, *filter, bias.inProduct);
  if (failed(sum))
    return failure();
  return replaceWithStorage(op,
                            createRequantize(op, stamp, addBias(op, *sum, bias),
                                             *result, rescaling, *bounds));
}

//===----------------------------------------------------------------------===//
// Floats by codes
//===----------------------------------------------------------------------===//

/// LiteRT's reference kernel: each product times both scales, in f32.
static Value sumReals(const ForeignOp &op, const Transposed &places,
                      Value differences, Value inputScales,
                      const CodeTensor &filter) {
  B b(op.getLoc(), op.getRewriter());
  Type f32 = b.getF32Type();
  SmallVector<AffineExpr> d;
  for (unsigned i = 0; i < 7; ++i)
    d.push_back(b.getAffineDimExpr(i));
  auto map = [&](ArrayRef<AffineExpr> indices) {
    return AffineMap::get(7, 0, indices, b.getContext());
  };
  Value filterScales = op.materialize(filter.parameters.scale);
  bool isSingleScale = getRankedType(filterScales).getRank() == 0;
  // Batch, height, width, outputs; height and width of the window, inputs.
  AffineMap maps[] = {map({d[0], d[1] + d[4], d[2] + d[5], d[6]}),
                      map({d[3], d[4], d[5], d[6]}),
                      isSingleScale ? map({}) : map(d[3]), map(d[0]),
                      map({d[0], d[1], d[2], d[3]})};
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(b.getContext(), places.result);
  Value init = createZeros(b, sizes, f32);
  Value codes =
      asSignless(b, b.getLoc(), reverse(b, filter.getCodes(op), {1, 2}));
  return createGeneric(b, {differences, codes, filterScales, inputScales}, init,
                       maps, [&](B &body, ValueRange x) {
                         Type i32 = body.getI32Type();
                         Scalar code(body, x[0]), weight(body, x[1]),
                             sum(body, x[4]);
                         Scalar real = (code.to(i32) * weight.to(i32)).to(f32);
                         return addInOrder(sum, real * x[2] * x[3]);
                       });
}

LogicalResult mlir::qdq::translateDynamicTransposeConv(const ForeignOp &op,
                                                       const Stamp &stamp) {
  FailureOr<DynamicProduct> n = readDynamicProduct(
      op, /*rank=*/4, /*outputAxis=*/0, /*input=*/2, /*bias=*/3);
  if (failed(n))
    return failure();
  FailureOr<Transposed> places =
      readTransposed(op, n->input, n->filter.type, n->result);
  if (failed(places))
    return failure();
  B b(op.getLoc(), op.getRewriter());
  DynamicCodes codes = createDynamicCodes(op, stamp, op.getOperand(2),
                                          /*isAsymmetric=*/true);
  Value differences =
      spread(b, subtractDynamicZeroPoints(b, codes), places->dims, /*fill=*/0);
  if (stamp.getProfile() == Profile::TFLite) {
    Value sum = sumReals(op, *places, differences, codes.scales, n->filter);
    return op.replace(applyActivation(
        op, addBias(b, sum, n->bias, op.getRewriter().getF32Type())));
  }
  FailureOr<Value> sum =
      buildSum(op, *places, differences, {}, n->filter, /*bias=*/{});
  if (failed(sum))
    return failure();
  return op.replace(
      scaleDynamicProduct(op, *n, *sum, codes.scales, ScaleOrder::InputFirst));
}
