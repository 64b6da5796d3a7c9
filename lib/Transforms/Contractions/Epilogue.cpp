// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops between a contraction and the quantize of its result.

#include "Epilogue.h"
#include "mlir/IR/Matchers.h"
#include "qdq/IR/Walk.h"
#include "qdq/Support/Reason.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Operands of elementwise ops
//===----------------------------------------------------------------------===//

namespace {
/// A value in an elementwise computation on tensors: its tensor, and the map
/// from the dimensions of the result.
struct Element {
  Value tensor;
  AffineMap map;
};
} // namespace

/// True for structured ops that compute each element of one result by itself.
static bool isElementByElement(linalg::LinalgOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 &&
         op.getNumLoops() == op.getNumParallelLoops() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity();
}

/// The tensor that `value`, an argument of an elementwise op's body, is an
/// element of; nothing for others and for the destination.
static std::optional<Element> getElement(linalg::LinalgOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  if (!op.isDpsInput(operand))
    return std::nullopt;
  return Element{operand->get(), op.getMatchingIndexingMap(operand)};
}

/// The constant that all elements of a scalar or tensor are.
static std::optional<APFloat> getConstant(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.value();
  APFloat constant(0.0);
  if (matchPattern(value, m_ConstantFloat(&constant)))
    return constant;
  return std::nullopt;
}

/// The dequantize of which `element` is one, repeated or not.
static std::optional<Element> findDequantized(Element element) {
  for (;;) {
    Operation *op = element.tensor.getDefiningOp();
    if (!op || !isa<RankedTensorType>(element.tensor.getType()))
      return std::nullopt;
    if (isa<DequantizeOp>(op))
      return element;
    if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op)) {
      SmallVector<AffineExpr> kept;
      for (auto [dim, index] : llvm::enumerate(element.map.getResults()))
        if (!llvm::is_contained(broadcast.getDimensions(),
                                static_cast<int64_t>(dim)))
          kept.push_back(index);
      element = {
          broadcast.getInput(),
          AffineMap::get(element.map.getNumDims(), 0, kept, op->getContext())};
      continue;
    }
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      // Only dimensions of size 1 are put in between.
      SmallVector<AffineExpr> kept;
      for (ReassociationIndices group : expand.getReassociationIndices()) {
        AffineExpr index = getAffineConstantExpr(0, op->getContext());
        for (int64_t dim : group) {
          if (expand.getResultType().getDimSize(dim) == 1)
            continue;
          if (!isa<AffineConstantExpr>(index))
            return std::nullopt;
          index = element.map.getResult(dim);
        }
        kept.push_back(index);
      }
      element = {expand.getSrc(), AffineMap::get(element.map.getNumDims(), 0,
                                                 kept, op->getContext())};
      continue;
    }
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!isElementByElement(generic) ||
        generic.getBlock()->getOperations().size() != 1)
      return std::nullopt;
    auto source =
        getElement(generic, generic.getBlock()->getTerminator()->getOperand(0));
    if (!source)
      return std::nullopt;
    element = {source->tensor, source->map.compose(element.map)};
  }
}

//===----------------------------------------------------------------------===//
// The way back from the quantize
//===----------------------------------------------------------------------===//

namespace {
/// Goes from a quantize towards a contraction.
class EpilogueReader {
public:
  EpilogueReader(std::string &reason) : reason(reason) {}

  Epilogue epilogue;

  /// Reads the op that makes `tensor`. Returns the tensor that it works on, or
  /// null, with a reason or without.
  Value read(Value tensor);

  LogicalResult readInit(FloatContraction contraction);

  bool hasBias() const { return epilogue.bias || epilogue.realBias; }

private:
  std::string &reason;

  Value refuse(const char *why) {
    reason = why;
    return Value();
  }

  /// Notes what the scalar or tensor op `op` does to one of its operands, and
  /// returns that one.
  Value readStep(Operation *op,
                 function_ref<std::optional<Element>(Value)> toElement);

  /// Notes the bias that `element`, if any, is an element of.
  bool addBias(std::optional<Element> element);
};
} // namespace

/// True if elementwise ops and movements make `value` of the result of a
/// contraction.
static bool comesFromContraction(Value value) {
  bool found = false;
  auto visit = [&](Value made, function_ref<void(Value)> add) {
    Operation *op = made.getDefiningOp();
    if (found || !op)
      return;
    found = succeeded(FloatContraction::match(op));
    if (isElementByElement(dyn_cast<linalg::LinalgOp>(op)) ||
        isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
            tensor::ExtractSliceOp>(op) ||
        OpTrait::hasElementwiseMappableTraits(op))
      llvm::for_each(op->getOperands(), add);
  };
  walkValues(value, visit, kLongestEpilogue);
  return found;
}

bool EpilogueReader::addBias(std::optional<Element> element) {
  if (!element)
    return false;
  if (std::optional<Element> source = findDequantized(*element)) {
    epilogue.bias = source->tensor.getDefiningOp<DequantizeOp>();
    epilogue.biasMap = source->map;
    return true;
  }
  if (comesFromContraction(element->tensor) ||
      !isa<RankedTensorType>(element->tensor.getType()))
    return false;
  epilogue.realBias = element->tensor;
  epilogue.biasMap = element->map;
  return true;
}

Value EpilogueReader::readStep(
    Operation *op, function_ref<std::optional<Element>(Value)> toElement) {
  // A constant operand, in the body or as a tensor.
  auto getBound = [&](Value value) {
    std::optional<Element> element = toElement(value);
    return getConstant(element ? element->tensor : value);
  };
  auto addBound = [&](bool isLower, Value x, Value y) -> Value {
    std::optional<APFloat> bound = getBound(y);
    if (!bound) {
      std::swap(x, y);
      bound = getBound(y);
    }
    if (!bound || bound->isNaN())
      return refuse("a bound of the result is no constant number");
    epilogue.bounds.push_back({isLower, *bound});
    return x;
  };
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return addBound(true, op->getOperand(0), op->getOperand(1));
  if (isa<arith::MinimumFOp, arith::MinNumFOp>(op))
    return addBound(false, op->getOperand(0), op->getOperand(1));
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    Value x = select.getTrueValue(), y = select.getFalseValue();
    bool isSwapped = compare && compare.getLhs() == y && compare.getRhs() == x;
    if (!compare ||
        (!isSwapped && (compare.getLhs() != x || compare.getRhs() != y)))
      return refuse("a select does not compare its operands");
    switch (compare.getPredicate()) {
    case arith::CmpFPredicate::OGT:
    case arith::CmpFPredicate::OGE:
    case arith::CmpFPredicate::UGT:
    case arith::CmpFPredicate::UGE:
      return addBound(!isSwapped, x, y);
    case arith::CmpFPredicate::OLT:
    case arith::CmpFPredicate::OLE:
    case arith::CmpFPredicate::ULT:
    case arith::CmpFPredicate::ULE:
      return addBound(isSwapped, x, y);
    default:
      return refuse("a select does not take the larger or smaller operand");
    }
  }
  if (auto sum = dyn_cast<arith::AddFOp>(op)) {
    if (hasBias())
      return refuse("there are two biases");
    if (addBias(toElement(sum.getRhs())))
      return sum.getLhs();
    if (addBias(toElement(sum.getLhs())))
      return sum.getRhs();
    return refuse("the bias is not dequantized");
  }
  return refuse("an op that is no bias and no bound stands before the "
                "quantize");
}

Value EpilogueReader::read(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!op || !type)
    return {};
  auto identity =
      AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext());
  if (isa<arith::ArithDialect>(op->getDialect()) &&
      OpTrait::hasElementwiseMappableTraits(op))
    return readStep(op, [&](Value value) -> std::optional<Element> {
      return Element{value, identity};
    });
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!isElementByElement(structured))
    return {};
  Value value = structured.getBlock()->getTerminator()->getOperand(0);
  auto toElement = [&](Value value) { return getElement(structured, value); };
  while (Operation *step = value.getDefiningOp()) {
    if (step->getBlock() != structured.getBlock())
      return {};
    if (!(value = readStep(step, toElement)))
      return {};
  }
  std::optional<Element> element = toElement(value);
  return element && element->map.isIdentity() ? element->tensor : Value();
}

/// Reads the initial values of the sums.
LogicalResult EpilogueReader::readInit(FloatContraction contraction) {
  epilogue.contraction = contraction;
  if (contraction.startsAtZero())
    return success();
  size_t rank = contraction.getResultType().getRank();
  if (hasBias())
    return qdq::refuse(reason, "there are two biases");
  Element init = {
      contraction.getInit(),
      AffineMap::getMultiDimIdentityMap(rank, contraction.op->getContext())};
  if (!addBias(init))
    return qdq::refuse(reason, "the sums begin with what is not dequantized");
  return success();
}

std::optional<FailureOr<Epilogue>> Epilogue::find(QuantizeOp op,
                                                  std::string &reason) {
  Value tensor = op.getInput();
  if (!isa<RankedTensorType>(tensor.getType()) || !comesFromContraction(tensor))
    return std::nullopt;
  reason = "an op that is no bias and no bound stands before the quantize";
  EpilogueReader reader(reason);
  Epilogue &epilogue = reader.epilogue;
  while (Operation *producer = tensor.getDefiningOp()) {
    auto contraction = FloatContraction::match(producer);
    if (succeeded(contraction)) {
      if (failed(reader.readInit(*contraction)))
        return FailureOr<Epilogue>(failure());
      std::reverse(epilogue.bounds.begin(), epilogue.bounds.end());
      return FailureOr<Epilogue>(epilogue);
    }
    bool hadBias = reader.hasBias();
    size_t bounds = epilogue.bounds.size();
    if (!(tensor = reader.read(tensor)))
      break;
    if (hadBias && epilogue.bounds.size() > bounds) {
      reason = "a bound stands before the bias";
      break;
    }
  }
  return FailureOr<Epilogue>(failure());
}
