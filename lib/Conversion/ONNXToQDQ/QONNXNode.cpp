// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of QONNX's operands, which broadcast as NumPy's arrays.

#include "QONNXNode.h"
#include "../ForeignOps/TensorOps.h"
#include "LinearNode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

static constexpr int64_t kMaxBitWidth = 32;

FailureOr<ForeignTensor> mlir::qdq::readQONNXInput(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = node.getTensor(0, "input");
  FailureOr<TensorType> result = node.getResultType(0);
  if (failed(input) || failed(result) ||
      failed(checkSameShape(node, "input", input->type, "result", *result)))
    return failure();
  for (auto [name, type] :
       {std::pair("input", input->type), {"result", *result}})
    if (!type.getElementType().isF32())
      return node.refuse(name, " has element type ", type.getElementType(),
                         ": expected f32");
  return input;
}

/// The sizes of a parameter, one for each dimension of the input, with 1 where
/// it is shared; none if it has a single element.
static FailureOr<SmallVector<int64_t>> getSpread(const ForeignOp &node,
                                                 StringRef name,
                                                 TensorType parameter,
                                                 TensorType input) {
  if (!parameter.getElementType().isF32())
    return node.refuse(name, " has element type ", parameter.getElementType(),
                       ": expected f32");
  if (!parameter.hasStaticShape())
    return node.refuse(name, " has type ", parameter,
                       ": expected static sizes, which decide the "
                       "granularity");
  SmallVector<int64_t> sizes;
  if (isSingle(parameter))
    return sizes;
  if (!input.hasRank())
    return node.refuse("input has type ", input,
                       ": expected a rank, since the ", name, " ", parameter,
                       " is not one for all");
  ArrayRef<int64_t> own = parameter.getShape();
  own = own.drop_while([](int64_t size) { return size == 1; });
  int64_t rank = input.getRank(), missing = rank - int64_t(own.size());
  sizes.assign(rank, 1);
  bool fits = missing >= 0;
  for (auto [dim, size] : llvm::enumerate(own)) {
    if (!fits)
      break;
    sizes[missing + dim] = size;
    fits = size == 1 || !differ(size, input.getDimSize(missing + dim));
  }
  if (!fits)
    return node.refuse(name, " has type ", parameter,
                       ": expected a shape that broadcasts to ", input);
  return sizes;
}

/// The elements in another static shape of the same number of them.
static ForeignTensor reshapeParameter(const ForeignOp &node,
                                      const ForeignTensor &parameter,
                                      ArrayRef<int64_t> shape) {
  TensorType type = parameter.type.clone(shape);
  if (parameter.type == type)
    return parameter;
  TypedAttr reshaped;
  if (auto elements = dyn_cast_or_null<ElementsAttr>(getConstant(parameter)))
    reshaped = reshapeElements(elements, shape);
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(reshaped))
    return toForeign(dense);
  if (reshaped)
    return {node.create<arith::ConstantOp>(reshaped), type, nullptr};
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  return {reshape(b, node.materialize(parameter), shape), type, nullptr};
}

/// One constant for all elements as many of them.
static FailureOr<ForeignTensor> repeatScale(const ForeignOp &node,
                                            const ForeignTensor &scale,
                                            ArrayRef<int64_t> shape) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(getConstant(scale));
  if (!constant)
    return node.refuse("scale has type ", scale.type,
                       " and the zero point has more elements: expected a "
                       "constant scale, or the shape of the zero point");
  return toForeign(DenseElementsAttr::get(scale.type.clone(shape),
                                          constant.getSplatValue<APFloat>()));
}

FailureOr<QuantizationParameters>
mlir::qdq::readQONNXParameters(const ForeignOp &node, TensorType input,
                               unsigned scale,
                               std::optional<unsigned> zeroPoint) {
  FailureOr<ForeignTensor> factor = node.getTensor(scale, "scale");
  if (failed(factor))
    return failure();
  FailureOr<SmallVector<int64_t>> sizes =
      getSpread(node, "scale", factor->type, input);
  if (failed(sizes))
    return failure();
  Reader read;
  QuantizationParameters parameters;
  parameters.scale = *factor;
  if (zeroPoint) {
    parameters.zeroPoint = read(node.getTensor(*zeroPoint, "zero point"));
    if (failed(read))
      return failure();
    TensorType type = parameters.zeroPoint.type;
    auto own = read(getSpread(node, "zero point", type, input));
    if (sizes->empty() && !own.empty()) {
      parameters.scale = read(repeatScale(node, *factor, own));
      sizes = own;
    }
    if (failed(read))
      return failure();
    if (!own.empty() && own != *sizes)
      return node.refuse("zero point has type ", type,
                         ": expected one element, or the shape of the scale, ",
                         factor->type);
  }
  if (sizes->empty())
    return parameters;

  Builder b(node.getRewriter());
  SmallVector<int64_t> shape = *sizes;
  auto isShared = [](int64_t size) { return size == 1; };
  if (llvm::count_if(shape, isShared) == int64_t(shape.size()) - 1) {
    auto *own = llvm::find_if_not(shape, isShared);
    parameters.placement.axis = b.getI64IntegerAttr(own - shape.begin());
    shape = {*own};
  } else {
    SmallVector<int64_t> blocks;
    for (int64_t size : shape)
      blocks.push_back(!isShared(size));
    parameters.placement.blockShape = b.getDenseI64ArrayAttr(blocks);
  }
  parameters.scale = reshapeParameter(node, parameters.scale, shape);
  if (parameters.zeroPoint && !isSingle(parameters.zeroPoint.type))
    parameters.zeroPoint = reshapeParameter(node, parameters.zeroPoint, shape);
  return parameters;
}

ForeignTensor mlir::qdq::toStoredZeroPoint(const ForeignOp &node,
                                           ForeignTensor zeroPoint,
                                           Type storage) {
  if (!zeroPoint)
    return zeroPoint;
  std::optional<ConstantElements> numbers =
      ConstantElements::get(getConstant(zeroPoint));
  if (!numbers)
    return zeroPoint;
  SmallVector<APInt> codes;
  for (int64_t index = 0; index < numbers->getNumDistinct(); ++index) {
    APSInt code(storage.getIntOrFloatBitWidth(),
                /*isUnsigned=*/storage.isUnsignedInteger());
    bool isExact;
    APFloat number = std::get<APFloat>((*numbers)[index]);
    if (number.convertToInteger(code, APFloat::rmTowardZero, &isExact) !=
            APFloat::opOK &&
        !number.isZero())
      return zeroPoint;
    codes.push_back(code);
  }
  if (llvm::all_of(codes, [](const APInt &code) { return code.isZero(); }))
    return {};
  return toForeign(
      DenseElementsAttr::get(zeroPoint.type.clone(storage), codes));
}

FailureOr<int64_t> mlir::qdq::readQONNXBitWidth(const ForeignOp &node,
                                                unsigned index,
                                                StringRef name) {
  FailureOr<ForeignTensor> width = node.getTensor(index, name);
  if (failed(width))
    return failure();
  std::optional<ConstantElements> constant =
      ConstantElements::get(getConstant(*width));
  if (!constant)
    return node.refuse(name, " is no constant: expected one, which decides "
                             "the type of the codes");
  if (constant->size() != 1)
    return node.refuse(name, " has type ", width->type,
                       ": expected one element");
  Number number = (*constant)[0];
  auto *given = std::get_if<APFloat>(&number);
  if (!given)
    return node.refuse(name, " has element type ", width->type.getElementType(),
                       ": expected f32");
  double bits = given->convertToDouble();
  if (!(bits >= 1 && bits <= kMaxBitWidth) || !given->isInteger())
    return node.refuse(name, " is ", bits, ": expected an integer from 1 to ",
                       kMaxBitWidth);
  return int64_t(bits);
}

Type QONNXRange::getStorage(MLIRContext *ctx) const {
  return IntegerType::get(
      ctx, width, isSigned ? IntegerType::Signless : IntegerType::Unsigned);
}

DenseI64ArrayAttr QONNXRange::getClamp(MLIRContext *ctx) const {
  if (!isNarrow)
    return nullptr;
  int64_t half = int64_t(1) << (width - 1);
  if (isSigned)
    return DenseI64ArrayAttr::get(ctx, {1 - half, half - 1});
  return DenseI64ArrayAttr::get(ctx, {0, 2 * half - 2});
}

FailureOr<Rounding> mlir::qdq::readQONNXRounding(const ForeignOp &node,
                                                 StringRef fallback,
                                                 bool isSigned) {
  FailureOr<StringRef> given = node.getString("rounding_mode", fallback);
  if (failed(given))
    return failure();
  static constexpr std::pair<StringLiteral, Rounding> kModes[] = {
      {"ROUND", Rounding::NearestEven},  {"HALF_EVEN", Rounding::NearestEven},
      {"CEIL", Rounding::Ceil},          {"FLOOR", Rounding::Floor},
      {"UP", Rounding::AwayFromZero},    {"DOWN", Rounding::TowardZero},
      {"HALF_UP", Rounding::NearestAway}};
  for (auto [name, rounding] : kModes)
    if (given->equals_insensitive(name))
      return rounding;
  // Toward zero, which is down where no code is negative.
  if (given->equals_insensitive("HALF_DOWN")) {
    if (!isSigned)
      return Rounding::NearestDown;
    return node.refuse("rounding_mode is '", *given,
                       "', ties toward zero, which no rounding of qdq has for "
                       "signed codes: expected unsigned codes, or another "
                       "mode");
  }
  return node.refuse("rounding_mode is '", *given,
                     "': expected ROUND, HALF_EVEN, CEIL, FLOOR, UP, DOWN, "
                     "HALF_UP or HALF_DOWN");
}
