// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of float operators: a name, and the function that builds it.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_OPERATORS_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_OPERATORS_H

#include "../ForeignOps/ForeignOp.h"
#include "../ForeignOps/Functions.h"
#include "../ForeignOps/Scalar.h"
#include "qdq/Conversion/ONNXToLinalg/ONNXToLinalg.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::qdq {

/// The elements at one place, as the body of an elementwise operator sees them:
/// signless, floats of less than 32 bits as f32.
struct Elements {
  SmallVector<Scalar> x;
  bool isUnsigned;
  /// The attributes of these names.
  float alpha = 0, beta = 0;
  Functions functions = {};

  Type getType() const { return x[0].getType(); }
  bool areFloats() const { return isa<FloatType>(getType()); }
};

struct Operator;

/// Builds an operator in place of a node; some want to know its row.
using NodeTranslation = LogicalResult(const ForeignOp &node);
using OperatorTranslation = LogicalResult(const ForeignOp &node,
                                          const Operator &self);

class Translate {
public:
  constexpr Translate(NodeTranslation *ofNode) : ofNode(ofNode) {}
  constexpr Translate(OperatorTranslation *ofOperator)
      : ofOperator(ofOperator) {}

  LogicalResult operator()(const ForeignOp &node, const Operator &self) const {
    return ofNode ? ofNode(node) : ofOperator(node, self);
  }

private:
  NodeTranslation *ofNode = nullptr;
  OperatorTranslation *ofOperator = nullptr;
};

struct Operator {
  StringLiteral name;
  /// Results beyond those are not used.
  Arity arity;
  Translate translate;
  /// The computation of an elementwise operator or a reduction.
  Value (*emit)(ImplicitLocOpBuilder &b, const Elements &elements) = nullptr;
  /// Where the attributes are absent.
  float alpha = 0, beta = 0;
};

/// The elementwise operator `self` on operands of one element type, which are
/// broadcast. `result` is the element type of a comparison.
FailureOr<Value> buildElementwise(const ForeignOp &node, const Operator &self,
                                  bool needsFloats, Type result = Type());

/// The same in place of the op: of floats, of any numbers, of numbers to i1.
OperatorTranslation translateFloats, translateNumbers, translateComparison;

/// By the error function, and its approximation by tanh.
Value emitGelu(ImplicitLocOpBuilder &b, const Elements &elements);
Value emitFastGelu(ImplicitLocOpBuilder &b, const Elements &elements);

/// Replaces ops of the name of an operator by what it builds. An op that nobody
/// uses goes: it computed a shape, which the types now tell.
struct OperatorLowering : RewritePattern {
  OperatorLowering(const Operator &self, const FloatOperatorOptions &options,
                   PatternBenefit benefit, MLIRContext *ctx);

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override;

  const Operator &self;
  FloatOperatorOptions options;
};

/// The row of a name that a table has.
const Operator &getOperator(ArrayRef<Operator> table, StringRef name);

using OperatorTable = llvm::StringMap<const Operator *>;
OperatorTable makeTable(ArrayRef<ArrayRef<Operator>> parts);

/// The operators that have a file of their own.
NodeTranslation translateCol2Im, translateConvTranspose, translateDFT,
    translateEinsum, translateGridSample, translateNonZero;
OperatorTranslation translateRecurrent, translateResize;

/// One table for each of the other files.
using OperatorRows = ArrayRef<Operator>();
OperatorRows getElementwiseOperators, getGatherOperators,
    getNormalizationOperators, getOneOperators, getPoolOperators,
    getProductOperators, getReductionOperators, getScatterOperators,
    getSelectionOperators, getShapeOperators, getSliceOperators;

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_OPERATORS_H
