// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes of less than 8 bits that products of integers read, as bytes.

#include "../Analysis/SumOfProducts.h"
#include "../Boundary/PackedBits.h"
#include "../Plan/Tiles.h"
#include "ByteLayouts.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

static constexpr unsigned kByteBits = 8;

static bool multipliesIntegers(linalg::GenericOp op) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  return sum && sum->getProduct<arith::MulIOp>();
}

/// The extension beyond a byte that alone reads the codes of an input; null if
/// there is none.
static Operation *getExtension(linalg::GenericOp op, OpOperand *input) {
  BlockArgument code = op.getMatchingBlockArgument(input);
  if (!isa<IntegerType>(code.getType()) || !isSubByte(code.getType()) ||
      !isa<RankedTensorType>(input->get().getType()) || !code.hasOneUse())
    return nullptr;
  Operation *user = *code.user_begin();
  bool isExtension =
      isa<arith::ExtSIOp, arith::ExtUIOp>(user) &&
      user->getResult(0).getType().getIntOrFloatBitWidth() > kByteBits;
  return isExtension ? user : nullptr;
}

/// The tensor with its elements extended to bytes, with their sign or without.
static Value extendToBytes(IRRewriter &rewriter, Location loc, Value codes,
                           bool isSigned) {
  Type byte = rewriter.getI8Type();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, codes);
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, byte);
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  auto extend = [&](OpBuilder &b, Location at, ValueRange elements) {
    Value extended =
        isSigned ? arith::ExtSIOp::create(b, at, byte, elements[0]).getResult()
                 : arith::ExtUIOp::create(b, at, byte, elements[0]).getResult();
    linalg::YieldOp::create(b, at, extended);
  };
  return linalg::GenericOp::create(rewriter, loc, empty.getType(), codes, empty,
                                   maps, iterators, extend)
      .getResult(0);
}

void mlir::qdq::widenCodes(IRRewriter &rewriter, Operation *root) {
  for (linalg::GenericOp op : collectGenerics(root, multipliesIntegers))
    for (OpOperand *input : op.getDpsInputOperands()) {
      Operation *extension = getExtension(op, input);
      if (!extension)
        continue;
      rewriter.setInsertionPoint(op);
      Value bytes = extendToBytes(rewriter, op.getLoc(), input->get(),
                                  isa<arith::ExtSIOp>(extension));
      rewriter.modifyOpInPlace(op, [&] {
        op.getMatchingBlockArgument(input).setType(rewriter.getI8Type());
        input->set(bytes);
      });
    }
}
