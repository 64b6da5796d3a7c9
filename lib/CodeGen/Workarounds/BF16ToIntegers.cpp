// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bf16 in registers as integers. LLVM for x86 copies bf16 by an instruction
// that flushes subnormals, and aborts on some vectors of it:
// docs/upstream/x86-bf16-copies, docs/upstream/x86-bf16-select

#include "Preparations.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

/// The integers with the bits of bf16, or of a vector of it. Else null.
static Type getIntegerType(Type type) {
  Type i16 = IntegerType::get(type.getContext(), 16);
  if (type.isBF16())
    return i16;
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isBF16() ? vector.clone(i16)
                                                    : Type();
}

/// The bits of a constant as integers. Null for a resource.
static TypedAttr getIntegers(Attribute value, Type type) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return IntegerAttr::get(type, number.getValue().bitcastToAPInt());
  if (auto elements = dyn_cast<DenseElementsAttr>(value))
    return elements.bitcast(getElementTypeOrSelf(type));
  return {};
}

/// True if `op` is the same op on integers.
static bool movesBits(Operation *op) {
  if (auto constant = dyn_cast<LLVM::ConstantOp>(op))
    return isa<FloatAttr, DenseElementsAttr>(constant.getValue());
  return isa<LLVM::BitcastOp, LLVM::BrOp, LLVM::CondBrOp,
             LLVM::ExtractElementOp, LLVM::FreezeOp, LLVM::InsertElementOp,
             LLVM::LoadOp, LLVM::MaskedLoadOp, LLVM::MaskedStoreOp,
             LLVM::PoisonOp, LLVM::SelectOp, LLVM::ShuffleVectorOp,
             LLVM::StoreOp, LLVM::SwitchOp, LLVM::UndefOp, LLVM::vector_extract,
             LLVM::vector_insert, LLVM::ZeroOp>(op);
}

/// True if `value` is a bf16 that an op of another block uses.
static bool crossesBlocks(Value value) {
  return value.getType().isBF16() &&
         llvm::any_of(value.getUsers(), [&](Operation *user) {
           return user->getBlock() != value.getParentBlock();
         });
}

/// `bits`, by way of memory: LLVM folds casts, and moves the bf16 itself across
/// blocks.
static Value hideCast(OpBuilder &b, Value bits) {
  Location loc = bits.getLoc();
  OpBuilder::InsertionGuard guard(b);
  Region *body = bits.getParentRegion();
  OpBuilder entry = OpBuilder::atBlockBegin(&body->front());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value one = LLVM::ConstantOp::create(entry, loc, entry.getI32IntegerAttr(1));
  Value slot = LLVM::AllocaOp::create(entry, loc, pointer, bits.getType(), one);
  LLVM::StoreOp::create(b, loc, bits, slot, /*alignment=*/0,
                        /*isVolatile=*/true);
  return LLVM::LoadOp::create(b, loc, bits.getType(), slot, /*alignment=*/0,
                              /*isVolatile=*/true);
}

/// Replaces `bits` by casts to `type` where an op does not move bits.
static void castUses(OpBuilder &b, Value bits, Type type) {
  for (OpOperand &use : llvm::make_early_inc_range(bits.getUses())) {
    if (movesBits(use.getOwner()))
      continue;
    b.setInsertionPoint(use.getOwner());
    use.set(LLVM::BitcastOp::create(b, bits.getLoc(), type, bits));
  }
}

/// Makes `value` integers, if what defines it can, and else its uses.
static void convert(OpBuilder &b, Value value) {
  Type type = value.getType();
  Type integers = getIntegerType(type);
  if (!integers)
    return;
  Operation *op = value.getDefiningOp();
  bool isMoved = op ? movesBits(op)
                    : !cast<BlockArgument>(value).getOwner()->isEntryBlock();
  if (isMoved) {
    if (auto constant = dyn_cast_or_null<LLVM::ConstantOp>(op))
      constant.setValueAttr(getIntegers(constant.getValue(), integers));
    value.setType(integers);
    castUses(b, value, type);
    return;
  }
  bool isHidden = crossesBlocks(value);
  if (!isHidden && llvm::none_of(value.getUsers(), movesBits))
    return;
  b.setInsertionPointAfterValue(value);
  auto cast = LLVM::BitcastOp::create(b, value.getLoc(), integers, value);
  Value bits = isHidden ? hideCast(b, cast) : cast;
  value.replaceUsesWithIf(bits, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user != cast && (isHidden || movesBits(user));
  });
  castUses(b, bits, type);
}

void mlir::qdq::convertBF16ToIntegers(ModuleOp module) {
  SmallVector<Value> values;
  module.walk([&](Operation *op) {
    llvm::append_range(values, op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(values, block.getArguments());
  });
  OpBuilder b(module.getContext());
  for (Value value : values)
    convert(b, value);

  // Casts of integers to themselves.
  module.walk([](LLVM::BitcastOp op) {
    if (op.getArg().getType() != op.getType())
      return;
    op.replaceAllUsesWith(op.getArg());
    op.erase();
  });
}
