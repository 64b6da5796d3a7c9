// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.fully_connected.

#include "../ForeignOps/TensorOps.h"
#include "DynamicCodes.h"
#include "ProductEnd.h"
#include "Translations.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/IntegerProducts.h"

using namespace mlir;
using namespace mlir::qdq;

/// True if the elements of a tensor are rows of `depth`.
static bool hasRows(RankedTensorType type, int64_t depth) {
  int64_t rank = type.getRank();
  if (rank > 0 && type.getDimSize(rank - 1) == depth)
    return true;
  // Without elements, the number of rows is open.
  return type.hasStaticShape() && type.getNumElements() > 0 && depth > 0 &&
         type.getNumElements() % depth == 0;
}

/// The elements of a tensor as [rows, depth].
static Value toRows(ImplicitLocOpBuilder &b, Value codes, int64_t depth) {
  auto type = cast<RankedTensorType>(codes.getType());
  int64_t rank = type.getRank();
  if (rank >= 2 && type.getDimSize(rank - 1) == depth)
    return mergeRows(b, codes);
  if (rank != 1)
    codes = reshape(b, codes, {type.getNumElements()});
  return reshape(b, codes, {type.getNumElements() / depth, depth});
}

/// True if [rows, columns] can have the shape of the result: as it is, the
/// columns alone of one row, or the shape of the input up to its last
/// dimension.
static bool isOfRows(RankedTensorType result, RankedTensorType input,
                     int64_t depth) {
  int64_t rank = result.getRank();
  if (rank == 2)
    return true;
  if (rank == 1)
    return input.hasStaticShape() && input.getNumElements() == depth;
  return input.getRank() == rank && input.getDimSize(rank - 1) == depth &&
         succeeded(verifyCompatibleShape(input.getShape().drop_back(),
                                         result.getShape().drop_back()));
}

/// [rows, columns] as the result.
static Value fromRows(ImplicitLocOpBuilder &b, Value codes,
                      RankedTensorType result, Value input) {
  int64_t rank = result.getRank();
  if (rank == 2)
    return codes;
  auto type = cast<RankedTensorType>(codes.getType());
  if (rank == 1)
    return reshape(b, codes, type.getShape().drop_front());
  return splitRows(b, codes, input);
}

/// The product of [rows, depth] and [outputs, depth].
static IntegerProduct describeRows(ImplicitLocOpBuilder &b, Value rows,
                                   Value filter) {
  return describeMatmul(b, rows, filter, /*isLhsTransposed=*/false,
                        /*isRhsTransposed=*/true);
}

static LogicalResult checkFormat(const ForeignOp &op) {
  FailureOr<StringRef> format = op.getString("weights_format", "DEFAULT");
  if (succeeded(format) && *format != "DEFAULT")
    return op.refuse("weights_format is '", *format, "': expected DEFAULT");
  return format;
}

LogicalResult mlir::qdq::translateFullyConnected(const ForeignOp &op,
                                                 const Stamp &stamp) {
  FailureOr<CodeTensor> input = readCodes(op, 0, "input");
  FailureOr<CodeTensor> filter =
      readCodes(op, 1, "filter", /*allowsAxis=*/true);
  FailureOr<CodeType> result = readResultCodes(op);
  LogicalResult hasFormat = checkFormat(op);
  if (failed(input) || failed(filter) || failed(result) || failed(hasFormat))
    return failure();
  if (filter->type.getRank() != 2 || !filter->type.hasStaticShape() ||
      filter->axis.value_or(0) != 0 || result->type.getRank() == 0)
    return op.refuse("filter has type ", filter->type, " and the result ",
                     result->type,
                     ": expected static [outputs, depth], with one scale or "
                     "those of axis 0, and a result of rank 1 or more");
  auto isZero = [](int64_t zero) { return zero == 0; };
  if (filter->axis && !llvm::all_of(filter->zeroPoints, isZero))
    return op.refuse("filter has zero points along axis 0 that are not 0, "
                     "which the kernel does not have");
  int64_t outputs = filter->type.getDimSize(0);
  int64_t depth = filter->type.getDimSize(1);
  if (!hasRows(input->type, depth) ||
      !isOfRows(result->type, input->type, depth) ||
      differ(result->type.getShape().back(), outputs))
    return op.refuse("input ", input->type, ", filter ", filter->type,
                     " and result ", result->type,
                     " do not fit together: expected rows of the filter's ",
                     depth, " columns, and [rows, ", outputs,
                     "] or the shape of the input up to its last dimension");
  // LiteRT's kernel multiplies in f64 and rounds away: it has no integer
  // multiplier. XNNPACK has no 16 bits; ruy has them, without a bias.
  bool isOwn = stamp.getProfile() == Profile::XNNPACK &&
               input->getStorage().isInteger(16);
  bool isRuy = isOwn && !op.getOperand(2);
  Rescale own = isRuy ? Rescale::Fixed31Double : Rescale::F64;
  SumRescaling rescaling =
      getRescaling(isOwn ? own : getSumRescale(stamp, own), *input, *filter,
                   *result, ScaleProduct::F64, /*axis=*/1);
  rescaling.hasTiesUp = isRuy;
  if (isOwn && !isRuy) {
    rescaling.fields.rounding = Rounding::NearestAway;
    rescaling.fields.order = Order::RoundThenAdd;
  }
  FailureOr<ProductEnd> end =
      readProductEnd(op, stamp, *input, *filter, *result, rescaling);
  if (failed(end) || failed(checkBias(op, 2, *input, *filter, outputs)))
    return failure();

  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Bias bias = createBias(op, 2, outputs);
  Value codes = input->getCodes(op);
  IntegerProduct product =
      describeRows(b, toRows(b, codes, depth), filter->getCodes(op));
  product.bias = bias.inProduct;
  product.biasMap = product.bMap.getSubMap({0});
  FailureOr<Value> rows = buildProductCodes(op, stamp, product, bias, *input,
                                            *filter, *result, *end);
  if (failed(rows))
    return failure();
  return replaceWithStorage(op, fromRows(b, *rows, result->type, codes));
}

/// Parameters for each row; symmetric unless the op says otherwise.
LogicalResult mlir::qdq::translateDynamicFullyConnected(const ForeignOp &op,
                                                        const Stamp &stamp) {
  FailureOr<DynamicProduct> n =
      readDynamicProduct(op, /*rank=*/2, /*outputAxis=*/0);
  LogicalResult hasFormat = checkFormat(op);
  if (failed(n) || failed(hasFormat))
    return failure();
  int64_t depth = n->filter.type.getDimSize(1);
  if (!hasRows(n->input, depth) || !isOfRows(n->result, n->input, depth))
    return op.refuse("input ", n->input, ", filter ", n->filter.type,
                     " and result ", n->result,
                     " do not fit together: expected rows of the filter's ",
                     depth, " columns");
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Value input = op.getOperand(0);
  DynamicCodes codes =
      createDynamicCodes(op, stamp, toRows(b, input, depth),
                         op.isSet("asymmetric_quantize_inputs"));
  IntegerProduct product = describeRows(b, codes.codes, n->filter.getCodes(op));
  product.a.zeroPoint = codes.zeroPoints;
  if (codes.zeroPoints)
    product.a.zeroPointMap = product.aMap.getSubMap({0});
  product.accumulator = Accumulator::Wrap32;
  std::string reason;
  FailureOr<Value> sum = buildIntegerProduct(b, product, reason);
  if (failed(sum))
    return op.refuse(reason);
  Value rows =
      scaleDynamicProduct(op, *n, *sum, codes.scales, ScaleOrder::Product);
  return op.replace(fromRows(b, rows, n->result, input));
}
