// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of the codes of one operand.

#include "Correction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/StridedPosition.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

SmallVector<unsigned> mlir::qdq::getParallelLoops(const IntegerProduct &product,
                                                  AffineMap map) {
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < product.iterators.size(); ++loop)
    if (product.iterators[loop] == utils::IteratorType::parallel &&
        map.isFunctionOfDim(loop))
      loops.push_back(loop);
  return loops;
}

/// The extent of a parallel loop, which is a dimension of the result.
static OpFoldResult getExtent(const IntegerProduct &product, unsigned loop) {
  for (auto [index, size] :
       llvm::zip(product.resultMap.getResults(), product.resultSizes))
    if (cast<AffineDimExpr>(index).getPosition() == loop)
      return size;
  llvm_unreachable("every parallel loop is a dimension of the result");
}

/// The loops that `map` reads, so that the innermost ones are side by side in
/// memory; for a window, those of the result and then those reduced.
static SmallVector<unsigned> getLoopsInOrder(const IntegerProduct &product,
                                             AffineMap map) {
  SmallVector<unsigned> loops;
  if (map.isProjectedPermutation()) {
    for (AffineExpr index : map.getResults())
      loops.push_back(cast<AffineDimExpr>(index).getPosition());
    return loops;
  }
  loops = getParallelLoops(product, map);
  for (auto [loop, iterator] : llvm::enumerate(product.iterators))
    if (iterator == utils::IteratorType::reduction)
      loops.push_back(loop);
  return loops;
}

Value mlir::qdq::emitCodeSum(ImplicitLocOpBuilder &b,
                             const IntegerProduct &product, Value codes,
                             AffineMap map, std::pair<Value, AffineMap> window,
                             Type type) {
  MLIRContext *ctx = b.getContext();
  bool isSigned = isSignedStorage(getElementTypeOrSelf(codes));
  SmallVector<unsigned> parallel = getParallelLoops(product, map);
  // The loops that are left, in the order in which the codes lie.
  SmallVector<AffineExpr> loops(product.iterators.size(),
                                getAffineConstantExpr(0, ctx));
  unsigned numLoops = 0;
  for (unsigned loop : getLoopsInOrder(product, map))
    loops[loop] = getAffineDimExpr(numLoops++, ctx);
  SmallVector<OpFoldResult> windowSizes;
  SmallVector<AffineExpr> windowLoops;
  for (auto [loop, iterator] : llvm::enumerate(product.iterators)) {
    AffineExpr dim = getAffineDimExpr(loop, ctx);
    if (iterator != utils::IteratorType::reduction ||
        llvm::is_contained(map.getResults(), dim))
      continue;
    unsigned position = *window.second.getResultPosition(dim);
    windowSizes.push_back(
        tensor::getMixedSize(b, b.getLoc(), window.first, position));
    windowLoops.push_back(loops[loop]);
  }

  SmallVector<Value> inputs = {asSignless(b, b.getLoc(), codes)};
  SmallVector<AffineMap> maps = {
      map.replaceDimsAndSymbols(loops, {}, numLoops, 0)};
  // Extents of a window stand in the shape of a tensor, as for pooling.
  if (!windowSizes.empty()) {
    inputs.push_back(
        tensor::EmptyOp::create(b, windowSizes, b.getI8Type()).getResult());
    maps.push_back(AffineMap::get(numLoops, 0, windowLoops, ctx));
  }
  maps.push_back(AffineMap::get(
      numLoops, 0,
      llvm::map_to_vector(parallel, [&](unsigned loop) { return loops[loop]; }),
      ctx));
  SmallVector<OpFoldResult> sizes = llvm::map_to_vector(
      parallel, [&](unsigned loop) { return getExtent(product, loop); });
  Value init = createZeros(b, sizes, type);
  auto add = [&](ImplicitLocOpBuilder &body, ValueRange elements) -> Value {
    Value code =
        extendInteger(body, body.getLoc(), elements.front(), isSigned, type);
    return arith::AddIOp::create(body, elements.back(), code);
  };
  return buildGeneric(b, inputs, init, maps, add).getResult(0);
}

std::optional<ConstantSums>
mlir::qdq::evaluateDifferenceSum(const IntegerProduct &product,
                                 const ProductOperand &operand, AffineMap map,
                                 int64_t terms) {
  auto type = cast<RankedTensorType>(operand.codes.getType());
  std::optional<ConstantElements> codes = ConstantElements::get(operand.codes);
  std::optional<ConstantElements> zeros;
  if (operand.zeroPoint && !(zeros = ConstantElements::get(operand.zeroPoint)))
    return std::nullopt;
  if (!codes || !type.hasStaticShape() || !map.isProjectedPermutation())
    return std::nullopt;
  // A splat of a few bytes may have more elements than memory.
  constexpr int64_t kMaxSplat = 1 << 26;
  if (codes->isUniform() && type.getNumElements() > kMaxSplat)
    return std::nullopt;
  SmallVector<unsigned> parallel = getParallelLoops(product, map);
  auto getDim = [&](unsigned loop) -> unsigned {
    return *map.getResultPosition(getAffineDimExpr(loop, type.getContext()));
  };

  // By dimension of the codes: the stride in the sums, and in the zero points.
  auto getStrides = [&](ArrayRef<unsigned> loops) {
    SmallVector<int64_t> strides(type.getRank(), 0);
    int64_t stride = 1;
    for (unsigned loop : llvm::reverse(loops)) {
      unsigned dim = getDim(loop);
      strides[dim] = stride;
      stride *= type.getDimSize(dim);
    }
    return std::pair(strides, stride);
  };
  auto [strides, size] = getStrides(parallel);
  SmallVector<uint64_t> sums(size, 0);
  StridedPosition position(type.getShape(), strides);
  codes->forEachInteger([&](int64_t code) {
    sums[*position] += code;
    ++position;
  });
  ConstantSums result;
  for (unsigned loop : parallel)
    result.shape.push_back(type.getDimSize(getDim(loop)));
  result.elements = std::move(sums);
  if (!zeros)
    return result;

  SmallVector<unsigned> zeroLoops;
  if (!zeros->isUniform())
    for (AffineExpr index : operand.zeroPointMap.getResults())
      zeroLoops.push_back(cast<AffineDimExpr>(index).getPosition());
  SmallVector<int64_t> zeroStrides = getStrides(zeroLoops).first;
  for (int64_t position = 0; position < size; ++position) {
    int64_t zero = 0, rest = position;
    for (unsigned loop : llvm::reverse(parallel)) {
      unsigned dim = getDim(loop);
      zero += rest % type.getDimSize(dim) * zeroStrides[dim];
      rest /= type.getDimSize(dim);
    }
    result.elements[position] -=
        std::get<APSInt>((*zeros)[zero]).getExtValue() * uint64_t(terms);
  }
  return result;
}
