// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The input that each stage of quant-to-llvm expects.

#include "../CodeGen/Boundary/PackedBits.h"
#include "../Transforms/Verify/ForeignQuantizedOps.h"
#include "Stages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/Frontends.h"
#include "qdq/Conversion/ONNXToQDQ/ONNXToQDQ.h"
#include "qdq/IR/QDQ.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::qdq;

/// True if an operand or a result has such a type.
static bool hasAnyType(Operation *op, function_ref<bool(Type)> holds) {
  return llvm::any_of(op->getOperandTypes(), holds) ||
         llvm::any_of(op->getResultTypes(), holds);
}

static bool hasTensors(Operation *op) {
  return hasAnyType(op, llvm::IsaPred<TensorType>);
}

/// Fails, with their names and numbers, if there are nodes of other systems, or
/// unregistered ops on tensors, for which `isLeft` is true.
static LogicalResult checkNothingLeft(ModuleOp module,
                                      function_ref<bool(Operation *)> isLeft) {
  Tally left;
  module.walk([&](Operation *op) {
    ForeignOperator foreign = ForeignOperator::get(op);
    bool holdsValues =
        llvm::is_contained({"Constant", "NoValue", "Yield", "vtensor.literal"},
                           foreign.name) ||
        foreign.name.starts_with("constant.");
    if (op->isRegistered() || holdsValues || !isLeft(op) ||
        (!foreign && !hasTensors(op)))
      return;
    left.add(foreign ? foreign.str() : op->getName().getStringRef().str(), op);
  });
  if (left.kinds.empty())
    return success();
  return left.report(DiagnosticSeverity::Error, "not lowered: ");
}

/// An ONNX node that no pass of the pipeline takes. Its results may have no
/// shape, which would be the reason to refuse its neighbors.
static bool isUnknown(Operation *op) {
  return op->getName().getDialectNamespace() == "onnx" &&
         !isONNXQuantizationOp(op) && !isONNXFloatOp(op);
}

/// The body of a function that callers outside of the module see.
static func::FuncOp getPublicFunction(Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op);
  bool isSeen = function && function.isPublic() && !function.isExternal() &&
                isa<ModuleOp>(function->getParentOp()) &&
                !function->getParentOp()->getParentOp();
  return isSeen ? function : func::FuncOp();
}

static bool hasSubByteTensors(func::FuncOp function) {
  auto isPackable = [](Type type) {
    return isa<TensorType>(type) && isSubByte(getElementTypeOrSelf(type));
  };
  return llvm::any_of(function.getArgumentTypes(), isPackable) ||
         llvm::any_of(function.getResultTypes(), isPackable);
}

static bool isElementwiseOnTensors(Operation *op) {
  return op->getNumOperands() > 0 &&
         OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
}

/// True if callers do not know whether an argument is written.
static bool hasOpenArguments(func::FuncOp function) {
  StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
  return llvm::any_of(function.getArguments(), [&](BlockArgument argument) {
    return isa<TensorType>(argument.getType()) &&
           !function.getArgAttr(argument.getArgNumber(), writable);
  });
}

/// A reduction of `vectors`' kinds that is no linalg.generic.
static bool isNamedReduction(Operation *op) {
  auto named = dyn_cast<linalg::LinalgOp>(op);
  if (!named || isa<linalg::GenericOp>(op) ||
      named.getNumReductionLoops() == 0 || named.getNumDpsInits() != 1)
    return false;
  Type sum = getElementTypeOrSelf(named.getDpsInits()[0]);
  return sum.isInteger(32) || sum.isF32();
}

/// True if loops write each element of a result with that map, if any.
static bool writesAll(AffineMap map, ShapedType type) {
  llvm::SmallBitVector loops(map.getNumDims());
  return llvm::all_of(llvm::zip_equal(map.getResults(), type.getShape()),
                      [&](auto index) {
                        auto [expr, size] = index;
                        auto dim = dyn_cast<AffineDimExpr>(expr);
                        bool isOther = dim && !loops.test(dim.getPosition());
                        if (isOther)
                          loops.set(dim.getPosition());
                        return isOther || size == 1;
                      });
}

/// The reason why upstream loses sizes or elements of a result, or nothing:
/// docs/upstream/sizes-of-generic-results, docs/upstream/unread-initial-values.
static StringRef getLostResult(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics())
    return {};
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    auto type = cast<ShapedType>(init.get().getType());
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape()))
      if (!isa<AffineDimExpr>(expr) && ShapedType::isDynamic(size))
        return "an index of a result is a loop where its size is open";
    if (!op.payloadUsesValueFromOperand(&init) &&
        !init.get().getDefiningOp<tensor::EmptyOp>() && !writesAll(map, type))
      return "a body reads the initial value of a result unless all elements "
             "are written";
  }
  return {};
}

/// True if a size that `output_shape` spells is open in the result type, which
/// upstream's verifier takes and its patterns read as an operand that is
/// missing: docs/upstream/expand-shape-of-known-sizes.
static bool forgetsSize(tensor::ExpandShapeOp op) {
  return llvm::any_of(
      llvm::zip_equal(op.getStaticOutputShape(), op.getResultType().getShape()),
      [](auto sizes) {
        auto [given, result] = sizes;
        return ShapedType::isStatic(given) && ShapedType::isDynamic(result);
      });
}

/// True for `dense<0> : tensor<?xi32>`, to which upstream folds ops of equal
/// tensors: docs/upstream/fold-of-open-tensors.
static bool hasNoSizes(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  auto type =
      constant ? dyn_cast<TensorType>(constant.getType()) : TensorType();
  return type && !type.hasStaticShape();
}

static bool isPackedInVectors(Type element) {
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 != 0;
}

/// True if the op moves a vector between registers, where LLVM packs its
/// elements, and a buffer, where each has bytes of its own.
static bool movesPackedVector(Operation *op) {
  if (!isa_and_nonnull<vector::VectorDialect>(op->getDialect()))
    return false;
  for (Type type : op->getOperandTypes()) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer || !isPackedInVectors(buffer.getElementType()))
      continue;
    auto isMoved = [&](Type other) {
      auto vector = dyn_cast<VectorType>(other);
      return vector && vector.getElementType() == buffer.getElementType() &&
             (vector.isScalable() || vector.getNumElements() > 1);
    };
    if (hasAnyType(op, isMoved))
      return true;
  }
  return false;
}

/// True for a vector with so many rows, or elements of a row, that ops and
/// constants made of each one take minutes or all memory.
static bool isHugeVector(Type type) {
  constexpr int64_t kMaxRows = 4096, kMaxColumns = 1 << 20;
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() == 0)
    return false;
  if (vector.getShape().back() > kMaxColumns)
    return true;
  int64_t rows = 1;
  for (int64_t size : vector.getShape().drop_back()) {
    if (size > kMaxRows / rows)
      return true;
    rows *= size;
  }
  return false;
}

/// True for the size of a dimension that the type has not. Upstream's analysis
/// of bounds does not compare the two.
static bool isOutOfRank(Operation *op) {
  auto dim = dyn_cast<ShapedDimOpInterface>(op);
  auto type =
      dim ? dyn_cast<ShapedType>(dim.getShapedValue().getType()) : ShapedType();
  if (!type || !type.hasRank())
    return false;
  std::optional<int64_t> index =
      getConstantIntValue(OpFoldResult(dim.getDimension()));
  return index && (*index < 0 || *index >= type.getRank());
}

/// The reason why `op`, within the module, must not reach `stage`, or nothing.
static StringRef getReason(Stage stage, bool toVectors, Operation *op) {
  Dialect *dialect = op->getDialect();
  func::FuncOp function = getPublicFunction(op);
  if (hasNoSizes(op))
    return "a constant has no sizes. Upstream folds arith.xori, subi and cmpi "
           "of equal tensors to it: write linalg.fill";
  if (hasAnyType(op, isHugeVector))
    return "vectors have at most 4096 rows, each of which becomes ops of its "
           "own, of at most 2^20 elements: write a loop";
  if (isOutOfRank(op))
    return "a dimension lies beyond the rank, where upstream reads memory that "
           "is not a size";
  if (stage >= Stage::Memory && hasTensors(op))
    return "tensors are memrefs there";
  switch (stage) {
  case Stage::Sources:
    if (auto nested = dyn_cast<ModuleOp>(op);
        nested && !nested.getOps<func::FuncOp>().empty())
      return "functions of a module within the module are not lowered: move "
             "them to the outer one";
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return getLostResult(generic);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
        expand && forgetsSize(expand))
      return "sizes of output_shape are those of the result type";
    break;
  case Stage::QDQ:
    if (isa_and_nonnull<quant::QuantDialect>(dialect))
      return "ops of quant are qdq ops there";
    break;
  case Stage::Linalg:
    if (function && hasSubByteTensors(function))
      return "public functions have packed bytes there";
    break;
  case Stage::Fused:
    if (isa_and_nonnull<QDQDialect>(dialect) && !isElementOp(op))
      return "qdq ops are linalg ops there, but for those of elements";
    break;
  case Stage::Boundary:
    if (isa_and_nonnull<shape::ShapeDialect>(dialect))
      return "shapes are values of arith there";
    if (isElementwiseOnTensors(op))
      return "elementwise ops on tensors are linalg ops there";
    break;
  case Stage::Planned:
    if (function && hasOpenArguments(function))
      return "tensors that callers pass have bufferization.writable there";
    break;
  case Stage::Vectors:
    if (toVectors && isNamedReduction(op))
      return "reductions are linalg.generic ops there";
    break;
  case Stage::Buffers:
    if (isa_and_nonnull<QDQDialect>(dialect) && !isa<LookupOp>(op))
      return "qdq ops are arithmetic there, but for qdq.lookup";
    break;
  case Stage::Memory:
    if (movesPackedVector(op))
      return "LLVM packs the elements of its vector in registers, not in "
             "memory. Move i8, and truncate or extend the vector";
    break;
  case Stage::Target:
    if (!dialect) // docs/upstream/math-extend-of-unregistered
      return "ops are of registered dialects there";
    if (isa_and_nonnull<linalg::LinalgDialect>(dialect))
      return "linalg ops are loops there";
    break;
  case Stage::LLVM:
    if (isa_and_nonnull<scf::SCFDialect>(dialect))
      return "loops are branches there";
    if (isa<LookupOp>(op))
      return "look-ups are instructions there";
    break;
  }
  return {};
}

namespace {
class CheckStagePass
    : public PassWrapper<CheckStagePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckStagePass)

  CheckStagePass(Stage stage, bool toVectors)
      : stage(stage), toVectors(toVectors) {}

  StringRef getName() const override { return "CheckStage"; }

  void runOnOperation() override {
    if (failed(checkForeign()) || failed(checkOps()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  LogicalResult checkForeign() {
    if (stage == Stage::Sources)
      return checkNothingLeft(getOperation(), isUnknown);
    if (stage == Stage::Fused)
      return checkNothingLeft(getOperation(), [](Operation *) { return true; });
    return success();
  }

  LogicalResult checkOps() {
    WalkResult result =
        getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
          // The module may be nested itself, with a pipeline of its own.
          if (op == getOperation())
            return WalkResult::advance();
          StringRef reason = getReason(stage, toVectors, op);
          if (reason.empty())
            return WalkResult::advance();
          op->emitOpError() << "reaches the stage '" << stringifyStage(stage)
                            << "' of quant-to-llvm: " << reason;
          return WalkResult::interrupt();
        });
    return failure(result.wasInterrupted());
  }

  Stage stage;
  bool toVectors;
};
} // namespace

std::unique_ptr<Pass>
mlir::qdq::createCheckStagePass(Stage stage,
                                const QuantToLLVMOptions &options) {
  return std::make_unique<CheckStagePass>(stage, options.target ==
                                                     LoweringTarget::Vector);
}
