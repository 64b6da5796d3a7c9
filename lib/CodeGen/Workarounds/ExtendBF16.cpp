// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bf16 to f32 as a shift, beside casts to f16. LLVM computes in f16 if the
// operands have few bits, also those whose exponents f16 cannot hold:
// docs/upstream/fptrunc-of-bf16-products. And vectors that LLVM cuts into a
// power of two and one element, which it then cannot extend:
// docs/upstream/x86-bf16-vectors

#include "Preparations.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Numerics/Scalar.h"

using namespace mlir;
using namespace mlir::qdq;

static bool isBF16(Type type) { return getElementTypeOrSelf(type).isBF16(); }

/// True for 2^k + 1 elements.
static bool leavesOne(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getNumElements() > 2 &&
         llvm::isPowerOf2_64(vector.getNumElements() - 1);
}

static void extendByShift(OpBuilder &b, LLVM::FPExtOp op) {
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  Type type = op.getArg().getType();
  Type wide = withShapeOf(b.getI32Type(), type);
  Value bits = LLVM::BitcastOp::create(
      b, loc, withShapeOf(b.getI16Type(), type), op.getArg());
  bits = LLVM::ZExtOp::create(b, loc, wide, bits);
  auto sixteen = b.getI32IntegerAttr(16);
  auto vector = dyn_cast<VectorType>(wide);
  Value amount = LLVM::ConstantOp::create(
      b, loc, wide,
      vector ? TypedAttr(SplatElementsAttr::get(vector, sixteen)) : sixteen);
  bits = LLVM::ShlOp::create(b, loc, bits, amount);
  Value real =
      LLVM::BitcastOp::create(b, loc, withShapeOf(b.getF32Type(), type), bits);
  if (real.getType() == op.getType())
    return op.replaceAllUsesWith(real);
  op.getArgMutable().assign(real);
}

void mlir::qdq::extendBF16ByShifts(ModuleOp module) {
  SmallVector<LLVM::FPExtOp> extensions;
  bool isNarrowed = false;
  module.walk([&](Operation *op) {
    if (auto narrow = dyn_cast<LLVM::FPTruncOp>(op))
      isNarrowed |= getElementTypeOrSelf(narrow.getType()).isF16();
    auto extension = dyn_cast<LLVM::FPExtOp>(op);
    if (extension && isBF16(extension.getArg().getType()))
      extensions.push_back(extension);
  });
  OpBuilder b(module.getContext());
  for (LLVM::FPExtOp extension : extensions) {
    if (!isNarrowed && !leavesOne(extension.getArg().getType()))
      continue;
    extendByShift(b, extension);
    if (extension.use_empty())
      extension.erase();
  }
}
