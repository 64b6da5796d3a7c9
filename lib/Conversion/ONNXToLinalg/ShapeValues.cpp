// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of shapes, on scalars.

#include "ShapeValues.h"
#include "../ForeignOps/ForeignConstant.h"
#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/TypeRewrite.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;
using Scalars = SmallVector<Value>;

/// Tensors of more elements are no shapes.
static constexpr int64_t kMaxElements = 16;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Tensors of up to two dimensions of a few signless integers.
static bool isShapeLike(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() <= 2 && tensor.hasStaticShape() &&
         tensor.getNumElements() <= kMaxElements &&
         tensor.getElementType().isSignlessInteger();
}

/// The elements of a tensor; nothing where only the memory has them.
static std::optional<Scalars> getScalars(B &b, Value tensor) {
  if (!isShapeLike(tensor.getType()))
    return std::nullopt;
  auto type = cast<RankedTensorType>(tensor.getType());
  if (std::optional<ConstantElements> elements = getElements(tensor)) {
    Scalars scalars;
    for (int64_t i = 0; i < elements->size(); ++i)
      scalars.push_back(arith::ConstantOp::create(
          b, b.getIntegerAttr(type.getElementType(),
                              std::get<APSInt>((*elements)[i]))));
    return scalars;
  }
  while (auto cast = tensor.getDefiningOp<tensor::CastOp>())
    tensor = cast.getSource();
  if (auto list = tensor.getDefiningOp<tensor::FromElementsOp>())
    return Scalars(list.getElements());
  if (auto splat = tensor.getDefiningOp<tensor::SplatOp>())
    return Scalars(type.getNumElements(), splat.getInput());
  return std::nullopt;
}

/// True for expressions without negative constants, and so without differences.
static bool hasNoNegative(AffineMap map) {
  bool isSum = true;
  map.walkExprs([&](AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    isSum &= !constant || constant.getValue() >= 0;
  });
  return isSum;
}

bool mlir::qdq::isNonNegative(OpFoldResult value, int depth) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return *known >= 0;
  Operation *op = cast<Value>(value).getDefiningOp();
  auto areOperands = [&] {
    return depth > 0 && llvm::all_of(op->getOperands(), [&](Value operand) {
             return isNonNegative(OpFoldResult(operand), depth - 1);
           });
  };
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
    return hasNoNegative(apply.getAffineMap()) && areOperands();
  if (auto least = dyn_cast_or_null<affine::AffineMinOp>(op))
    return hasNoNegative(least.getAffineMap()) && areOperands();
  if (isa_and_nonnull<arith::MaxSIOp>(op))
    return depth > 0 && (isNonNegative(op->getOperand(0), depth - 1) ||
                         isNonNegative(op->getOperand(1), depth - 1));
  if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(op))
    return depth > 0 &&
           (cast.getIn().getType().isInteger(64) ||
            cast.getType().isInteger(64)) &&
           isNonNegative(cast.getIn(), depth - 1);
  return isa_and_nonnull<tensor::DimOp>(op);
}

Value mlir::qdq::readScalar(const ForeignOp &node,
                            const ForeignTensor &operand) {
  B b(node.getLoc(), node.getRewriter());
  if (std::optional<Scalars> scalars = getScalars(b, operand.value))
    return scalars->front();
  return toScalar(b, node.materializeSingle(operand));
}

/// An integer that is constant, or the size that it was made of; null for
/// others.
static OpFoldResult getKnownIndex(Builder &b, Value integer) {
  if (std::optional<int64_t> known = getConstantIntValue(OpFoldResult(integer)))
    return b.getIndexAttr(*known);
  auto from = integer.getDefiningOp<arith::IndexCastOp>();
  if (from && from.getIn().getType().isIndex())
    return from.getIn();
  return {};
}

OpFoldResult mlir::qdq::getIndex(B &b, Value integer) {
  if (OpFoldResult known = getKnownIndex(b, integer))
    return known;
  return arith::IndexCastOp::create(b, b.getIndexType(), integer).getResult();
}

OpFoldResult mlir::qdq::clampToSize(B &b, OpFoldResult value) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return b.getIndexAttr(std::max<int64_t>(*known, 0));
  if (isNonNegative(value))
    return value;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return arith::MaxSIOp::create(b, cast<Value>(value), zero).getResult();
}

FailureOr<Sizes> mlir::qdq::readIntegers(const ForeignOp &node, unsigned index,
                                         StringRef name) {
  B b(node.getLoc(), node.getRewriter());
  if (node.has(name)) {
    FailureOr<SmallVector<int64_t>> known = node.getIntegers(name);
    if (failed(known))
      return failure();
    return getAsIndexOpFoldResult(b.getContext(), *known);
  }
  FailureOr<ForeignTensor> list = getRanked(node, index, name);
  if (failed(list) ||
      failed(checkListLength(node, node.getOperand(index), name)))
    return failure();
  Type element = list->type.getElementType();
  if (list->type.getRank() != 1 || !list->type.hasStaticShape() ||
      !element.isSignlessInteger())
    return node.refuse(name, " has type ", list->type,
                       ": expected a static number of integers");
  std::optional<Scalars> scalars = getScalars(b, list->value);
  Value tensor = scalars ? Value() : node.materialize(*list);
  Sizes integers;
  for (int64_t i = 0; i < list->type.getNumElements(); ++i) {
    Value scalar =
        scalars
            ? (*scalars)[i]
            : tensor::ExtractOp::create(
                  b, tensor, arith::ConstantIndexOp::create(b, i).getResult());
    integers.push_back(getIndex(b, scalar));
  }
  return integers;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// A comparison of a size with a negative number is false.
static bool isNever(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  Builder b(op->getContext());
  OpFoldResult from = getKnownIndex(b, compare.getLhs());
  std::optional<int64_t> to =
      getConstantIntValue(OpFoldResult(compare.getRhs()));
  return from && isNonNegative(from) && to && *to < 0;
}

/// The result of arithmetic of sizes as an affine expression, which simplifies;
/// null for other operators and integers.
static Value emitAffine(B &b, StringRef name, ArrayRef<Value> operands) {
  AffineExpr x = b.getAffineSymbolExpr(0), y = b.getAffineSymbolExpr(1);
  Sizes sizes;
  for (Value operand : operands)
    sizes.push_back(getKnownIndex(b, operand));
  if (llvm::is_contained(sizes, OpFoldResult()) || sizes.size() != 2 ||
      getConstantIntValues(sizes))
    return Value();
  int64_t divisor = getConstantIntValue(sizes[1]).value_or(0);
  // Toward zero it is toward the lower number, too.
  bool divides = divisor > 0 && isNonNegative(sizes[0]);
  AffineExpr expr;
  if (name == "onnx.Add")
    expr = x + y;
  else if (name == "onnx.Sub")
    expr = x - y;
  else if (name == "onnx.Mul")
    expr = x * y;
  else if (name == "onnx.Div" && divides)
    expr = x.floorDiv(divisor);
  else if (name == "onnx.Mod" && divides)
    expr = x % divisor;
  else
    return Value();
  OpFoldResult result =
      affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, sizes);
  if (std::optional<int64_t> known = getConstantIntValue(result))
    return createNumber(b, operands[0].getType(), *known);
  return arith::IndexCastOp::create(b, operands[0].getType(),
                                    cast<Value>(result));
}

/// Emits ops before `node` and folds each of them.
static Value emitFolded(const ForeignOp &node, B &b,
                        function_ref<Value()> emit) {
  Operation *op = node.getOperation(), *before = op->getPrevNode();
  Value result = emit();
  Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
  OpBuilder::InsertionGuard guard(b);
  for (Operation *made = first; made != op;) {
    Operation *next = made->getNextNode();
    b.setInsertionPoint(made);
    SmallVector<Value> folded;
    if (isNever(made))
      folded = {arith::ConstantOp::create(b, b.getBoolAttr(false))};
    else if (failed(b.tryFold(made, folded)))
      folded.clear();
    if (!folded.empty()) {
      result = result.getDefiningOp() == made ? folded[0] : result;
      node.getRewriter().replaceOp(made, folded);
    }
    made = next;
  }
  return result;
}

/// The element of a list, or the one element that is repeated.
static Value getElement(ArrayRef<Value> list, size_t index) {
  return list.size() == 1 ? list[0] : list[index];
}

/// Applies an elementwise operator; nothing where the lists do not broadcast.
static std::optional<Scalars>
mapScalars(ArrayRef<Scalars> operands,
           function_ref<Value(ArrayRef<Value>)> emit) {
  size_t count = 1;
  for (const Scalars &operand : operands)
    count = operand.size() == 1 ? count : operand.size();
  Scalars results;
  for (size_t i = 0; i < count; ++i) {
    Scalars elements;
    for (const Scalars &operand : operands) {
      if (operand.size() != 1 && operand.size() != count)
        return std::nullopt;
      elements.push_back(getElement(operand, i));
    }
    results.push_back(emit(elements));
  }
  return results;
}

/// The elements of a result from those of operands; nothing where only the
/// memory has them. Operands that are axes or places are read as constants.
using Evaluation = std::optional<Scalars>(const ForeignOp &node,
                                          const Operator &self,
                                          ArrayRef<Scalars> operands);

static std::optional<Scalars> evaluateSame(const ForeignOp &, const Operator &,
                                           ArrayRef<Scalars> operands) {
  return operands[0];
}

static std::optional<Scalars> evaluateMap(const ForeignOp &node,
                                          const Operator &self,
                                          ArrayRef<Scalars> operands) {
  B b(node.getLoc(), node.getRewriter());
  return mapScalars(operands, [&](ArrayRef<Value> elements) {
    if (Value size = emitAffine(b, self.name, elements))
      return size;
    Elements all{{}, elements[0].getType().isInteger(1)};
    for (Value element : elements)
      all.x.emplace_back(b, element);
    return emitFolded(node, b, [&] { return self.emit(b, all); });
  });
}

/// From the first operand on, each with the next one.
static std::optional<Scalars> evaluateJoin(const ForeignOp &node,
                                           const Operator &self,
                                           ArrayRef<Scalars> operands) {
  std::optional<Scalars> joined = operands[0];
  for (const Scalars &next : operands.drop_front())
    joined = joined ? evaluateMap(node, self, {*joined, next}) : joined;
  return joined;
}

static std::optional<Scalars> evaluateConcat(const ForeignOp &,
                                             const Operator &,
                                             ArrayRef<Scalars> operands) {
  Scalars all;
  for (const Scalars &operand : operands)
    llvm::append_range(all, operand);
  return all;
}

static std::optional<Scalars> evaluateCast(const ForeignOp &node,
                                           const Operator &,
                                           ArrayRef<Scalars> operands) {
  B b(node.getLoc(), node.getRewriter());
  const Scalars &x = operands[0];
  Type to = getElementTypeOrSelf(node.getOperation()->getResult(0));
  unsigned width = to.isSignlessInteger() ? to.getIntOrFloatBitWidth() : 0;
  unsigned own = x.empty() ? width : x[0].getType().getIntOrFloatBitWidth();
  // To 1 bit it is a comparison, from it no sign.
  if (width < 2 || own < 2)
    return std::nullopt;
  return llvm::map_to_vector(
      x, [&](Value element) -> Value { return Scalar(b, element).to(to); });
}

/// The shape of operand 0, whose elements are known.
static ArrayRef<int64_t> getShape(const ForeignOp &node) {
  Value first = node.getOperation()->getOperand(0);
  return cast<RankedTensorType>(first.getType()).getShape();
}

/// The elements of a list or of a matrix at places along one dimension.
static Scalars takeAlong(const Scalars &x, ArrayRef<int64_t> shape,
                         int64_t axis, ArrayRef<int64_t> places) {
  int64_t columns = shape.size() == 2 ? shape[1] : 1;
  Scalars results;
  if (axis == 1) {
    for (int64_t row = 0; row < shape[0]; ++row)
      for (int64_t place : places)
        results.push_back(x[row * columns + place]);
    return results;
  }
  for (int64_t place : places)
    for (int64_t column = 0; column < columns; ++column)
      results.push_back(x[place * columns + column]);
  return results;
}

/// Elements at constant places of a list.
static std::optional<Scalars> evaluateGather(const ForeignOp &node,
                                             const Operator &,
                                             ArrayRef<Scalars> operands) {
  ArrayRef<int64_t> shape = getShape(node);
  auto places = getKnownIntegers(node, 1);
  if (!places || shape.size() != 1)
    return std::nullopt;
  for (int64_t &place : *places) {
    place += place < 0 ? shape[0] : 0;
    if (place < 0 || place >= shape[0])
      return std::nullopt;
  }
  return takeAlong(operands[0], shape, 0, *places);
}

/// A part along one dimension, between constant places.
static std::optional<Scalars> evaluateSlice(const ForeignOp &node,
                                            const Operator &,
                                            ArrayRef<Scalars> operands) {
  ArrayRef<int64_t> shape = getShape(node);
  auto starts = getKnownIntegers(node, 1), ends = getKnownIntegers(node, 2);
  auto axes = getKnownIntegers(node, 3), steps = getKnownIntegers(node, 4);
  auto getOne = [](const auto &list, int64_t fallback) {
    return list && list->size() == 1 ? (*list)[0] : fallback;
  };
  int64_t rank = shape.size(), axis = getOne(axes, 0), step = getOne(steps, 1);
  bool isOne = starts && ends && starts->size() == 1 && ends->size() == 1;
  if (!isOne || bool(axes) != bool(node.getOperand(3)) ||
      bool(steps) != bool(node.getOperand(4)) || axis < -rank || axis >= rank ||
      (step != 1 && step != -1))
    return std::nullopt;
  axis += axis < 0 ? rank : 0;
  int64_t size = shape[axis], isBack = step < 0;
  auto clamp = [&](int64_t place) {
    place += place < 0 ? size : 0;
    return std::clamp<int64_t>(place, -isBack, size - isBack);
  };
  int64_t end = clamp((*ends)[0]);
  SmallVector<int64_t> places;
  for (int64_t place = clamp((*starts)[0]); (end - place) * step > 0;
       place += step)
    places.push_back(place);
  return takeAlong(operands[0], shape, axis, places);
}

/// A matrix with its dimensions exchanged; a list stays.
static std::optional<Scalars> evaluateTranspose(const ForeignOp &node,
                                                const Operator &,
                                                ArrayRef<Scalars> operands) {
  ArrayRef<int64_t> shape = getShape(node);
  auto order = getIntegerList(node, "perm", std::nullopt);
  if (failed(order))
    return std::nullopt;
  if (shape.size() < 2 || (*order && **order == SmallVector<int64_t>{0, 1}))
    return operands[0];
  Scalars results;
  for (int64_t column = 0; column < shape[1]; ++column)
    llvm::append_range(results, takeAlong(operands[0], shape, 1, column));
  return results;
}

/// Null for other operators.
static Evaluation *findEvaluation(StringRef name) {
  return llvm::StringSwitch<Evaluation *>(name)
      .Cases({"onnx.Identity", "onnx.Reshape"}, evaluateSame)
      .Cases({"onnx.Squeeze", "onnx.Unsqueeze"}, evaluateSame)
      .Cases({"onnx.Add", "onnx.Sub", "onnx.Mul", "onnx.Div"}, evaluateMap)
      .Cases({"onnx.Mod", "onnx.Neg", "onnx.Abs", "onnx.Not"}, evaluateMap)
      .Cases({"onnx.And", "onnx.Or", "onnx.Equal", "onnx.Where"}, evaluateMap)
      .Cases({"onnx.Greater", "onnx.GreaterOrEqual"}, evaluateMap)
      .Cases({"onnx.Less", "onnx.LessOrEqual"}, evaluateMap)
      .Cases({"onnx.Max", "onnx.Min"}, evaluateJoin)
      .Case("onnx.Cast", evaluateCast)
      .Case("onnx.Concat", evaluateConcat)
      .Case("onnx.Gather", evaluateGather)
      .Case("onnx.Slice", evaluateSlice)
      .Case("onnx.Transpose", evaluateTranspose)
      .Default(nullptr);
}

LogicalResult mlir::qdq::translateShapeValue(const ForeignOp &node,
                                             const Operator &self) {
  Operation *op = node.getOperation();
  Evaluation *evaluate = findEvaluation(self.name);
  // Else operands behind the first one are axes or places.
  bool readsAll = evaluate == evaluateMap || evaluate == evaluateJoin ||
                  evaluate == evaluateConcat;
  FailureOr<int64_t> isC = node.getInteger("fmod", 0);
  if (!evaluate || op->getNumOperands() == 0 ||
      !isShapeLike(op->getResult(0).getType()) || failed(isC) || *isC != 0)
    return failure();
  B b(node.getLoc(), node.getRewriter());
  SmallVector<Scalars> operands;
  SmallVector<unsigned> inMemory;
  for (auto [i, operand] :
       llvm::enumerate(op->getOperands().take_front(readsAll ? kMany : 1))) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    bool isMatrix = type && type.getRank() > 1;
    std::optional<Scalars> scalars = getScalars(b, operand);
    if (!scalars && isShapeLike(operand.getType()) && isSingle(type))
      inMemory.push_back(i);
    else if (!scalars)
      return failure();
    if (readsAll && isMatrix)
      return failure();
    operands.push_back(scalars.value_or(Scalars()));
  }
  // A single number of an argument beside sizes is a scalar, too.
  if (inMemory.size() == operands.size())
    return failure();
  for (unsigned i : inMemory) {
    Value tensor = op->getOperand(i);
    SmallVector<Value> first(cast<RankedTensorType>(tensor.getType()).getRank(),
                             arith::ConstantIndexOp::create(b, 0));
    operands[i] = {tensor::ExtractOp::create(b, tensor, first)};
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<Scalars> results = evaluate(node, self, operands);
  if (!results ||
      static_cast<int64_t>(results->size()) != type.getNumElements())
    return failure();
  return replaceBy(node, tensor::FromElementsOp::create(b, type, *results));
}
