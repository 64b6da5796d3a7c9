// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions on open sizes.

#include "SizeChecks.h"
#include "SizeSource.h"
#include "TensorOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace mlir::qdq;

/// A size as a number.
static Scalar asScalar(ImplicitLocOpBuilder &b, OpFoldResult size) {
  return Scalar(b, toValue(b, size));
}

/// The message begins with the name of the operator.
static void createAssert(const ForeignOp &node, Value condition,
                         const Twine &reason) {
  Operation *op = node.getOperation();
  cf::AssertOp::create(node.getRewriter(), node.getLoc(), condition,
                       (op->getName().getStringRef() + ": " + reason).str());
}

static int64_t getStaticSize(const NamedDim &own) {
  return cast<RankedTensorType>(own.tensor.getType()).getDimSize(own.dim);
}

static std::string getName(size_t operand) {
  return "operand " + std::to_string(operand);
}

static std::string describe(const NamedDim &own) {
  return ("dimension " + Twine(own.dim) + " of " + own.name).str();
}

void mlir::qdq::assertSize(const ForeignOp &node, const NamedDim &own,
                           int64_t size) {
  if (!node.checksSizes() || ShapedType::isStatic(getStaticSize(own)))
    return;
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  OpFoldResult actual = getSourceSize(b, own.tensor, own.dim);
  if (isConstantIntValue(actual, size))
    return;
  createAssert(node, equal(asScalar(b, actual), size),
               describe(own) + " is not " + Twine(size));
}

void mlir::qdq::assertAtLeast(const ForeignOp &node, const NamedDim &own,
                              int64_t size) {
  if (!node.checksSizes() || ShapedType::isStatic(getStaticSize(own)))
    return;
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Scalar actual = asScalar(b, getSourceSize(b, own.tensor, own.dim));
  createAssert(node, actual >= size,
               describe(own) + " is less than " + Twine(size));
}

void mlir::qdq::assertShape(const ForeignOp &node, Value value,
                            TensorType type) {
  if (!type.hasRank() || !isa<RankedTensorType>(value.getType()))
    return;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isStatic(size))
      assertSize(node, {value, static_cast<int64_t>(dim), "the result"}, size);
}

void mlir::qdq::assertSameSize(const ForeignOp &node, const NamedDim &lhs,
                               const NamedDim &rhs, int64_t factor) {
  int64_t right = getStaticSize(rhs);
  if (ShapedType::isStatic(right))
    return assertSize(node, lhs, right * factor);
  if (!node.checksSizes())
    return;
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  OpFoldResult left = getSourceSize(b, lhs.tensor, lhs.dim);
  OpFoldResult part = getSourceSize(b, rhs.tensor, rhs.dim);
  if (isSameSize(left, part) && factor == 1)
    return;
  Scalar product = asScalar(b, part);
  if (factor != 1)
    product = product * factor;
  std::string times = factor == 1 ? "" : std::to_string(factor) + " times ";
  createAssert(node, equal(asScalar(b, left), product),
               describe(lhs) + " is not " + times + describe(rhs));
}

void mlir::qdq::assertSameShapes(const ForeignOp &node, ValueRange tensors,
                                 int64_t axis) {
  int64_t rank = cast<RankedTensorType>(tensors[0].getType()).getRank();
  for (size_t index = 1; index < tensors.size(); ++index) {
    std::string name = getName(index);
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim != axis)
        assertSameSize(node, {tensors[index], dim, name},
                       {tensors[0], dim, "operand 0"});
  }
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

/// Asserts that two sizes are equal, or that one of them is 1: `lhs`, or
/// `rhs` if `isMutual`.
static void assertRepeats(const ForeignOp &node, const NamedDim &lhs,
                          const NamedDim &rhs, bool isMutual) {
  int64_t left = getStaticSize(lhs), right = getStaticSize(rhs);
  bool isKnown = ShapedType::isStatic(left) && ShapedType::isStatic(right);
  if (!node.checksSizes() || isKnown || left == 1 || (isMutual && right == 1))
    return;
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  OpFoldResult lhsSize = getSourceSize(b, lhs.tensor, lhs.dim);
  OpFoldResult rhsSize = getSourceSize(b, rhs.tensor, rhs.dim);
  if (isSameSize(lhsSize, rhsSize))
    return;
  Scalar from = asScalar(b, lhsSize), to = asScalar(b, rhsSize);
  Scalar fits = equal(from, to) | equal(from, 1);
  if (isMutual)
    fits = fits | equal(to, 1);
  createAssert(node, fits,
               describe(lhs) + " does not broadcast to " + describe(rhs));
}

void mlir::qdq::assertBroadcast(const ForeignOp &node, ValueRange tensors,
                                int64_t numOwn) {
  auto getRank = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getRank();
  };
  for (size_t i = 0; i < tensors.size(); ++i)
    for (size_t j = i + 1; j < tensors.size(); ++j) {
      int64_t left = getRank(tensors[i]), right = getRank(tensors[j]);
      std::string lhs = getName(i), rhs = getName(j);
      for (int64_t back = numOwn + 1; back <= std::min(left, right); ++back)
        assertRepeats(node, {tensors[i], left - back, lhs},
                      {tensors[j], right - back, rhs}, /*isMutual=*/true);
    }
}

void mlir::qdq::assertBroadcastTo(const ForeignOp &node, Value tensor,
                                  StringRef name, Value target) {
  int64_t own = cast<RankedTensorType>(tensor.getType()).getRank();
  int64_t rank = cast<RankedTensorType>(target.getType()).getRank();
  for (int64_t dim = 0; dim < own; ++dim)
    assertRepeats(node, {tensor, dim, name},
                  {target, rank - own + dim, "the tensor beside it"},
                  /*isMutual=*/false);
}

//===----------------------------------------------------------------------===//
// Elements and windows
//===----------------------------------------------------------------------===//

void mlir::qdq::assertSameCount(const ForeignOp &node,
                                ArrayRef<OpFoldResult> from,
                                ArrayRef<OpFoldResult> to) {
  // Sizes that are one value are the same.
  SmallVector<OpFoldResult> left(from), right;
  for (OpFoldResult size : to) {
    auto *found = llvm::find_if(left, [&](OpFoldResult own) {
      return isa<Value>(size) && isSameSize(own, size);
    });
    if (found == left.end())
      right.push_back(size);
    else
      left.erase(found);
  }
  auto leftKnown = getConstantIntValues(left),
       rightKnown = getConstantIntValues(right);
  bool isKnown = leftKnown && rightKnown &&
                 ShapedType::getNumElements(*leftKnown) ==
                     ShapedType::getNumElements(*rightKnown);
  if (!node.checksSizes() || isKnown)
    return;
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  auto multiply = [&](ArrayRef<OpFoldResult> sizes) {
    Scalar product(b, arith::ConstantIndexOp::create(b, 1));
    for (OpFoldResult size : sizes)
      product = product * toValue(b, size);
    return product;
  };
  createAssert(node, equal(multiply(from), multiply(to)),
               "the input and the result have different numbers of elements");
}

void mlir::qdq::assertWindowFits(const ForeignOp &node, const Window &window,
                                 Value input, int64_t first) {
  auto type = cast<RankedTensorType>(input.getType());
  // A result as large as the input fits.
  if (!node.checksSizes() || window.isSame)
    return;
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  for (int64_t dim = 0; dim < window.getRank(); ++dim) {
    if (!type.isDynamicDim(first + dim) ||
        ShapedType::isDynamic(window.getExtent(dim)))
      continue;
    OpFoldResult size = getSourceSize(b, input, first + dim);
    Scalar count = asScalar(b, window.emitOutputSize(b, dim, size));
    // An input without elements may have a result without elements.
    createAssert(node, count >= min(asScalar(b, size), 1),
                 "a window of " + Twine(window.getExtent(dim)) +
                     " elements does not fit into dimension " +
                     Twine(first + dim) + " of the input");
  }
}
