// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lower-quant and quant-to-llvm: the passes in their order.

#ifndef QDQ_PIPELINES_PIPELINES_H
#define QDQ_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "qdq/Conversion/QDQToLinalg/QDQToLinalg.h"
#include "qdq/Conversion/Unconverted.h"
#include "qdq/Numerics/PassOptions.h"
#include "qdq/Pipelines/NativeTarget.h"
#include "qdq/Pipelines/Stage.h"
#include "qdq/Transforms/DeclareSumOrder.h"
#include "qdq/Transforms/QuantizeActivations.h"

namespace mlir::qdq {

/// The result of `lower-quant`: `linalg.generic` ops, or vector ops where
/// qdq-codegen-vectorize applies.
enum class LoweringTarget { Linalg, Vector };

/// Shared by the pipelines: the numeric options of every pass, and those of
/// the target.
template <typename Derived>
struct LoweringOptions : PassPipelineOptions<Derived> {
  template <typename T>
  using Option = mlir::detail::PassOptions::Option<T>;
  template <typename Enum>
  struct Field : Option<std::optional<Enum>> {
    Field(mlir::detail::PassOptions &parent, StringRef name)
        : Option<std::optional<Enum>>(parent, name, llvm::cl::desc(getValues()),
                                      llvm::cl::init(std::nullopt)) {}

    using Option<std::optional<Enum>>::operator=;

  private:
    /// Lives as long as the option: the description only refers to it.
    static StringRef getValues() {
      static const std::string values = listValues<Enum>();
      return values;
    }
  };

  /// As `parseFromString`, with a better explanation.
  LogicalResult parse(StringRef text,
                      function_ref<LogicalResult(const Twine &)> emitError) {
    std::string error;
    llvm::raw_string_ostream stream(error);
    if (succeeded(this->parseFromString(text, stream)))
      return checkVectorBits(emitError);
    if (error.empty()) // a value, which its parser has explained
      return failure();
    SmallVector<StringRef> names;
    for (const auto &option : this->OptionsMap)
      names.push_back(option.first);
    return emitError(explainOptionError(error, names));
  }

  /// As the passes check it, which may be too late for a message of one line.
  LogicalResult
  checkVectorBits(function_ref<LogicalResult(const Twine &)> emitError) {
    if (vectorBits >= 64 && llvm::isPowerOf2_64(vectorBits))
      return success();
    return emitError("vector-bits is " + Twine(int64_t(vectorBits)) +
                     ": expected a power of two, at least 64");
  }

  Field<Profile> profile{*this, "profile"};
#define QDQ_SEMANTICS_FIELD(Enum, name, attribute, option)                     \
  Field<Enum> name{*this, option};
#include "qdq/Numerics/SemanticsFields.def"
  Option<uint64_t> seed{
      *this, "seed",
      llvm::cl::desc(
          "key of stochastic rounding, for ops without a seed of their own"),
      llvm::cl::init(0)};
  Option<bool> overrideSemantics{
      *this, "override-semantics",
      llvm::cl::desc(
          "let the options and the profile replace what a qdq op itself fixes"),
      llvm::cl::init(false)};
  Option<LoweringTarget> target{
      *this, "target", llvm::cl::desc("what qdq ops on tensors become"),
      llvm::cl::values(
          clEnumValN(LoweringTarget::Linalg, "linalg",
                     "one linalg.generic each"),
          clEnumValN(LoweringTarget::Vector, "vector",
                     "vector ops, where qdq-codegen-vectorize applies")),
      llvm::cl::init(LoweringTarget::Linalg)};
  Option<int64_t> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("bits of a vector, for target=vector"),
      llvm::cl::init(512)};
  Option<BlockForm> blockForm{
      *this, "block-form", llvm::cl::desc("how blocked parameters are indexed"),
      llvm::cl::values(
          clEnumValN(BlockForm::Auto, "auto",
                     "expand where possible, else map"),
          clEnumValN(BlockForm::Expand, "expand",
                     "a dimension of its own for the block"),
          clEnumValN(BlockForm::Map, "map",
                     "the body loads the parameter at d floordiv block")),
      llvm::cl::init(BlockForm::Auto)};
  Option<bool> expandMath{
      *this, "expand-math",
      llvm::cl::desc("leave no math op but math.fma: see qdq-expand-math"),
      llvm::cl::init(false)};
  Option<ActivationFormat> activations{
      *this, "activations",
      llvm::cl::desc("the codes to which floats beside dequantized weights are "
                     "rounded: see qdq-quantize-activations"),
      llvm::cl::values(
          clEnumValN(ActivationFormat::None, "none", "floats stay"),
          clEnumValN(ActivationFormat::Blocks, "blocks",
                     "i8 in the blocks of the weight"),
          clEnumValN(ActivationFormat::Q8_0, "q8-0", "ggml's Q8_0")),
      llvm::cl::init(ActivationFormat::None)};
  Field<ContractionRescale> integerContractions{*this, "integer-contractions"};
  Option<bool> contractionProof{
      *this, "contraction-proof",
      llvm::cl::desc("products that a later compiler cannot round together "
                     "with a sum beside them, as fma"),
      llvm::cl::init(false)};
  Option<bool> dequantizeConstants{
      *this, "dequantize-constants",
      llvm::cl::desc("dequantize constants here and now: see "
                     "qdq-dequantize-constants"),
      llvm::cl::init(false)};
  Option<bool> runtimeChecks{
      *this, "runtime-checks",
      llvm::cl::desc("assert at run time that dynamic shapes of values and "
                     "parameters agree"),
      llvm::cl::init(false)};
  Option<Unconverted> unconverted{
      *this, "unconverted",
      llvm::cl::desc(
          "quantized ops of other dialects that cannot be converted"),
      llvm::cl::values(
          clEnumValN(Unconverted::Error, "error",
                     "reported, and the pipeline fails"),
          clEnumValN(Unconverted::Keep, "keep", "they stay, with a remark")),
      llvm::cl::init(Unconverted::Error)};
};

struct LowerQuantOptions : LoweringOptions<LowerQuantOptions> {
  Option<NativeTarget> targetCasts{
      *this, "target-casts",
      llvm::cl::desc("instructions for casts of small floats: see "
                     "qdq-native-casts"),
      llvm::cl::values(
          clEnumValN(NativeTarget::None, "none", "casts stay"),
          clEnumValN(NativeTarget::SM89, "sm_89", "NVIDIA from 8.9 on: f8"),
          clEnumValN(NativeTarget::SM100A, "sm_100a",
                     "NVIDIA from 10.0 on: f8, f6, f4"),
          clEnumValN(NativeTarget::GFX942, "gfx942", "AMD: f8 ...FNUZ"),
          clEnumValN(NativeTarget::GFX950, "gfx950",
                     "AMD: f8, and f8 and f4 with block scales"),
          clEnumValN(NativeTarget::GFX1200, "gfx1200", "AMD: f8"),
          clEnumValN(NativeTarget::AVX10_2, "avx10.2", "x86: f8"),
          clEnumValN(NativeTarget::FP8, "fp8", "AArch64 with FEAT_FP8: f8"),
          clEnumValN(NativeTarget::Zvfofp8min, "zvfofp8min", "RISC-V: f8")),
      llvm::cl::init(NativeTarget::None)};
  Option<bool> expandFloats{
      *this, "expand-floats",
      llvm::cl::desc("leave no cast from or to a float of fewer than 16 bits: "
                     "see qdq-expand-floats"),
      llvm::cl::init(false)};
};
struct QuantToLLVMOptions : LoweringOptions<QuantToLLVMOptions> {
  QuantToLLVMOptions() { target = LoweringTarget::Vector; }

  LogicalResult parse(StringRef text,
                      function_ref<LogicalResult(const Twine &)> emitError) {
    if (failed(LoweringOptions::parse(text, emitError)))
      return failure();
    if (startAt <= stopAfter)
      return success();
    return emitError("start-at is '" + stringifyStage(startAt) +
                     "': expected no stage behind stop-after, '" +
                     stringifyStage(stopAfter) + "'");
  }

  Option<std::string> targetTriple{
      *this, "target-triple",
      llvm::cl::desc("the target, as LLVM names it: that of the module's "
                     "llvm.target, or else this machine")};
  Option<std::string> targetCpu{
      *this, "target-cpu",
      llvm::cl::desc("the processor, as LLVM names it, or native: see "
                     "qdq-codegen-attach-target")};
  Option<std::string> targetFeatures{
      *this, "target-features",
      llvm::cl::desc("+avx2,-fma: features on top of those of target-cpu")};
  Option<std::string> without{
      *this, "without",
      llvm::cl::desc("strategies not to use, by name: see "
                     "qdq-codegen-attach-target")};
  Option<bool> callerAllocates{
      *this, "caller-allocates",
      llvm::cl::desc("results of public functions go to buffers that the "
                     "caller passes: see qdq-results-to-destinations"),
      llvm::cl::init(false)};
  Option<unsigned> threads{
      *this, "threads",
      llvm::cl::desc(
          "OpenMP threads that share large ops: see "
          "qdq-codegen-parallelize; 0 for as many as its runtime gives"),
      llvm::cl::init(1)};
  Option<int64_t> streamBytes{
      *this, "stream-bytes",
      llvm::cl::desc("bytes of the smallest buffers of loops that store past "
                     "the caches: see qdq-codegen-stream-stores"),
      llvm::cl::init(32 << 20)};
  Option<SumOrder> sumOrder{
      *this, "sum-order",
      llvm::cl::desc("the order in which sums of floats add their terms: see "
                     "qdq-declare-sum-order"),
      llvm::cl::values(
          clEnumValN(SumOrder::Sequential, "sequential", "as written"),
          clEnumValN(SumOrder::Lanes, "lanes",
                     "32 partial sums, the same on every machine"),
          clEnumValN(SumOrder::Any, "any", "unspecified")),
      llvm::cl::init(SumOrder::Sequential)};
  Option<bool> blockFloatingPoint{
      *this, "block-floating-point",
      llvm::cl::desc(
          "sum-order=any, and on targets with dot products of "
          "bytes multiply short codes with block floating point: see "
          "qdq-codegen-block-floating-point"),
      llvm::cl::init(false)};
  Option<Stage> startAt{
      *this, "start-at",
      llvm::cl::desc("the first stage: see docs/CodeGeneration.md"),
      getStageValues(), llvm::cl::init(Stage::Sources)};
  Option<Stage> stopAfter{*this, "stop-after", llvm::cl::desc("the last stage"),
                          getStageValues(), llvm::cl::init(Stage::LLVM)};

private:
  static llvm::cl::ValuesClass getStageValues() {
    return llvm::cl::ValuesClass({
#define QDQ_STAGE(Name, name, result) clEnumValN(Stage::Name, name, result),
#include "qdq/Pipelines/Stages.def"
    });
  }
};

/// `lower-quant`: all sources to qdq, qdq to linalg and arith, signless types.
/// Afterwards no quant, qdq or recognised source op is left, nor a quantized op
/// that is known by its name, or the pipeline has failed. Anchored on
/// `builtin.module`.
///
/// TFLite's ops, `target=vector` and `target-casts` are passes of other
/// components (`frontends`, `cpu`), which are taken from the registry of
/// passes. Without the first, TFLite's ops are errors; without the others, the
/// pipeline that asks for them fails.
void buildLowerQuantPipeline(OpPassManager &pm,
                             const LowerQuantOptions &options);

/// `quant-to-llvm`: `lower-quant`, bufferization, and the LLVM dialect, ready
/// for mlir-runner and the ExecutionEngine. Functions get
/// `_mlir_ciface_` wrappers; sub-byte tensors of public functions are packed
/// bytes (`qdq-pack-boundaries`), and their arguments are never written to.
/// Anchored on `builtin.module`.
void buildQuantToLLVMPipeline(OpPassManager &pm,
                              const QuantToLLVMOptions &options);

/// Registers the one and the other.
void registerLowerQuantPipeline();
void registerQuantToLLVMPipeline();

} // namespace mlir::qdq

#endif // QDQ_PIPELINES_PIPELINES_H
