// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product of MatMulNBits, in floats and in integers.

#include "../ForeignOps/TensorOps.h"
#include "MatMulNBits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/Conversion/IntegerProducts.h"

using namespace mlir;
using namespace mlir::qdq;

/// `sums` [..., N, blocks] times `scale` [N, blocks]: [..., N].
static Value contractBlocks(ImplicitLocOpBuilder &b, Value sums, Value scale) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), sums);
  sizes.pop_back();
  return contractLast(b, sums, b.getMultiDimIdentityMap(sizes.size() + 1),
                      scale, sizes);
}

Value mlir::qdq::multiplyDequantized(const ForeignOp &node, const NBitsNode &n,
                                     const Stamp &stamp) {
  PatternRewriter &rewriter = node.getRewriter();
  const NBitsLayout &layout = n.layout;
  NBitsWeight weight = unpackWeight(node, n, layout.columns);
  int64_t block = layout.block;
  if (n.groups) {
    Value groups = node.materialize(n.groups);
    weight.scale = gatherGroups(node, weight.scale, groups, layout.columns);
    if (weight.zeroPoint)
      weight.zeroPoint =
          gatherGroups(node, weight.zeroPoint, groups, layout.columns);
    block = 1;
  }
  Type f32 = rewriter.getF32Type();
  auto scaleType = cast<FloatType>(n.scale.type.getElementType());
  auto type = RankedTensorType::get({layout.rows, layout.columns}, f32);
  Value reals = node.create<DequantizeOp>(
      type, weight.codes, weight.scale, weight.zeroPoint, /*axis=*/nullptr,
      rewriter.getDenseI64ArrayAttr({1, block}), /*clamp=*/nullptr,
      /*zero_point_domain=*/nullptr,
      stamp({Direction::Dequantize, f32, scaleType}));
  ImplicitLocOpBuilder b(node.getLoc(), rewriter);
  return contractColumns(b, node.materialize(n.input), reals);
}

//===----------------------------------------------------------------------===//
// accuracy_level 4
//===----------------------------------------------------------------------===//

/// A in f32, in blocks of the weight's length: [..., blocks, block]. A last one
/// that is short is filled with zeros.
static Value splitIntoBlocks(const ForeignOp &node, const NBitsNode &n) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  const NBitsLayout &layout = n.layout;
  Value x =
      addBias(b, node.materialize(n.input), /*bias=*/nullptr, b.getF32Type());
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rank = type.getRank(), blocks = layout.getBlocks();
  int64_t padding = blocks * layout.block - layout.columns;
  SmallVector<int64_t> shape(type.getShape());
  if (padding != 0) {
    SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)), high = low;
    high.back() = b.getIndexAttr(padding);
    shape.back() = layout.columns + padding;
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
    x = tensor::PadOp::create(b, type.clone(shape), x, low, high, zero);
  }
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank; ++dim)
    groups.push_back({dim});
  groups.back().push_back(rank);
  shape.back() = blocks;
  shape.push_back(layout.block);
  sizes.back() = b.getIndexAttr(blocks);
  sizes.push_back(b.getIndexAttr(layout.block));
  return tensor::ExpandShapeOp::create(b, type.clone(shape), x, groups, sizes);
}

namespace {
/// Codes [..., blocks, block] and their scales [..., blocks, 1].
struct QuantizedInput {
  Value codes, scale;
};
} // namespace

/// Each block of A in i8, by its largest magnitude.
static QuantizedInput quantizeBlocks(const ForeignOp &node, Value blocks,
                                     const Stamp &stamp) {
  PatternRewriter &rewriter = node.getRewriter();
  auto type = cast<RankedTensorType>(blocks.getType());
  FloatType f32 = rewriter.getF32Type();
  Type i8 = rewriter.getI8Type();
  SmallVector<int64_t> shape(type.getShape()), lengths(type.getRank(), 1);
  shape.back() = 1;
  lengths.back() = 0;
  auto blockShape = rewriter.getDenseI64ArrayAttr(lengths);
  auto chosen = node.create<ChooseParamsOp>(
      type.clone(shape), Type(), blocks, RangeMode::Symmetric,
      /*axis=*/nullptr, blockShape, /*clamp=*/nullptr,
      stamp({Direction::Dequantize, f32, f32}), TypeAttr::get(i8),
      /*power_of_two=*/nullptr);
  SemanticsFields spelled;
  if (stamp.getProfile() == Profile::ORT)
    spelled.division = Division::Reciprocal;
  Value codes = node.create<QuantizeOp>(
      type.clone(i8), blocks, chosen.getScale(), /*zero_point=*/nullptr,
      /*axis=*/nullptr, blockShape, /*clamp=*/nullptr,
      /*zero_point_domain=*/nullptr,
      stamp({Direction::Quantize, f32, f32}, spelled), /*seed=*/nullptr,
      /*runtime_seed=*/nullptr);
  return {codes, chosen.getScale()};
}

/// The sums of each block, [..., N, blocks], in integers.
static FailureOr<Value> multiplyBlocks(const ForeignOp &node,
                                       const NBitsNode &n, Value input) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  const NBitsLayout &layout = n.layout;
  int64_t blocks = layout.getBlocks();
  NBitsWeight weight = unpackWeight(node, n, blocks * layout.block);
  // Loops: those of the rows of A, then N, the blocks, the codes of a block.
  unsigned rows = cast<RankedTensorType>(input.getType()).getRank() - 2;
  AffineExpr column = b.getAffineDimExpr(rows);
  AffineExpr block = b.getAffineDimExpr(rows + 1);
  AffineExpr code = b.getAffineDimExpr(rows + 2);
  auto makeMap = [&](bool hasRows, ArrayRef<AffineExpr> last) {
    SmallVector<AffineExpr> indices;
    for (unsigned dim = 0; hasRows && dim < rows; ++dim)
      indices.push_back(b.getAffineDimExpr(dim));
    llvm::append_range(indices, last);
    return AffineMap::get(rows + 3, 0, indices, b.getContext());
  };
  IntegerProduct product;
  product.a = {input};
  product.b = {reshape(b, weight.codes, {layout.rows, blocks, layout.block}),
               weight.zeroPoint};
  if (weight.zeroPoint)
    product.b.zeroPointMap = makeMap(false, {column, block});
  product.aMap = makeMap(true, {block, code});
  product.bMap = makeMap(false, {column, block, code});
  product.resultMap = makeMap(true, {column, block});
  product.iterators.assign(rows + 2, utils::IteratorType::parallel);
  product.iterators.push_back(utils::IteratorType::reduction);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), input);
  product.resultSizes.assign(sizes.begin(), sizes.begin() + rows);
  product.resultSizes.append(
      {b.getIndexAttr(layout.rows), b.getIndexAttr(blocks)});
  std::string reason;
  FailureOr<Value> sums = buildIntegerProduct(b, product, reason);
  if (failed(sums))
    return node.refuse(reason);
  return sums;
}

/// The scales [..., blocks, 1] of A beside sums [..., N, blocks].
static Value placeBesideSums(ImplicitLocOpBuilder &b, Value scale) {
  auto type = cast<RankedTensorType>(scale.getType());
  int64_t rank = type.getRank();
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    groups.push_back({dim});
  groups.push_back({rank - 2, rank - 1});
  Value flat = tensor::CollapseShapeOp::create(b, scale, groups);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), scale);
  std::swap(sizes[rank - 2], sizes[rank - 1]);
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[rank - 2], shape[rank - 1]);
  return tensor::ExpandShapeOp::create(b, type.clone(shape), flat, groups,
                                       sizes);
}

FailureOr<Value> mlir::qdq::multiplyQuantized(const ForeignOp &node,
                                              const NBitsNode &n,
                                              const Stamp &stamp) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  QuantizedInput input = quantizeBlocks(node, splitIntoBlocks(node, n), stamp);
  FailureOr<Value> sums = multiplyBlocks(node, n, input.codes);
  if (failed(sums))
    return failure();
  auto type = cast<RankedTensorType>(sums->getType());
  SmallVector<int64_t> lengths(type.getRank(), 1);
  lengths[type.getRank() - 2] = 0;
  FloatType f32 = b.getF32Type();
  Value reals = node.create<DequantizeOp>(
      type.clone(f32), *sums, placeBesideSums(b, input.scale),
      /*zero_point=*/nullptr, /*axis=*/nullptr, b.getDenseI64ArrayAttr(lengths),
      /*clamp=*/nullptr,
      /*zero_point_domain=*/nullptr, stamp({Direction::Dequantize, f32, f32}));
  Value scale = reshape(b, node.materialize(n.scale),
                        {n.layout.rows, n.layout.getBlocks()});
  return contractBlocks(b, reals, scale);
}
