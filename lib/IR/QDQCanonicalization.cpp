// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Canonicalization: casts to less static tensor types are absorbed.

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;

/// The value before a cast that only forgets sizes or the rank, else `value`.
static Value getBeforeCast(Value value) {
  auto cast = value.getDefiningOp<tensor::CastOp>();
  if (!cast)
    return value;
  bool forgetsRank = isa<RankedTensorType>(cast.getSource().getType()) &&
                     isa<UnrankedTensorType>(cast.getType());
  return forgetsRank || tensor::canFoldIntoConsumerOp(cast) ? cast.getSource()
                                                            : value;
}

/// `type` with the sizes that `shape` knows. Fails where both know one and they
/// differ: such an op is wrong if it runs, but it is valid as it is.
static FailureOr<Type> withSizes(Type type, ArrayRef<int64_t> shape) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked)
    return cast<Type>(RankedTensorType::get(shape, getElementTypeOrSelf(type)));
  SmallVector<int64_t> merged(ranked.getShape());
  for (auto [size, known] : llvm::zip_equal(merged, shape)) {
    if (ShapedType::isDynamic(size))
      size = known;
    else if (!ShapedType::isDynamic(known) && size != known)
      return failure();
  }
  return cast<Type>(ranked.clone(merged));
}

/// The granularity of `op` on an input of this type; fails where the type has
/// too few dimensions.
template <typename OpTy>
static FailureOr<Granularity> getGranularity(OpTy op, RankedTensorType input) {
  std::optional<int64_t> axis;
  if (op.getAxisAttr())
    axis = op.getAxisAttr().getInt();
  int64_t rank = input.getRank();
  if (axis && (*axis < -rank || *axis >= rank))
    return failure();
  return Granularity::get(rank, axis, op.getBlockShape(),
                          [&] { return op.emitOpError(); });
}

//===----------------------------------------------------------------------===//
// Result types from more static operands; failure where sizes disagree
//===----------------------------------------------------------------------===//

/// The sizes that a position leaves no room for are wrong at run time only.
static bool fitsPosition(QuantizeOp op, RankedTensorType input) {
  if (!op.hasPosition())
    return true;
  auto takeInner = [&](ArrayRef<int64_t> all) {
    return all.take_back(input.getRank());
  };
  for (auto [size, offset, whole] :
       llvm::zip_equal(input.getShape(), takeInner(*op.getStaticOffsets()),
                       takeInner(*op.getStaticWholeSizes())))
    if (ShapedType::isStatic(size) && ShapedType::isStatic(offset) &&
        ShapedType::isStatic(whole) && size > whole - offset)
      return false;
  return true;
}

/// Sets the sizes of blocks that elements of a parameter of `requantize` share.
/// Fails where a size of 1 that becomes known would make it a shared one.
static LogicalResult shareBlocks(RankedTensorType before,
                                 RankedTensorType after,
                                 MutableArrayRef<int64_t> shape) {
  for (auto [was, is, size] :
       llvm::zip_equal(before.getShape(), after.getShape(), shape)) {
    if (is != 1)
      continue;
    if (was != 1 && size != 1)
      return failure();
    size = 1;
  }
  return success();
}

/// Of quantize, dequantize and requantize.
template <typename OpTy>
static FailureOr<SmallVector<Type>> refine(OpTy op,
                                           typename OpTy::Adaptor operands) {
  // Without a rank there are no sizes that parameters could contradict.
  auto input = dyn_cast<RankedTensorType>(operands.getInput().getType());
  if (!input)
    return SmallVector<Type>{op.getType()};
  if constexpr (std::is_same_v<OpTy, QuantizeOp>)
    if (!fitsPosition(op, input))
      return failure();
  FailureOr<Type> result = withSizes(op.getType(), input.getShape());
  FailureOr<Granularity> granularity = getGranularity(op, input);
  if (failed(result) || failed(granularity))
    return failure();
  OperandRange parameters = op.getParameters();
  for (auto [before, after] : llvm::zip_equal(
           parameters, operands.getOperands().slice(1, parameters.size()))) {
    auto type = dyn_cast<RankedTensorType>(after.getType());
    if (!type || isSingleElement(type))
      continue;
    SmallVector<int64_t> shape =
        granularity->getParameterShape(input.getShape());
    if (std::is_same_v<OpTy, RequantizeOp> && granularity->isBlock() &&
        failed(
            shareBlocks(cast<RankedTensorType>(before.getType()), type, shape)))
      return failure();
    if (failed(withSizes(type, shape)))
      return failure();
  }
  return SmallVector<Type>{*result};
}

static FailureOr<SmallVector<Type>> refine(ChooseParamsOp op,
                                           ChooseParamsOp::Adaptor operands) {
  auto input = cast<RankedTensorType>(operands.getInput().getType());
  FailureOr<Granularity> granularity = getGranularity(op, input);
  if (failed(granularity))
    return failure();
  SmallVector<int64_t> shape = granularity->getParameterShape(input.getShape());
  SmallVector<Type> types;
  for (Type type : op->getResultTypes()) {
    FailureOr<Type> refined = withSizes(type, shape);
    if (failed(refined))
      return failure();
    types.push_back(*refined);
  }
  return types;
}

/// The sizes on one side of a packing that follow from the other side; `count`
/// is that of the packed dimension, or of all elements.
template <typename Count>
static SmallVector<int64_t> getOtherSizes(const BitLayout &layout,
                                          RankedTensorType from, Count count) {
  SmallVector<int64_t> shape(from.getShape());
  if (!layout.hasAxis())
    return {from.hasStaticShape() ? count(from.getNumElements())
                                  : ShapedType::kDynamic};
  shape[*layout.axis] = count(shape[*layout.axis]);
  return shape;
}

static FailureOr<SmallVector<Type>> refine(UnpackOp op,
                                           UnpackOp::Adaptor operands) {
  BitLayout layout = op.getLayout();
  auto containers = cast<RankedTensorType>(operands.getContainers().getType());
  RankedTensorType elements = op.getType();
  // `sizes` has one value for each dynamic dimension.
  bool isGiven = elements.hasStaticShape() || !op.getSizes().empty();
  SmallVector<int64_t> shape(elements.getShape());
  if (!isGiven)
    shape = getOtherSizes(layout, containers, [&](int64_t size) {
      return layout.getMaxElements(size);
    });
  // The containers must still be those that the elements need.
  SmallVector<int64_t> needed =
      getOtherSizes(layout, elements, [&](int64_t size) {
        return layout.getNumContainers(size);
      });
  FailureOr<Type> result = withSizes(elements, shape);
  if (failed(result) || failed(withSizes(containers, needed)))
    return failure();
  return SmallVector<Type>{*result};
}

static FailureOr<SmallVector<Type>> refine(PackOp op,
                                           PackOp::Adaptor operands) {
  BitLayout layout = op.getLayout();
  auto elements = cast<RankedTensorType>(operands.getElements().getType());
  FailureOr<Type> result = withSizes(
      op.getType(), getOtherSizes(layout, elements, [&](int64_t size) {
        return layout.getNumContainers(size);
      }));
  if (failed(result))
    return failure();
  return SmallVector<Type>{*result};
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

/// Takes operands from before casts to less static types, and casts results
/// back: everything else about the op stays.
template <typename OpTy>
static LogicalResult absorbCasts(OpTy op, PatternRewriter &rewriter) {
  SmallVector<Value> operands =
      llvm::map_to_vector(op->getOperands(), getBeforeCast);
  if (llvm::equal(operands, op->getOperands()))
    return rewriter.notifyMatchFailure(
        op, "no operand is a cast to a less static type");
  auto types = refine(op, typename OpTy::Adaptor(operands, op));
  if (failed(types))
    return rewriter.notifyMatchFailure(
        op, "the sizes before the casts disagree with each other");
  Operation *absorbed = clone(rewriter, op, *types, operands);
  SmallVector<Value> results;
  for (auto [result, old] :
       llvm::zip_equal(absorbed->getResults(), op->getResults()))
    results.push_back(result.getType() == old.getType()
                          ? Value(result)
                          : tensor::CastOp::create(rewriter, op.getLoc(),
                                                   old.getType(), result));
  rewriter.replaceOp(op, results);
  return success();
}

#define QDQ_CANONICALIZATION(OpTy)                                             \
  void OpTy::getCanonicalizationPatterns(RewritePatternSet &patterns,          \
                                         MLIRContext *ctx) {                   \
    patterns.add(absorbCasts<OpTy>);                                           \
  }
QDQ_CANONICALIZATION(QuantizeOp)
QDQ_CANONICALIZATION(DequantizeOp)
QDQ_CANONICALIZATION(RequantizeOp)
QDQ_CANONICALIZATION(ChooseParamsOp)
QDQ_CANONICALIZATION(UnpackOp)
QDQ_CANONICALIZATION(PackOp)
#undef QDQ_CANONICALIZATION
