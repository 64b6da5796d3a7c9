// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weight of MatMulNBits.

#include "../ForeignOps/TensorOps.h"
#include "MatMulNBits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

/// The codes of `containers` [N, bytes], the first `count` of each row. Around
/// a zero point of their own they are unsigned.
static Value unpack(const ForeignOp &node, Value containers, int64_t count,
                    const NBitsLayout &layout, bool isUnsigned,
                    PackingPart part) {
  PatternRewriter &rewriter = node.getRewriter();
  auto type = cast<RankedTensorType>(containers.getType());
  int64_t rows = type.getDimSize(0), bytes = layout.getBytes(count);
  if (bytes != type.getDimSize(1))
    containers = tensor::ExtractSliceOp::create(
        rewriter, node.getLoc(), type.clone({rows, bytes}), containers,
        ValueRange(), ValueRange(), ValueRange(), ArrayRef<int64_t>{0, 0},
        ArrayRef<int64_t>{rows, bytes}, ArrayRef<int64_t>{1, 1});
  auto signedness = isUnsigned ? IntegerType::Unsigned : IntegerType::Signless;
  auto code = IntegerType::get(rewriter.getContext(), layout.bits, signedness);
  auto packing =
      PackingAttr::get(rewriter.getContext(), PackingPreset::MatMulNBits, part);
  return node.create<UnpackOp>(RankedTensorType::get({rows, count}, code),
                               containers, ValueRange(), packing);
}

Value mlir::qdq::gatherGroups(const ForeignOp &node, Value parameters,
                              Value groups, int64_t columns) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  AffineMap values = b.getMultiDimIdentityMap(2);
  AffineMap map = AffineMap::get(2, 0, b.getAffineDimExpr(1));
  return onSignless(b, parameters, [&](Value table) {
    auto type = cast<RankedTensorType>(table.getType());
    int64_t shape[] = {type.getDimSize(0), columns};
    Value init = tensor::EmptyOp::create(b, shape, type.getElementType());
    return createGeneric(
        b, groups, init, {map, values}, [&](Scalar group) -> Value {
          ImplicitLocOpBuilder &body = group.getBuilder();
          Value row = linalg::IndexOp::create(body, 0);
          // Indices out of range read some block, and no memory beyond.
          group = group.to(body.getIndexType())
                      .apply<arith::MinUIOp>(type.getDimSize(1) - 1);
          return tensor::ExtractOp::create(body, table, ValueRange{row, group});
        });
  });
}

NBitsWeight mlir::qdq::unpackWeight(const ForeignOp &node, const NBitsNode &n,
                                    int64_t columns) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  const NBitsLayout &layout = n.layout;
  int64_t rows = layout.rows, blocks = layout.getBlocks();
  bool isUnsigned = bool(n.zeroPoint);
  Value containers = reshape(b, node.materialize(n.weight),
                             {rows, blocks * layout.getBytes(layout.block)});
  NBitsWeight weight;
  weight.codes =
      unpack(node, containers, columns, layout, isUnsigned, PackingPart::Codes);
  weight.scale = reshape(b, node.materialize(n.scale), {rows, blocks});
  if (n.zeroPoint) {
    Value zeroPoint = node.materialize(n.zeroPoint);
    bool isPacked = isa<IntegerType>(n.zeroPoint.type.getElementType());
    zeroPoint = reshape(b, zeroPoint,
                        {rows, isPacked ? layout.getBytes(blocks) : blocks});
    if (isPacked)
      zeroPoint = unpack(node, zeroPoint, blocks, layout, /*isUnsigned=*/true,
                         PackingPart::ZeroPoint);
    weight.zeroPoint = zeroPoint;
  }
  return weight;
}
