// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads RNN, GRU, LSTM and DynamicQuantizeLSTM.

#include "RecurrentNode.h"
#include "NodeParts.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static Value emitAffine(B &b, const Elements &e) {
  return e.x[0].constant(e.alpha) * e.x[0] + e.beta;
}

static Value emitScaledTanh(B &b, const Elements &e) {
  return e.x[0].constant(e.alpha) * e.functions.tanh(e.x[0] * e.beta);
}

namespace {
/// An activation, and how many of `activation_alpha` and `activation_beta` it
/// takes. `emit` is null for operators of ONNX, whose parameters have defaults.
struct Function {
  StringLiteral name;
  bool takesAlpha = false, takesBeta = false;
  Value (*emit)(B &, const Elements &) = nullptr;
};
} // namespace

static constexpr Function kFunctions[] = {
    {"Affine", true, true, emitAffine},
    {"Elu", true},
    {"HardSigmoid", true, true},
    {"LeakyRelu", true},
    {"Relu"},
    {"ScaledTanh", true, true, emitScaledTanh},
    {"Sigmoid"},
    {"Softplus"},
    {"Softsign"},
    {"Tanh"},
    {"ThresholdedRelu", true},
};

/// ONNX says 1, ONNX Runtime 0.
static bool hasDefault(const Function &function) {
  return !function.emit && function.name != "ThresholdedRelu";
}

/// The names of the attribute `activations`, or the usual ones. RNN's default
/// is that of two directions.
static FailureOr<SmallVector<StringRef>>
readActivationNames(const ForeignOp &node, const Recurrent &n) {
  SmallVector<StringRef> usual, names;
  if (n.cell != Cell::RNN)
    usual.push_back("Sigmoid");
  usual.push_back("Tanh");
  if (n.cell == Cell::LSTM)
    usual.push_back("Tanh");
  auto given = dyn_cast_or_null<ArrayAttr>(node.getAttr("activations"));
  if (!given) {
    for (size_t i = 0; i < n.reversed.size(); ++i)
      llvm::append_range(names, usual);
    return names;
  }
  for (Attribute name : given)
    if (auto string = dyn_cast<StringAttr>(name))
      names.push_back(string.getValue());
  size_t expected = n.reversed.size() * usual.size();
  if (names.size() != given.size() || names.size() < expected)
    return node.refuse("activations is ", given, ": expected ", expected,
                       " names");
  names.truncate(expected);
  return names;
}

/// ONNX Runtime computes each cell by other kernels.
static Functions getFunctions(const ForeignOp &node, Cell cell) {
  if (cell == Cell::RNN)
    return {};
  Functions functions(node.getProfile());
  return cell == Cell::GRU ? functions.ofGRU() : functions;
}

static LogicalResult readActivations(const ForeignOp &node, Recurrent &n) {
  auto getList = [&](StringRef name) -> FailureOr<SmallVector<float>> {
    return node.has(name) ? node.getFloats(name) : SmallVector<float>();
  };
  auto names = readActivationNames(node, n);
  auto alphas = getList("activation_alpha"), betas = getList("activation_beta");
  if (failed(names) || failed(alphas) || failed(betas))
    return failure();
  ArrayRef<float> nextAlpha = *alphas, nextBeta = *betas;
  for (StringRef name : *names) {
    const Function *function =
        llvm::find_if(kFunctions, [&](const Function &row) {
          return row.name.equals_insensitive(name);
        });
    if (function == std::end(kFunctions))
      return node.refuse("has the unknown activation ", name);
    Activation activation{function->emit, 0, 0, getFunctions(node, n.cell)};
    if (!activation.emit) {
      const Operator &op = getOperator(getElementwiseOperators(),
                                       ("onnx." + function->name).str());
      activation = {op.emit, op.alpha, op.beta, activation.functions};
    }
    // Functions take the elements of a list in order.
    auto take = [&](bool takes, StringRef list, ArrayRef<float> &values,
                    float &parameter) -> LogicalResult {
      if (takes && !values.empty())
        parameter = values.consume_front();
      else if (takes && !hasDefault(*function))
        return node.refuse(list, " has no value for the activation ",
                           function->name, ", which has no default");
      return success();
    };
    if (failed(take(function->takesAlpha, "activation_alpha", nextAlpha,
                    activation.alpha)) ||
        failed(take(function->takesBeta, "activation_beta", nextBeta,
                    activation.beta)))
      return failure();
    n.activations.push_back(activation);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes and operands
//===----------------------------------------------------------------------===//

static LogicalResult readAttributes(const ForeignOp &node, Recurrent &n) {
  FailureOr<StringRef> direction = node.getString("direction", "forward");
  FailureOr<int64_t> resets = node.getInteger("linear_before_reset", 0);
  FailureOr<int64_t> couples = node.getInteger("input_forget", 0);
  FailureOr<int64_t> layout = node.getInteger("layout", 0);
  if (failed(direction) || failed(resets) || failed(couples) || failed(layout))
    return failure();
  if (!llvm::is_contained({"forward", "reverse", "bidirectional"}, *direction))
    return node.refuse("has direction = ", *direction,
                       ": expected forward, reverse or bidirectional");
  n.resetsBehind = *resets;
  n.couplesGates = *couples;
  n.batchFirst = *layout;
  if (*direction != "reverse")
    n.reversed.push_back(false);
  if (*direction != "forward")
    n.reversed.push_back(true);
  if (node.has("clip")) {
    FailureOr<float> clip = node.getFloat("clip", 0);
    if (failed(clip))
      return failure();
    if (!(*clip > 0))
      return node.refuse("has clip = ", *clip, ": expected more than 0");
    n.clip = *clip;
  }
  return readActivations(node, n);
}

/// An operand of `element` whose static sizes are those of `shape`, where that
/// says one; null where the node leaves it out.
static LogicalResult read(const ForeignOp &node, unsigned index, StringRef name,
                          Type element, ArrayRef<int64_t> shape,
                          ForeignTensor &tensor) {
  if (!node.getOperand(index))
    return success();
  FailureOr<ForeignTensor> own = getRanked(node, index, name);
  if (failed(own))
    return failure();
  auto expected = RankedTensorType::get(shape, element);
  if (own->type.getElementType() != element ||
      failed(verifyCompatibleShape(own->type.getShape(), shape)))
    return node.refuse(name, " has type ", own->type, ": expected ", expected);
  tensor = *own;
  return success();
}

/// The same, with a dimension that the gates share.
static LogicalResult readGates(const ForeignOp &node, unsigned index,
                               StringRef name, Type element,
                               ArrayRef<int64_t> shape, int64_t gateDim,
                               ForeignTensor &tensor) {
  if (failed(read(node, index, name, element, shape, tensor)))
    return failure();
  if (tensor && tensor.type.isDynamicDim(gateDim))
    return node.refuse(name, " has type ", tensor.type,
                       ": expected a static dimension ", gateDim);
  return success();
}

/// W and R, whose gates come first.
static LogicalResult readWeights(const ForeignOp &node, Recurrent &n,
                                 int64_t inputs) {
  FailureOr<ForeignTensor> w = getFloats(node, 1, "W", 3);
  FailureOr<ForeignTensor> r = getFloats(node, 2, "R", 3);
  if (failed(w) || failed(r))
    return failure();
  n.hidden = r->type.getShape().back();
  if (ShapedType::isDynamic(n.hidden) || n.hidden == 0)
    return node.refuse("R has type ", r->type, ": expected a static size");
  int64_t count = n.reversed.size(), rows = n.getNumGates() * n.hidden;
  if (failed(readGates(node, 1, "W", n.element, {count, rows, inputs},
                       /*gateDim=*/1, n.w)))
    return failure();
  return readGates(node, 2, "R", n.element, {count, rows, n.hidden},
                   /*gateDim=*/1, n.r);
}

/// W and R as codes, whose gates come last, and their parameters.
static LogicalResult readCodes(const ForeignOp &node, Recurrent &n,
                               int64_t inputs) {
  FailureOr<ForeignTensor> codes[] = {getRanked(node, 1, "W"),
                                      getRanked(node, 2, "R")};
  if (failed(codes[0]) || failed(codes[1]))
    return failure();
  ArrayRef<int64_t> shape = codes[1]->type.getShape();
  if (shape.size() != 3 || ShapedType::isDynamic(shape[1]) || shape[1] == 0)
    return node.refuse("R has type ", codes[1]->type,
                       ": expected 3 dimensions, the second of a known size");
  n.hidden = shape[1];
  int64_t count = n.reversed.size(), columns = 4 * n.hidden;
  for (unsigned index : {0, 1}) {
    StringRef name = index ? "R" : "W";
    Type type = codes[index]->type.getElementType();
    if (!type.isInteger(8))
      return node.refuse(name, " has type ", codes[index]->type,
                         ": expected codes of 8 bits");
    if (failed(readGates(node, 1 + index, name, type,
                         {count, index ? n.hidden : inputs, columns},
                         /*gateDim=*/2, index ? n.r : n.w)))
      return failure();
    auto readParameter = [&](unsigned operand, StringRef suffix, Type element,
                             ForeignTensor &parameter) {
      std::string own = (name + suffix).str();
      FailureOr<ForeignTensor> given = getRanked(node, operand, own);
      if (failed(given))
        return failure();
      SmallVector<int64_t> parameterShape = {count};
      if (given->type.getRank() != 1)
        parameterShape.push_back(columns);
      return read(node, operand, own, element, parameterShape, parameter);
    };
    if (failed(readParameter(8 + 2 * index, "_scale", n.element,
                             n.scales[index])) ||
        failed(readParameter(9 + 2 * index, "_zero_point", type,
                             n.zeroPoints[index])))
      return failure();
  }
  return success();
}

Value Recurrent::materialize(const ForeignOp &node,
                             const ForeignTensor &operand) const {
  B b(node.getLoc(), node.getRewriter());
  Value value = node.materialize(operand);
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value));
  return isFloat ? castFloats(b, value, computeType) : value;
}

/// The static size of the batch that an operand has; it agrees with that of
/// the others.
static void refineBatch(Recurrent &n, const ForeignTensor &operand,
                        int64_t dim) {
  if (operand && !operand.type.isDynamicDim(dim))
    n.batch = operand.type.getDimSize(dim);
}

FailureOr<Recurrent> mlir::qdq::readRecurrent(const ForeignOp &node,
                                              StringRef name) {
  Recurrent n;
  if (name != "onnx.RNN")
    n.cell = name == "onnx.GRU" ? Cell::GRU : Cell::LSTM;
  if (failed(readAttributes(node, n)))
    return failure();
  constexpr int64_t kOpen = ShapedType::kDynamic;
  PatternRewriter &rewriter = node.getRewriter();
  bool hasCodes = name == "com.microsoft.DynamicQuantizeLSTM";
  FailureOr<ForeignTensor> x = getFloats(node, 0, "X", 3);
  if (failed(x))
    return failure();
  n.element = hasCodes ? rewriter.getF32Type() : x->type.getElementType();
  n.computeType = getComputeType(n.element);
  if (failed(read(node, 0, "X", n.element, {kOpen, kOpen, kOpen}, n.x)))
    return failure();
  int64_t batchDim = n.batchFirst ? 0 : 1;
  refineBatch(n, n.x, batchDim);
  int64_t inputs = n.x.type.getDimSize(2), count = n.reversed.size();
  if (failed(hasCodes ? readCodes(node, n, inputs)
                      : readWeights(node, n, inputs)))
    return failure();
  int64_t rows = n.getNumGates() * n.hidden;
  auto readState = [&](unsigned index, StringRef operand,
                       ForeignTensor &state) {
    SmallVector<int64_t> shape = {count, n.batch, n.hidden};
    if (n.batchFirst)
      std::swap(shape[0], shape[1]);
    LogicalResult result = read(node, index, operand, n.element, shape, state);
    refineBatch(n, state, batchDim);
    return result;
  };
  if (failed(readGates(node, 3, "B", n.element, {count, 2 * rows},
                       /*gateDim=*/1, n.bias)) ||
      failed(read(node, 4, "sequence_lens", rewriter.getI32Type(), {n.batch},
                  n.lengths)))
    return failure();
  refineBatch(n, n.lengths, 0);
  if (failed(readState(5, "initial_h", n.states[0])))
    return failure();
  if (n.cell != Cell::LSTM)
    return n;
  if (failed(readState(6, "initial_c", n.states[1])) ||
      failed(readGates(node, 7, "P", n.element, {count, 3 * n.hidden},
                       /*gateDim=*/1, n.peepholes)))
    return failure();
  return n;
}
