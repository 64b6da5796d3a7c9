// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product of MatMulNBits, of A as it is and in 8 bits.

#include "../ForeignOps/TensorOps.h"
#include "MatMulNBits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

/// The first `columns` columns of the weight, as floats.
static Value dequantizeWeight(const ForeignOp &node, const NBitsNode &n,
                              int64_t columns, const Stamp &stamp) {
  PatternRewriter &rewriter = node.getRewriter();
  const NBitsLayout &layout = n.layout;
  NBitsWeight weight = unpackWeight(node, n, columns);
  int64_t block = layout.block;
  if (n.groups) {
    Value groups = node.materialize(n.groups);
    weight.scale = gatherGroups(node, weight.scale, groups, columns);
    if (weight.zeroPoint)
      weight.zeroPoint = gatherGroups(node, weight.zeroPoint, groups, columns);
    block = 1;
  }
  Type f32 = rewriter.getF32Type();
  auto scaleType = cast<FloatType>(n.scale.type.getElementType());
  auto type = RankedTensorType::get({layout.rows, columns}, f32);
  return node.create<DequantizeOp>(
      type, weight.codes, weight.scale, weight.zeroPoint, /*axis=*/nullptr,
      rewriter.getDenseI64ArrayAttr({1, block}), /*clamp=*/nullptr,
      /*zero_point_domain=*/nullptr,
      stamp({Direction::Dequantize, f32, scaleType}));
}

Value mlir::qdq::multiplyDequantized(const ForeignOp &node, const NBitsNode &n,
                                     const Stamp &stamp) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value weight = dequantizeWeight(node, n, n.layout.columns, stamp);
  return contractColumns(b, node.materialize(n.input), weight);
}

//===----------------------------------------------------------------------===//
// accuracy_level 4
//===----------------------------------------------------------------------===//

/// The blocks of A: those of the weight, in parts of 256 if they are longer, as
/// ONNX Runtime's kernels have them.
static int64_t getInputBlock(const NBitsLayout &layout) {
  return std::min<int64_t>(layout.block, 256);
}

/// A in f32, in blocks: [..., blocks, block]. What the weight's last block has
/// more is filled with zeros.
static Value splitIntoBlocks(const ForeignOp &node, const NBitsNode &n) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  const NBitsLayout &layout = n.layout;
  Value x =
      addBias(b, node.materialize(n.input), /*bias=*/nullptr, b.getF32Type());
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rank = type.getRank(), columns = layout.getBlocks() * layout.block;
  int64_t padding = columns - layout.columns, block = getInputBlock(layout);
  SmallVector<int64_t> shape(type.getShape());
  if (type.isDynamicDim(rank - 1)) {
    shape.back() = layout.columns;
    type = type.clone(shape);
    x = tensor::CastOp::create(b, type, x);
  }
  if (padding != 0) {
    SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)), high = low;
    high.back() = b.getIndexAttr(padding);
    shape.back() = columns;
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
    x = tensor::PadOp::create(b, type.clone(shape), x, low, high, zero);
  }
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank; ++dim)
    groups.push_back({dim});
  groups.back().push_back(rank);
  shape.back() = columns / block;
  shape.push_back(block);
  sizes.back() = b.getIndexAttr(columns / block);
  sizes.push_back(b.getIndexAttr(block));
  return tensor::ExpandShapeOp::create(b, type.clone(shape), x, groups, sizes);
}

namespace {
/// Codes [..., blocks, block] and their scales [..., blocks, 1].
struct QuantizedInput {
  Value codes, scale;
};
} // namespace

/// Each block of A in i8, by its largest magnitude. ONNX Runtime's kernels
/// multiply with 127 / magnitude, which is not always the reciprocal of the
/// scale, magnitude / 127.
static QuantizedInput quantizeBlocks(const ForeignOp &node, Value blocks,
                                     const Stamp &stamp) {
  PatternRewriter &rewriter = node.getRewriter();
  ImplicitLocOpBuilder b(node.getLoc(), rewriter);
  auto type = cast<RankedTensorType>(blocks.getType());
  FloatType f32 = rewriter.getF32Type();
  SmallVector<int64_t> shape(type.getShape()), lengths(type.getRank(), 1);
  shape.back() = 1;
  lengths.back() = 0;
  auto blockShape = rewriter.getDenseI64ArrayAttr(lengths);
  bool isRuntime = stamp.getProfile() == Profile::ORT;
  auto chosen = node.create<ChooseParamsOp>(
      type.clone(shape), Type(), blocks, RangeMode::Symmetric,
      /*axis=*/nullptr, blockShape,
      // Codes up to 1: the magnitude itself.
      isRuntime ? rewriter.getDenseI64ArrayAttr({-1, 1}) : nullptr,
      stamp({Direction::Dequantize, f32, f32}),
      TypeAttr::get(rewriter.getI8Type()), /*power_of_two=*/nullptr);
  Value scale = chosen.getScale();
  if (!isRuntime)
    return {quantizeF32(node, stamp, toForeign(blocks), b.getI8Type(),
                        {{nullptr, blockShape}, toForeign(scale), {}}),
            scale};
  Value factor = mapElements(b, {scale}, f32, [](Scalar x) { return 127 / x; });
  Value scaled = mapElements(b, {blocks, factor}, f32,
                             [](Scalar x, Scalar y) { return x * y; });
  scale = mapElements(b, {scale}, f32, [](Scalar x) { return x / 127; });
  return {quantizeF32(node, stamp, toForeign(scaled), b.getI8Type(),
                      {Placement(), getSingle(f32, 1), {}}),
          scale};
}

/// The sum of the products, in an unspecified order.
static Value contractInAnyOrder(ImplicitLocOpBuilder &b,
                                PatternRewriter &rewriter, Value input,
                                Value weight) {
  Value sum = contractColumns(b, input, weight);
  FailureOr<linalg::GenericOp> generic = linalg::generalizeNamedOp(
      rewriter, sum.getDefiningOp<linalg::LinalgOp>());
  if (failed(generic))
    return sum;
  auto flags = arith::FastMathFlagsAttr::get(
      b.getContext(),
      arith::FastMathFlags::reassoc | arith::FastMathFlags::contract);
  for (Operation &op : *generic->getBody())
    if (auto inner = dyn_cast<arith::ArithFastMathInterface>(op))
      op.setAttr(inner.getFastMathAttrName(), flags);
  return generic->getResult(0);
}

Value mlir::qdq::multiplyQuantized(const ForeignOp &node, const NBitsNode &n,
                                   const Stamp &stamp) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  const NBitsLayout &layout = n.layout;
  QuantizedInput input = quantizeBlocks(node, splitIntoBlocks(node, n), stamp);
  int64_t last = cast<RankedTensorType>(input.codes.getType()).getRank() - 2;
  Value codes = collapseDims(b, input.codes, last);
  SmallVector<int64_t> lengths(last + 1, 1);
  lengths.back() = getInputBlock(layout);
  Value reals = dequantizeF32(node, stamp, toForeign(codes),
                              {{nullptr, b.getDenseI64ArrayAttr(lengths)},
                               toForeign(collapseDims(b, input.scale, last)),
                               {}});
  Value weight =
      dequantizeWeight(node, n, layout.getBlocks() * layout.block, stamp);
  // ONNX Runtime adds products of codes as integers, and these vector by
  // vector.
  if (stamp.getProfile() == Profile::ORT)
    return contractInAnyOrder(b, node.getRewriter(), reals, weight);
  return contractColumns(b, reals, weight);
}
