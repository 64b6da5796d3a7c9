// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All passes and pipelines. The Python classes and docs/Passes.md are made from
// this file.

#ifndef QDQ_PIPELINES_PIPELINES_TD
#define QDQ_PIPELINES_PIPELINES_TD

include "qdq/CodeGen/Passes.td"
include "qdq/Conversion/Frontends.td"
include "qdq/Conversion/Passes.td"
include "qdq/Transforms/Passes.td"

/// A pipeline's name, text and options. Pipelines.h builds its passes.
class QDQ_Pipeline<string argument> : QDQ_Pass<argument, "::mlir::ModuleOp">;

/// The default differs between the pipelines.
class QDQ_TargetOption<string default>
    : Option<"target", "target", "::mlir::qdq::LoweringTarget",
             "::mlir::qdq::LoweringTarget::" # default,
             "what qdq ops on tensors become: linalg (one linalg.generic each), vector (vector ops, where qdq-codegen-vectorize applies)",
             [{::llvm::cl::values(
               clEnumValN(::mlir::qdq::LoweringTarget::Linalg, "linalg", "one linalg.generic each"),
               clEnumValN(::mlir::qdq::LoweringTarget::Vector, "vector", "vector ops, where qdq-codegen-vectorize applies"))}]>;

/// The stages of Stages.def.
class QDQ_StageOption<string name, string argument, string default, string meaning>
    : Option<name, argument, "::mlir::qdq::Stage", "::mlir::qdq::Stage::" # default,
             meaning,
             [{::llvm::cl::values(
               clEnumValN(::mlir::qdq::Stage::Sources, "sources", ""),
               clEnumValN(::mlir::qdq::Stage::QDQ, "qdq", ""),
               clEnumValN(::mlir::qdq::Stage::Linalg, "linalg", ""),
               clEnumValN(::mlir::qdq::Stage::Fused, "fused", ""),
               clEnumValN(::mlir::qdq::Stage::Boundary, "boundary", ""),
               clEnumValN(::mlir::qdq::Stage::Planned, "planned", ""),
               clEnumValN(::mlir::qdq::Stage::Vectors, "vectors", ""),
               clEnumValN(::mlir::qdq::Stage::Buffers, "buffers", ""),
               clEnumValN(::mlir::qdq::Stage::Memory, "memory", ""),
               clEnumValN(::mlir::qdq::Stage::Target, "target", ""),
               clEnumValN(::mlir::qdq::Stage::LLVM, "llvm", ""))}]>;

defvar QDQ_LoweringOptions = !listconcat(QDQ_ElementOptions, [
  QDQ_RuntimeChecksOption,
  QDQ_BlockFormOption,
  Option<"expandMath", "expand-math", "bool", "false",
         "leave no math op but math.fma: see qdq-expand-math">,
  Option<"vectorBits", "vector-bits", "int64_t", "512",
         "bits of a vector, for target=vector">,
  QDQ_ActivationsOption<"activations", "activations", ": see qdq-quantize-activations">,
  QDQ_EnumOption<"integerContractions", "integer-contractions", QDQ_ContractionRescale,
    "run qdq-motion and qdq-integer-contractions with this rescale: ",
    "; profile takes that of the option profile; the default is off">,
  Option<"dequantizeConstants", "dequantize-constants", "bool", "false",
         "dequantize constants here and now: see qdq-dequantize-constants">,
  QDQ_UnconvertedOption
]);

def LowerQuant : QDQ_Pipeline<"lower-quant"> {
  let summary = "Lower quantize and dequantize ops of all sources to linalg and arith";
  let description = [{
    Converts all sources to qdq (`convert-*-to-qdq`), qdq to its targets (`convert-qdq-to-*`), and
    all types to signless ones. After success no `quant`, `qdq` or known source op is left.

    ```mlir
    %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.5:10>>
    ```
    becomes
    ```mlir
    %e = tensor.empty() : tensor<4xi8>
    %q = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xi8>) {
      ...
    } -> tensor<4xi8>
    ```
  }];
  let options = !listconcat(QDQ_LoweringOptions, [
    QDQ_TargetOption<"Linalg">,
    QDQ_NativeTargetOption<"targetCasts", "target-casts">,
    Option<"expandFloats", "expand-floats", "bool", "false",
           "leave no cast from or to a float of fewer than 16 bits: see qdq-expand-floats">
  ]);
}

def QuantToLLVM : QDQ_Pipeline<"quant-to-llvm"> {
  let summary = "Lower quantized IR to the LLVM dialect, for mlir-runner and the JIT";
  let description = [{
    Runs `lower-quant`, bufferization, and the conversions to the LLVM dialect. Functions get
    `_mlir_ciface_` wrappers. Sub-byte tensors of public functions become packed bytes
    (`qdq-pack-boundaries`). Arguments are never written.

    Without `target-cpu` and `llvm.target` of the module, the code runs on every processor of the
    target, more slowly. `threads` needs LLVM's or Intel's OpenMP runtime (`libomp.so`,
    `libiomp5.so`). Only sums under `sum-order=any` depend on the number of threads.

    Other ops of `arith`, `math`, `linalg`, `tensor`, `scf`, `cf`, `affine`, `shape`, `vector`,
    `index`, `complex` and `memref` are lowered, too, except `tensor.gather` and `scatter`,
    arithmetic on floats of 8 bits and less, and `math.clampf`.
  }];
  let options = !listconcat(QDQ_LoweringOptions, [
    QDQ_TargetOption<"Vector">,
    Option<"targetTriple", "target-triple", "std::string", "",
           "the target, as LLVM names it: that of the module's llvm.target, or else this machine">,
    Option<"targetCpu", "target-cpu", "std::string", "",
           "the processor, as LLVM names it, or native: see qdq-codegen-attach-target">,
    Option<"targetFeatures", "target-features", "std::string", "",
           "+avx2,-fma: features on top of those of target-cpu">,
    Option<"without", "without", "std::string", "",
           "strategies not to use, by name: see qdq-codegen-attach-target">,
    Option<"callerAllocates", "caller-allocates", "bool", "false",
           "results of public functions go to buffers that the caller passes: see qdq-results-to-destinations">,
    Option<"threads", "threads", "unsigned", "1",
           "OpenMP threads that share large ops: see qdq-codegen-parallelize; 0 for as many as its runtime gives">,
    Option<"streamBytes", "stream-bytes", "int64_t", "33554432",
           "bytes of the smallest buffers of loops that store past the caches: see qdq-codegen-stream-stores">,
    QDQ_SumOrderOption<"sumOrder", "sum-order", ": see qdq-declare-sum-order">,
    Option<"blockFloatingPoint", "block-floating-point", "bool", "false",
           "sum-order=any, and on targets with dot products of bytes multiply short codes with block floating point: see qdq-codegen-block-floating-point">,
    QDQ_StageOption<"startAt", "start-at", "Sources", "the first stage: sources, qdq, linalg, fused, boundary, planned, vectors, buffers, memory, target, llvm">,
    QDQ_StageOption<"stopAfter", "stop-after", "LLVM", "the last stage, one of those of start-at">
  ]);
}

#endif // QDQ_PIPELINES_PIPELINES_TD
