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
    `ui8` and `si8` become `i8` on functions, calls, branches, `scf`, globals, constants and shape-only `tensor` ops. An op of any other
    dialect keeps its types, since they decide what it does, and gets a cast beside it: `tensor.bitcast` on tensors,
    `builtin.unrealized_conversion_cast` on all else. Casts that have become the identity disappear. Attributes that are not the op's own
    (on arguments, discardable ones) stay. Run it after the qdq ops are lowered: they read the signedness.

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
    A `qdq.dequantize` of constant codes, with a constant scale and zero point, becomes its value, whatever its size; by itself it folds only
    where it is small. The codes may be `dense_resource` (then the values are), a reshape of a constant, or what `qdq.unpack` takes out of one. For compilers that would
    dequantize weights over and over, in each tile that reads them, and for whom four times the memory is no matter.

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
    A contraction on tensors (`linalg.matmul`, `matvec`, `vecmat`, `batch_matmul`, `contract`, …, transposed or not) whose operand comes from a dequantize, as
    `convert-qdq-to-linalg` makes it, becomes a `linalg.generic` that reads the codes. A weight is never there as floats, and packed
    containers are read where they are; blocks and slots are loops of their own. Each product and the order of each sum stay, so
    every bit does. An operand is then dequantized once for each product that it is in.

    `reassociate` marks the sum and the products that it adds up with `fastmath<reassoc,contract>`: they may be added in any order, in vectors, and rounded
    once with the sum. What an operand is, codes times scale, stays exact.

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
  let options = [
    Option<"reassociate", "reassociate", "bool", "false",
           "let the products be added in any order, and be rounded together with the sum">
  ];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "tensor::TensorDialect"];
}

def IntegerContractionsPass : QDQ_Pass<"qdq-integer-contractions"> {
  let summary = "contractions of dequantized tensors to contractions of their codes";
  let description = [{
    A float contraction or convolution of `linalg` on tensors, found by its maps and its body (named ops and generics alike), of which both
    operands come from `qdq.dequantize`, becomes a contraction of the codes in their own types: i8 stays i8. What zero points add is made of reductions of their own, which
    are constants where the codes are. The sum is exact: where the float contraction rounds after each addition, this one does not.

    | what follows the contraction | becomes |
    |---|---|
    | `qdq.quantize`, with a bias and bounds (relu, clamp) before it or without | one `qdq.requantize` of the sums, with `rescale`; the bias is added to the sums, bounds of reals are bounds of codes |
    | the same, of sums in blocks | `f32`, `f64`, `separate`: rescaled sums, added up as reals in the order of the blocks, and `qdq.quantize`; `exact`: sums of 64 bits with integer weights, and `qdq.requantize` |
    | anything else | `qdq.dequantize` of the sums, in f32 with the product of the scales (f64 if one is) |

    A result with both kinds of users has both. Scales and zero points are per tensor, or follow dimensions that are not summed: rows, columns,
    channels, batches. Blocks along one summed dimension have one integer sum each (for blocks of two lengths: one for each common divisor of them); they are dequantized, and added in the type of the result in their order. A bias of reals is added by `separate` and `qdq` (docs/Semantics.md). Padding with 0
    (`tensor.pad`) becomes padding with the zero point. Sums are i32 where sizes and ranges of codes prove that none overflows, else i64; a dynamic number of terms counts as
    2^31 - 1.

    A contraction of which an operand is dequantized stays, with a remark that says why, where

    - the other operand is not, codes are floats, or a zero point is a float or is not subtracted exactly;
    - parameters differ within a sum otherwise than in blocks, or along a window or a padded dimension;
    - sums could need more than 64 bits;
    - the result is quantized, and what was asked for cannot be done exactly: the bias is not an integer with the product of the scales (compared, as constants),
      the bounds are no constants, scales of an integer multiplier are no constants or, in blocks, no multiples of one number with sums of 64 bits, another op stands in between. With `rescale=qdq` alone the sums are dequantized then, and the rest stays
      as it is.

    `max-code-diff=N` measures, for constant parameters, how far the codes of `rescale` are from those of the real numbers, over every sum that can occur:
    a remark says the worst difference and a sum that has it. Where that is more than N, or cannot be measured, the contraction stays.

    Run it after the sources are converted, and after `qdq-motion`, which brings dequantizes to their contractions.

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
    Changes nothing. An op of the dialects `quant` or `qdq`, a source op that is known by its name (`onnx.QuantizeLinear`, ...), or a
    quantized type anywhere is an error at its location; the first ten are reported, and the number of the others.

    Quantized ops that no conversion takes are one error with their names and numbers: in ONNX, `com.microsoft` and `pmx` those whose name says it
    (`QLinear...`, `...Integer`, `MatMulNBits`, what quantizes), in AMD Quark's domains all, in torch-mlir's spelling too; of PyTorch what
    quantizes, and torchao's. With `unconverted=keep` this is a remark, and source ops that stayed are among them. Such a name in
    a domain that is not known is always a remark.

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
    Each rewrite is made only where every code and every bit stays, for all inputs. How that is known stands beside it; "tried" means evaluated, at
    compile time, for every code or input. Semantics that an op leaves open are open to every choice here, and most rewrites ask for all of them:
    run the pass after the sources are converted (each source stamps its semantics), before the targets.

    - A constant zero point of zeros is dropped. (-0 counts: see docs/Semantics.md on float storage.)
    - `subtract = float` becomes `wide` where both operands and their difference fit the significand of the compute type.
    - Division by a constant becomes multiplication by its reciprocal, where that is exact (powers of two), or where the same codes come out.
      Both functions rise with their input, so trying the inputs at which a code steps tries all of them, f32 and f64 included.
    - A quantize of a dequantize of the same storage type, with constant parameters, goes where every code returns as it was (tried).
    - A quantize of a dequantize with other constant parameters, integers of up to 16 bits, becomes one quantize of the codes, with the quotient of the
      scales (tried). The dequantize must have no other use.

    Per tensor, per axis and in blocks alike; a rewrite is made for all groups of elements or not at all. What would take more than
    2^22 evaluations (seconds) is left. A dequantize of a quantize is never removed: it is rounding.

    `max-code-diff=N` also allows the last three where the worst difference is at most N codes. That difference is measured as above, over all codes or inputs,
    not estimated, and a remark at the op says how large it is. N bounds each rewrite, not their sum along a graph.

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
    Moves `qdq.quantize` and `qdq.dequantize` past ops that only move data, so that data is moved on the side that `moved` names. Every bit of every
    result stays. Where it is not known to, the op stays, with the reason in `--debug-only=pattern-rewrite`.

    | `moved` | quantize goes | dequantize goes | for |
    |---|---|---|---|
    | `codes` | above a movement | below | moving less memory; a dequantize that its consumer sees (integer contractions), a quantize that its producer sees |
    | `reals` | below | above | a dequantize beside the `qdq.unpack` that it reads |

    | movement | and parameters | stays where |
    |---|---|---|
    | `tensor.expand_shape`, `tensor.collapse_shape` | per axis, or in blocks, as the other shape asks for | a block ends within a dimension of the other shape; parameters would be repeated |
    | `linalg.transpose`, a `linalg.generic` like it | transposed alike | |
    | `tensor.extract_slice`, only towards its source | sliced alike | the slice begins or ends within a block, of several, or is not known to do neither: a dynamic offset is a multiple of the block by its loop or its affine map |
    | `tensor.pad` with a constant | as they are | a dimension that parameters follow is padded; the constant has no exact counterpart, the same in all groups (0.0 has the zero point) |
    | `linalg.pooling_*_max`, only `codes` | as they are | a window has several scales; a code falls as its value grows (tried); a NaN may win on one side only: a quantize needs `nan = highest`; the pooling starts above the lowest code |

    Constants decide about padding and pooling: scale, zero point and the whole of the semantics. Stochastic rounding follows positions, so only
    reshapes pass it, and slices, which say where they lie (`at`); nor does anything else pass a quantize that leaves its rounding open. A position that rounding does not need is left out. A quantize with other uses stays, and a movement with other uses is not moved.

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
    Changes nothing. Run it after the sources are converted; fields of the semantics that an op leaves open count as their defaults. Of each kind of
    remark the first one is given, with the number of the others; with `details` all of them are. The remarks:

    | on | says |
    |---|---|
    | quantize, dequantize | an integer zero point becomes a float (`add-then-round`, `subtract = float`, a bias, float storage) that the compute type does not hold: ui16 in f16, i32 in f32. A constant is checked by its values |
    | quantize | the input is rounded to a narrower compute type before the division (f32 input and f16 scale in ONNX), or is an integer beyond its significand |
    | quantize | codes out of range wrap, or are undefined |
    | quantize | stochastic rounding without a seed, or of scalars or vectors in a loop without a position |
    | dequantize | codes beyond the significand of the compute type are rounded; a difference wraps modulo 2^32 |
    | quantize, dequantize | a constant scale that is negative, or zero, infinite or NaN in the compute type, or has no finite reciprocal there where one is taken |
    | quantize, dequantize | a constant zero point outside of the storage type |
    | dequantize | codes unpacked as `gptq-v1` with zero points unpacked as `gptq-v2`, or the other way round |
    | quantize | constant values that saturate, or are NaN (integer storage of up to 16 bits, per tensor) |
    | quantize | after a dequantize with equal constant parameters: how many codes change |
    | dequantize | a code that becomes infinite in the result type |
    | quantize, dequantize | with constant parameters and integer storage: the profiles (systems) that give other results, with an example. Found by evaluating each profile on the constant input, or half-way between codes and beside it, or on the codes: all of them up to 8 bits, else 257 around the zero point and the bounds; at most 16 groups |
    | requantize | a constant multiplier that is negative, zero, infinite or NaN, a constant shift that is bounded, a constant zero point outside of the storage type; codes that wrap, or are undefined |
    | contractions of codes | sums of so many products that the accumulator may wrap (`MatMulInteger`, `ConvInteger`), by the sizes and the ranges of the codes |
    | contractions of dequantized codes | why `qdq-integer-contractions` leaves them in floats, where it does |
    | contractions of codes, or of dequantized codes | ui8 by i8 codes, pairs of whose products ONNX Runtime saturates in 16 bits on x86 without VNNI; constant i8 codes of up to 64 in magnitude are safe |

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
    `math.roundeven`, `round`, `floor`, `ceil`, `trunc` and `absf` on f32 and f64, scalars and vectors, become `arith` ops that give the same
    bits for every input, without a conversion to integer that could overflow. For targets with no such instruction and no
    libm. `math.fma` stays: no `arith` op rounds once.
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def ExpandFloatsPass : QDQ_Pass<"qdq-expand-floats"> {
  let summary = "Casts from and to floats of 8, 6 and 4 bits to integer ops";
  let description = [{
    `arith.extf`, `arith.truncf` (every rounding mode), `arith.scaling_extf` and `arith.scaling_truncf` from and to floats of fewer than 16 bits, on scalars and
    vectors, become straight-line `arith` ops on integers and on f32 (f64 for bits that f32 cannot round): no library call, no table, no
    subnormal f32 but for 2^-127. Stock LLVM can finish what is left: the types themselves are bytes and small integers there.

    Without a rounding mode, casts round to nearest even. An overflow gives infinity, NaN where the format has none, the largest value where it has
    neither; a NaN becomes the largest value of a format without NaN. f8E8M0FNU has no zero: zero and what rounds to it become 2^-127, negative
    values and -0 NaN. Which NaN a NaN becomes is not specified.

    With `through-f16`, the bits of f8E5M2, f8E4M3FN, f8E4M3, f8E3M4, f8E4M3FNUZ and f8E4M3B11FNUZ are shifted to where f16 has them, and extended; a product with a power of two makes
    up for the other bias. f8E5M2FNUZ stays: its highest exponent is that of infinity in f16.

    Upstream folds some casts of constants to other values: a NaN or an infinity to the code 0 of f4E2M1FN, -1.0 to itself as f8E8M0FNU. This pass
    folds nothing; run it before `canonicalize`. A transform script has `transform.apply_registered_pass "qdq-expand-floats"`,
    and no `apply_patterns` op, whose driver folds first.

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
           "floats of 8 bits to f16 first, where f16 has their values times a power of two, for targets with an instruction for f16 to f32">
  ];
  let dependentDialects = ["arith::ArithDialect"];
}

#endif // QDQ_TRANSFORMS_PASSES_TD
