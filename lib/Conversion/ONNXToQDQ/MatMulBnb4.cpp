// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's MatMulBnb4: codes of bitsandbytes are places in a table.

#include "../ForeignOps/TensorOps.h"
#include "MatMulNBits.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::qdq;

/// The values of `quant_type` 0, FP4, and 1, NF4.
static constexpr float kTables[2][16] = {
    {0.0f, 0.0052083334885537624f, 0.6666666865348816f, 1.0f,
     0.3333333432674408f, 0.5f, 0.1666666716337204f, 0.25f, 0.0f,
     -0.0052083334885537624f, -0.6666666865348816f, -1.0f, -0.3333333432674408f,
     -0.5f, -0.1666666716337204f, -0.25f},
    {-1.0f, -0.6961928009986877f, -0.5250730514526367f, -0.39491748809814453f,
     -0.28444138169288635f, -0.18477343022823334f, -0.09105003625154495f, 0.0f,
     0.07958029955625534f, 0.16093020141124725f, 0.24611230194568634f,
     0.33791524171829224f, 0.44070982933044434f, 0.5626170039176941f,
     0.7229568362236023f, 1.0f}};

namespace {
struct Bnb4Node {
  int64_t rows, columns, block, table;
  ForeignTensor input, weight, absmax;
};
} // namespace

static FailureOr<Bnb4Node> readBnb4Node(const ForeignOp &node) {
  Reader read;
  Bnb4Node n;
  n.rows = read(node.getInteger("N", 0));
  n.columns = read(node.getInteger("K", 0));
  n.block = read(node.getInteger("block_size", 0));
  n.table = read(node.getInteger("quant_type", 0));
  int64_t transB = read(node.getInteger("transB", 1));
  n.input = read(node.getTensor(0, "A"));
  n.weight = read(node.getTensor(1, "B"));
  n.absmax = read(node.getTensor(2, "absmax"));
  if (failed(read))
    return failure();
  if (n.table < 0 || n.table > 1 || transB != 1)
    return node.refuse("quant_type is ", n.table, " and transB ", transB,
                       ": expected 0 (FP4) or 1 (NF4), and 1");
  int64_t count = 0;
  if (n.rows < 1 || n.columns < 1 || n.block < 2 || n.block % 2 ||
      llvm::MulOverflow(n.rows, n.columns, count) || count % n.block)
    return node.refuse("has N = ", n.rows, ", K = ", n.columns,
                       " and block_size = ", n.block,
                       ": expected whole blocks of an even size");
  Builder b = node.getRewriter();
  auto bytes = RankedTensorType::get(count / 2, b.getIntegerType(8, false));
  auto scales = RankedTensorType::get(count / n.block, b.getF32Type());
  auto row = dyn_cast<RankedTensorType>(n.input.type);
  FailureOr<TensorType> result = node.getResultType(0);
  if (n.weight.type != bytes || n.absmax.type != scales)
    return node.refuse("B has type ", n.weight.type, " and absmax ",
                       n.absmax.type, ": expected ", bytes, " and ", scales);
  if (!row || row.getRank() == 0 || !row.getElementType().isF32() ||
      differ(row.getShape().back(), n.columns))
    return node.refuse("A has type ", n.input.type,
                       ": expected f32 with a last dimension of ", n.columns);
  if (failed(result))
    return failure();
  if (!result->getElementType().isF32())
    return node.refuse("result has type ", *result, ": expected f32");
  return n;
}

LogicalResult mlir::qdq::translateMatMulBnb4(const ForeignOp &node,
                                             const Stamp &) {
  FailureOr<Bnb4Node> n = readBnb4Node(node);
  if (failed(n))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Type f32 = b.getF32Type(), i4 = b.getIntegerType(4);
  int64_t count = n->rows * n->columns;
  // The first element of a byte is the high one.
  auto packing = PackingAttr::get(
      b.getContext(), /*preset=*/std::nullopt, PackingPart::Codes, /*bits=*/4,
      /*container=*/nullptr, /*axis=*/0, /*block=*/2, /*order=*/{1, 0},
      /*record=*/std::nullopt, /*at=*/std::nullopt, /*offset=*/std::nullopt,
      /*positive_zero=*/false);
  Value codes =
      node.create<UnpackOp>(RankedTensorType::get(count, i4),
                            node.materialize(n->weight), ValueRange(), packing);
  Value table = arith::ConstantOp::create(
      b, DenseElementsAttr::get(RankedTensorType::get(16, f32),
                                ArrayRef(kTables[n->table])));
  int64_t blocks = count / n->block;
  Value weight =
      mapElements(b,
                  {reshape(b, codes, {blocks, n->block}),
                   reshape(b, node.materialize(n->absmax), {blocks, 1})},
                  f32, [&](Scalar code, Scalar absmax) {
                    return readEntry(table, code) * absmax;
                  });
  weight = reshape(b, reshape(b, weight, {count}), {n->rows, n->columns});
  return node.replace(contractColumns(b, node.materialize(n->input), weight));
}
