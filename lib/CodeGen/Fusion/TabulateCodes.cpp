// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one byte as tables, which are computed once in a call.

#include "../Analysis/MayTrap.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_TABULATECODESPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// The codes of a byte.
static constexpr int64_t kCodes = 256;

/// Elements that repay a table.
static constexpr int64_t kMinElements = 4 * kCodes;

/// Quantizes, or operations on floats, in a function that takes longer than a
/// look-up.
static constexpr int64_t kMinEncodes = 2, kMinFloatOps = 16;

namespace {
/// The byte of the body that each of its values is a function of.
class CodeFunctions {
public:
  explicit CodeFunctions(linalg::GenericOp op);

  /// The byte that `value` is a function of, apart from what all elements
  /// share; null for none, or for more than one.
  Value getSource(Value value) const { return sources.lookup(value); }
  /// True for what is the same for all elements.
  bool isShared(Value value) const {
    return shared.contains(value) || value.getParentBlock() != body;
  }
  /// The ops that compute `value` from its byte.
  SetVector<Operation *> getOps(Value value) const;

private:
  void visit(Operation &op);

  Block *body;
  DenseMap<Value, Value> sources;
  DenseSet<Value> shared;
};
} // namespace

/// True for an operand of which all elements of the result read the same one.
static bool isShared(linalg::GenericOp op, OpOperand *input) {
  auto type = dyn_cast<ShapedType>(input->get().getType());
  return op.getMatchingIndexingMap(input).isConstant() ||
         (type && type.hasStaticShape() && type.getNumElements() == 1);
}

CodeFunctions::CodeFunctions(linalg::GenericOp op) : body(op.getBody()) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (::isShared(op, input))
      shared.insert(argument);
    else if (argument.getType().isInteger(8))
      sources[argument] = argument;
  }
  for (Operation &nested : body->without_terminator())
    visit(nested);
}

void CodeFunctions::visit(Operation &nested) {
  if (nested.getNumResults() != 1)
    return;
  Value result = nested.getResult(0);
  if (matchPattern(&nested, m_Constant())) {
    shared.insert(result);
    return;
  }
  Value source;
  bool isFunction = isPure(&nested) && !mayTrap(&nested) &&
                    nested.getNumRegions() == 0 && nested.getNumOperands() != 0;
  for (Value operand : nested.getOperands()) {
    Value from = sources.lookup(operand);
    isFunction &= isShared(operand) || (from && (!source || source == from));
    source = from ? from : source;
  }
  if (isFunction && !source)
    shared.insert(result);
  else if (isFunction)
    sources[result] = source;
  else if (result.getType().isInteger(8))
    sources[result] = result;
}

SetVector<Operation *> CodeFunctions::getOps(Value value) const {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == body && op != getSource(value).getDefiningOp();
  };
  SetVector<Operation *> ops;
  [[maybe_unused]] LogicalResult found = getBackwardSlice(value, &ops, options);
  assert(succeeded(found) && "expected ops without regions");
  return ops;
}

static bool isWorthATable(linalg::GenericOp op,
                          const SetVector<Operation *> &ops) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  bool isOpen = ShapedType::isDynamicShape(ranges);
  bool isLong = llvm::any_of(ops, [](Operation *op) {
    return isa<math::ExpOp, math::TanhOp, math::ErfOp, math::LogOp,
               math::PowFOp, math::SinOp, math::CosOp>(op);
  });
  int64_t encodes =
      llvm::count_if(ops, [](Operation *op) { return isa<EncodeOp>(op); });
  int64_t floats = llvm::count_if(ops, [](Operation *op) {
    return isa<FloatType>(op->getResultTypes()[0]);
  });
  return (isOpen || computeProduct(ranges) >= kMinElements) &&
         (isLong || encodes >= kMinEncodes || floats >= kMinFloatOps);
}

/// The function's result for each byte.
static Value createTable(RewriterBase &rewriter, linalg::GenericOp op,
                         const CodeFunctions &functions, Value code) {
  Location loc = op.getLoc();
  Value source = functions.getSource(code);
  SmallVector<uint8_t> bytes(kCodes);
  std::iota(bytes.begin(), bytes.end(), 0);
  auto type = RankedTensorType::get(kCodes, rewriter.getI8Type());
  Value all = arith::ConstantOp::create(
      rewriter, loc, DenseElementsAttr::get(type, ArrayRef<uint8_t>(bytes)));
  SmallVector<Value> inputs = {all};
  SmallVector<AffineMap> maps = {rewriter.getMultiDimIdentityMap(1)};
  SmallVector<BlockArgument> arguments;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (!functions.isShared(argument))
      continue;
    arguments.push_back(argument);
    inputs.push_back(input->get());
    // The first element is the one that all read.
    AffineMap map = op.getMatchingIndexingMap(input);
    SmallVector<AffineExpr> zeros(map.getNumDims(),
                                  rewriter.getAffineConstantExpr(0));
    maps.push_back(map.replaceDimsAndSymbols(zeros, {}, 1, 0));
  }
  Value empty = tensor::EmptyOp::create(rewriter, loc, kCodes, code.getType());
  maps.push_back(rewriter.getMultiDimIdentityMap(1));
  ImplicitLocOpBuilder b(loc, rewriter);
  auto compute = [&](ImplicitLocOpBuilder &body, ValueRange values) {
    IRMapping mapping;
    mapping.map(source, values.front());
    for (auto [from, to] : llvm::zip(arguments, values.drop_front()))
      mapping.map(from, to);
    for (Operation *nested : functions.getOps(code))
      body.clone(*nested, mapping);
    return mapping.lookup(code);
  };
  return buildGeneric(b, inputs, empty, maps, compute).getResult(0);
}

/// The bytes that the result of `op` is a function of: an operand, or computed
/// by a part of the body.
static Value createCodes(RewriterBase &rewriter, linalg::GenericOp op,
                         Value source) {
  if (auto argument = dyn_cast<BlockArgument>(source))
    return op.getMatchingOpOperand(argument)->get();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value empty = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, b.getLoc(), op.getDpsInits()[0]),
      b.getI8Type());
  auto compute = [&](ImplicitLocOpBuilder &body, ValueRange values) {
    IRMapping mapping;
    mapping.map(op.getBody()->getArguments(), values);
    for (Operation &nested : op.getBody()->without_terminator()) {
      body.clone(nested, mapping);
      if (&nested == source.getDefiningOp())
        break;
    }
    return mapping.lookup(source);
  };
  return buildGeneric(b, op.getInputs(), empty, op.getIndexingMapsArray(),
                      compute)
      .getResult(0);
}

/// Replaces a function of one byte by a look-up.
static void tabulate(RewriterBase &rewriter, linalg::GenericOp op) {
  if (op.getNumResults() != 1 || op.getNumLoops() != op.getNumParallelLoops() ||
      op.payloadUsesValueFromOperand(&op.getDpsInitsMutable()[0]) ||
      !op.getIndexingMapsArray().back().isIdentity())
    return;
  CodeFunctions functions(op);
  Value code = op.getBody()->getTerminator()->getOperand(0);
  Value source = functions.getSource(code);
  if (!source || source == code || !isWorthATable(op, functions.getOps(code)))
    return;
  rewriter.setInsertionPoint(op);
  Value table = createTable(rewriter, op, functions, code);
  AffineMap map = rewriter.getMultiDimIdentityMap(op.getNumLoops());
  AffineMap read = map;
  if (auto argument = dyn_cast<BlockArgument>(source))
    read = op.getMatchingIndexingMap(op.getMatchingOpOperand(argument));
  Value codes = createCodes(rewriter, op, source);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  auto lookUp = [&](ImplicitLocOpBuilder &body, ValueRange values) -> Value {
    Value index =
        arith::IndexCastUIOp::create(body, body.getIndexType(), values.front());
    return tensor::ExtractOp::create(body, table, index);
  };
  rewriter.replaceOp(
      op, buildGeneric(b, codes, op.getDpsInits(), {read, map}, lookUp));
}

namespace {
struct TabulateCodesPass : qdq::impl::TabulateCodesPassBase<TabulateCodesPass> {
  using TabulateCodesPassBase::TabulateCodesPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops)
      tabulate(rewriter, op);
  }
};
} // namespace
