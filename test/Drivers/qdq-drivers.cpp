// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs every populate function under every driver of upstream, on every module
// of the given files. A pattern that works in one pipeline must work in all.
//
//   qdq-drivers file.mlir...
//
// Each module is parsed anew for each run. What must hold: nothing crashes, the
// module verifies, a conversion that fails leaves the module as it was, and all
// drivers leave the same number of ops that the patterns are for.

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/CodeGen/MathToIntrinsics.h"
#include "qdq/CodeGen/NativeCasts.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/Conversion/Frontends.h"
#include "qdq/Conversion/ONNXToLinalg/ONNXToLinalg.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/QuantizedTypes/QuantizedTypes.h"
#include "qdq/Conversion/TFLToLinalg/TFLToLinalg.h"
#include "qdq/Conversion/TorchToQDQ/TorchToQDQ.h"
#include "qdq/InitAll.h"
#include "qdq/Transforms/Passes.h"
#include "qdq/Transforms/QuantizeActivations.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace {
/// One populate function, and the ops that its patterns are for.
struct Patterns {
  StringRef name;
  void (*populate)(RewritePatternSet &);
  bool (*isSource)(Operation *);
  /// Upstream's patterns among them expect a greedy driver.
  bool isGreedyOnly = false;
  /// Patterns that convert types need a dialect conversion.
  bool isConversionOnly = false;
};

/// A driver, as a function of a module. Failure means that it gave up.
struct Driver {
  StringRef name;
  LogicalResult (*run)(ModuleOp, const Patterns &, RewritePatternSet &&);
  bool isGreedy = false;
  /// Must fail, and leave the module as it was.
  bool rollsBack = false;
};
} // namespace

/// An op that has no pattern and may not stay.
static constexpr StringLiteral kIllegal = "qdq_drivers.illegal";

static bool isOf(Operation *op, StringRef dialect) {
  return op->getName().getDialectNamespace() == dialect;
}

/// What `qdq-to-linalg` is for; the rest is for `qdq-to-arith`.
static bool isQDQOnTensors(Operation *op) {
  return isOf(op, "qdq") && isa<TensorType>(op->getOperand(0).getType());
}

/// What upstream's lowering of `memref.expand_shape` does not take.
static bool hasTwoDynamicSizes(Operation *op) {
  auto expand = dyn_cast<memref::ExpandShapeOp>(op);
  return expand &&
         llvm::any_of(expand.getReassociationIndices(), [&](auto &group) {
           return llvm::count_if(group, [&](int64_t dim) {
                    return expand.getResultType().isDynamicDim(dim);
                  }) > 1;
         });
}

static bool isCastOfSmallFloats(Operation *op) {
  auto isSmall = [](Type type) {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    return element && element.getWidth() <= 16 && !element.isBF16();
  };
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ScalingExtFOp,
             arith::ScalingTruncFOp>(op) &&
         (llvm::any_of(op->getOperandTypes(), isSmall) ||
          llvm::any_of(op->getResultTypes(), isSmall));
}

/// What `sm_89` has instructions for.
static bool isCastOfF8(Operation *op) {
  auto isF8 = [](Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type));
  };
  return isa<arith::ExtFOp, arith::TruncFOp>(op) &&
         (isF8(op->getOperand(0).getType()) ||
          isF8(op->getResult(0).getType()));
}

/// A movement of dequantized values, or a quantize of moved ones.
static bool isMotionToCodes(Operation *op) {
  auto isMovement = [](Operation *op) {
    return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                           tensor::ExtractSliceOp, tensor::PadOp,
                           linalg::TransposeOp>(op);
  };
  if (isMovement(op))
    return op->getOperand(0).getDefiningOp<qdq::DequantizeOp>();
  return isa<qdq::QuantizeOp>(op) &&
         isMovement(op->getOperand(0).getDefiningOp());
}

/// All that the conversion of the quant dialect changes.
static bool isQuantized(Operation *op) {
  return isOf(op, "quant") ||
         (!isOf(op, "qdq") && qdq::QuantizedTypeFinder().find(op));
}

/// The converter that `populate` makes of one that keeps all types.
template <void (*populate)(TypeConverter &)>
static const TypeConverter &getConverter() {
  static const TypeConverter converter = [] {
    TypeConverter result;
    result.addConversion([](Type type) { return type; });
    populate(result);
    return result;
  }();
  return converter;
}

static const auto &getQuantConverter =
    getConverter<qdq::populateQuantToQDQConversions>;
static const auto &getSignlessConverter =
    getConverter<qdq::populateStripSignednessConversions>;
static const auto &getTorchConverter =
    getConverter<qdq::populateTorchTypesConversions>;

/// What `populate` makes illegal, but for casts, which are also what drivers
/// put between old and new types.
template <void (*populate)(ConversionTarget &, const TypeConverter &)>
static bool isIllegal(Operation *op, const TypeConverter &converter) {
  ConversionTarget target(*op->getContext());
  populate(target, converter);
  return !isa<tensor::BitcastOp, UnrealizedConversionCastOp>(op) &&
         !target.isLegal(op);
}

/// Contractions of dequantized operands.
static bool isDequantizedContraction(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && structured.getNumReductionLoops() > 0 &&
         llvm::any_of(op->getOperands(), [](Value operand) {
           return operand.getDefiningOp<qdq::DequantizeOp>();
         });
}

/// A quantize of what a structured op computes; of an empty sum, the zeros that
/// it begins with are left.
static bool isQuantizedResult(Operation *op) {
  if (!isa<qdq::QuantizeOp>(op))
    return false;
  Operation *producer = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<linalg::LinalgOp>(producer) &&
         !isa<linalg::FillOp>(producer);
}

static const Patterns kPatterns[] = {
    {"QuantToQDQ",
     [](RewritePatternSet &set) {
       qdq::populateQuantToQDQPatterns(getQuantConverter(), set, {});
     },
     isQuantized, /*isGreedyOnly=*/false, /*isConversionOnly=*/true},
    {"TorchTypes",
     [](RewritePatternSet &set) {
       qdq::populateTorchTypesPatterns(getTorchConverter(), set);
     },
     [](Operation *op) {
       return isIllegal<qdq::populateTorchTypesLegality>(op,
                                                         getTorchConverter());
     },
     /*isGreedyOnly=*/false, /*isConversionOnly=*/true},
    {"StripSignedness",
     [](RewritePatternSet &set) {
       qdq::populateStripSignednessPatterns(getSignlessConverter(), set);
     },
     [](Operation *op) {
       return isIllegal<qdq::populateStripSignednessLegality>(
           op, getSignlessConverter());
     },
     /*isGreedyOnly=*/false, /*isConversionOnly=*/true},
    {"ONNXToQDQ",
     [](RewritePatternSet &set) { qdq::populateONNXToQDQPatterns(set, {}); },
     [](Operation *op) {
       return isOf(op, "onnx") ||
              op->getName().getStringRef() == "torch.operator";
     }},
    {"ONNXToLinalg",
     [](RewritePatternSet &set) {
       qdq::populateONNXToLinalgPatterns(set, {/*runtimeChecks=*/true});
     },
     qdq::isONNXFloatOp},
    {"OneDNNToQDQ",
     [](RewritePatternSet &set) { qdq::populateOneDNNToQDQPatterns(set, {}); },
     [](Operation *op) { return isOf(op, "onednn_graph"); }},
    {"TFLToQDQ",
     [](RewritePatternSet &set) { qdq::populateTFLToQDQPatterns(set, {}); },
     qdq::isTFLQuantizationOp},
    {"TFLToLinalg",
     [](RewritePatternSet &set) {
       qdq::populateTFLToLinalgPatterns(set, {/*runtimeChecks=*/true});
     },
     // A conversion sees a constant before the op that reads it goes.
     [](Operation *op) { return qdq::isTFLFloatOp(op) && !op->use_empty(); }},
    {"TorchToQDQ",
     [](RewritePatternSet &set) { qdq::populateTorchToQDQPatterns(set, {}); },
     qdq::isTorchQuantizationOp},
    {"StableHLOToQDQ",
     [](RewritePatternSet &set) {
       qdq::populateStableHLOToQDQPatterns(set, {});
     },
     qdq::isStableHLOQuantizationOp},
    {"TOSAToQDQ",
     [](RewritePatternSet &set) { qdq::populateTOSAToQDQPatterns(set, {}); },
     qdq::isTOSAQuantizationOp},
    {"QDQToLinalg",
     [](RewritePatternSet &set) { qdq::populateQDQToLinalgPatterns(set, {}); },
     isQDQOnTensors},
    {"QDQToLinalg with runtime checks",
     [](RewritePatternSet &set) {
       qdq::populateQDQToLinalgPatterns(
           set, {{}, qdq::BlockForm::Auto, /*runtimeChecks=*/true});
     },
     isQDQOnTensors},
    {"QDQToLinalg and QDQFusion",
     [](RewritePatternSet &set) {
       qdq::populateQDQToLinalgPatterns(set, {});
       qdq::populateQDQFusionPatterns(set);
     },
     isQDQOnTensors, /*isGreedyOnly=*/true},
    {"QDQToLinalg and FuseContractions",
     [](RewritePatternSet &set) {
       qdq::populateQDQToLinalgPatterns(set, {});
       qdq::populateFuseContractionsPatterns(set);
     },
     isQDQOnTensors, /*isGreedyOnly=*/true},
    {"DequantizeSums",
     [](RewritePatternSet &set) {
       qdq::populateDequantizeSumsPatterns(set, {});
     },
     isDequantizedContraction},
    {"RequantizeSums",
     [](RewritePatternSet &set) {
       qdq::populateRequantizeSumsPatterns(set, {qdq::Rescale::F32});
     },
     isQuantizedResult},
    {"QDQToArith",
     [](RewritePatternSet &set) { qdq::populateQDQToArithPatterns(set, {}); },
     [](Operation *op) { return isOf(op, "qdq") && !isQDQOnTensors(op); }},
    {"Simplify",
     [](RewritePatternSet &set) {
       qdq::populateSimplifyPatterns(set, {/*maxCodeDiff=*/1});
     },
     [](Operation *) { return false; }},
    {"QuantizeActivations",
     [](RewritePatternSet &set) {
       qdq::populateQuantizeActivationsPatterns(set,
                                                qdq::ActivationFormat::Blocks);
     },
     [](Operation *) { return false; }},
    {"DequantizeConstants",
     [](RewritePatternSet &set) {
       qdq::populateDequantizeConstantsPatterns(set, {});
     },
     [](Operation *) { return false; }},
    {"SumOrder",
     [](RewritePatternSet &set) {
       qdq::populateSumOrderPatterns(set, qdq::SumOrder::Any);
     },
     [](Operation *) { return false; }},
    {"Motion of codes",
     [](RewritePatternSet &set) {
       qdq::populateMotionPatterns(set, qdq::MovedValues::Codes);
     },
     isMotionToCodes},
    {"Motion of reals",
     [](RewritePatternSet &set) {
       qdq::populateMotionPatterns(set, qdq::MovedValues::Reals);
     },
     [](Operation *) { return false; }, /*isGreedyOnly=*/true},
    {"canonicalization",
     [](RewritePatternSet &set) {
       qdq::QuantizeOp::getCanonicalizationPatterns(set, set.getContext());
       qdq::DequantizeOp::getCanonicalizationPatterns(set, set.getContext());
       qdq::ChooseParamsOp::getCanonicalizationPatterns(set, set.getContext());
       qdq::UnpackOp::getCanonicalizationPatterns(set, set.getContext());
       qdq::PackOp::getCanonicalizationPatterns(set, set.getContext());
     },
     [](Operation *op) {
       return isOf(op, "qdq") &&
              llvm::any_of(op->getOperands(), [](Value operand) {
                auto cast = operand.getDefiningOp<tensor::CastOp>();
                // A conversion sees each op once: not what it has just made.
                return cast && tensor::canFoldIntoConsumerOp(cast) &&
                       !cast.getSource().getDefiningOp();
              });
     }},
    {"ExpandFloats",
     [](RewritePatternSet &set) {
       qdq::populateExpandFloatsPatterns(set, {/*includeF16=*/true});
     },
     isCastOfSmallFloats},
    {"DecomposeTensorOps",
     [](RewritePatternSet &set) {
       qdq::populateDecomposeTensorOpsPatterns(set);
     },
     [](Operation *op) {
       return isa<linalg::SoftmaxOp, linalg::PackOp, linalg::UnPackOp>(op);
     },
     /*isGreedyOnly=*/true},
    {"LowerExpandShapes",
     [](RewritePatternSet &set) {
       qdq::populateLowerExpandShapesPatterns(set);
     },
     hasTwoDynamicSizes},
    {"MathToIntrinsics",
     [](RewritePatternSet &set) { qdq::populateMathToIntrinsicsPatterns(set); },
     [](Operation *op) { return isOf(op, "math"); }},
    {"NativeCasts",
     [](RewritePatternSet &set) {
       qdq::populateNativeCastsPatterns(set, qdq::NativeTarget::SM89);
     },
     isCastOfF8},
    {"ExpandMath",
     [](RewritePatternSet &set) { qdq::populateExpandMathPatterns(set); },
     [](Operation *op) { return isOf(op, "math") && !isa<math::FmaOp>(op); }},
};

/// Sources may stay; whatever else appears is what was wanted.
static ConversionTarget getTarget(const Patterns &patterns, MLIRContext *ctx) {
  ConversionTarget target(*ctx);
  target.markUnknownOpDynamicallyLegal(
      [&patterns](Operation *op) -> std::optional<bool> {
        if (op->getName().getStringRef() == kIllegal)
          return false;
        return patterns.isSource(op) ? std::nullopt : std::optional(true);
      });
  return target;
}

//===----------------------------------------------------------------------===//
// Drivers
//===----------------------------------------------------------------------===//

/// In one block only what is new is seen by the next walk.
static LogicalResult walkTwice(ModuleOp module, const Patterns &,
                               RewritePatternSet &&set) {
  FrozenRewritePatternSet patterns(std::move(set));
  walkAndApplyPatterns(module, patterns);
  walkAndApplyPatterns(module, patterns);
  return success();
}

template <bool folds>
static LogicalResult runGreedily(ModuleOp module, const Patterns &,
                                 RewritePatternSet &&set) {
  GreedyRewriteConfig config;
  config.enableFolding(folds).enableConstantCSE(folds);
  return applyPatternsGreedily(module, std::move(set), config);
}

template <DialectConversionFoldingMode mode, bool rollback>
static LogicalResult convert(ModuleOp module, const Patterns &patterns,
                             RewritePatternSet &&set) {
  ConversionConfig config;
  config.foldingMode = mode;
  config.allowPatternRollback = rollback;
  return applyPartialConversion(
      module, getTarget(patterns, module.getContext()), std::move(set), config);
}

/// With an op at the end that cannot be converted: all that was done before is
/// undone.
static LogicalResult convertAndRollBack(ModuleOp module,
                                        const Patterns &patterns,
                                        RewritePatternSet &&set) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Operation *last = b.create(OperationState(module.getLoc(), kIllegal));
  LogicalResult result = convert<DialectConversionFoldingMode::Never, true>(
      module, patterns, std::move(set));
  last->erase();
  return result;
}

static const Driver kDrivers[] = {
    {"walk", walkTwice},
    {"greedy", runGreedily<false>, /*isGreedy=*/true},
    {"greedy, folding", runGreedily<true>, /*isGreedy=*/true},
    {"conversion", convert<DialectConversionFoldingMode::Never, true>},
    {"conversion, folding",
     convert<DialectConversionFoldingMode::BeforePatterns, true>},
    {"conversion, no rollback",
     convert<DialectConversionFoldingMode::Never, false>},
    {"conversion, rolled back", convertAndRollBack, /*isGreedy=*/false,
     /*rollsBack=*/true},
};

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// What is wrong after a run; empty if all is well. `left` becomes the number
/// of ops that the patterns are for.
static std::string check(const Patterns &patterns, const Driver &driver,
                         ModuleOp module, int64_t &left) {
  // Dialect conversion leaves unreachable blocks as they are, so that branches
  // between them keep types that the blocks have lost.
  IRRewriter rewriter(module.getContext());
  if (patterns.isConversionOnly)
    (void)eraseUnreachableBlocks(rewriter, module->getRegions());
  std::string before = print(module);
  RewritePatternSet set(module.getContext());
  patterns.populate(set);
  LogicalResult result = driver.run(module, patterns, std::move(set));
  if (failed(verify(module)))
    return "the module does not verify";
  if (driver.rollsBack)
    return print(module) == before ? "" : "the module was not rolled back";
  if (failed(result))
    return "the driver failed";
  module.walk([&](Operation *op) { left += patterns.isSource(op); });
  return "";
}

/// A context for each populate function: loaded is only what the parser needs
/// of the modules, and what the function loads itself.
static SmallVector<std::unique_ptr<MLIRContext>>
makeContexts(const DialectRegistry &registry) {
  SmallVector<std::unique_ptr<MLIRContext>> contexts;
  for (size_t i = 0; i < std::size(kPatterns); ++i) {
    contexts.push_back(std::make_unique<MLIRContext>(
        registry, MLIRContext::Threading::DISABLED));
    contexts.back()->allowUnregisteredDialects();
  }
  return contexts;
}

/// Runs all on one module of a file. Returns the number of failures.
static int runOnModule(StringRef text, StringRef where,
                       ArrayRef<std::unique_ptr<MLIRContext>> contexts) {
  int failures = 0;
  for (auto [patterns, context] : llvm::zip_equal(kPatterns, contexts)) {
    MLIRContext &ctx = *context;
    int64_t expected = -1;
    for (const Driver &driver : kDrivers) {
      if (patterns.isGreedyOnly && !driver.isGreedy)
        continue;
      if (patterns.isConversionOnly && !driver.name.starts_with("conversion"))
        continue;
      std::string what =
          (where + ": " + patterns.name + " under " + driver.name).str();
      llvm::PrettyStackTraceString trace(what.c_str());
      // Tests of refusals hold modules that are refused.
      ScopedDiagnosticHandler quiet(&ctx,
                                    [](Diagnostic &) { return success(); });
      auto module = parseSourceString<ModuleOp>(text, &ctx);
      if (!module)
        return failures;
      int64_t left = 0;
      std::string error = check(patterns, driver, *module, left);
      bool counts = !driver.rollsBack && !patterns.isGreedyOnly;
      // Greedy drivers and folding remove dead ops.
      if (error.empty() && counts && expected >= 0 && left > expected)
        error = std::to_string(left) + " ops stay, but " +
                std::to_string(expected) + " under " + kDrivers[0].name.str();
      if (counts && expected < 0)
        expected = left;
      if (!error.empty()) {
        llvm::errs() << what << ": " << error << "\n";
        ++failures;
      }
    }
  }
  return failures;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  qdq::registerAllDialects(registry);
  auto contexts = makeContexts(registry);
  int failures = 0, modules = 0;
  for (StringRef path : llvm::drop_begin(ArrayRef(argv, argc))) {
    std::string error;
    auto file = openInputFile(path, &error);
    if (!file) {
      llvm::errs() << error << "\n";
      return 1;
    }
    SmallVector<StringRef> parts;
    file->getBuffer().split(parts, kDefaultSplitMarker);
    for (auto [index, part] : llvm::enumerate(parts)) {
      failures += runOnModule(part, (path + " part " + Twine(index + 1)).str(),
                              contexts);
      ++modules;
    }
  }
  llvm::outs() << modules << " modules, " << failures << " failures\n";
  return modules == 0 || failures != 0;
}
