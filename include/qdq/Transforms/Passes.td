// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of this project that stay within one level.

#ifndef QDQ_TRANSFORMS_PASSES_TD
#define QDQ_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"
include "qdq/Conversion/Unconverted.td"
include "qdq/Numerics/PassOptions.td"

def StripSignednessPass : QDQ_Pass<"qdq-strip-signedness", "::mlir::ModuleOp"> {
  let summary = "signed and unsigned integer types to signless";
  let description = [{
    `ui8` and `si8` become `i8` on functions, calls, branches, `scf`, globals, constants and
    shape-only `tensor` ops. An op of another dialect keeps its types behind a cast:
    `tensor.bitcast` on tensors, else `builtin.unrealized_conversion_cast`. Run it after the qdq ops
    are lowered, because they read the signedness.

    ```mlir
    func.func @f(%x: tensor<4xui8>) -> tensor<4xui8> {
      %y = "onnx.Relu"(%x) : (tensor<4xui8>) -> tensor<4xui8>
      return %y : tensor<4xui8>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<4xi8>) -> tensor<4xi8> {
      %0 = tensor.bitcast %x : tensor<4xi8> to tensor<4xui8>
      %y = "onnx.Relu"(%0) : (tensor<4xui8>) -> tensor<4xui8>
      %1 = tensor.bitcast %y : tensor<4xui8> to tensor<4xi8>
      return %1 : tensor<4xi8>
    }
    ```
  }];
  let dependentDialects = ["tensor::TensorDialect"];
}

def DequantizeConstantsPass : QDQ_Pass<"qdq-dequantize-constants"> {
  let summary = "dequantized constants as constants";
  let description = [{
    A `qdq.dequantize` of constant codes, scale and zero point becomes its value. The codes may be a
    `dense_resource`, a reshape of a constant, or a `qdq.unpack` of one. Use it for compilers that
    would dequantize weights again in each tile, if four times the memory is acceptable.

    ```mlir
    func.func @f() -> tensor<4xf32> {
      %q = arith.constant dense<[1, 2, 3, -4]> : tensor<4xi8>
      %s = arith.constant dense<0.5> : tensor<f32>
      %x = qdq.dequantize %q scale %s : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
      return %x : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f() -> tensor<4xf32> {
      ...
      %x = arith.constant dense<[5.000000e-01, 1.000000e+00, 1.500000e+00, -2.000000e+00]> : tensor<4xf32>
      return %x : tensor<4xf32>
    }
    ```
  }];
  let options = QDQ_SemanticsOptions;
  let dependentDialects = ["arith::ArithDialect"];
}

def FuseContractionsPass : QDQ_Pass<"qdq-fuse-contractions"> {
  let summary = "dequantized operands of contractions, computed where they are multiplied";
  let description = [{
    A contraction on tensors (`linalg.matmul`, `matvec`, `batch_matmul`, `contract`, …) of a
    dequantized operand becomes a `linalg.generic` that reads the codes, so that a weight never
    exists as floats. Packed containers are read in place. Products and the order of sums stay, and
    so every bit.

    ```mlir
    #values = affine_map<(i, j) -> (i, j)>
    #rows = affine_map<(i, j) -> (i)>
    func.func @f(%w: tensor<4x8xi8>, %s: tensor<4xf32>, %x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4x8xf32>
      %d = linalg.generic {indexing_maps = [#values, #rows, #values], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<4x8xi8>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
      ^bb0(%code: i8, %scale: f32, %out: f32):
        %0 = arith.sitofp %code : i8 to f32
        %1 = arith.mulf %0, %scale : f32
        linalg.yield %1 : f32
      } -> tensor<4x8xf32>
      %r = linalg.matvec ins(%d, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%w: tensor<4x8xi8>, %s: tensor<4xf32>, %x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %r = linalg.generic {indexing_maps = [...], iterator_types = ["parallel", "reduction"]} ins(%w, %s, %x : tensor<4x8xi8>, tensor<4xf32>, tensor<8xf32>) outs(%y : tensor<4xf32>) {
      ^bb0(%code: i8, %scale: f32, %in: f32, %out: f32):
        %0 = arith.sitofp %code : i8 to f32
        %1 = arith.mulf %0, %scale : f32
        %2 = arith.mulf %1, %in : f32
        %3 = arith.addf %out, %2 : f32
        linalg.yield %3 : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "tensor::TensorDialect"];
}

class QDQ_SumOrderOption<string name, string argument, string explanation>
    : Option<name, argument, "::mlir::qdq::SumOrder", "::mlir::qdq::SumOrder::Sequential",
             "the order in which contractions of floats add their products: sequential (as written), lanes (32 partial sums, the same on every machine), any (unspecified)" # explanation,
             [{::llvm::cl::values(
               clEnumValN(::mlir::qdq::SumOrder::Sequential, "sequential", "as written"),
               clEnumValN(::mlir::qdq::SumOrder::Lanes, "lanes", "32 partial sums, the same on every machine"),
               clEnumValN(::mlir::qdq::SumOrder::Any, "any", "unspecified"))}]>;

def DeclareSumOrderPass : QDQ_Pass<"qdq-declare-sum-order"> {
  let summary = "the order in which contractions of floats add their products";
  let description = [{
    A contraction of floats on tensors (`linalg.matmul`, `matvec`, `batch_matmul`, `contract`, …,
    or a `linalg.generic` like them) becomes a `linalg.generic` whose body says the order of its
    sum. `lanes` is the attribute `qdq.partial_sums` of the `arith.addf`, or of the `math.fma` that
    a product in f32 or f64 becomes with it. `qdq-codegen-vectorize` and `qdq-codegen-partial-sums`
    obey it; [Semantics.md](Semantics.md#sums-of-contractions) defines it.
    `any` is `fastmath<reassoc,contract>`: vectors may add the products in any order, and round a
    product once with the sum. `sequential` changes nothing. Convolutions, pools and other sums
    keep the written order.

    ```mlir
    func.func @f(%w: tensor<4x8xf32>, %x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %r = linalg.matvec ins(%w, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
    becomes, with `order=lanes`,
    ```mlir
    #weight = affine_map<(i, k) -> (i, k)>
    #x = affine_map<(i, k) -> (k)>
    #y = affine_map<(i, k) -> (i)>
    func.func @f(%w: tensor<4x8xf32>, %x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %r = linalg.generic {indexing_maps = [#weight, #x, #y], iterator_types = ["parallel", "reduction"]} ins(%w, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %0 = math.fma %a, %b, %out {qdq.partial_sums = 32 : i64} : f32
        linalg.yield %0 : f32
      } -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    ```
  }];
  let options = [QDQ_SumOrderOption<"order", "order", "">];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect", "math::MathDialect"];
}

def IntegerContractionsPass : QDQ_Pass<"qdq-integer-contractions"> {
  let summary = "contractions of dequantized tensors to contractions of their codes";
  let description = [{
    A float contraction or convolution of `linalg` on tensors, whose operands both come from
    `qdq.dequantize`, becomes a contraction of the codes in their own types. Reductions compute the
    terms of zero points. The integer sum is exact: i32 if sizes and ranges exclude an overflow,
    else i64. [Semantics.md](Semantics.md#contractions-of-codes) defines the results.

    | what follows the contraction | becomes |
    |---|---|
    | `qdq.quantize`, with or without a bias and bounds (relu, clamp) before it | one `qdq.requantize` of the sums, with `rescale`; the bias joins the sums, bounds of reals become bounds of codes |
    | the same, of sums in blocks | `f32`, `f64`, `separate`: rescaled sums, added as reals in the order of the blocks, and `qdq.quantize`; `exact`: sums of 64 bits with integer weights, and `qdq.requantize` |
    | anything else | `qdq.dequantize` of the sums, in f32 with the product of the scales (f64 if one is) |

    Scales and zero points are per tensor, follow dimensions that are not summed, or change in
    blocks along one summed dimension. Padding with 0 (`tensor.pad`) becomes padding with the zero
    point.

    A contraction stays, with a remark, if

    - an operand is not dequantized, codes are floats, or a zero point is a float or subtracted
      inexactly;
    - parameters differ within a sum other than in blocks, or along a window or a padded dimension;
    - sums could need more than 64 bits;
    - a quantized result cannot be exact: the bias is no integer multiple of the product of the
      scales, bounds are no constants, an integer multiplier lacks constant scales, or another op
      stands between. `rescale=qdq` dequantizes the sums then.

    `max-code-diff=N` measures, for constant parameters, the worst difference between the codes of
    `rescale` and those of the real numbers over every possible sum. A remark reports it with an
    example; beyond N the contraction stays. Run the pass after `qdq-motion`, which brings
    dequantizes to their contractions.

    ```mlir
    func.func @f(%x: tensor<16x64xi8>, %w: tensor<64x8xi8>, %sw: tensor<8xf32>) -> tensor<16x8xi8> {
      %sx = arith.constant 0.5 : f32
      %sy = arith.constant 0.25 : f32
      %zero = arith.constant dense<0.0> : tensor<16x8xf32>
      %xd = qdq.dequantize %x scale %sx : (tensor<16x64xi8>, f32) -> tensor<16x64xf32>
      %wd = qdq.dequantize %w scale %sw axis 1 : (tensor<64x8xi8>, tensor<8xf32>) -> tensor<64x8xf32>
      %r = linalg.matmul ins(%xd, %wd : tensor<16x64xf32>, tensor<64x8xf32>) outs(%zero : tensor<16x8xf32>) -> tensor<16x8xf32>
      %y = qdq.quantize %r scale %sy : (tensor<16x8xf32>, f32) -> tensor<16x8xi8>
      return %y : tensor<16x8xi8>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<16x64xi8>, %w: tensor<64x8xi8>, %sw: tensor<8xf32>) -> tensor<16x8xi8> {
      ...
      %sum = linalg.matmul ins(%x, %w : tensor<16x64xi8>, tensor<64x8xi8>) outs(%0 : tensor<16x8xi32>) -> tensor<16x8xi32>
      ...
      %y = qdq.requantize %sum rescale <qdq> multiplier %scale, %sy axis 1 : (tensor<16x8xi32>, tensor<8xf32>, f32) -> tensor<16x8xi8>
      return %y : tensor<16x8xi8>
    }
    ```
  }];
  let options = [
    QDQ_EnumOption<"rescale", "rescale", QDQ_Rescale,
      "how a quantized result is computed from its sums: ", "; the default is that of the profile, else qdq">,
    QDQ_EnumOption<"profile", "profile", QDQ_Profile,
      "the system whose rescale is taken: ">,
    Option<"maxCodeDiff", "max-code-diff", "int64_t", "-1",
           "leave a quantized result whose codes may differ from exact ones by more than this, and report the difference of others; -1: any">
  ];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "qdq::QDQDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def VerifyLoweredPass : QDQ_Pass<"qdq-verify-lowered", "::mlir::ModuleOp"> {
  let summary = "fail if a quantized op or type is left";
  let description = [{
    Changes nothing. Each op of `quant` or `qdq`, each known source op (`onnx.QuantizeLinear`), and
    each quantized type is an error at its location: the first ten, and the number of the others.

    Unknown quantized ops are one error with names and numbers: by their names in ONNX,
    `com.microsoft`, `pmx` and PyTorch, and all ops of AMD Quark's domains and torchao. In unknown
    domains such a name is a remark. `unconverted=keep` makes every error a remark.

    ```mlir
    func.func @f(%x: tensor<2x2xui8>, %y: tensor<2x2xi8>) -> tensor<2x2xi32> {
      // remark: quantized ops are not lowered: 1 onnx.MatMulInteger
      %z = "onnx.MatMulInteger"(%x, %y) : (tensor<2x2xui8>, tensor<2x2xi8>) -> tensor<2x2xi32>
      return %z : tensor<2x2xi32>
    }
    ```
  }];
  let options = [QDQ_UnconvertedOption];
}

def SimplifyPass : QDQ_Pass<"qdq-simplify"> {
  let summary = "cheaper qdq ops that give the same codes";
  let description = [{
    Each rewrite keeps every code and bit for all inputs. "Tried" means evaluated at compile time on
    every code or input. Run it after the sources and before the targets, because most rewrites need
    complete semantics.

    | rewrite | condition |
    |---|---|
    | a constant zero point of zeros disappears | -0 counts: [Semantics.md](Semantics.md#float-storage) |
    | `subtract = float` becomes `wide` | operands and difference fit the significand of the compute type |
    | division by a constant becomes a product with its reciprocal | the reciprocal is exact (powers of two), or the codes are equal (tried at each step of the codes) |
    | a quantize of a dequantize of the same storage disappears | constant parameters; every code returns (tried) |
    | a quantize of a dequantize becomes a quantize of the codes | constant parameters, integers of up to 16 bits, no other use (tried) |

    A rewrite covers all groups of elements or none, and stays within 2^22 evaluations.
    `max-code-diff=N` also allows the last three rewrites if the worst difference is at most N
    codes; a remark reports it. N bounds each rewrite, not their sum.

    ```mlir
    #onnx = #qdq.semantics<rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
                           overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
    func.func @f(%x: tensor<8xf32>, %q: tensor<8xui8>) -> (tensor<8xi8>, tensor<8xi8>) {
      %s = arith.constant 2.500000e-01 : f32
      %z = arith.constant dense<128> : tensor<ui8>
      %a = qdq.quantize %x scale %s semantics #onnx : (tensor<8xf32>, f32) -> tensor<8xi8>
      %r = qdq.dequantize %q scale %s zero_point %z semantics #onnx : (tensor<8xui8>, f32, tensor<ui8>) -> tensor<8xf32>
      %b = qdq.quantize %r scale %s semantics #onnx : (tensor<8xf32>, f32) -> tensor<8xi8>
      return %a, %b : tensor<8xi8>, tensor<8xi8>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<8xf32>, %q: tensor<8xui8>) -> (tensor<8xi8>, tensor<8xi8>) {
      ...
      %a = qdq.quantize %x scale %s semantics <rounding = nearest-even, order = round-then-add, division = reciprocal, ...
      %one = arith.constant 1.000000e+00 : f32
      %shift = arith.constant -128 : i16
      %b = qdq.quantize %q scale %one zero_point %shift semantics <rounding = nearest-even, order = round-then-add, division = reciprocal, ...
         : (tensor<8xui8>, f32, i16) -> tensor<8xi8>
      return %a, %b : tensor<8xi8>, tensor<8xi8>
    }
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
    Moves `qdq.quantize` and `qdq.dequantize` past ops that only move data, with every bit of every
    result. `--debug-only=pattern-rewrite` says why an op stays.

    | `moved` | quantize goes | dequantize goes | for |
    |---|---|---|---|
    | `codes` | above a movement | below | moving less memory; integer contractions |
    | `reals` | below | above | a dequantize beside the `qdq.unpack` that it reads |

    | movement | parameters | the op stays if |
    |---|---|---|
    | `tensor.expand_shape`, `tensor.collapse_shape` | per axis, or in blocks, as the other shape asks for | a block ends within a dimension of the other shape; parameters would be repeated |
    | `linalg.transpose`, a `linalg.generic` like it | transposed alike | |
    | `tensor.extract_slice`, only towards its source | sliced alike | the slice may begin or end within a block (a dynamic offset must be a multiple of the block by its loop or its affine map) |
    | `tensor.pad` with a constant | unchanged | a dimension that parameters follow is padded; the constant has no exact counterpart, the same in all groups (0.0 has the zero point) |
    | `linalg.pooling_*_max`, only `codes` | unchanged | a window has several scales; a code falls as its value grows (tried); a NaN may win on one side only (a quantize needs `nan = highest`); the pooling starts above the lowest code |
    | an elementwise `linalg.generic` between a contraction and a quantize, above `tensor.collapse_shape`, only `codes` | | sizes of the other shape are open |

    Padding and pooling need constant parameters and complete semantics. Only reshapes, and slices
    with `at`, pass a stochastic or open rounding, because draws follow positions. A quantize or a
    movement with other uses stays.

    ```mlir
    func.func @f(%q: tensor<2x8x3xi8>, %s: tensor<8xf32>) -> tensor<3x2x2x4xf32> {
      %x = qdq.dequantize %q scale %s axis 1 : (tensor<2x8x3xi8>, tensor<8xf32>) -> tensor<2x8x3xf32>
      %e = tensor.empty() : tensor<3x2x8xf32>
      %t = linalg.transpose ins(%x : tensor<2x8x3xf32>) outs(%e : tensor<3x2x8xf32>) permutation = [2, 0, 1]
      %y = tensor.expand_shape %t [[0], [1], [2, 3]] output_shape [3, 2, 2, 4] : tensor<3x2x8xf32> into tensor<3x2x2x4xf32>
      return %y : tensor<3x2x2x4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%q: tensor<2x8x3xi8>, %s: tensor<8xf32>) -> tensor<3x2x2x4xf32> {
      %e = tensor.empty() : tensor<3x2x8xi8>
      %t = linalg.transpose ins(%q : tensor<2x8x3xi8>) outs(%e : tensor<3x2x8xi8>) permutation = [2, 0, 1]
      %0 = tensor.expand_shape %t [[0], [1], [2, 3]] output_shape [3, 2, 2, 4] : tensor<3x2x8xi8> into tensor<3x2x2x4xi8>
      %1 = tensor.expand_shape %s [[0, 1, 2, 3]] output_shape [1, 1, 2, 4] : tensor<8xf32> into tensor<1x1x2x4xf32>
      %y = qdq.dequantize %0 scale %1 block_shape [0, 0, 1, 1] : (tensor<3x2x2x4xi8>, tensor<1x1x2x4xf32>) -> tensor<3x2x2x4xf32>
      return %y : tensor<3x2x2x4xf32>
    }
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
  let summary = "remarks on conversions that may not do what was meant";
  let description = [{
    Changes nothing. Run it after the sources; open fields count as their defaults. The first remark
    of each kind counts the others; `details` prints all.

    | on | remark |
    |---|---|
    | quantize, dequantize | an integer zero point becomes a float that the compute type does not hold: ui16 in f16, i32 in f32 |
    | | a constant scale is negative, or zero, infinite or NaN in the compute type, or lacks a finite reciprocal that is needed |
    | | a constant zero point is outside of the storage type |
    | | other profiles give other results, with an example (constant parameters, integer storage) |
    | quantize | the input is rounded to a narrower compute type before the division (f32 input and f16 scale in ONNX), or is an integer beyond its significand |
    | | codes out of range wrap, or are undefined |
    | | stochastic rounding without a seed, or in a loop without a position |
    | | constant values saturate, or are NaN (integer storage of up to 16 bits, per tensor) |
    | | after a dequantize with equal constant parameters: how many codes change |
    | dequantize | codes beyond the significand of the compute type are rounded; a difference wraps modulo 2^32 |
    | | codes unpacked as `gptq-v1` meet zero points unpacked as `gptq-v2`, or the other way round |
    | | a code becomes infinite in the result type |
    | requantize | a constant multiplier is negative, zero, infinite or NaN, a constant shift is bounded, a constant zero point is outside of the storage type; codes wrap, or are undefined |
    | contractions of codes | the accumulator may wrap (`MatMulInteger`, `ConvInteger`), by the sizes and the ranges of the codes |
    | contractions of dequantized codes | why `qdq-integer-contractions` leaves them in floats |
    | both | ui8 by i8 codes, pairs of whose products ONNX Runtime saturates in 16 bits on x86 without VNNI; constant i8 codes of up to 64 in magnitude are safe |

    The pass finds other profiles' results by evaluating each profile on the constant input, or on
    the codes and values half-way between them: all codes of up to 8 bits, else 257 around the zero
    point and the bounds; at most 16 groups.

    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xi8> {
      %s = arith.constant 2.500000e-01 : f32
      // remark: other results under the profiles mlir22, tflite: input -31.875 gives -127 under mlir22, and -128 here
      %q = qdq.quantize %x scale %s : (tensor<8xf32>, f32) -> tensor<8xi8>
      return %q : tensor<8xi8>
    }
    ```
  }];
  let options = [Option<"details", "details", "bool", "false",
                        "a remark at every op, not only at the first of each kind">];
}

def ExpandMathPass : QDQ_Pass<"qdq-expand-math"> {
  let summary = "math rounding ops on f32 and f64 to arith";
  let description = [{
    `math.roundeven`, `round`, `floor`, `ceil`, `trunc` and `absf` on f32 and f64, scalars and
    vectors, become `arith` ops with the same bits for every input: for targets without such an
    instruction and without libm. `math.fma` stays, because no `arith` op rounds once.
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def ExpandFloatsPass : QDQ_Pass<"qdq-expand-floats"> {
  let summary = "Casts from and to floats of 8, 6 and 4 bits to integer ops";
  let description = [{
    `arith.extf`, `arith.truncf` (every rounding mode), `arith.scaling_extf` and
    `arith.scaling_truncf` from and to floats of fewer than 16 bits become straight-line `arith` ops
    on integers and f32 (f64 where f32 cannot round), which stock LLVM lowers: no calls, no tables,
    and no subnormal f32 except 2^-127.

    Casts without a rounding mode round to nearest even; overflows, NaN and f8E8M0FNU follow
    [Semantics.md](Semantics.md#casts-that-qdq-expand-floats-expands). NaN payloads are unspecified.
    `through-f16` shifts the bits of 8-bit floats into f16, extends, and corrects the bias by a
    product; f8E5M2FNUZ stays, because its highest exponent is f16's infinity.

    Run it before `canonicalize`: upstream folds a NaN or an infinity to the code 0 of f4E2M1FN, and
    -1.0 to itself as f8E8M0FNU. A transform script uses
    `transform.apply_registered_pass "qdq-expand-floats"`, because the driver of `apply_patterns`
    folds first.

    ```mlir
    %y = arith.extf %x : f8E8M0FNU to f32
    ```
    becomes
    ```mlir
    %0 = arith.bitcast %x : f8E8M0FNU to i8
    %1 = arith.extui %0 : i8 to i32
    ...
    %2 = arith.shli %1, %c23_i32 : i32
    ...
    ```
  }];
  let options = [
    Option<"includeF16", "include-f16", "bool", "false",
           "casts from and to f16 as well, for targets with no instruction: LLVM calls a library function there">,
    Option<"throughF16", "through-f16", "bool", "false",
           "floats of 8 bits to f16 first, where f16 has their values times a power of two, for targets with an instruction for f16 to f32">,
    Option<"tellsRanges", "tells-ranges", "bool", "false",
           "`arith.trunci` to a code says by nuw that it fits">
  ];
  let dependentDialects = ["arith::ArithDialect"];
}

#endif // QDQ_TRANSFORMS_PASSES_TD
