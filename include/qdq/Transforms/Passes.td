// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of this project that stay within one level.

#ifndef QDQ_TRANSFORMS_PASSES_TD
#define QDQ_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"
include "qdq/Conversion/SourceOptions.td"
include "qdq/Numerics/PassOptions.td"

def StripSignednessPass : QDQ_Pass<"qdq-strip-signedness", "::mlir::ModuleOp"> {
  let summary = "signed and unsigned integer types to signless";
  let description = [{
    `ui8` and `si8` become `i8` on functions, calls, branches, `scf`, globals, constants and
    shape-only `tensor` ops. An op of another dialect keeps its types behind a cast:
    `tensor.bitcast` on tensors, else `builtin.unrealized_conversion_cast`. Run the pass after qdq
    ops are lowered.

    ```mlir
    %y = "onnx.Relu"(%x) : (tensor<4xui8>) -> tensor<4xui8>
    ```
    becomes
    ```mlir
    %0 = tensor.bitcast %x : tensor<4xi8> to tensor<4xui8>
    %y = "onnx.Relu"(%0) : (tensor<4xui8>) -> tensor<4xui8>
    %1 = tensor.bitcast %y : tensor<4xui8> to tensor<4xi8>
    ```
  }];
  let dependentDialects = ["tensor::TensorDialect"];
}

def DequantizeConstantsPass : QDQ_Pass<"qdq-dequantize-constants"> {
  let summary = "dequantized constants as constants";
  let description = [{
    A `qdq.dequantize` of constant codes, scale and zero point becomes its value. The codes may be a
    `dense_resource`, or a reshape, a `qdq.unpack` or a `qdq.quantize` of a constant. Weights grow
    to four times their size; compilers that would dequantize them in each tile gain.

    ```mlir
    %q = arith.constant dense<[1, -4]> : tensor<2xi8>
    %s = arith.constant dense<0.5> : tensor<f32>
    %x = qdq.dequantize %q scale %s : (tensor<2xi8>, tensor<f32>) -> tensor<2xf32>
    ```
    becomes
    ```mlir
    %x = arith.constant dense<[5.000000e-01, -2.000000e+00]> : tensor<2xf32>
    ```
  }];
  let options = QDQ_SemanticsOptions;
  let dependentDialects = ["arith::ArithDialect"];
}

def FuseContractionsPass : QDQ_Pass<"qdq-fuse-contractions"> {
  let summary = "dequantized operands of contractions, computed where they are multiplied";
  let description = [{
    A contraction on tensors (`linalg.matmul`, `matvec`, `batch_matmul`, `contract`, …) of a
    dequantized operand becomes a `linalg.generic` that reads the codes, packed ones in place.
    Products and the order of sums stay, and so every bit. Codes that are computed of several
    fields, such as four bits and a fifth, are computed where they are dequantized. Zero points that
    share a byte are unpacked before, since the loop over their places would split that over blocks.

    ```mlir
    %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<4x8xi8>) outs(%e : tensor<4x8xf32>) {
      ^bb0(%code: i8, %out: f32):
        %0 = arith.sitofp %code : i8 to f32
        linalg.yield %0 : f32
      } -> tensor<4x8xf32>
    %r = linalg.matvec ins(%d, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %r = linalg.generic {...} ins(%w, %x : tensor<4x8xi8>, tensor<8xf32>) outs(%y : tensor<4xf32>) {
    ^bb0(%code: i8, %in: f32, %out: f32):
      %0 = arith.sitofp %code : i8 to f32
      %1 = arith.mulf %0, %in : f32
      %2 = arith.addf %out, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "tensor::TensorDialect"];
}

class QDQ_SumOrderOption<string name, string argument, string explanation>
    : Option<name, argument, "::mlir::qdq::SumOrder", "::mlir::qdq::SumOrder::Sequential",
             "the order in which sums of floats add their terms: sequential (as written), lanes (32 partial sums, the same on every machine), any (unspecified)" # explanation,
             [{::llvm::cl::values(
               clEnumValN(::mlir::qdq::SumOrder::Sequential, "sequential", "as written"),
               clEnumValN(::mlir::qdq::SumOrder::Lanes, "lanes", "32 partial sums, the same on every machine"),
               clEnumValN(::mlir::qdq::SumOrder::Any, "any", "unspecified"))}]>;

def DeclareSumOrderPass : QDQ_Pass<"qdq-declare-sum-order"> {
  let summary = "the order in which sums of floats add their terms";
  let description = [{
    A sum of floats on tensors (`linalg.matmul`, `linalg.reduce`, …, or a `linalg.generic` like
    them) becomes a `linalg.generic` whose body states the order of its sum:
    [Semantics.md](Semantics.md#sums-of-floats). `any` sets the flags `fastmath<reassoc,contract>`,
    and `fastmath<contract>` at the products and sums of a convolution. `lanes` sets an attribute of
    the `arith.addf`, or of the `math.fma` of a contraction in f32 or f64. A sum with the attribute
    `qdq.in_order` stays. The body of a `linalg.matvec` becomes
    ```mlir
    %sum = math.fma %w, %x, %out {qdq.partial_sums = 32 : i64} : f32
    ```
  }];
  let options = [QDQ_SumOrderOption<"order", "order", "">];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect", "math::MathDialect"];
}

class QDQ_ActivationsOption<string name, string argument, string explanation, string byDefault = "None">
    : Option<name, argument, "::mlir::qdq::ActivationFormat", "::mlir::qdq::ActivationFormat::" # byDefault,
             "the codes to which floats beside dequantized weights are rounded: none, blocks (i8 in the blocks of the weight), q8-0 (ggml's Q8_0)" # explanation,
             [{::llvm::cl::values(
               clEnumValN(::mlir::qdq::ActivationFormat::None, "none", "floats stay"),
               clEnumValN(::mlir::qdq::ActivationFormat::Blocks, "blocks", "i8 in the blocks of the weight"),
               clEnumValN(::mlir::qdq::ActivationFormat::Q8_0, "q8-0", "ggml's Q8_0"))}]>;

def QuantizeActivationsPass : QDQ_Pass<"qdq-quantize-activations"> {
  let summary = "floats beside dequantized weights rounded to 8 bits";
  let description = [{
    If one operand of a contraction of f32 on tensors comes from `qdq.dequantize`, in blocks along
    one summed dimension (`format=q8-0`: in any blocks, rows or columns), the other one is quantized
    to i8 in blocks along that dimension, and dequantized again. This changes results:
    [Semantics.md](Semantics.md#activations-of-8-bits).

    ```mlir
    %w = qdq.dequantize %codes scale %s block_shape [1, 32] : (tensor<8x64xi4>, tensor<8x2xf32>) -> tensor<8x64xf32>
    %y = linalg.matvec ins(%w, %x : tensor<8x64xf32>, tensor<64xf32>) outs(%init : tensor<8xf32>) -> tensor<8xf32>
    ```
    becomes
    ```mlir
    %scale = qdq.choose_params %x mode <symmetric> storage i8 block_shape [32] semantics <compute = f32> : (tensor<64xf32>) -> tensor<2xf32>
    %q = qdq.quantize %x scale %scale block_shape [32] semantics <compute = f32> : (tensor<64xf32>, tensor<2xf32>) -> tensor<64xi8>
    %rounded = qdq.dequantize %q scale %scale ...
    %y = linalg.matvec ins(%w, %rounded : ...
    ```
  }];
  let options = [QDQ_ActivationsOption<"format", "format", "", "Blocks">];
  let dependentDialects = ["arith::ArithDialect", "qdq::QDQDialect"];
}

def IntegerContractionsPass : QDQ_Pass<"qdq-integer-contractions"> {
  let summary = "contractions of dequantized tensors to contractions of their codes";
  let description = [{
    A float contraction or convolution of `linalg` on tensors, whose operands both come from
    `qdq.dequantize`, becomes a contraction of the codes. A following `qdq.quantize`, with or
    without a bias and bounds (relu, clamp) before it, becomes one `qdq.requantize` of the sum; any
    other sum is dequantized. [Semantics.md](Semantics.md#contractions-of-codes) defines the
    results.

    Scales and zero points are per tensor, follow dimensions that are not summed, or change in
    blocks along one summed dimension. Any other contraction stays, with a remark that says why. So
    does one with a quantized result that cannot be exact, as with a bias that is no integer multiple
    of the product of the scales; `rescale=qdq` dequantizes its sums instead.

    `max-code-diff=N` compares, for constant parameters and every possible sum, the codes of
    `rescale` with exact ones. A remark reports the worst difference; beyond N the contraction
    stays. Run `qdq-motion` first: it brings dequantizes to their contractions.

    ```mlir
    %xd = qdq.dequantize %x scale %sx : (tensor<16x64xi8>, f32) -> tensor<16x64xf32>
    %wd = qdq.dequantize %w scale %sw axis 1 : (tensor<64x8xi8>, tensor<8xf32>) -> tensor<64x8xf32>
    %zero = arith.constant dense<0.0> : tensor<16x8xf32>
    %r = linalg.matmul ins(%xd, %wd : tensor<16x64xf32>, tensor<64x8xf32>) outs(%zero : tensor<16x8xf32>) -> tensor<16x8xf32>
    %y = qdq.quantize %r scale %sy : (tensor<16x8xf32>, f32) -> tensor<16x8xi8>
    ```
    becomes
    ```mlir
    %sum = linalg.matmul ins(%x, %w : tensor<16x64xi8>, tensor<64x8xi8>) outs(%0 : tensor<16x8xi32>) -> tensor<16x8xi32>
    ...
    %y = qdq.requantize %sum rescale <qdq> multiplier %scale, %sy axis 1 : (tensor<16x8xi32>, tensor<8xf32>, f32) -> tensor<16x8xi8>
    ```
  }];
  let options = [
    QDQ_EnumOption<"rescale", "rescale", QDQ_Rescale,
      "how a quantized result is computed from its sums: ", "; the default is that of the profile, else qdq">,
    QDQ_EnumOption<"profile", "profile", QDQ_Profile,
      "the system whose rescale is taken: ">,
    Option<"maxCodeDiff", "max-code-diff", "int64_t", "-1",
           "leave a quantized result whose codes may differ from exact ones by more than this; -1: any">,
    Option<"blocks", "blocks", "::mlir::qdq::IntegerBlocks", "::mlir::qdq::IntegerBlocks::All",
           "the contractions in blocks that become integers: all, ordered (no fastmath<reassoc> at the sum), none",
           [{::llvm::cl::values(
             clEnumValN(::mlir::qdq::IntegerBlocks::All, "all", "all"),
             clEnumValN(::mlir::qdq::IntegerBlocks::Ordered, "ordered", "no fastmath<reassoc> at the sum"),
             clEnumValN(::mlir::qdq::IntegerBlocks::None, "none", "none"))}]>
  ];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "qdq::QDQDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def VerifyLoweredPass : QDQ_Pass<"qdq-verify-lowered", "::mlir::ModuleOp"> {
  let summary = "fail if a quantized op or type is left";
  let description = [{
    An op of `quant` or `qdq`, a known source op (`onnx.QuantizeLinear`), and a quantized type is an
    error at its location: the first ten, and the number of the others.

    Unknown quantized ops are one error: "quantized ops are not lowered: 1 onnx.MatMulInteger"; in
    domains of no [source](Sources.md) a remark.
  }];
  let options = [QDQ_UnconvertedOption];
}

def SimplifyPass : QDQ_Pass<"qdq-simplify"> {
  let summary = "cheaper qdq ops that give the same codes";
  let description = [{
    Each rewrite keeps every bit for all inputs. "Tried" means evaluated at compile time on every
    code or input, up to 2^22. Most rewrites need complete semantics, so run the pass between
    sources and targets.

    - A constant zero point of zeros disappears, if no -0 changes.
    - `subtract = float` becomes `wide`, if operands and difference fit the significand of the
      compute type.
    - Division by a constant becomes a product with its reciprocal, if that is exact (powers of two)
      or the codes are equal (tried).
    - A quantize of a dequantize of the same storage and constant parameters disappears, if every
      code returns (tried).
    - A quantize of a dequantize becomes a quantize of the codes, if parameters are constant, codes
      of up to 16 bits, and no other op uses the reals (tried).

    `max-code-diff=N` relaxes the last three to differences of at most N codes, with a remark.

    ```mlir
    %s = arith.constant 2.500000e-01 : f32
    %q = qdq.quantize %x scale %s
       semantics <rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
                  overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
       : (tensor<8xf32>, f32) -> tensor<8xi8>
    ```
    becomes
    ```mlir
    %q = qdq.quantize %x scale %s semantics <rounding = nearest-even, order = round-then-add, division = reciprocal, ...
    ```
  }];
  let options = [
    Option<"maxCodeDiff", "max-code-diff", "int64_t", "0",
           "allow rewrites that change a code by up to this, and report them">
  ];
  let dependentDialects = ["arith::ArithDialect"];
}

def MotionPass : QDQ_Pass<"qdq-motion"> {
  let summary = "data movement past quantize and dequantize";
  let description = [{
    Moves `qdq.quantize` and `qdq.dequantize` past these ops, with every bit of every result.
    `moved=codes` moves less memory and helps integer contractions; `moved=reals` brings a
    dequantize to its `qdq.unpack`. `--debug-only=pattern-rewrite` says why an op stays.

    - `tensor.expand_shape`, `tensor.collapse_shape`, `linalg.transpose`, a `linalg.generic` like it
    - `tensor.extract_slice`, only towards its source
    - `tensor.pad` with a constant that is a code
    - `linalg.pooling_*_max`, only `codes`; a quantize needs `nan = highest`
    - an elementwise `linalg.generic` between a contraction and a quantize, above
      `tensor.collapse_shape`, only `codes`

    An op stays if a bit might change, as where a slice begins within a block. Padding and pooling
    need constant parameters and complete semantics. Only reshapes, and slices with `at`, pass a
    stochastic or open rounding. A quantize or a movement with other uses stays.

    ```mlir
    %x = qdq.dequantize %q scale %s axis 1 : (tensor<2x8x3xi8>, tensor<8xf32>) -> tensor<2x8x3xf32>
    %e = tensor.empty() : tensor<3x2x8xf32>
    %t = linalg.transpose ins(%x : tensor<2x8x3xf32>) outs(%e : tensor<3x2x8xf32>) permutation = [2, 0, 1]
    ```
    becomes
    ```mlir
    %t = linalg.transpose ins(%q : tensor<2x8x3xi8>) outs(%e : tensor<3x2x8xi8>) permutation = [2, 0, 1]
    %x = qdq.dequantize %t scale %s axis 2 : (tensor<3x2x8xi8>, tensor<8xf32>) -> tensor<3x2x8xf32>
    ```
  }];
  let options = [
    Option<"moved", "moved", "::mlir::qdq::MovedValues",
           "::mlir::qdq::MovedValues::Codes",
           "the values that are moved: codes (quantize up, dequantize down), reals (the other way round)",
           [{::llvm::cl::values(
             clEnumValN(::mlir::qdq::MovedValues::Codes, "codes", "quantize up, dequantize down"),
             clEnumValN(::mlir::qdq::MovedValues::Reals, "reals", "quantize down, dequantize up"))}]>
  ];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "tensor::TensorDialect"];
}

def LintPass : QDQ_Pass<"qdq-lint"> {
  let summary = "remarks on suspicious conversions";
  let description = [{
    Run the pass after the sources; open fields count as their defaults. Remarks say that

    - a constant scale is negative, zero, infinite or NaN, and other constants are out of range;
    - other profiles compute other results, with an example (constant parameters, integer storage);
    - the compute type does not hold the input or the zero point: ui16 in f16;
    - codes out of range wrap, or are undefined; constant values saturate, or are NaN;
    - stochastic rounding lacks a seed, or a position in a loop;
    - a quantize of a dequantize with equal constant parameters changes codes, and how many;
    - a dequantize rounds codes, wraps a difference, or overflows to infinity;
    - codes of `gptq-v1` meet zero points of `gptq-v2`, or vice versa;
    - the accumulator of `MatMulInteger` or `ConvInteger` may wrap;
    - `qdq-integer-contractions` leaves a contraction in floats, and why;
    - ONNX Runtime saturates pairs of products of ui8 by i8 in 16 bits, on x86 without VNNI.

    ```mlir
    %s = arith.constant 2.500000e-01 : f32
    // remark: other results under the profiles mlir22, tflite: input -31.875 gives -127 under mlir22, and -128 here
    %q = qdq.quantize %x scale %s : (tensor<8xf32>, f32) -> tensor<8xi8>
    ```
  }];
  let options = [Option<"details", "details", "bool", "false",
                        "a remark at every op, not only at the first of each kind">];
}

def ExpandMathPass : QDQ_Pass<"qdq-expand-math"> {
  let summary = "math rounding ops on f32 and f64 to arith";
  let description = [{
    `math.roundeven`, `round`, `floor`, `ceil`, `trunc` and `absf` on f32 and f64, scalars and
    vectors, become `arith` ops with the same bits: for targets without such an instruction and
    without libm.
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def ExpandFloatsPass : QDQ_Pass<"qdq-expand-floats"> {
  let summary = "Casts from and to floats of 8, 6 and 4 bits to integer ops";
  let description = [{
    `arith.extf`, `arith.truncf` (every rounding mode), `arith.scaling_extf` and
    `arith.scaling_truncf` from and to floats of fewer than 16 bits become straight-line `arith` ops
    on integers and f32 or f64, which stock LLVM lowers without calls.
    [Semantics.md](Semantics.md#casts-that-qdq-expand-floats-expands) defines overflows and NaN; NaN
    payloads are unspecified.

    Run the pass before `canonicalize`: upstream folds a NaN or an infinity to the code 0 of
    f4E2M1FN.

    ```mlir
    %y = arith.extf %x : f8E8M0FNU to f32
    ```
    becomes
    ```mlir
    %0 = arith.bitcast %x : f8E8M0FNU to i8
    %1 = arith.extui %0 : i8 to i32
    ...
    ```
  }];
  let options = [
    Option<"includeF16", "include-f16", "bool", "false",
           "also casts from and to f16, for targets where LLVM would call a library function">,
    Option<"throughF16", "through-f16", "bool", "false",
           "floats of 8 bits by way of f16 where that is exact, for targets with an instruction for f16 to f32">,
    Option<"tellsRanges", "tells-ranges", "bool", "false",
           "`arith.trunci` to a code says by nuw that it fits">,
    Option<"lookupBits", "lookup-bits", "int64_t", "0",
           "bits of a register: vectors of floats of at most 6 bits that fill some by qdq.lookup, whose expansion is up to you">
  ];
  let dependentDialects = ["arith::ArithDialect", "qdq::QDQDialect"];
}

#endif // QDQ_TRANSFORMS_PASSES_TD
