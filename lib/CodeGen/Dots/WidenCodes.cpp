// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes of less than 8 bits that sums of products read, as bytes.

#include "../Analysis/SumOfProducts.h"
#include "../Boundary/PackedBits.h"
#include "../Plan/Tiles.h"
#include "ByteLayouts.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/BuildGeneric.h"

using namespace mlir;
using namespace mlir::qdq;

static constexpr unsigned kByteBits = 8;

static bool sumsProducts(linalg::GenericOp op) {
  return SumOfProducts::get(op).has_value();
}

static bool multipliesIntegers(linalg::GenericOp op) {
  return bool(SumOfProducts::get(op)->getProduct<arith::MulIOp>());
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
  ImplicitLocOpBuilder b(loc, rewriter);
  Type byte = b.getI8Type();
  auto extend = [&](ImplicitLocOpBuilder &body, ValueRange elements) {
    return convertScalarToDtype(body, loc, elements[0], byte, !isSigned);
  };
  return buildElementwise(b, codes, tensor::getMixedSizes(b, loc, codes), byte,
                          extend);
}

void mlir::qdq::widenCodes(IRRewriter &rewriter, Operation *root) {
  for (linalg::GenericOp op : collectGenerics(root, sumsProducts))
    for (OpOperand *input : op.getDpsInputOperands()) {
      Operation *extension = getExtension(op, input);
      if (!extension)
        continue;
      rewriter.setInsertionPoint(op);
      Value bytes = extendToBytes(rewriter, op.getLoc(), input->get(),
                                  isa<arith::ExtSIOp>(extension));
      BlockArgument byte = op.getMatchingBlockArgument(input);
      Type code = byte.getType();
      rewriter.modifyOpInPlace(op, [&] {
        byte.setType(rewriter.getI8Type());
        input->set(bytes);
      });
      if (multipliesIntegers(op))
        continue;
      // A zero point, whose range its type tells.
      rewriter.setInsertionPoint(extension);
      Value truncated = arith::TruncIOp::create(
          rewriter, op.getLoc(), code, byte,
          isa<arith::ExtSIOp>(extension) ? arith::IntegerOverflowFlags::nsw
                                         : arith::IntegerOverflowFlags::nuw);
      rewriter.modifyOpInPlace(extension,
                               [&] { extension->setOperand(0, truncated); });
    }
}
