// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands, axes and shapes of float operators.

#include "NodeParts.h"
#include "../ForeignOps/ForeignConstant.h"
#include "../ForeignOps/Gather.h"
#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/SizeSource.h"
#include "../ForeignOps/TensorOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/TypeRewrite.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Operands and attributes
//===----------------------------------------------------------------------===//

int64_t mlir::qdq::getOpset(const ForeignOp &node) {
  auto module = node.getOperation()->getParentOfType<ModuleOp>();
  auto opsets = module
                    ? module->getAttrOfType<DictionaryAttr>("onnx.opset_import")
                    : DictionaryAttr();
  auto opset = opsets ? opsets.getAs<IntegerAttr>("ai.onnx") : IntegerAttr();
  return opset && opset.getType().isSignlessInteger() ? opset.getInt()
                                                      : INT64_MAX;
}

Value mlir::qdq::skipCasts(Value tensor) {
  while (auto cast = tensor.getDefiningOp<tensor::CastOp>()) {
    auto source = dyn_cast<RankedTensorType>(cast.getSource().getType());
    if (!source ||
        (cast.getType().hasRank() &&
         !tensor::preservesStaticInformation(cast.getType(), source)))
      break;
    tensor = cast.getSource();
  }
  return tensor;
}

FailureOr<ForeignTensor> mlir::qdq::getRanked(const ForeignOp &node,
                                              unsigned index, StringRef name,
                                              int64_t minRank) {
  FailureOr<ForeignTensor> tensor = node.getTensor(index, name);
  if (failed(tensor))
    return failure();
  if (Value known = tensor->value ? skipCasts(tensor->value) : Value();
      known != tensor->value) {
    tensor->value = known;
    tensor->type = getRankedType(known);
  }
  if (!isa<RankedTensorType>(tensor->type))
    return node.refuse(name, " has type ", tensor->type,
                       ": expected a rank, which the file does not tell");
  Type element = tensor->type.getElementType();
  if (!element.isIntOrFloat())
    return node.refuse(name, " has element type ", element,
                       ": expected integers or floats");
  if (tensor->type.getRank() < minRank)
    return node.refuse(name, " has type ", tensor->type, ": expected rank ",
                       minRank, " or more");
  return tensor;
}

FailureOr<ForeignTensor> mlir::qdq::getFloats(const ForeignOp &node,
                                              unsigned index, StringRef name,
                                              int64_t minRank) {
  FailureOr<ForeignTensor> tensor = getRanked(node, index, name, minRank);
  if (failed(tensor))
    return failure();
  Type element = tensor->type.getElementType();
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
    return node.refuse(name, " has element type ", element,
                       ": expected f16, bf16, f32 or f64");
  return tensor;
}

FailureOr<ForeignTensor> mlir::qdq::getSingle(const ForeignOp &node,
                                              unsigned index, StringRef name,
                                              Type element) {
  FailureOr<ForeignTensor> single = getRanked(node, index, name);
  if (succeeded(single) &&
      (!isSingle(single->type) || single->type.getElementType() != element))
    return node.refuse(name, " has type ", single->type,
                       ": expected one element of ", element);
  return single;
}

RankedTensorType mlir::qdq::getResultShape(const ForeignOp &node) {
  return dyn_cast<RankedTensorType>(
      node.getOperation()->getResult(0).getType());
}

std::optional<ConstantElements> mlir::qdq::getElements(Value constant) {
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  TypedAttr attr = type ? getConstant(constant, type) : TypedAttr();
  return ConstantElements::get(Attribute(attr));
}

std::optional<SmallVector<int64_t>>
mlir::qdq::getKnownIntegers(const ForeignOp &node, unsigned index) {
  Value operand = node.getOperand(index);
  if (!operand)
    return std::nullopt;
  // A list that nodes computed: ShapeValues.h.
  if (auto made = operand.getDefiningOp<tensor::FromElementsOp>())
    return getConstantIntValues(getAsOpFoldResult(made.getElements()));
  std::optional<ConstantElements> elements = getElements(operand);
  if (!elements || !elements->getElementType().isInteger() ||
      elements->size() > kMaxListLength)
    return std::nullopt;
  SmallVector<int64_t> list;
  for (int64_t i = 0; i < elements->size(); ++i)
    list.push_back(std::get<APSInt>((*elements)[i]).getExtValue());
  return list;
}

FailureOr<std::optional<SmallVector<int64_t>>>
mlir::qdq::getIntegerList(const ForeignOp &node, StringRef name,
                          std::optional<unsigned> index) {
  using List = std::optional<SmallVector<int64_t>>;
  if (node.has(name)) {
    FailureOr<SmallVector<int64_t>> list = node.getIntegers(name);
    return failed(list) ? FailureOr<List>(failure()) : List(*list);
  }
  if (!index || !node.getOperand(*index))
    return List();
  if (failed(checkListLength(node, node.getOperand(*index), name)))
    return failure();
  List list = getKnownIntegers(node, *index);
  if (!list)
    return node.refuse(name,
                       " is not constant: expected a constant of "
                       "integers as operand ",
                       *index);
  return list;
}

FailureOr<std::optional<SmallVector<double>>>
mlir::qdq::getFloatList(const ForeignOp &node, unsigned index, StringRef name) {
  using List = std::optional<SmallVector<double>>;
  if (!node.getOperand(index))
    return List();
  FailureOr<ForeignTensor> operand = node.getTensor(index, name);
  if (failed(operand) ||
      failed(checkListLength(node, node.getOperand(index), name)))
    return failure();
  std::optional<ConstantElements> elements = getElements(operand->value);
  if (!elements || !isa<FloatType>(elements->getElementType()))
    return node.refuse(
        name, " is not constant: expected a constant of floats as operand ",
        index);
  SmallVector<double> list;
  for (int64_t i = 0; i < elements->size(); ++i)
    list.push_back(std::get<APFloat>((*elements)[i]).convertToDouble());
  return list.empty() ? List() : List(list);
}

FailureOr<SmallVector<int64_t>> mlir::qdq::normalizeAxes(const ForeignOp &node,
                                                         ArrayRef<int64_t> axes,
                                                         int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t given : axes) {
    FailureOr<int64_t> axis = normalizeAxis(node, given, rank);
    if (failed(axis))
      return failure();
    if (llvm::is_contained(result, *axis))
      return node.refuse("axis ", *axis, " is given twice");
    result.push_back(*axis);
  }
  return result;
}

/// `value` as the type that the node says; refuses where the two contradict.
static FailureOr<Value> castTo(const ForeignOp &node, Value value, Type type) {
  auto expected = dyn_cast<TensorType>(type);
  auto own = cast<TensorType>(value.getType());
  if (!expected || failed(verifyCompatibleShape(own, expected)))
    return node.refuse("computes a ", own, ", which is no ", type,
                       " as the result type says");
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Type from = own.getElementType(), to = expected.getElementType();
  if (from != to) {
    if (!from.isInteger() || !to.isInteger() ||
        from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
      return node.refuse("computes elements of type ", from,
                         ", and the result type says ", to);
    value = castElementType(b, node.getLoc(), value, own.clone(to));
  }
  assertShape(node, value, expected);
  if (value.getType() != expected)
    value = tensor::CastOp::create(b, expected, value);
  return value;
}

LogicalResult mlir::qdq::replaceByAll(const ForeignOp &node,
                                      ValueRange values) {
  Operation *op = node.getOperation();
  SmallVector<Value> results;
  for (OpResult result : op->getResults()) {
    // Nobody uses a result without a type, or beyond those of the operator.
    bool isUsed = result.getResultNumber() < values.size() &&
                  !isa<NoneType>(result.getType());
    FailureOr<Value> own =
        isUsed
            ? castTo(node, values[result.getResultNumber()], result.getType())
            : values.front();
    if (failed(own))
      return failure();
    results.push_back(*own);
  }
  node.getRewriter().replaceOp(op, results);
  return success();
}

LogicalResult mlir::qdq::replaceBy(const ForeignOp &node, Value value) {
  Operation *op = node.getOperation();
  FailureOr<Value> result = castTo(node, value, op->getResult(0).getType());
  if (failed(result))
    return failure();
  // Other results have no uses.
  node.getRewriter().replaceOp(
      op, SmallVector<Value>(op->getNumResults(), *result));
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Value mlir::qdq::placeChannels(ImplicitLocOpBuilder &b, Value vector,
                               int64_t rank) {
  return insertUnitDims(b, vector,
                        llvm::to_vector(llvm::seq<int64_t>(1, rank - 1)));
}

/// Row-major elements of the shapes `from` and `to`, where one is a collapsed
/// form of the other. Open sizes that are one value are the same size.
static std::optional<SmallVector<ReassociationIndices>>
findGroups(ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to) {
  // A prime number stands for each value. Known sizes that it divides are left
  // to the general way.
  static constexpr int64_t kPrimes[] = {46309, 46327, 46337, 46349};
  SmallVector<Value> values;
  auto replace = [&](ArrayRef<OpFoldResult> sizes) {
    SmallVector<int64_t> shape;
    for (OpFoldResult size : sizes) {
      if (std::optional<int64_t> known = getConstantIntValue(size)) {
        bool isPrime = llvm::any_of(
            kPrimes, [&](int64_t prime) { return *known % prime == 0; });
        shape.push_back(isPrime ? -1 : *known);
        continue;
      }
      auto value = cast<Value>(size);
      auto *found = llvm::find_if(
          values, [&](Value other) { return isSameSize(other, value); });
      size_t index = found - values.begin();
      if (found == values.end())
        values.push_back(value);
      shape.push_back(index < std::size(kPrimes) ? kPrimes[index] : -1);
    }
    return shape;
  };
  SmallVector<int64_t> source = replace(from), target = replace(to);
  for (ArrayRef<int64_t> shape : {ArrayRef(source), ArrayRef(target)})
    if (llvm::any_of(shape, [](int64_t size) { return size < 1; }))
      return std::nullopt;
  if (source.size() == target.size())
    return std::nullopt;
  bool expands = source.size() < target.size();
  return getReassociationIndicesForCollapse(expands ? target : source,
                                            expands ? source : target);
}

Value mlir::qdq::reshapeTo(ImplicitLocOpBuilder &b, Value tensor,
                           ArrayRef<OpFoldResult> own,
                           ArrayRef<OpFoldResult> sizes) {
  RankedTensorType type = getRankedType(tensor);
  SmallVector<int64_t> shape;
  SmallVector<Value> open;
  dispatchIndexOpFoldResults(sizes, open, shape);
  RankedTensorType target = type.clone(shape);
  if (own == sizes || (type == target && type.getNumDynamicDims() <= 1))
    return tensor;
  if (llvm::is_contained(shape, 0))
    return tensor::EmptyOp::create(b, sizes, type.getElementType());
  if (std::optional<SmallVector<ReassociationIndices>> groups =
          findGroups(own, sizes)) {
    if (type.getRank() > target.getRank())
      return tensor::CollapseShapeOp::create(b, target, tensor, *groups);
    return tensor::ExpandShapeOp::create(b, target, tensor, *groups, sizes);
  }
  if (target.getNumDynamicDims() > 1) {
    SmallVector<Value> values =
        getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes);
    Value list = tensor::FromElementsOp::create(b, values);
    return tensor::ReshapeOp::create(b, target, tensor, list);
  }
  // Through all elements in one dimension.
  auto all = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups(1);
    for (int64_t dim = 0; dim < rank; ++dim)
      groups[0].push_back(dim);
    return groups;
  };
  if (type.getRank() == 0)
    return tensor::ExpandShapeOp::create(b, target, tensor,
                                         ArrayRef<ReassociationIndices>());
  if (type.getRank() > 1)
    tensor = tensor::CollapseShapeOp::create(b, tensor, all(type.getRank()));
  int64_t count = type.hasStaticShape()     ? type.getNumElements()
                  : target.hasStaticShape() ? target.getNumElements()
                                            : ShapedType::kDynamic;
  RankedTensorType line = type.clone(ArrayRef<int64_t>(count));
  if (tensor.getType() != line)
    tensor = tensor::CastOp::create(b, line, tensor);
  if (target.getRank() == 1)
    return tensor;
  if (target.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, target, tensor,
                                           ArrayRef<ReassociationIndices>());
  return tensor::ExpandShapeOp::create(b, target, tensor, all(target.getRank()),
                                       sizes);
}

Value mlir::qdq::broadcastTo(ImplicitLocOpBuilder &b, Value tensor,
                             ArrayRef<OpFoldResult> sizes) {
  return onSignless(b, tensor, [&](Value source) -> Value {
    RankedTensorType type = getRankedType(source);
    int64_t offset = sizes.size() - type.getRank();
    SmallVector<AffineExpr> places;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      places.push_back(size == 1 ? b.getAffineConstantExpr(0)
                                 : b.getAffineDimExpr(offset + dim));
    return readPlaces(b, source, sizes, places);
  });
}

Value mlir::qdq::transpose(ImplicitLocOpBuilder &b, Value tensor,
                           ArrayRef<int64_t> order) {
  if (order.size() < 2)
    return tensor;
  return onSignless(b, tensor, [&](Value source) -> Value {
    Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), source);
    Sizes permuted;
    for (int64_t dim : order)
      permuted.push_back(sizes[dim]);
    Value init =
        tensor::EmptyOp::create(b, permuted, getElementTypeOrSelf(source));
    return linalg::TransposeOp::create(b, source, init, order)->getResult(0);
  });
}

Value mlir::qdq::gatherPlaces(
    ImplicitLocOpBuilder &b, Value source, ArrayRef<OpFoldResult> sizes,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, ValueRange)>
        getPlace,
    Value isEmpty) {
  return onSignless(b, source, [&](Value signless) -> Value {
    int64_t rank = sizes.size();
    Value init =
        tensor::EmptyOp::create(b, sizes, getElementTypeOrSelf(signless));
    AffineMap maps[] = {b.getMultiDimIdentityMap(rank)};
    return createGeneric(
        b, {}, init, maps, [&](ImplicitLocOpBuilder &body, ValueRange) {
          SmallVector<Value> indices;
          for (int64_t dim = 0; dim < rank; ++dim)
            indices.push_back(linalg::IndexOp::create(body, dim));
          return readElement(body, signless, getPlace(body, indices), isEmpty);
        });
  });
}

Value mlir::qdq::viewElements(ImplicitLocOpBuilder &b, Value source,
                              ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> strides, int64_t first) {
  if (TypedAttr constant = getShapedConstant(source))
    if (TypedAttr view =
            gatherElements(cast<ElementsAttr>(constant), shape, strides, first))
      return arith::ConstantOp::create(b, view);
  source = reshape(b, source, getRankedType(source).getNumElements());
  AffineExpr place = b.getAffineConstantExpr(first);
  for (auto [dim, stride] : llvm::enumerate(strides))
    place = place + b.getAffineDimExpr(dim) * stride;
  return gatherPlaces(b, source, getAsIndexOpFoldResult(b.getContext(), shape),
                      [&](ImplicitLocOpBuilder &body, ValueRange indices) {
                        Value index = affine::makeComposedAffineApply(
                            body, body.getLoc(), place,
                            getAsOpFoldResult(indices));
                        return SmallVector<Value>{index};
                      });
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value mlir::qdq::reduceOver(ImplicitLocOpBuilder &b, Value tensor,
                            ArrayRef<int64_t> axes, TypedAttr initial,
                            const ElementBody &join) {
  Sizes kept;
  for (auto [dim, size] :
       llvm::enumerate(tensor::getMixedSizes(b, b.getLoc(), tensor)))
    if (!llvm::is_contained(axes, dim))
      kept.push_back(size);
  Value init = createFilled(b, kept, initial);
  return linalg::ReduceOp::create(
             b, tensor, init, axes,
             [&](OpBuilder &nested, Location loc, ValueRange x) {
               ImplicitLocOpBuilder body(loc, nested);
               linalg::YieldOp::create(body, join(body, x));
             })
      .getResult(0);
}

Value mlir::qdq::mapFloats(ImplicitLocOpBuilder &b, SmallVector<Value> values,
                           const ElementBody &body) {
  Type type = getElementTypeOrSelf(values[0]);
  return mapElements(b, std::move(values), type, body);
}

Value mlir::qdq::sumOver(ImplicitLocOpBuilder &b, Value tensor,
                         ArrayRef<int64_t> axes) {
  TypedAttr zero = b.getZeroAttr(getElementTypeOrSelf(tensor));
  Value sum = reduceOver(b, tensor, axes, zero,
                         [](Scalar x, Scalar joined) { return joined + x; });
  return insertUnitDims(b, sum, axes);
}

Value mlir::qdq::countOver(ImplicitLocOpBuilder &b, Value tensor,
                           ArrayRef<int64_t> axes, Type type) {
  Sizes sizes;
  for (int64_t axis : axes)
    sizes.push_back(tensor::getMixedSize(b, b.getLoc(), tensor, axis));
  return castFloat(b, countAsF32(b, sizes), type);
}

Scalar mlir::qdq::emitPower(Scalar x, int64_t p) {
  if (p == 2)
    return x * x;
  return p == 1 ? abs(x) : abs(x).apply<math::PowFOp>(p);
}

Scalar mlir::qdq::emitRoot(Scalar sum, int64_t p) {
  if (p == 1)
    return sum;
  return p == 2 ? sum.apply<math::SqrtOp>() : sum.apply<math::PowFOp>(1.0 / p);
}

FailureOr<int64_t> mlir::qdq::getNorm(const ForeignOp &node) {
  FailureOr<int64_t> p = node.getInteger("p", 2);
  if (succeeded(p) && *p < 1)
    return node.refuse("p is ", *p, ": expected 1 or more");
  return p;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

Type mlir::qdq::getComputeType(Type type) {
  bool isNarrow = isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
  return isNarrow ? Float32Type::get(type.getContext()) : type;
}

Value mlir::qdq::castFloats(ImplicitLocOpBuilder &b, Value tensor,
                            Type element) {
  if (getElementTypeOrSelf(tensor) == element)
    return tensor;
  return mapElements(b, {tensor}, element,
                     [&](Scalar x) { return x.to(element); });
}
