// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields of constant records as constants of their own.

#include "ConstantBytes.h"
#include "PackedBits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/QDQ.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::qdq;

/// True if a layout leaves gaps, or orders elements in another way than the
/// tensor of them.
static bool scatters(UnpackOp op) {
  BitLayout layout = op.getLayout();
  return layout.block && (!layout.order.empty() || layout.at != 0 ||
                          layout.record > layout.getBlockContainers());
}

static bool keepsOrder(Operation *op) {
  auto unpack = dyn_cast<UnpackOp>(op);
  return unpack ? !scatters(unpack)
                : isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                      tensor::BitcastOp>(op);
}

/// Nothing if `value` is not computed of a constant; else whether ops before do
/// more than to unpack elements in their order.
static std::optional<bool> rearrangesConstant(Value value) {
  bool isRearranged = false;
  for (unsigned i = 0; i < kMostBodyOps; ++i) {
    Operation *op = value.getDefiningOp();
    if (!movesBytes(op))
      return matchPattern(value, m_Constant()) ? std::optional(isRearranged)
                                               : std::nullopt;
    isRearranged |= !keepsOrder(op);
    value = op->getOperand(0);
  }
  return std::nullopt;
}

static bool isOfConstant(Value value) {
  return rearrangesConstant(value).has_value();
}

/// True for fields of constants that become one code.
static bool joins(Operation *op) {
  return isa<arith::OrIOp>(op) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return !matchPattern(operand, m_Constant()) && isOfConstant(operand);
         });
}

/// True for what is computed of constants.
static bool movesConstants(Operation *op) {
  return movesBytes(op) && isOfConstant(op->getResult(0)) &&
         (!OpTrait::hasElementwiseMappableTraits(op) ||
          llvm::all_of(op->getOperands(), isOfConstant));
}

/// True if `value` is wider than the codes of which alone it is computed: what
/// parameters may become, and codes may not.
static bool isWidened(Value value) {
  for (unsigned i = 0; i < kMostBodyOps; ++i) {
    Operation *op = value.getDefiningOp();
    if (!movesBytes(op) || joins(op))
      return false;
    bool isWider = getElementTypeOrSelf(value).getIntOrFloatBitWidth() > 8;
    if (isa<arith::ExtUIOp>(op) || (isa<linalg::GenericOp>(op) && isWider))
      return true;
    value = op->getOperand(0);
  }
  return false;
}

static bool isParameter(OpOperand &use) {
  auto dequantize = dyn_cast<DequantizeOp>(use.getOwner());
  return dequantize && use.get() != dequantize.getInput();
}

/// Remembers which values become parts of constants.
using Computed = DenseMap<Value, bool>;

/// True if a constant takes the place of `use`, or of what is computed of it.
static bool isComputed(OpOperand &use, Computed &known, unsigned depth = 0) {
  Operation *user = use.getOwner();
  if (!movesConstants(user))
    return !isWidened(use.get()) || isParameter(use);
  if (depth == kMostBodyOps)
    return false;
  auto [found, isNew] = known.try_emplace(user->getResult(0), false);
  if (!isNew)
    return found->second;
  bool result = llvm::any_of(user->getUses(), [&](OpOperand &next) {
    return isComputed(next, known, depth + 1);
  });
  return known[user->getResult(0)] = result;
}

/// True if a constant takes the place of `use`: of no later one.
static bool isRead(OpOperand &use, Computed &known) {
  if (!movesConstants(use.getOwner()))
    return isComputed(use, known);
  return !isWidened(use.get()) && !isComputed(use, known);
}

namespace {
/// The ops of which operands of contractions are computed, element by element.
class ContractionInputs {
public:
  explicit ContractionInputs(Operation *root) {
    root->walk([&](linalg::LinalgOp op) {
      if (isContraction(op))
        ops.insert(op);
    });
    for (size_t i = 0; i < ops.size(); ++i)
      for (Value operand : ops[i]->getOperands())
        if (Operation *by = operand.getDefiningOp(); by && passes(by))
          ops.insert(by);
  }

  bool contain(Value value) const {
    return llvm::any_of(value.getUsers(),
                        [&](Operation *user) { return ops.contains(user); });
  }

private:
  static bool isContraction(linalg::LinalgOp op) {
    return op.getNumReductionLoops() > 0 &&
           linalg::isaContractionOpInterface(op);
  }

  static bool passes(Operation *op) {
    if (auto loops = dyn_cast<linalg::LinalgOp>(op))
      return loops.getNumReductionLoops() == 0;
    return isa<DequantizeOp>(op) || movesBytes(op) ||
           OpTrait::hasElementwiseMappableTraits(op);
  }

  SetVector<Operation *> ops;
};
} // namespace

static Value createConstant(ImplicitLocOpBuilder &b,
                            const ConstantBytes &elements) {
  auto create = [&](RankedTensorType type, ArrayRef<char> bytes) -> Value {
    TypedAttr attribute =
        type.getNumElements() == 1
            ? TypedAttr(DenseElementsAttr::getFromRawBuffer(type, bytes))
            : createResource(type, "unpacked", bytes);
    return arith::ConstantOp::create(b, attribute);
  };
  if (!isSubByte(elements.type.getElementType()))
    return create(elements.type, elements.bytes);
  Value packed = create(
      getPackedType(elements.type),
      packCodeBytes(elements.bytes, elements.type.getElementTypeBitWidth()));
  return unpackBits(b, packed, elements.type, {});
}

/// Dequantizes transposed constants for a contraction, in place of what it
/// reads, which is transposed behind.
static void transposeConstants(linalg::TransposeOp op,
                               const ContractionInputs &inputs) {
  auto source = op.getInput().getDefiningOp<DequantizeOp>();
  ArrayRef<int64_t> order = op.getPermutation();
  if (!source || op->getNumResults() != 1 || !inputs.contain(op->getResult(0)))
    return;
  Granularity granularity = source.getGranularity();
  SmallVector<std::pair<OpOperand *, ConstantBytes>> moved;
  for (OpOperand &operand : source->getOpOperands()) {
    // Parameters of a tensor, or of an axis, stay.
    bool isMoved = operand.get() == source.getInput() || granularity.isBlock();
    if (!isMoved || !isa<RankedTensorType>(operand.get().getType()) ||
        cast<RankedTensorType>(operand.get().getType()).getRank() == 0)
      continue;
    std::optional<ConstantBytes> elements = computeBytes(operand.get());
    if (!elements || elements->type.getElementType().isInteger(1))
      return;
    moved.emplace_back(&operand, transposeBytes(*elements, order));
  }
  ImplicitLocOpBuilder b(source.getLoc(), op);
  auto result = cast<DequantizeOp>(b.clone(*source));
  b.setInsertionPoint(result);
  for (auto &[operand, elements] : moved)
    result->setOperand(operand->getOperandNumber(),
                       createConstant(b, elements));
  if (granularity.isBlock())
    result.setBlockShape(applyPermutation(granularity.getBlockShape(), order));
  if (granularity.isAxis())
    result.setAxis(
        std::distance(order.begin(), llvm::find(order, granularity.getAxis())));
  result.getResult().setType(op->getResult(0).getType());
  op->getResult(0).replaceAllUsesWith(result.getResult());
  op.erase();
  if (source.use_empty())
    source.erase();
}

/// The constant integers of less than a byte that `value` is, from bytes of
/// their sign; null for other values.
static Value createFromBytes(ImplicitLocOpBuilder &b, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(value));
  if (!type || !integer || !isSubByte(integer) || !isOfConstant(value))
    return {};
  std::optional<ConstantBytes> codes = computeBytes(value);
  if (!codes)
    return {};
  bool isUnsigned = integer.isUnsigned();
  unsigned bits = integer.getWidth();
  auto bytes = ConstantBytes::zeros(type.clone(b.getI8Type()));
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    APInt code = APInt(64, codes->get(i)).trunc(bits);
    bytes.set(i, (isUnsigned ? code.zext(8) : code.sext(8)).getZExtValue());
  }
  // The flag and the type tell the range.
  Value truncated = arith::TruncIOp::create(
      b, type.clone(b.getIntegerType(bits)), createConstant(b, bytes),
      isUnsigned ? arith::IntegerOverflowFlags::nuw
                 : arith::IntegerOverflowFlags::nsw);
  if (integer.isSignless())
    return truncated;
  return tensor::BitcastOp::create(b, type, truncated);
}

/// Decodes parameters that are arithmetic of bytes.
static void decodeParameters(DequantizeOp op, const ContractionInputs &inputs) {
  if (!inputs.contain(op.getResult()))
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *by = operand.get().getDefiningOp();
    if (!by || movesBytes(by) || !isParameter(operand))
      continue;
    if (std::optional<ConstantBytes> elements = decodeBytes(operand.get())) {
      ImplicitLocOpBuilder b(op.getLoc(), op);
      operand.set(createConstant(b, *elements));
    }
  }
}

/// Gives constant zero points of contractions a byte each: of bytes that they
/// share, each call would cut them.
static void widenZeroPoints(Operation *root) {
  ContractionInputs inputs(root);
  root->walk([&](DequantizeOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    if (op.getZeroPoint() && inputs.contain(op.getResult()))
      if (Value codes = createFromBytes(b, op.getZeroPoint()))
        op.getZeroPointMutable().assign(codes);
  });
}

/// Collects ops first: in a graph region an op may stand before its operands,
/// which are erased.
static void decodeAndTranspose(Operation *root) {
  ContractionInputs inputs(root);
  SmallVector<DequantizeOp> dequantizes;
  SmallVector<linalg::TransposeOp> transposes;
  root->walk([&](DequantizeOp op) { dequantizes.push_back(op); });
  root->walk([&](linalg::TransposeOp op) { transposes.push_back(op); });
  for (DequantizeOp op : dequantizes)
    decodeParameters(op, inputs);
  for (linalg::TransposeOp op : transposes)
    transposeConstants(op, inputs);
}

static void computeFields(Operation *root) {
  ContractionInputs inputs(root);
  Computed known;
  SmallVector<std::pair<Value, SmallVector<OpOperand *>>> results;
  root->walk([&](Operation *op) {
    if (!movesBytes(op) ||
        !rearrangesConstant(op->getResult(0)).value_or(false) ||
        !inputs.contain(op->getResult(0)))
      return;
    auto &[result, uses] =
        results.emplace_back(op->getResult(0), SmallVector<OpOperand *>());
    for (OpOperand &use : op->getUses())
      if (isRead(use, known))
        uses.push_back(&use);
  });
  for (auto &[result, uses] : results) {
    std::optional<ConstantBytes> elements;
    if (!uses.empty())
      elements = computeBytes(result);
    if (!elements || elements->type.getElementType().isInteger(1))
      continue;
    ImplicitLocOpBuilder b(result.getLoc(), result.getDefiningOp());
    Value constant = createConstant(b, *elements);
    for (OpOperand *use : uses)
      use->set(constant);
  }
}

static void eraseUnused(Operation *root) {
  // Ops of a body behind its op, which is erased with it.
  SmallVector<Operation *> moving;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (movesBytes(op) || OpTrait::hasElementwiseMappableTraits(op))
      moving.push_back(op);
  });
  for (Operation *op : llvm::reverse(moving))
    if (isOpTriviallyDead(op))
      op->erase();
}

void mlir::qdq::splitConstantRecords(Operation *root) {
  decodeAndTranspose(root);
  computeFields(root);
  widenZeroPoints(root);
  eraseUnused(root);
}
