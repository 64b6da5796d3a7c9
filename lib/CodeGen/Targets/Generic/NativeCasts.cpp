// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arith casts from and to small floats to the instructions of a target.

#include "qdq/CodeGen/NativeCasts.h"
#include "CastTarget.h"
#include "FloatClamp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/Transforms/Legalize/NamedBodies.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_NATIVECASTSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

static FloatType getFormat(Value v) {
  return cast<FloatType>(getElementTypeOrSelf(v));
}

static double getLargest(FloatType format) {
  return APFloat::getLargest(format.getFloatSemantics()).convertToDouble();
}

/// Applies `emit` to as many lanes as an instruction has at a time, filled up
/// with zeros, and puts the results, of `element`, into the shape of `v`.
static Value emitInLanes(ImplicitLocOpBuilder &b, const CastTarget &target,
                         Value v, Type element,
                         function_ref<Value(Value)> emit) {
  Type in = getElementTypeOrSelf(v);
  auto shape = dyn_cast<VectorType>(v.getType());
  int64_t size = shape ? shape.getNumElements() : 1;
  auto flat = VectorType::get(size, in);
  v = shape ? Value(vector::ShapeCastOp::create(b, flat, v))
            : Value(vector::BroadcastOp::create(b, flat, v));
  auto zeros = [&](int64_t lanes, Type type) -> Value {
    return arith::ConstantOp::create(
        b, b.getZeroAttr(VectorType::get(lanes, type)));
  };

  Value result = zeros(size, element);
  for (int64_t i = 0, lanes; i < size; i += lanes) {
    lanes = target.getLanes(size - i);
    int64_t count = std::min(lanes, size - i);
    Value part = vector::ExtractStridedSliceOp::create(b, v, i, count, 1);
    if (count < lanes)
      part =
          vector::InsertStridedSliceOp::create(b, part, zeros(lanes, in), 0, 1);
    part = emit(part);
    if (count < lanes)
      part = vector::ExtractStridedSliceOp::create(b, part, 0, count, 1);
    result = vector::InsertStridedSliceOp::create(b, part, result, i, 1);
  }
  return shape ? Value(vector::ShapeCastOp::create(b, shape.clone(element),
                                                   result))
               : Value(vector::ExtractOp::create(b, result, 0));
}

/// Shapes that no target supports.
static WhyNot whyNoShape(Type type) {
  if (isa<TensorType>(type))
    return "it is on a tensor";
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.isScalable() ? "it is on a scalable vector" : "";
}

static WhyNot whyNot(arith::ExtFOp op, const CastTarget &target) {
  if (WhyNot reason = whyNoShape(op.getType()); !reason.empty())
    return reason;
  if (getFormat(op.getOut()).getWidth() < 16)
    return "it is from one small float to another";
  return target.whyNoDecode(getFormat(op.getIn()));
}

static WhyNot whyNot(arith::TruncFOp op, const CastTarget &target) {
  if (WhyNot reason = whyNoShape(op.getType()); !reason.empty())
    return reason;
  unsigned width = getFormat(op.getIn()).getWidth();
  if (width != 16 && width != 32)
    return "it is neither from f16, bf16 nor f32";
  if (op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
      arith::RoundingMode::to_nearest_even)
    return "it does not round to nearest even";
  FloatType format = getFormat(op.getOut());
  std::optional<FloatClamp> clamp = matchFloatClamp(op.getIn());
  double largest = getLargest(format);
  bool isBounded = clamp && clamp->low >= -largest && clamp->high <= largest;
  return target.whyNoEncode(format, isBounded);
}

static Value expand(ImplicitLocOpBuilder &b, arith::ExtFOp op,
                    const CastTarget &target) {
  FloatType format = getFormat(op.getIn()), to = getFormat(op.getOut());
  Value codes = op.getIn();
  Type code = b.getIntegerType(format.getWidth()), codeType = code;
  if (auto vector = dyn_cast<VectorType>(codes.getType()))
    codeType = vector.clone(code);
  codes = arith::BitcastOp::create(b, codeType, codes);
  return emitInLanes(b, target, codes, to, [&](Value lanes) {
    Value reals = target.decode(b, lanes, format);
    FloatType wide = getFormat(reals);
    if (wide == to)
      return reals;
    // f16 and bf16 meet in f32. What was a small float is exact in both.
    if (wide.getWidth() < to.getWidth())
      return arith::ExtFOp::create(b, getLanesType(to, reals), reals)
          .getResult();
    reals = widenToF32(b, reals);
    return arith::TruncFOp::create(b, getLanesType(to, reals), reals)
        .getResult();
  });
}

/// True if a saturating cast of `clamp.source` is what the cast of the clamped
/// value is.
static bool isSaturation(const FloatClamp &clamp, FloatType format) {
  if (!clamp.isSymmetric(getLargest(format)))
    return false;
  bool hasNaN = APFloat::semanticsHasNaN(format.getFloatSemantics());
  return clamp.nan == FloatClamp::NaN::Kept ||
         (clamp.nan == FloatClamp::NaN::High && !hasNaN);
}

static Value expand(ImplicitLocOpBuilder &b, arith::TruncFOp op,
                    const CastTarget &target) {
  FloatType format = getFormat(op.getOut());
  Value reals = op.getIn();
  std::optional<FloatClamp> clamp = matchFloatClamp(reals);
  bool saturate = clamp && isSaturation(*clamp, format);
  if (saturate)
    reals = clamp->source;
  Type code = b.getIntegerType(format.getWidth());
  Value codes = emitInLanes(b, target, reals, code, [&](Value lanes) {
    if (getFormat(lanes).isBF16())
      lanes = widenToF32(b, lanes);
    return target.encode(b, lanes, format, saturate);
  });
  return arith::BitcastOp::create(b, op.getType(), codes);
}

static bool isSmall(Value v) { return getFormat(v).getWidth() < 16; }

namespace {
template <typename OpTy>
struct NativeCast : OpRewritePattern<OpTy> {
  NativeCast(MLIRContext *ctx, std::shared_ptr<CastTarget> target,
             PatternBenefit benefit)
      : OpRewritePattern<OpTy>(ctx, benefit), target(std::move(target)) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isSmall(op.getIn()) && !isSmall(op.getOut()))
      return rewriter.notifyMatchFailure(op, "has no small float");
    if (isInNamedBody(op))
      return rewriter.notifyMatchFailure(op, "is what a named op computes");
    if (WhyNot reason = whyNot(op, *target); !reason.empty())
      return rewriter.notifyMatchFailure(op, reason);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expand(b, op, *target));
    return success();
  }

private:
  std::shared_ptr<CastTarget> target;
};

struct NativeCastsPass : qdq::impl::NativeCastsPassBase<NativeCastsPass> {
  using NativeCastsPassBase::NativeCastsPassBase;

  void runOnOperation() override {
    if (target == NativeTarget::None)
      return markAllAnalysesPreserved();
    generalizeNamedBodies(getOperation(), isCast);
    // A scaled cast is made again where the target has it.
    apply(arith::populateExpandScalingExtTruncPatterns);
    apply([&](RewritePatternSet &patterns) {
      populateNativeCastsPatterns(patterns, target);
    });
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
    std::unique_ptr<CastTarget> instructions = createCastTarget(target);
    getOperation()->walk(
        [&](Operation *op) { report(op, instructions.get()); });
  }

private:
  /// A greedy driver would fold casts of NaN and infinities, which upstream
  /// gets wrong.
  void apply(function_ref<void(RewritePatternSet &)> populate) {
    RewritePatternSet patterns(&getContext());
    populate(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }

  static bool isCast(Operation *op) {
    return isa<arith::ExtFOp, arith::TruncFOp>(op) &&
           (isSmall(op->getOperand(0)) || isSmall(op->getResult(0)));
  }

  /// A remark on a cast that is no instruction.
  void report(Operation *op, const CastTarget *instructions) {
    if (!isCast(op))
      return;
    std::string reason;
    if (!instructions)
      reason = whyNotAMDGPU(op, target);
    else if (auto extension = dyn_cast<arith::ExtFOp>(op))
      reason = whyNot(extension, *instructions).str();
    else
      reason = whyNot(cast<arith::TruncFOp>(op), *instructions).str();
    if (reason.empty())
      return;
    remark::missed(op->getLoc(), remark::RemarkOpts::name("no-instruction")
                                     .category("qdq-native-casts")
                                     .function(getFunctionName(op)))
        << remark::add("{0} from {1} to {2} has no instruction: {3}",
                       op->getName().getStringRef().str(),
                       toString(op->getOperand(0)), toString(op->getResult(0)),
                       reason);
  }

  static std::string toString(Value v) {
    std::string text;
    llvm::raw_string_ostream(text) << v.getType();
    return text;
  }

  static StringRef getFunctionName(Operation *op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    return function ? SymbolTable::getSymbolName(function).getValue() : "";
  }
};
} // namespace

std::unique_ptr<CastTarget> mlir::qdq::createCastTarget(NativeTarget target) {
  switch (target) {
  case NativeTarget::SM89:
    return createNVPTXCasts(/*hasSmallest=*/false);
  case NativeTarget::SM100A:
    return createNVPTXCasts(/*hasSmallest=*/true);
  case NativeTarget::AVX10_2:
    return createX86Casts();
  case NativeTarget::FP8:
    return createArmCasts();
  case NativeTarget::Zvfofp8min:
    return createRISCVCasts();
  case NativeTarget::None:
  case NativeTarget::GFX942:
  case NativeTarget::GFX950:
  case NativeTarget::GFX1200:
    return nullptr;
  }
  llvm_unreachable("unknown target");
}

void mlir::qdq::populateNativeCastsPatterns(RewritePatternSet &patterns,
                                            NativeTarget target,
                                            PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createNativeCastsPass());
  std::shared_ptr<CastTarget> instructions = createCastTarget(target);
  if (!instructions)
    return populateAMDGPUCastsPatterns(patterns, target, benefit);
  patterns.add<NativeCast<arith::ExtFOp>, NativeCast<arith::TruncFOp>>(
      patterns.getContext(), instructions, benefit);
}
