// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of float operators, and the pass.

#include "../ForeignOps/ForeignConstant.h"
#include "../ForeignOps/NodeSizes.h"
#include "NodeParts.h"
#include "Operators.h"
#include "ShapeValues.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/Conversion/Frontends.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/Walk.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTONNXTOLINALGPASS
#include "qdq/Conversion/Frontends.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

static constexpr StringLiteral kConstant = "onnx.Constant";

const Operator &mlir::qdq::getOperator(ArrayRef<Operator> table,
                                       StringRef name) {
  return *llvm::find_if(table,
                        [&](const Operator &op) { return op.name == name; });
}

OperatorTable mlir::qdq::makeTable(ArrayRef<ArrayRef<Operator>> parts) {
  OperatorTable table;
  for (ArrayRef<Operator> operators : parts)
    for (const Operator &op : operators)
      table[op.name] = &op;
  return table;
}

/// The operators that have a file of their own.
static constexpr Operator kOperators[] = {
    {"com.microsoft.DynamicQuantizeLSTM", {12, 12, 3}, translateRecurrent},
    {"onnx.Col2Im", {3}, translateCol2Im},
    {"onnx.ConvTranspose", {2, 3}, translateConvTranspose},
    {"onnx.DFT", {1, 3}, translateDFT},
    {"onnx.Einsum", {1, kMany}, translateEinsum},
    {"onnx.GRU", {3, 6, 2}, translateRecurrent},
    {"onnx.GridSample", {2}, translateGridSample},
    {"onnx.LSTM", {3, 8, 3}, translateRecurrent},
    {"onnx.NonZero", {1}, translateNonZero},
    {"onnx.RNN", {3, 6, 2}, translateRecurrent},
    {"onnx.Resize", {1, 4}, translateResize},
    {"onnx.Upsample", {1, 4}, translateResize},
};

static const OperatorTable &getTable() {
  static const OperatorTable table = makeTable(
      {kOperators, getElementwiseOperators(), getProductOperators(),
       getOneOperators(), getPoolOperators(), getReductionOperators(),
       getNormalizationOperators(), getShapeOperators(), getSliceOperators(),
       getGatherOperators(), getScatterOperators(), getSelectionOperators()});
  return table;
}

/// The name of the ops that stand for an operator.
static StringRef getOpName(const Operator &op) {
  return op.name.starts_with("com.") ? kCustomOp : op.name;
}

OperatorLowering::OperatorLowering(const Operator &self,
                                   const FloatOperatorOptions &options,
                                   PatternBenefit benefit, MLIRContext *ctx)
    : RewritePattern(getOpName(self), benefit, ctx), self(self),
      options(options) {}

bool mlir::qdq::isONNXFloatOp(Operation *op) {
  return getTable().contains(getOperatorName(op));
}

/// Refuses other numbers of operands, and uses of results beyond those that the
/// operator builds.
static LogicalResult checkOperands(const ForeignOp &node, const Arity &arity) {
  Operation *op = node.getOperation();
  unsigned count = op->getNumOperands();
  if (count < arity.least || count > arity.most)
    return node.refuse("number of operands is ", count, ": expected ",
                       arity.least, " to ", arity.most);
  for (OpResult result : op->getResults())
    if (result.getResultNumber() >= arity.results && !result.use_empty())
      return node.refuse("result ", result.getResultNumber(),
                         " is used: expected result 0 alone");
  return success();
}

LogicalResult
OperatorLowering::matchAndRewrite(Operation *op,
                                  PatternRewriter &rewriter) const {
  if (getOperatorName(op) != self.name)
    return rewriter.notifyMatchFailure(op, "is another operator");
  if (op->getNumRegions() || op->getNumSuccessors())
    return rewriter.notifyMatchFailure(op, "has a region or a successor");
  if (failed(checkBlockEnd(op, rewriter)))
    return failure();
  if (op->use_empty()) {
    rewriter.eraseOp(op);
    return success();
  }
  ForeignOp node(op, rewriter, options.runtimeChecks, options.profile);
  if (failed(checkOperands(node, self.arity)))
    return failure();
  if (succeeded(node.attempt([&] { return translateShapeValue(node, self); })))
    return success();
  return node.attempt([&] { return self.translate(node, self); });
}

namespace {
/// A constant that a function returns, or that an op of ours reads. Nodes of
/// other compilers keep theirs.
struct ConstantLowering : RewritePattern {
  ConstantLowering(PatternBenefit benefit, MLIRContext *ctx)
      : RewritePattern(kConstant, benefit, ctx) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto isOfONNX = [](Operation *user) {
      return user->getName().getDialectNamespace() == "onnx";
    };
    if (failed(checkBlockEnd(op, rewriter)))
      return failure();
    if (op->getNumResults() != 1 || llvm::all_of(op->getUsers(), isOfONNX))
      return rewriter.notifyMatchFailure(op, "is read by ONNX nodes alone");
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    TypedAttr value = type ? getConstant(op->getResult(0), type) : TypedAttr();
    if (!value || value.getType() != type)
      return rewriter.notifyMatchFailure(op, "has no elements of its type");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

/// A node that quantizes or dequantizes, which this conversion leaves as it is,
/// passes on the sizes that the nodes before it know.
struct KnownSizes : RewritePattern {
  KnownSizes(StringRef name, PatternBenefit benefit, MLIRContext *ctx)
      : RewritePattern(name, benefit, ctx) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!keepsSizes(op) || failed(checkBlockEnd(op, rewriter)))
      return failure();
    Value known = skipCasts(op->getOperand(0));
    auto result = dyn_cast<TensorType>(op->getResult(0).getType());
    if (known == op->getOperand(0) || !result)
      return rewriter.notifyMatchFailure(op, "has all sizes that are known");
    auto type = getRankedType(known).clone(result.getElementType());
    if (!tensor::preservesStaticInformation(result, type))
      return rewriter.notifyMatchFailure(op, "has a result of other sizes");
    Operation *refined = rewriter.clone(*op);
    refined->setOperand(0, known);
    refined->getResult(0).setType(type);
    rewriter.setInsertionPointAfter(refined);
    SmallVector<Value> values(refined->getResults());
    values[0] =
        tensor::CastOp::create(rewriter, op->getLoc(), result, values[0]);
    rewriter.replaceOp(op, values);
    return success();
  }
};

struct ConvertONNXToLinalgPass
    : qdq::impl::ConvertONNXToLinalgPassBase<ConvertONNXToLinalgPass> {
  using ConvertONNXToLinalgPassBase::ConvertONNXToLinalgPassBase;

  void runOnOperation() override {
    auto isOurs = [](Operation *op) {
      return isONNXFloatOp(op) || op->getName().getStringRef() == kConstant;
    };
    if (!hasAny(getOperation(), isOurs))
      return markAllAnalysesPreserved();
    RewritePatternSet patterns(&getContext());
    populateONNXToLinalgPatterns(patterns, {runtimeChecks, profile});
    if (failed(convertByWalk(getOperation(), std::move(patterns), isONNXFloatOp,
                             unconverted)))
      return signalPassFailure();
    eraseDeadForeignOps(getOperation());
  }
};
} // namespace

void mlir::qdq::populateONNXToLinalgPatterns(
    RewritePatternSet &patterns, const FloatOperatorOptions &options,
    PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createConvertONNXToLinalgPass());
  for (const auto &entry : getTable())
    patterns.add<OperatorLowering>(*entry.second, options, benefit,
                                   patterns.getContext());
  patterns.add<ConstantLowering>(benefit, patterns.getContext());
  for (StringRef name : getNamesThatKeepSizes())
    patterns.add<KnownSizes>(name, benefit, patterns.getContext());
}
