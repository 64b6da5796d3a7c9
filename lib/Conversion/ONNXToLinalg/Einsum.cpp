// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Einsum, as one linalg.generic for each operand but the first one.

#include "../ForeignOps/Broadcast.h"
#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/SizeSource.h"
#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/TypeRewrite.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

/// The labels of dimensions: letters, and for those of an ellipsis, counted
/// from its last one back, the numbers from here on.
using Labels = SmallVector<int>;
static constexpr int kEllipsis = 256;

namespace {
struct Equation {
  SmallVector<Labels> operands;
  Labels result;
};

/// A tensor and the labels of its dimensions.
struct Labeled {
  Value tensor;
  Labels labels;
};
} // namespace

/// The labels of a term, whose ellipsis stands for `count` dimensions; nothing
/// where it is none.
static std::optional<Labels> readTerm(StringRef term, int64_t count) {
  Labels labels;
  bool hasEllipsis = false;
  while (!term.empty()) {
    if (!hasEllipsis && term.consume_front("...")) {
      hasEllipsis = true;
      for (int64_t dim = count; dim > 0; --dim)
        labels.push_back(kEllipsis + dim - 1);
      continue;
    }
    if (!llvm::isAlpha(term.front()))
      return std::nullopt;
    labels.push_back(term.front());
    term = term.drop_front();
  }
  return labels;
}

/// The labels that the result has where the equation does not say: those of the
/// ellipsis, and the letters that occur once, sorted.
static Labels inferResult(ArrayRef<Labels> operands, int64_t ellipsis) {
  std::map<int, int64_t> counts;
  for (ArrayRef<int> labels : operands)
    for (int label : labels)
      ++counts[label];
  Labels result;
  for (int64_t dim = ellipsis; dim > 0; --dim)
    result.push_back(kEllipsis + dim - 1);
  for (auto [label, count] : counts)
    if (label < kEllipsis && count == 1)
      result.push_back(label);
  return result;
}

static FailureOr<Equation> readEquation(const ForeignOp &node,
                                        ArrayRef<ForeignTensor> operands) {
  FailureOr<StringRef> given = node.getString("equation", "");
  if (failed(given))
    return failure();
  std::string text = given->str();
  llvm::erase(text, ' ');
  auto [left, right] = StringRef(text).split("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != operands.size())
    return node.refuse("equation '", *given, "' has ", terms.size(),
                       " terms: expected ", operands.size());
  Equation equation;
  int64_t ellipsis = 0;
  for (auto [term, operand] : llvm::zip_equal(terms, operands)) {
    bool hasEllipsis = term.contains("...");
    int64_t rank = operand.type.getRank();
    int64_t count = rank - (term.size() - (hasEllipsis ? 3 : 0));
    std::optional<Labels> labels;
    if (count == 0 || (hasEllipsis && count > 0))
      labels = readTerm(term, count);
    if (!labels)
      return node.refuse("equation '", *given, "' has the term '", term,
                         "' for type ", operand.type,
                         ": expected a letter for each dimension, and ... for "
                         "any number of them");
    equation.operands.push_back(*labels);
    ellipsis = std::max(ellipsis, hasEllipsis ? count : 0);
  }
  if (!StringRef(text).contains("->")) {
    equation.result = inferResult(equation.operands, ellipsis);
    return equation;
  }
  std::optional<Labels> result = readTerm(right, ellipsis);
  llvm::SmallSetVector<int, 8> known;
  for (ArrayRef<int> labels : equation.operands)
    known.insert_range(labels);
  llvm::SmallSetVector<int, 8> unique;
  bool isKnown = result && llvm::all_of(*result, [&](int label) {
                   return known.contains(label) && unique.insert(label);
                 });
  if (!isKnown || (ellipsis > 0 && !right.contains("...")))
    return node.refuse(
        "equation '", *given, "' has the result '", right,
        "': expected letters and ... of its operands, each once");
  equation.result = *result;
  return equation;
}

/// Refuses two static sizes of one label that differ, unless one is 1.
static LogicalResult checkSizes(const ForeignOp &node,
                                ArrayRef<ForeignTensor> operands,
                                const Equation &equation) {
  std::map<int, int64_t> sizes;
  for (auto [operand, labels] : llvm::zip_equal(operands, equation.operands))
    for (auto [label, size] :
         llvm::zip_equal(labels, operand.type.getShape())) {
      int64_t &known = sizes.try_emplace(label, 1).first->second;
      if (size == 1 || ShapedType::isDynamic(size))
        continue;
      if (known != 1 && known != size)
        return node.refuse("has the sizes ", known, " and ", size,
                           " for one dimension of the equation");
      known = size;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

/// Asserts that the dimensions of a letter have one size. Those of ellipses may
/// be 1.
static void assertLetters(const ForeignOp &node, ArrayRef<Labeled> factors) {
  std::map<int, NamedDim> first;
  for (const Labeled &factor : factors)
    for (auto [dim, label] : llvm::enumerate(factor.labels)) {
      NamedDim own{factor.tensor, static_cast<int64_t>(dim), "an operand"};
      if (label >= kEllipsis || getRankedType(own.tensor).getDimSize(dim) == 1)
        continue;
      auto [found, isNew] = first.try_emplace(label, own);
      if (!isNew)
        assertSameSize(node, own, found->second);
    }
}

/// Repeats two tensors along the open dimensions of ellipses that may be 1.
static void repeatEllipses(const ForeignOp &node, Labeled &lhs, Labeled &rhs) {
  B b(node.getLoc(), node.getRewriter());
  for (auto [dim, label] : llvm::enumerate(lhs.labels)) {
    auto *found = llvm::find(rhs.labels, label);
    if (label < kEllipsis || found == rhs.labels.end())
      continue;
    int64_t ownDim = dim, otherDim = found - rhs.labels.begin();
    OpFoldResult own = tensor::getMixedSize(b, b.getLoc(), lhs.tensor, ownDim);
    OpFoldResult other =
        tensor::getMixedSize(b, b.getLoc(), rhs.tensor, otherDim);
    bool isKnown = getConstantIntValues({own, other}).has_value();
    if (isKnown || isOneInteger(own) || isOneInteger(other) ||
        isSameSize(own, other))
      continue;
    OpFoldResult size = isa<Attribute>(own) ? own : other;
    if (isa<Value>(own) && isa<Value>(other))
      size = chooseSize(b, cast<Value>(own), cast<Value>(other));
    if (isa<Value>(own))
      lhs.tensor = repeatIfSingle(b, lhs.tensor, ownDim, size);
    if (isa<Value>(other))
      rhs.tensor = repeatIfSingle(b, rhs.tensor, otherDim, size);
    assertSameSize(node, {lhs.tensor, ownDim, "an operand"},
                   {rhs.tensor, otherDim, "another one"});
  }
}

/// The product of one or two tensors, in `type`, summed over the labels that
/// the result does not have. Dimensions that a type says to be 1 are repeated.
static Labeled sumProducts(B &b, ArrayRef<Labeled> factors, Labels result,
                           Type type) {
  llvm::SmallSetVector<int, 8> loops(llvm::from_range, result);
  std::map<int, OpFoldResult> sizes;
  for (const Labeled &factor : factors)
    for (auto [dim, label] : llvm::enumerate(factor.labels)) {
      OpFoldResult size =
          tensor::getMixedSize(b, b.getLoc(), factor.tensor, dim);
      OpFoldResult &known = sizes.try_emplace(label, size).first->second;
      // Sizes that are known are better than open ones.
      if (isOneInteger(known) || (isa<Value>(known) && !isOneInteger(size)))
        known = size;
      if (!isOneInteger(size))
        loops.insert(label);
    }
  int64_t count = loops.size(), rank = result.size();
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands;
  for (const Labeled &factor : factors) {
    SmallVector<AffineExpr> places;
    for (auto [label, size] : llvm::zip_equal(
             factor.labels, getRankedType(factor.tensor).getShape())) {
      bool isRepeated = size == 1 && !(loops.contains(label) &&
                                       isOneInteger(sizes.at(label)));
      places.push_back(
          isRepeated
              ? b.getAffineConstantExpr(0)
              : b.getAffineDimExpr(llvm::find(loops, label) - loops.begin()));
    }
    maps.push_back(AffineMap::get(count, 0, places, b.getContext()));
    operands.push_back(factor.tensor);
  }
  AffineMap all = b.getMultiDimIdentityMap(count);
  maps.push_back(AffineMap::get(count, 0, all.getResults().take_front(rank),
                                b.getContext()));
  Sizes shape;
  for (int label : result)
    shape.push_back(sizes.at(label));
  bool isSum = count > rank;
  Value init = isSum ? createZeros(b, shape, type)
                     : tensor::EmptyOp::create(b, shape, type).getResult();
  Value sums =
      createGeneric(b, operands, init, maps, [&](B &body, ValueRange e) {
        Scalar x = Scalar(body, e[0]).to(type);
        if (factors.size() > 1)
          x = x * Scalar(body, e[1]).to(type);
        return isSum ? Scalar(body, e.back()) + x : x;
      });
  return {sums, result};
}

/// The labels of two factors that later operands or the result have.
static Labels findKept(const Labeled &lhs, const Labeled &rhs,
                       ArrayRef<Labels> later, ArrayRef<int> result) {
  llvm::SmallSetVector<int, 8> kept;
  for (ArrayRef<int> labels : {ArrayRef(lhs.labels), ArrayRef(rhs.labels)})
    for (int label : labels)
      if (llvm::is_contained(result, label) ||
          llvm::any_of(later, [&](ArrayRef<int> other) {
            return llvm::is_contained(other, label);
          }))
        kept.insert(label);
  return kept.takeVector();
}

/// From the first operand on, each with the next one.
LogicalResult mlir::qdq::translateEinsum(const ForeignOp &node) {
  SmallVector<ForeignTensor> operands;
  for (unsigned i = 0; i < node.getOperation()->getNumOperands(); ++i) {
    std::string name = "operand " + std::to_string(i);
    FailureOr<ForeignTensor> operand = getRanked(node, i, name);
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
    Type type = operand->type.getElementType();
    if (type != operands[0].type.getElementType() || type.isInteger(1))
      return node.refuse(name, " has type ", operand->type,
                         ": expected numbers of one type");
  }
  FailureOr<Equation> equation = readEquation(node, operands);
  if (failed(equation) || failed(checkSizes(node, operands, *equation)))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Type element = operands[0].type.getElementType();
  Type type = getComputeType(toSignless(element));
  SmallVector<Labeled> factors;
  for (auto [operand, labels] : llvm::zip_equal(operands, equation->operands))
    factors.push_back(
        {asSignless(b, b.getLoc(), node.materialize(operand)), labels});
  assertLetters(node, factors);
  Labeled product = factors[0];
  for (size_t i = 1; i < factors.size(); ++i) {
    repeatEllipses(node, product, factors[i]);
    bool isLast = i + 1 == factors.size();
    Labels kept = isLast
                      ? equation->result
                      : findKept(product, factors[i],
                                 ArrayRef(equation->operands).drop_front(i + 1),
                                 equation->result);
    product = sumProducts(b, {product, factors[i]}, kept, type);
  }
  if (factors.size() == 1)
    product = sumProducts(b, product, equation->result, type);
  Value result = product.tensor;
  if (isa<FloatType>(element))
    result = castFloats(b, result, element);
  return replaceBy(node, result);
}
