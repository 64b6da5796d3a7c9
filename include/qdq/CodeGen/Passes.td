// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of code generation, and of the signatures of functions.

#ifndef QDQ_CODEGEN_PASSES_TD
#define QDQ_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"
include "qdq/Numerics/PassOptions.td"

def AttachTargetPass : QDQ_Pass<"qdq-codegen-attach-target", "::mlir::ModuleOp"> {
  let summary = "the processor to generate code for, as an attribute of the module";
  let description = [{
    Writes `llvm.target` to the module: `triple`, `cpu` and `features` in LLVM's words.
    `cpu=native` becomes the name of this machine's processor and its deviating features. Without
    a named processor, an existing `llvm.target` stays. An unknown name is an error.

    `quant-to-llvm` derives its strategies from the attribute. A strategy changes no bit of a
    result; `without` disables some, for tests and measurements.

    | strategy | used on | pass |
    |---|---|---|
    | `byte-dots` | AVX2, in vectors of 256 bits; AVX512-BW or AVX512-VNNI, of 512; AArch64's DotProd and I8MM, of 128; AMX-INT8, where `features` lists it | `qdq-codegen-vectorize{byte-dots=…}` |
    | `native-casts` | AVX10.2, AArch64's FP8, RISC-V's Zvfofp8min | `qdq-native-casts` |
    | `reciprocals` | AVX-512 | `qdq-codegen-expand-elements` |
    | `lookup-tables` | AVX-512BW | `qdq-codegen-lower-to-target{lookup-tables}` |
    | `saturating-packs` | AVX-512BW | `qdq-codegen-lower-to-target{saturating-packs}` |
    | `stream-stores` | x86 | `qdq-codegen-stream-stores` |
    | `through-f16` | x86 with F16C | `qdq-expand-floats{through-f16}` |

    ```mlir
    module {
      func.func private @f()
    }
    ```
    becomes, with `triple=x86_64-linux-gnu cpu=haswell features=-fma`,
    ```mlir
    module attributes {llvm.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "haswell", features = <["-fma"]>>} {
      func.func private @f()
    }
    ```
  }];
  let options = [
    Option<"triple", "triple", "std::string", "",
           "the target: that of the module's llvm.target, or else this machine">,
    Option<"cpu", "cpu", "std::string", "",
           "the processor, or native; the plainest of the triple where none is named">,
    Option<"features", "features", "std::string", "",
           "+avx2,-fma: features on top of those of cpu">,
    Option<"without", "without", "std::string", "",
           "strategies not to use, separated by commas">
  ];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

def HoistLoopInvariantsPass : QDQ_Pass<"qdq-codegen-hoist-loop-invariants"> {
  let summary = "loop-invariant code motion of reads of tensors";
  let description = [{
    Reads of a scale, and values computed from such reads, move before the loop that would repeat
    them. The pass runs on tensors, because in buffers LLVM cannot exclude that the loop writes
    the scale. If the loop may run zero times, integer divisions stay, and a read without a known
    bound moves behind a branch on the first iteration. Only slices that are read move, and
    nothing leaves parallel loops.

    ```mlir
    func.func @f(%x: tensor<64xf32>, %s: tensor<f32>, %init: tensor<64xf32>) -> tensor<64xf32> {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %pad = ub.poison : f32
      %r = scf.for %i = %c0 to %c64 step %c16 iter_args(%a = %init) -> tensor<64xf32> {
        %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : tensor<64xf32>, vector<16xf32>
        %w = vector.transfer_read %s[], %pad {in_bounds = [true], permutation_map = affine_map<() -> (0)>} : tensor<f32>, vector<16xf32>
        %y = arith.mulf %v, %w : vector<16xf32>
        %b = vector.transfer_write %y, %a[%i] {in_bounds = [true]} : vector<16xf32>, tensor<64xf32>
        scf.yield %b : tensor<64xf32>
      }
      return %r : tensor<64xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<64xf32>, %s: tensor<f32>, %init: tensor<64xf32>) -> tensor<64xf32> {
      ...
      %w = vector.transfer_read %s[], %pad {in_bounds = [true], permutation_map = #map} : tensor<f32>, vector<16xf32>
      %r = scf.for %i = %c0 to %c64 step %c16 iter_args(%a = %init) -> (tensor<64xf32>) {
        %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : tensor<64xf32>, vector<16xf32>
        %y = arith.mulf %v, %w : vector<16xf32>
        ...
      }
      return %r : tensor<64xf32>
    }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect"];
}

def TabulateCodesPass : QDQ_Pass<"qdq-codegen-tabulate-codes"> {
  let summary = "functions of one byte as look-ups in a table";
  let description = [{
    In a network with Q/DQ nodes, an activation is a chain of them: a hard swish quantizes six
    times. An elementwise `linalg.generic` whose result depends on one byte and on what all elements
    share becomes a look-up in a table of 256 results, which the same body computes first. A byte
    within the body, such as a requantized sum, becomes a tensor of its own. The body has a function
    of `math`, 16 operations on floats, or two `qdq.encode`, and the tensor 1024 elements or an open
    size.

    ```mlir
    #id = affine_map<(i) -> (i)>
    func.func @f(%x: tensor<4096xi8>) -> tensor<4096xi8> {
      %e = tensor.empty() : tensor<4096xi8>
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4096xi8>) outs(%e : tensor<4096xi8>) {
      ^bb0(%code: i8, %out: i8):
        %real = arith.sitofp %code : i8 to f32
        %y = math.tanh %real : f32
        %next = arith.fptosi %y : f32 to i8
        linalg.yield %next : i8
      } -> tensor<4096xi8>
      return %r : tensor<4096xi8>
    }
    ```
    becomes
    ```mlir
    %table = linalg.generic {indexing_maps = [...], iterator_types = ["parallel"]} ins(%all : tensor<256xi8>) outs(%0 : tensor<256xi8>) {
    ^bb0(%code: i8, %out: i8):
      %real = arith.sitofp %code : i8 to f32
      %y = math.tanh %real : f32
      %next = arith.fptosi %y : f32 to i8
      linalg.yield %next : i8
    } -> tensor<256xi8>
    %r = linalg.generic {indexing_maps = [...], iterator_types = ["parallel"]} ins(%x : tensor<4096xi8>) outs(%e : tensor<4096xi8>) {
    ^bb0(%code: i8, %out: i8):
      %i = arith.index_castui %code : i8 to index
      %found = tensor.extract %table[%i] : tensor<256xi8>
      linalg.yield %found : i8
    } -> tensor<4096xi8>
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
}

class QDQ_ByteDotsOption<string name, string argument>
    : Option<name, argument, "::mlir::qdq::ByteDots", "::mlir::qdq::ByteDots::None",
             "instructions for products of bytes: none, x86-pairs, x86-vnni, x86-amx, neon-dotprod, neon-i8mm",
             [{::llvm::cl::values(
               clEnumValN(::mlir::qdq::ByteDots::None, "none", "no sums of bytes"),
               clEnumValN(::mlir::qdq::ByteDots::X86Pairs, "x86-pairs", "vpmaddubsw and vpmaddwd"),
               clEnumValN(::mlir::qdq::ByteDots::X86VNNI, "x86-vnni", "vpdpbusd"),
               clEnumValN(::mlir::qdq::ByteDots::X86AMX, "x86-amx", "vpdpbusd, and tiles"),
               clEnumValN(::mlir::qdq::ByteDots::NEONDotProd, "neon-dotprod", "sdot and udot"),
               clEnumValN(::mlir::qdq::ByteDots::NEONI8MM, "neon-i8mm", "sdot, udot and usdot"))}]>;

def LayOutContractionsPass : QDQ_Pass<"qdq-codegen-lay-out-contractions"> {
  let summary = "contractions as linalg.generic, in the layouts that vectors read";
  let description = [{
    A named op of `linalg` that sums i32 or f32, such as `linalg.matmul` or a convolution, becomes
    a `linalg.generic`, which `qdq-codegen-vectorize` matches.

    A `linalg.transpose` of a tensor from outside a loop moves before the loop.

    A sum of floats in the written order has lanes that are results, never terms of one. A factor
    whose innermost dimension is summed, such as the weight of a linear layer, is transposed, so
    that neighbors in memory belong to neighbors in the result: a constant, the weight of a
    recurrent network, before its loop, and what five rows or more read. If the order is free, a
    constant of floats has lanes that are results for three rows or more, and lanes that are terms
    for fewer; a factor of up to 256 terms that is no constant is as in the written order. Where a
    window is one pixel, the lines of a picture become one loop, which fills vectors; elementwise
    users follow.

    A sum of products of f32 whose lines of results are short, or lie apart in an operand, gets the
    channels innermost where they fill vectors, if that saves more steps than the transpositions of
    its operands and its result cost: a convolution of a small picture, or of patches.

    A sum of floats in any order whose fields of a byte lie outside of the bytes, as in ggml's
    blocks, gets the fields innermost, and the other factor that order, if that is a code, if the
    bytes fill no vector, or with `block-floats`, before `qdq-codegen-block-floating-point`.

    Integers of less than 8 bits that a sum of products reads become bytes before it.

    With `byte-dots`, a sum of products of bytes in i32 gets four factors of a row side by side,
    and sums of neighboring columns. Operands in another order are transposed, constants at once;
    so is the result, after an elementwise op that alone uses the sums. A `tensor.pad` follows its
    transposition. A depthwise convolution with a stride, or with lines that are no multiples of
    16, gets its channels innermost if these are.

    With `byte-dots=x86-pairs`, the channels and the line of a window become one loop where channels are no
    whole fours, as in the first convolution of a picture, if the weight is constant: zeros fill the
    line to whole fours, if the rows are long enough.

    ```mlir
    func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
      %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
      %r = linalg.matvec ins(%w, %x : tensor<2x2xf32>, tensor<2xf32>) outs(%y : tensor<2xf32>) -> tensor<2xf32>
      return %r : tensor<2xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
      %w = arith.constant dense<[[1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
      %r = linalg.generic {indexing_maps = [...], iterator_types = ["parallel", "reduction"]} ins(%w, %x : tensor<2x2xf32>, tensor<2xf32>) outs(%y : tensor<2xf32>) {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %p = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %p : f32
        linalg.yield %next : f32
      } -> tensor<2xf32>
      return %r : tensor<2xf32>
    }
    ```
  }];
  let options = [
    QDQ_ByteDotsOption<"byteDots", "byte-dots">,
    Option<"blockFloats", "block-floats", "bool", "false",
           "floats become bytes: fields of bytes are innermost beside these, too">
  ];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
}

def VectorizePass : QDQ_Pass<"qdq-codegen-vectorize"> {
  let summary = "elementwise linalg.generic to vector ops";
  let description = [{
    Tiles each `linalg.generic` of these kinds on tensors to vectors of `vector-bits`, and
    vectorizes the tiles. A static remainder becomes smaller vectors; a dynamic one stays a
    `linalg.generic`, and so do ordered sums without neighbors, bodies that load, and elements below
    a byte in memory. The pass folds, so run it after the quantized ops are lowered.

    A softmax, or another normalization, becomes one loop over rows first, so that a row stays in
    the first cache: an elementwise op, and before it reductions of its rows and elementwise ops
    whose results nothing else uses. A tile is one row, or about 512 elements; with sums in the
    written order 16 rows, if they divide the rows.

    | generic | vectors |
    |---|---|
    | elementwise, maps of projected permutations | the innermost loop |
    | `byte-dots` without `lookup-tables`: bytes looked up in a table of 256 bytes | `qdq.lookup` of up to 32 bytes |
    | elementwise, parameters of short or dynamic blocks | tiles lie in one block, so that the parameter becomes a scalar; rows that begin inside a byte are unpacked to a buffer first |
    | the body shifts a storage word by a loop index | storage words are lanes; each sub-byte element is one shift, and elements are interleaved while narrow; packing goes the other way. A value of a code of up to 4 bits alone becomes a table, if one vector holds it |
    | a sum in any order (`fastmath<reassoc>`, `qdq-fuse-contractions`) | lanes of storage words and elements, up to four by four results in half of the registers; codes of up to 4 bits in words of four bytes, with the other factor laid out for their elements |
    | without `lookup-tables`: such a sum whose one factor is computed of fields, or of three operands, and shared by 16 rows or more | that factor first, for a few columns at a time, as floats |
    | `byte-dots`: such a sum of codes of 8 bits with codes of up to 8 bits, in blocks | a column in each lane, four products at once; constant codes are laid out in the words of neighboring columns |
    | a sum of reals with a weight [K, N] packed along N | neighboring storage words for each element, in the order of the terms; up to eight rows share a code, in tiles of 32 terms along the words |
    | a sum in partial sums (`qdq.partial_sums`, `qdq-declare-sum-order`) | a sum with a result for each of them, and a tree that joins them, for tiles of up to 16 results or 16 vectors |
    | `byte-dots`: a sum of products of bytes in i32 | up to four vectors of columns by six rows in 32 registers, two by four in 16, or two by three with `x86-pairs`; with `x86-amx`, 32 rows by two vectors as a `linalg.generic`, if it has whole tiles; four products a lane by `vector.contract` (`qdq-codegen-lower-byte-dots`); columns are laid out once in fours; sums are exact modulo 2^32; an elementwise op that alone uses the sums is tiled with them |
    | least and greatest values of neighbors, such as the range of `qdq.choose_params` | lanes are terms, in up to four vectors side by side; a comparison that no NaN wins, and no zero |
    | a sum of neighbors in the written order, such as that of a mean, or of one row and a weight [N, K] | lanes are rows, by transposed squares |
    | other reductions to i8, i32 or f32 whose neighbors come from every or every other element: convolutions in NCHW, pools, weights [K, N] | a lane for each result, in the order of the loops; up to four rows (eight of floats) and 16 vectors of floats side by side; more than 16 rows share a copy of their columns, and any rows those of a constant, which is laid out in panels |

    ```mlir
    func.func @f(%w: tensor<8x16xui8>, %s: tensor<8x1xf32>) -> tensor<8x32xf32> {
      %q = qdq.unpack %w packing <onnx, axis = 1> : (tensor<8x16xui8>) -> tensor<8x32xi4>
      %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<8x32xi4>, tensor<8x1xf32>) -> tensor<8x32xf32>
      return %x : tensor<8x32xf32>
    }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "512",
           "bits of a vector, filled by the widest element of the body">,
    QDQ_ByteDotsOption<"byteDots", "byte-dots">,
    Option<"byteDotBits", "byte-dot-bits", "int64_t", "512",
           "bits of the vectors of these sums, if fewer than vector-bits">,
    Option<"registers", "registers", "int64_t", "32",
           "vector registers: tiles of these sums are smaller below 32">,
    Option<"wideVectors", "wide-vectors", "bool", "false",
           "quantized values, and casts of floats of 8 bits, in as many vectors as fill one of codes, or of f16, where that leaves nothing over">,
    Option<"lookupTables", "lookup-tables", "bool", "true",
           "values of short codes in tables, for qdq-codegen-lower-to-target=rewrites=lookup-tables">
  ];
  let dependentDialects = ["affine::AffineDialect", "qdq::QDQDialect", "scf::SCFDialect",
                           "tensor::TensorDialect", "vector::VectorDialect"];
}

def PartialSumsPass : QDQ_Pass<"qdq-codegen-partial-sums"> {
  let summary = "sums in declared partial sums, as loops";
  let description = [{
    A sum of floats that declares its partial sums (`qdq.partial_sums`, `qdq-declare-sum-order`) becomes
    a sum with a result for each of them, and a `linalg.generic` that joins them. Term k belongs to
    partial sum k modulo their number. One result is computed after the other.
    `qdq-codegen-vectorize` does the same for tiles of results. The number has to be a power of
    two, and an index of an operand has to follow terms or results, not both.

    ```mlir
    #row = affine_map<(k) -> (k)>
    #sum = affine_map<(k) -> ()>
    func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<f32>) -> tensor<f32> {
      %r = linalg.generic {indexing_maps = [#row, #row, #sum], iterator_types = ["reduction"]} ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%z : tensor<f32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %0 = arith.mulf %a, %b : f32
        %1 = arith.addf %out, %0 {qdq.partial_sums = 2 : i64} : f32
        linalg.yield %1 : f32
      } -> tensor<f32>
      return %r : tensor<f32>
    }
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "scf::SCFDialect",
                           "tensor::TensorDialect", "vector::VectorDialect"];
}

def BlockFloatingPointPass : QDQ_Pass<"qdq-codegen-block-floating-point"> {
  let summary = "products with short integer codes, of numbers in block floating point";
  let description = [{
    A sum in any order (`fastmath<reassoc>`, `qdq-fuse-contractions`) of products with codes of at
    most 4 bits becomes a sum of products of bytes, for `qdq-codegen-lower-byte-dots`. The
    elements of the other factor, `x`, that meet a block share an exponent. Each becomes an
    integer of 23 bits and a sign, to nearest even, within 2^-22.9 of the largest. Each lane of
    i32 adds exact products of four bytes with codes, less the zero point of the block times the
    sum of `x`, exact too; the result is rounded to f32 and multiplied by the scale. A float bias
    of the block is multiplied by the sum of `x`, rounded once. The result differs from that of
    rounded weights: an infinite scale or bias gives infinity or NaN, and a sum of zeros may be +0
    for -0.

    If `x` has a NaN, an infinity, a number from 2^120 on, or a part with the largest number below
    2^-100 but not zero, the original sum is computed: with `qdq-codegen-parallelize`, whose
    `block-float-bits` does the same to the parts of sums, for the affected parts.

    The pass pays for one or two rows of `x` beside a weight from memory. It leaves sums of which
    fewer than 64 share `x`, more rows, other codes, dynamic shapes of `x`, weights rounded to a
    narrower type, zero points of 8 bits, and blocks that do not align with vectors.

    ```mlir
    #x = affine_map<(n, b, byte, element) -> (b, byte, element)>
    #w = affine_map<(n, b, byte, element) -> (n, b, byte)>
    #s = affine_map<(n, b, byte, element) -> (n, b)>
    #y = affine_map<(n, b, byte, element) -> (n)>
    func.func @f(%x: tensor<8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
      %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
          ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {
      ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
        %four = arith.constant 4 : index
        %element = linalg.index 3 : index
        %0 = arith.muli %element, %four : index
        %amount = arith.index_castui %0 : index to i8
        %1 = arith.shrui %bytes, %amount : i8
        %code = arith.trunci %1 : i8 to i4
        %2 = arith.extsi %code : i4 to i32
        %3 = arith.sitofp %2 : i32 to f32
        %4 = arith.mulf %3, %scale : f32
        %5 = arith.mulf %in, %4 fastmath<reassoc,contract> : f32
        %6 = arith.addf %out, %5 fastmath<reassoc,contract> : f32
        linalg.yield %6 : f32
      } -> tensor<64xf32>
      return %r : tensor<64xf32>
    }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "512",
           "bits of a vector: 128, 256 or 512">
  ];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect", "math::MathDialect",
                           "scf::SCFDialect", "tensor::TensorDialect", "vector::VectorDialect"];
}

def LowerByteDotsPass : QDQ_Pass<"qdq-codegen-lower-byte-dots"> {
  let summary = "contractions of four bytes a lane as instructions that multiply bytes";
  let description = [{
    | `dots` | for | bytes | instruction |
    |---|---|---|---|
    | `x86-vnni` | AVX512-VNNI, AVX-VNNI | unsigned and signed | vpdpbusd |
    | `x86-pairs` | AVX2, AVX512-BW | unsigned and signed | vpmaddwd of even bytes and of odd ones as i16, or vpmaddubsw |
    | `x86-amx` | AMX-INT8, beside these | any, in tiles | tdpbssd, tdpbsud, tdpbusd, tdpbuud |
    | | | unsigned and signed | vpdpbusd |
    | `neon-dotprod` | AArch64's DotProd | of one signedness | sdot, udot |
    | | | unsigned and signed | sdot of the unsigned bytes less 128, and one for the difference |
    | `neon-i8mm` | AArch64's I8MM | any | sdot, udot, usdot |

    The sum of two products fits in i16, and so do those over several vectors, if unsigned bytes are
    extended from fewer bits, to which `arith.trunci overflow<nuw>` brought them, or if
    `qdq.fits_i16` on the contraction promises it: then `x86-pairs` uses vpmaddubsw, for two bytes a
    lane of i16, too. Truncated to 7 bits or fewer, bytes have any signedness. Nothing saturates on
    the way. A tile is a `linalg.generic` on buffers of 16 to 32 rows, with a panel `[..., fours,
    vectors, 16, 4]` of one or two vectors, fours by 16, as `qdq-codegen-vectorize` makes it. AArch64
    has vectors of 128 bits. With `x86-pairs`, contractions of two i16 a lane of i32 become vpmaddwd. Contractions
    of other shapes or types stay.

    ```mlir
    func.func @f(%sums: vector<16xi32>, %u: vector<16x4xi8>, %s: vector<16x4xi8>) -> vector<16xi32> {
      %0 = arith.extui %u : vector<16x4xi8> to vector<16x4xi32>
      %1 = arith.extsi %s : vector<16x4xi8> to vector<16x4xi32>
      %2 = vector.contract {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
        iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>
      } %0, %1, %sums : vector<16x4xi32>, vector<16x4xi32> into vector<16xi32>
      return %2 : vector<16xi32>
    }
    ```
    becomes, with `dots=x86-vnni`,
    ```mlir
    func.func @f(%sums: vector<16xi32>, %u: vector<16x4xi8>, %s: vector<16x4xi8>) -> vector<16xi32> {
      ...
      %0 = vector.shape_cast %u : vector<16x4xi8> to vector<64xi8>
      %1 = vector.shape_cast %s : vector<16x4xi8> to vector<64xi8>
      %2 = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%sums, %0, %1) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
      return %2 : vector<16xi32>
    }
    ```
  }];
  let options = [
    QDQ_ByteDotsOption<"dots", "dots">
  ];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect", "vector::VectorDialect"];
}

def FlattenTransfersPass : QDQ_Pass<"qdq-codegen-flatten-transfers"> {
  let summary = "reads and writes by vectors of rank 1, copies with gaps as linalg.generic, fills in one loop";
  let description = [{
    Upstream's flattening of vector transfers, for all widths: vectors of rank 2 within one row of
    a buffer become rank 1. A read of one element for all lanes becomes a load. Rows get a
    transfer each if `vector.insert_strided_slice` joined them, if `vector.extract` splits them,
    or if gaps separate them in an expanded buffer, where upstream's `fold-memref-alias-ops` would
    read other elements.

    A `memref.copy` from or to a buffer that is not contiguous becomes a `linalg.generic`, whose
    innermost loop LLVM vectorizes. Upstream calls `memrefCopy`, which copies element by element.
    Copies without a rank stay. A `linalg.fill` has one loop over its innermost dimensions without
    a gap.

    ```mlir
    func.func @f(%m: memref<16x2xf32>, %v: vector<16x2xf32>) {
      %c0 = arith.constant 0 : index
      vector.transfer_write %v, %m[%c0, %c0] {in_bounds = [true, true]} : vector<16x2xf32>, memref<16x2xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["linalg::LinalgDialect", "memref::MemRefDialect",
                           "vector::VectorDialect"];
}

def StreamStoresPass : QDQ_Pass<"qdq-codegen-stream-stores"> {
  let summary = "vectors of large results stored past the caches";
  let description = [{
    In loops that write whole vectors, stores become `nontemporal` if the read and written buffers
    hold `min-bytes` or more and the result is at least a sixteenth of them. Then no line is read
    before it is written. Each store checks that its address is a multiple of 64 or 16. Dynamic
    sizes choose between two copies of the loops at run time. A fence follows. Reads of whole
    cache lines are prefetched 4 KiB ahead.

    A smaller result would take up to three times as long, because its reader finds nothing in the
    caches.

    ```mlir
    func.func @f(%v: vector<16xf32>, %y: memref<4096x4096xf32>) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c4096 = arith.constant 4096 : index
      scf.for %i = %c0 to %c4096 step %c16 {
        vector.transfer_write %v, %y[%c0, %i] {in_bounds = [true]} : vector<16xf32>, memref<4096x4096xf32>
      }
      return
    }
    ```
    becomes
    ```mlir
    func.func @f(%v: vector<16xf32>, %y: memref<4096x4096xf32>) {
      ...
      scf.for %i = %c0 to %c4096 step %c16 {
        ...
        scf.if %line {
          vector.store %v, %y[%c0, %i] {alignment = 64 : i64, nontemporal = true} : memref<4096x4096xf32>, vector<16xf32>
        } else {
          ...
          scf.if %part {
            vector.store %v, %y[%c0, %i] {alignment = 16 : i64, nontemporal = true} : memref<4096x4096xf32>, vector<16xf32>
          } else {
            vector.transfer_write %v, %y[%c0, %i] {in_bounds = [true]} : vector<16xf32>, memref<4096x4096xf32>
          }
        }
      }
      llvm.fence seq_cst
      return
    }
    ```
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", "33554432",
           "bytes of the smallest buffers of loops that store past the caches">
  ];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "memref::MemRefDialect", "scf::SCFDialect",
                           "vector::VectorDialect"];
}

def ParallelizePass : QDQ_Pass<"qdq-codegen-parallelize"> {
  let summary = "structured ops in parts that threads can share";
  let description = [{
    Each op of `linalg` on tensors with at least twice `min-part` iterations becomes an
    `scf.forall` over parts of about `min-part` iterations. Only loops with a dimension in every
    result are divided: two parts never write one byte, and no reduction changes its order, so
    every bit stays. Dynamic sizes give dynamic parts, and little work is one part. Ops inside
    parallel loops stay, and bodies with effects. Iterations that take longer count more: functions
    of floats, look-ups, float sums.

    A sum is divided together with the elementwise op that alone uses it, a normalization of rows
    together with what it normalizes by. Parts of a matrix product or convolution hold four times
    `min-part` iterations; about 32 parts divide batches first, then columns in multiples of 64
    without remainder, then rows. Beside codes with parameters, they hold `min-part`, and multiples
    of 16 columns. Rows of an open number count as one; where that is too little work, they are
    divided.

    ```mlir
    #map = affine_map<(d0, d1) -> (d0, d1)>
    func.func @f(%x: tensor<1024x4096xf32>) -> tensor<1024x4096xf32> {
      %e = tensor.empty() : tensor<1024x4096xf32>
      %y = linalg.negf ins(%x : tensor<1024x4096xf32>) outs(%e : tensor<1024x4096xf32>) -> tensor<1024x4096xf32>
      return %y : tensor<1024x4096xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<1024x4096xf32>) -> tensor<1024x4096xf32> {
      %e = tensor.empty() : tensor<1024x4096xf32>
      %y = scf.forall (%i) = (0) to (1024) step (32) shared_outs(%out = %e) -> (tensor<1024x4096xf32>) {
        ...
        %part = linalg.negf ins(%in : tensor<32x4096xf32>) outs(%slice : tensor<32x4096xf32>) -> tensor<32x4096xf32>
        ...
      }
      return %y : tensor<1024x4096xf32>
    }
    ```
  }];
  let options = [
    Option<"minPart", "min-part", "int64_t", "131072",
           "iterations that are worth a thread">,
    Option<"blockFloatBits", "block-float-bits", "int64_t", "0",
           "bits of the vectors of qdq-codegen-block-floating-point, which is chosen for whole sums and changes their parts; 0 for none">
  ];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "math::MathDialect", "scf::SCFDialect",
                           "tensor::TensorDialect", "vector::VectorDialect"];
}

def FuseElementwisePass : QDQ_Pass<"qdq-codegen-fuse-elementwise"> {
  let summary = "consumer fusion of elementwise linalg.generic ops";
  let description = [{
    Upstream's elementwise fusion where it costs nothing: both ops are parallel in all loops, the
    intermediate result has no other use, and the second op reads each element once. Every bit
    stays. Outputs that no body reads start from `tensor.empty`. Unit dimensions that a reshape adds
    before an elementwise op, and one drops behind it, go.

    ```mlir
    #map = affine_map<(d0) -> (d0)>
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %a = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %0 = math.exp %in : f32
        linalg.yield %0 : f32
      } -> tensor<8xf32>
      %b = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %1 = arith.negf %in : f32
        linalg.yield %1 : f32
      } -> tensor<8xf32>
      return %b : tensor<8xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      ...
      %b = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %0 = math.exp %in : f32
        %1 = arith.negf %0 : f32
        linalg.yield %1 : f32
      } -> tensor<8xf32>
      return %b : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// Function boundaries, for callers that hold bytes
//===----------------------------------------------------------------------===//

def PackBoundariesPass : QDQ_Pass<"qdq-pack-boundaries", "::mlir::ModuleOp"> {
  let summary = "sub-byte tensors of public functions to packed bytes";
  let description = [{
    A tensor of elements of 2 to 7 bits in the signature of a public function becomes
    `tensor<Pxi8>`, P = ceil(elements * bits / 8): row-major, the first element in the lowest bits,
    zeros behind the last. One `index` for each dynamic dimension follows. `qdq.unpacked_type` keeps
    the type before, signless. `i1` and private functions stay. An unranked tensor is an error. Run
    the pass on IR without quantized types, before `convert-qdq-to-linalg`.

    ```mlir
    func.func @f(%q: tensor<?x3xi4>) -> tensor<5xi4>
    ```
    becomes
    ```mlir
    func.func @f(%bytes: tensor<?xi8>, %d0: index) -> tensor<3xi8> attributes {qdq.unpacked_type = (tensor<?x3xi4>) -> tensor<5xi4>} {
      ...
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "qdq::QDQDialect",
                           "tensor::TensorDialect"];
}

def PackConstantsPass : QDQ_Pass<"qdq-codegen-pack-constants"> {
  let summary = "constants of codes as packed bytes, each field by itself";
  let description = [{
    Run the pass before `convert-qdq-to-linalg`, without folding in between.

    Weight files keep codes, scales and minima of a block side by side. For an operand of a
    contraction, each field becomes a constant: elements below a byte are packed one behind the
    other, with a `qdq.unpack`; others have their own bytes. The pass computes `qdq.unpack` that
    leaves gaps or reorders elements, and slices, bitwise ops and look-ups by a byte of what is
    constant, and parameters that are arithmetic of a byte. Codes get no wider. Zero points that
    share a byte get one each, with an `arith.trunci` whose flag tells the range.

    An `arith.constant` of a tensor with elements of 2 to 7 bits becomes packed bytes, laid out as
    by `qdq-pack-boundaries`, and a `qdq.unpack`: `dense_resource`, for which LLVM IR has no form
    at these widths, and unequal `dense` elements from `min-elements` on, for each of which LLVM
    would keep an object.

    ```mlir
    func.func @f(%x: tensor<1x4xf32>, %init: tensor<1x1xf32>) -> tensor<1x1xf32> {
      %record = arith.constant dense<[[0, 60, 33, 67]]> : tensor<1x4xi8>
      %codes = qdq.unpack %record packing <bits = 4, axis = 1, block = 4, record = 4, at = 2, order = [0, 2, 1, 3]> : (tensor<1x4xi8>) -> tensor<1x4xui4>
      %scale = qdq.unpack %record packing <bits = 16, axis = 1, block = 1, record = 4, at = 0> : (tensor<1x4xi8>) -> tensor<1x1xf16>
      %w = qdq.dequantize %codes scale %scale block_shape [1, 4] : (tensor<1x4xui4>, tensor<1x1xf16>) -> tensor<1x4xf32>
      %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %w : tensor<1x4xf32>, tensor<1x4xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
      return %r : tensor<1x1xf32>
    }
    ```
  }];
  let options = [Option<"minElements", "min-elements", "int64_t", "64",
                        "smaller dense constants stay as they are">];
  let dependentDialects = ["arith::ArithDialect", "qdq::QDQDialect",
                           "tensor::TensorDialect"];
}

def CheckSizesPass : QDQ_Pass<"qdq-check-sizes", "::mlir::ModuleOp"> {
  let summary = "assert that open sizes of tensors fit together";
  let description = [{
    Extends the checks of verifiers to open sizes, as assertions: `linalg` ops,
    `tensor.extract_slice`, `insert_slice`, `cast`, `expand_shape`, `reshape`, `pad` and `concat`.
    Assertions on sizes of arguments stand at the beginning, so that `qdq-results-to-destinations`
    tells callers of them, others before their op. `quant-to-llvm` runs the pass for
    `runtime-checks`.

    ```mlir
    func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %r = linalg.exp ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
    ```
    becomes
    ```mlir
    ...
    %fits = arith.cmpi eq, %m, %n : index
    cf.assert %fits, "sizes do not fit together: dimension 0 of argument 1 is not dimension 0 of argument 0"
    %r = linalg.exp ...
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "cf::ControlFlowDialect", "tensor::TensorDialect"];
}

def ReadOnlyArgumentsPass : QDQ_Pass<"qdq-read-only-arguments", "::mlir::ModuleOp"> {
  let summary = "bufferization must not write to the tensor arguments of public functions";
  let description = [{
    Sets `bufferization.writable = false` where nothing else is stated; one-shot bufferization would
    write results into the caller's buffer.

    ```mlir
    func.func @f(%x: tensor<3xf32>) -> tensor<3xf32>
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<3xf32> {bufferization.writable = false}) -> tensor<3xf32> {
      ...
    ```
  }];
  let dependentDialects = ["bufferization::BufferizationDialect"];
}

def ResultsToDestinationsPass
    : QDQ_Pass<"qdq-results-to-destinations", "::mlir::ModuleOp"> {
  let summary = "public functions write their results to buffers that the caller passes";
  let description = [{
    Results of public functions become trailing `memref` arguments: ranked tensors, and scalars as
    rank 0. The attributes `qdq.tensor_type` and `qdq.results` keep the type before, and for each
    result "destination", "shape" or "returned".

    If results have dynamic sizes, or the function begins with assertions (`runtime-checks`), a
    companion function, `qdq.shape_function`, computes both from the same arguments. Its last
    argument, a `memref<Nxindex>`, receives 1 + the index of the first assertion that fails, or 0;
    then, result by result, the dynamic sizes of a tensor, or the value of an `index`. Its attribute
    `qdq.assertions` holds the messages. Sizes and assertions that need more than scalar arguments
    and shapes stay in the function.

    ```mlir
    func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
      %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>, %out: memref<4xf32>) attributes {...} {
      ...
      bufferization.materialize_in_destination %y in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect",
                           "bufferization::BufferizationDialect",
                           "memref::MemRefDialect", "tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// Legalization: ops of one level for what comes after
//===----------------------------------------------------------------------===//

def PrepareTranslationPass : QDQ_Pass<"qdq-codegen-prepare-translation", "::mlir::ModuleOp"> {
  let summary = "bf16 in registers as i16, and nested arrays of constants as rows";
  let description = [{
    1. Ops of the LLVM dialect that only move bits (loads, stores, selects, lanes, branches,
       constants) take i16 for bf16. Other ops, and signatures of functions, keep bf16 behind a
       bitcast. LLVM for x86 extends a bf16 that lives across blocks to f32 and truncates it again,
       which flushes subnormals (AVX512-BF16, AVX-NE-CONVERT).
    2. Beside casts to f16, bf16 becomes f32 by a shift of its bits. LLVM computes a product of bf16
       that is cast to f16 in f16, where large factors are infinite.
    3. Constant globals of nested arrays become arrays of one dimension. Translation to LLVM IR
       makes a constant of each innermost row, which takes a second for 16 MiB in rows of 32 bytes.
       Ops that address elements keep the type of the nested array.

    ```mlir
    llvm.mlir.global private constant @table(dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>)
      : !llvm.array<2 x array<2 x i8>>
    func.func @copy(%p: !llvm.ptr, %q: !llvm.ptr) {
      %v = llvm.load %p : !llvm.ptr -> bf16
      llvm.store %v, %q : bf16, !llvm.ptr
      return
    }
    ```
    becomes
    ```mlir
    llvm.mlir.global private constant @table(dense<[1, 2, 3, 4]> : tensor<4xi8>)
      {addr_space = 0 : i32} : !llvm.array<4 x i8>
    func.func @copy(%p: !llvm.ptr, %q: !llvm.ptr) {
      %v = llvm.load %p : !llvm.ptr -> i16
      llvm.store %v, %q : i16, !llvm.ptr
      return
    }
    ```
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

def LimitLoopsPass : QDQ_Pass<"qdq-codegen-limit-loops", "::mlir::ModuleOp"> {
  let summary = "limits to the time that LLVM spends on loops";
  let description = [{
    The remainder of a row is a short loop with dynamic bounds. LLVM would unroll it many times,
    which takes most of the compile time and never runs. If the bounds prove fewer than 32
    iterations, `loop_annotation` limits LLVM to lanes; a loop of at most one iteration becomes
    `scf.if`. Loops of constant length stay, but for those that fill or copy eight neighbors or
    more, and sums of integers in one place, such as those of the codes of a row: LLVM would unroll
    them before it finds lanes.

    LLVM needs more than linear time for a large function. In a function with `min-loops` loops or
    more, parts of 16 of them become functions that LLVM does not inline, with the pure ops that
    compute values for them alone. Before that, loops of `min-shared` ops or more that are alike, as
    in the layers of a network, become calls of one function: its arguments are what they read and
    write, and numbers that differ.

    ```mlir
    func.func @f(%x: memref<?xf32>, %n: index, %v: f32) {
      %c1 = arith.constant 1 : index
      %whole = affine.apply affine_map<(d0) -> (d0 floordiv 16 * 16)>(%n)
      scf.for %i = %whole to %n step %c1 {
        memref.store %v, %x[%i] : memref<?xf32>
      }
      return
    }
    ```
    becomes with `min-loops=1`
    ```mlir
    func.func @f(%x: memref<?xf32>, %n: index, %v: f32) {
      call @f.loops(%v, %x, %n) : (f32, memref<?xf32>, index) -> ()
      return
    }
    func.func private @f.loops(%v: f32, %x: memref<?xf32>, %n: index) attributes {llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]} {
      ...
      scf.for %i = %whole to %n step %c1 {
        memref.store %v, %x[%i] : memref<?xf32>
      } {loop_annotation = #loop_annotation}
      return
    }
    ```
  }];
  let options = [
    Option<"minLoops", "min-loops", "unsigned", "32", "loops of a function that is large">,
    Option<"minShared", "min-shared", "unsigned", "60", "ops of a loop that is worth a call">
  ];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect", "LLVM::LLVMDialect",
                           "scf::SCFDialect"];
}

def OutlineRepeatsPass : QDQ_Pass<"qdq-codegen-outline-repeats", "::mlir::ModuleOp"> {
  let summary = "repeated ops, as of layers, as calls of one function";
  let description = [{
    A network repeats its layers, and later passes and LLVM then compile each of them. Runs of ops
    that follow each other, and differ by their operands and by constant numbers alone, become calls
    of one function that LLVM does not inline. They return tensors, buffers and indices, not vectors
    in the middle of a kernel. The calls of one function must save `min-ops` ops or more, and all
    calls half of the ops, since LLVM knows more of a constant than of an argument. Each op that
    writes to an empty or filled tensor makes its own one, and a restricted write to a buffer
    follows the op that computes the result.

    ```mlir
    func.func @f(%x: tensor<8x8xf32>, %init: tensor<8x8xf32>) -> tensor<8x8xf32> {
      %w0 = arith.constant dense<2.0> : tensor<8x8xf32>
      %w1 = arith.constant dense<3.0> : tensor<8x8xf32>
      %a = linalg.matmul ins(%x, %w0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
      %b = linalg.exp ins(%a : tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
      %c = linalg.matmul ins(%b, %w1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
      %d = linalg.exp ins(%c : tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
      return %d : tensor<8x8xf32>
    }
    ```
    becomes with `min-ops=4`
    ```mlir
    func.func @f(%x: tensor<8x8xf32>, %init: tensor<8x8xf32>) -> tensor<8x8xf32> {
      ...
      %b = call @f.shared(%x, %w0, %init) : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %d = call @f.shared(%b, %w1, %init) : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      return %d : tensor<8x8xf32>
    }
    ```
  }];
  let options = [
    Option<"minOps", "min-ops", "unsigned", "1000", "ops, with nested ones, that calls must save">
  ];
  let dependentDialects = ["bufferization::BufferizationDialect", "func::FuncDialect",
                           "LLVM::LLVMDialect", "tensor::TensorDialect"];
}

def OutlineParallelPass : QDQ_Pass<"qdq-codegen-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "bodies of scf.parallel as functions, and reductions in order";
  let description = [{
    The body of each `scf.parallel` becomes a function with its constants and a stack of its own,
    for `convert-scf-to-openmp`. If dynamic bounds give one iteration at most, the function is
    called without threads. An `scf.parallel` with reductions becomes `scf.for`, because threads
    combine values in no fixed order.

    ```mlir
    func.func @f(%x: memref<?xf32>, %c: f32, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.parallel (%i) = (%c0) to (%n) step (%c1) {
        memref.store %c, %x[%i] : memref<?xf32>
      }
      return
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: memref<?xf32>, %c: f32, %n: index) {
      ...
      %several = arith.cmpi slt, %next, %n : index
      scf.if %several {
        scf.parallel (%i) = (%c0) to (%n) step (%c1) {
          func.call @f.part(%i, %c, %x) : (index, f32, memref<?xf32>) -> ()
          ...
      } else {
        scf.for %i = %c0 to %n step %c1 {
          func.call @f.part(%i, %c, %x) : (index, f32, memref<?xf32>) -> ()
        }
      }
      return
    }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "LLVM::LLVMDialect", "scf::SCFDialect"];
}

def LowerUnrankedClonesPass : QDQ_Pass<"qdq-codegen-lower-unranked-clones"> {
  let summary = "bufferization.clone of memref<*x...> to an allocation and a copy";
  let description = [{
    Buffer deallocation creates such clones, for example for a function that returns its argument.
    Upstream's `convert-bufferization-to-memref` copies them by `memrefCopy` of its runtime library,
    which a compiled object may lack. The buffer must be contiguous, as one-shot bufferization's
    identity layout ensures.
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect",
                           "scf::SCFDialect"];
}

def PrefetchReadsPass : QDQ_Pass<"qdq-codegen-prefetch-reads"> {
  let summary = "prefetches of the next rows of a reduction";
  let description = [{
    Rows that are summed side by side are several streams in a page, which processors do not
    prefetch. If a loop carries vectors of floats and reads others at addresses that depend on the
    outer loop, it prefetches the last element of each line of them for the first outer iteration
    that is 4 KiB of these reads away (in the last ones, for the current): to the second cache, or
    to the first if reads are shorter than 32 bytes or codes are looked up.

    ```mlir
    func.func @f(%w: memref<8x256xf32>, %y: memref<8xf32>, %none: vector<16xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c256 = arith.constant 256 : index
      %zero = arith.constant 0.0 : f32
      scf.for %i = %c0 to %c8 step %c1 {
        %sums = scf.for %j = %c0 to %c256 step %c16 iter_args(%sum = %none) -> vector<16xf32> {
          %row = vector.transfer_read %w[%i, %j], %zero {in_bounds = [true]} : memref<8x256xf32>, vector<16xf32>
          %next = arith.addf %sum, %row : vector<16xf32>
          scf.yield %next : vector<16xf32>
        }
        %total = vector.reduction <add>, %sums : vector<16xf32> into f32
        memref.store %total, %y[%i] : memref<8xf32>
      }
      return
    }
    ```
    becomes
    ```mlir
    func.func @f(%w: memref<8x256xf32>, %y: memref<8xf32>, %none: vector<16xf32>) {
      ...
      scf.for %i = %c0 to %c8 step %c1 {
        %0 = arith.subi %c8, %i : index
        %c4 = arith.constant 4 : index
        %1 = arith.cmpi slt, %c4, %0 : index
        %2 = arith.addi %i, %c4 : index
        %3 = arith.select %1, %2, %i : index
        ... = scf.for %j = %c0 to %c256 step %c16 ... {
          ...
          %4 = arith.addi %j, %c15 : index
          memref.prefetch %w[%3, %4], read, locality<2>, data : memref<8x256xf32>
          ... = vector.transfer_read %w[%i, %j]...
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect"];
}

def LowerExpandShapesPass : QDQ_Pass<"qdq-codegen-lower-expand-shapes"> {
  let summary = "memref.expand_shape with several dynamic sizes in a group";
  let description = [{
    Such an op becomes a `memref.reinterpret_cast` to its stated sizes; upstream's
    `expand-strided-metadata` crashes on it. Other expansions stay.

    ```mlir
    func.func @f(%x: memref<?xf32>, %a: index, %b: index) -> memref<?x?xf32> {
      %y = memref.expand_shape %x [[0, 1]] output_shape [%a, %b] : memref<?xf32> into memref<?x?xf32>
      return %y : memref<?x?xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: memref<?xf32>, %a: index, %b: index) -> memref<?x?xf32> {
      ...
      %y = memref.reinterpret_cast %base to offset: [0], sizes: [%a, %b], strides: [%b, 1] : memref<f32> to memref<?x?xf32>
      return %y : memref<?x?xf32>
    }
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "memref::MemRefDialect"];
}

def PrepareBufferizationPass : QDQ_Pass<"qdq-codegen-prepare-bufferization", "::mlir::ModuleOp"> {
  let summary = "results computed in the buffers in which they end, and globals for constants";
  let description = [{
    1. Upstream's `eliminate-empty-tensors`, with buffers of the caller first, so that parts of a
       result go to parts of its buffer. Two results that begin in one tensor, such as a shared
       `linalg.fill`, and a result that another op writes to get no destination. Upstream gives both
       the destination of the first, and writes the first result over the second (22.1).
    2. A `memref.global` for each tensor constant, in the order of the constants. One-shot
       bufferization makes them function by function in the order of addresses, so that names
       change from run to run. A `dense_resource` of rank 0 becomes `dense`, because upstream's
       conversion to LLVM aborts on it (22.1).
    3. A tensor of an open size where a vector of lower rank is written to its first elements.
       Upstream takes such a write for one of the whole tensor, and does not copy the rest (22.1).

    ```mlir
    func.func @f(%x: tensor<4xi8>, %out: memref<4xi32>) -> tensor<2xi8> {
      %c = arith.constant dense<[1, 2]> : tensor<2xi8>
      %e = tensor.empty() : tensor<4xi32>
      %y = linalg.copy ins(%x : tensor<4xi8>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
      bufferization.materialize_in_destination %y in restrict writable %out : (tensor<4xi32>, memref<4xi32>) -> ()
      return %c : tensor<2xi8>
    }
    ```
    becomes
    ```mlir
    memref.global "private" constant @__constant_2xi8 : memref<2xi8> = dense<[1, 2]> {alignment = 64 : i64}
    func.func @f(%x: tensor<4xi8>, %out: memref<4xi32>) -> tensor<2xi8> {
      ...
      %e = bufferization.to_tensor %out restrict writable : memref<4xi32> to tensor<4xi32>
      ...
      %y = linalg.copy ins(%x : tensor<4xi8>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
      bufferization.materialize_in_destination %y in writable %out : (tensor<4xi32>, memref<4xi32>) -> ()
      return %c : tensor<2xi8>
    }
    ```
  }];
  let dependentDialects = ["bufferization::BufferizationDialect",
                           "memref::MemRefDialect", "tensor::TensorDialect"];
}

def DecomposeTensorOpsPass : QDQ_Pass<"qdq-codegen-decompose-tensor-ops"> {
  let summary = "ops on tensors that bufferization does not know to some that it does";
  let description = [{
    `tensor.concat`, `tensor.bitcast`, `linalg.softmax`, `linalg.pack`, `linalg.unpack` and the
    winograd ops become slices, `tensor.pad`, reshapes, `arith.bitcast` and structured ops, by
    upstream's decompositions. A `tensor.pad` of an empty tensor becomes `tensor.generate`, and one
    of one dimension becomes a concatenation, so that whatever computes the source writes it in its
    place. A `linalg.generic` whose body ignores an initial value keeps it where no loop runs. The
    pass folds, so run it after the quantized ops are lowered.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def ExpandElementsPass : QDQ_Pass<"qdq-codegen-expand-elements"> {
  let summary = "element ops as the arithmetic of the target";
  let description = [{
    Each `qdq.encode` becomes the ops of `convert-qdq-to-arith`, or those of a strategy with the
    same bits. Runs in `quant-to-llvm` after `qdq-codegen-vectorize`, before
    `qdq-codegen-hoist-loop-invariants`.

    `reciprocals` replaces a division of f32 vectors, which takes about ten times as long as a
    product. If many values share a scale `s`, `x / s` becomes `q = x * r` and
    `q - (q * s - x) * r` with `r = 1 / s` and `math.fma`: the rounded quotient, bit for bit, for
    2^-60 <= s <= 2^60 and no tiny quotient
    ([Rationale.md](Rationale.md#a-product-a-remainder-and-a-correction-are-the-quotient)). Other
    scales count as NaN, and a vector with a NaN result is divided. Directed roundings and bf16,
    for which tiny quotients matter, keep the division.

    The scale is the same in all iterations of the innermost loop, or a loop reads the same vectors
    of scales again; then the reciprocals of the whole tensor precede that loop. If
    integers bound the quotients before a rounding to nearest, those numbers times the scale bound
    `x` instead, and only the scale's range is checked.

    Where a code saturates, its bounds are known: `arith.trunci` to it gets nsw or nuw, and a sum
    with an integer zero point gets nsw.

    ```mlir
    func.func @f(%x: vector<16xf32>, %s: f32) -> vector<16xi8> {
      %v = vector.broadcast %s : f32 to vector<16xf32>
      %q = qdq.encode %x scale %v as i8
         semantics <rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
                    overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
         : (vector<16xf32>, vector<16xf32>) -> vector<16xi8>
      return %q : vector<16xi8>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: vector<16xf32>, %s: f32) -> vector<16xi8> {
      %v = vector.broadcast %s : f32 to vector<16xf32>
      %q = arith.divf %x, %v : vector<16xf32>
      ...
      %r = math.roundeven %clamped : vector<16xf32>
      %c = arith.fptosi %r : vector<16xf32> to vector<16xi32>
      %t = arith.trunci %c overflow<nsw> : vector<16xi32> to vector<16xi8>
      return %t : vector<16xi8>
    }
    ```
  }];
  let options = [
    Option<"reciprocals", "reciprocals", "bool", "false",
           "divisions by a scale as products with its reciprocal, corrected">,
    Option<"contractionProof", "contraction-proof", "bool", "false",
           "products that a later compiler cannot round together with a sum beside them, as fma: see docs/Semantics.md">
  ];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "math::MathDialect", "scf::SCFDialect",
                           "tensor::TensorDialect", "vector::VectorDialect"];
}

def LowerToTargetPass : QDQ_Pass<"qdq-codegen-lower-to-target"> {
  let summary = "arithmetic that the processor has, in place of what LLVM lowers badly";
  let description = [{
    | rewrite | from | to |
    |---|---|---|
    | `integer-casts` | `arith.sitofp`, `uitofp` to bf16 and smaller floats, which LLVM rounds twice or does not have | f32 or f64, rounded to odd, and `arith.truncf` |
    | `rounded-casts` | `arith.truncf` with a rounding mode, of which LLVM knows nearest-even | other `arith` ops |
    | `fma` | `math.fma` on bf16, which LLVM rounds to f32 first | f64: an exact product, a sum rounded to odd |
    | `f32-fma` | `math.fma` on f32, which LLVM calls libm for without such an instruction | the same |
    | `bf16` | `arith` on bf16: AVX512-BF16 flushes subnormals | f32, rounded to bf16 after every op |
    | `f16` | `arith` on f16 | f32, rounded to f16 after every op |
    | `arith` | rounded divisions of integers, `maxnumf`, `minnumf`, casts to bf16, bitcasts of a scalar bf16 | other `arith` ops |
    | `saturating-packs` | `arith.trunci` with nsw or nuw from i32 to bytes | `vpackssdw` and `vpacksswb` or `vpackuswb` of AVX-512BW |
    | `lookup-tables` | `qdq.lookup` in registers of 512 bits | `vpermd`, `vpermw`, `vpshufb`, `vpermi2d` of AVX-512BW |
    | `byte-tables` | `qdq.lookup` of 16 bytes, or of all 256, in registers of 256 bits | `vpshufb` of AVX2, or 16 of them |
    | `lookups` | other `qdq.lookup` | extractions of lanes |
    | `roundings` | `arith.fptosi` of `math.roundeven`, f32 to i32 | `llvm.intr.lrint`, one instruction of every x86 |
    | `functions` | `math.exp`, `tanh`, `erf` on f32, which LLVM calls libm for | polynomials in f64 |

    They run in this order. `rewrites` names some; `quant-to-llvm` chooses them by the processor.

    - `bf16`, `f16`: f32's 24 bits of significand make the second rounding harmless, except for
      fma. Upstream's `arith-emulate-unsupported-floats` lets the rounding be contracted away.
    - `arith`: upstream's `arith-expand` also replaces `arith.maximumf`, `minimumf` and integer
      maxima by selects, which give the second of two zeros and do not vectorize.
    - `saturating-packs`: LLVM narrows each register alone, eleven instructions for 64 bytes. Packs
      join four registers, and one shuffle orders them. They saturate, so a clamp to all bytes
      disappears, and a sum with a byte, if nsw, is added as 16 bits that saturate. The flags come
      from `qdq-codegen-expand-elements` and `qdq-expand-floats{tells-ranges}`.
    - `lookup-tables`: the permutations read only the bits of an index that number an entry.
    - `roundings`: values out of range are poison in both.
    - `functions`: exp rounds correctly; tanh and erf err by less than 0.50001 of the last bit, the
      same on every machine, with vectors and without.

    ```mlir
    func.func @f(%a: bf16, %b: bf16, %words: vector<64xi32>, %x: vector<16xf32>)
        -> (bf16, vector<64xi8>, vector<16xi32>) {
      %c = arith.addf %a, %b : bf16
      %bytes = arith.trunci %words overflow<nsw> : vector<64xi32> to vector<64xi8>
      %r = math.roundeven %x : vector<16xf32>
      %n = arith.fptosi %r : vector<16xf32> to vector<16xi32>
      return %c, %bytes, %n : bf16, vector<64xi8>, vector<16xi32>
    }
    ```
    becomes
    ```mlir
    ...
    %a32 = arith.extf %a : bf16 to f32
    %c32 = arith.addf %a32, %b32 : f32
    ...
    %0 = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"(%w0, %w1) : (vector<16xi32>, vector<16xi32>) -> vector<32xi16>
    ...
    %2 = llvm.call_intrinsic "llvm.x86.avx512.packsswb.512"(%0, %1) : (vector<32xi16>, vector<32xi16>) -> vector<64xi8>
    ...
    %n = llvm.intr.lrint(%x) : (vector<16xf32>) -> vector<16xi32>
    ...
    ```
  }];
  let options = [
    ListOption<"rewrites", "rewrites", "std::string",
               "rewrites to run, separated by commas; all where none is named">
  ];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "math::MathDialect", "vector::VectorDialect"];
}

def MathToIntrinsicsPass : QDQ_Pass<"qdq-math-to-intrinsics"> {
  let summary = "math rounding ops as LLVM's intrinsics, for GPUs";
  let description = [{
    `math.roundeven`, `round`, `floor`, `ceil`, `trunc`, `absf`, `copysign` and `fma`, on scalars
    and vectors of LLVM's types, become `llvm.call_intrinsic`. Run the pass after fusion and before
    upstream's `convert-gpu-to-nvvm` and `convert-gpu-to-rocdl`, which would call a library.

    ```mlir
    %y = math.roundeven %x : f32
    ```
    becomes
    ```mlir
    %y = llvm.call_intrinsic "llvm.roundeven"(%x) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

class QDQ_NativeTargetOption<string name, string argument>
    : Option<name, argument, "::mlir::qdq::NativeTarget", "::mlir::qdq::NativeTarget::None",
             "instructions for casts of small floats: none (casts stay), sm_89, sm_100a (NVIDIA), gfx942, gfx950, gfx1200 (AMD), avx10.2 (x86), fp8 (AArch64), zvfofp8min (RISC-V)",
             [{::llvm::cl::values(
               clEnumValN(::mlir::qdq::NativeTarget::None, "none", "casts stay"),
               clEnumValN(::mlir::qdq::NativeTarget::SM89, "sm_89", "NVIDIA from 8.9 on: f8"),
               clEnumValN(::mlir::qdq::NativeTarget::SM100A, "sm_100a", "NVIDIA from 10.0 on: f8, f6, f4"),
               clEnumValN(::mlir::qdq::NativeTarget::GFX942, "gfx942", "AMD: f8 ...FNUZ"),
               clEnumValN(::mlir::qdq::NativeTarget::GFX950, "gfx950", "AMD: f8, and f8 and f4 with block scales"),
               clEnumValN(::mlir::qdq::NativeTarget::GFX1200, "gfx1200", "AMD: f8"),
               clEnumValN(::mlir::qdq::NativeTarget::AVX10_2, "avx10.2", "x86: f8"),
               clEnumValN(::mlir::qdq::NativeTarget::FP8, "fp8", "AArch64 with FEAT_FP8: f8"),
               clEnumValN(::mlir::qdq::NativeTarget::Zvfofp8min, "zvfofp8min", "RISC-V: f8"))}]>;

def NativeCastsPass : QDQ_Pass<"qdq-native-casts"> {
  let summary = "Casts of small floats as the instructions of a target";
  let description = [{
    `arith.extf` and `arith.truncf` from and to floats of fewer than 16 bits, on scalars and vectors
    of fixed size, become instructions of `target` if these have the same result for every input.
    All others stay for `qdq-expand-floats`. [Targets.md](Targets.md) lists both.

    For AMD's targets, the results are `arith` ops for `convert-arith-to-amdgpu`; run
    `qdq-expand-floats` after that pass.

    ```mlir
    %x = arith.extf %q : vector<2xf8E4M3FN> to vector<2xf16>
    ```
    becomes, with `target=sm_89` and `--canonicalize`,
    ```mlir
    %0 = arith.bitcast %q : vector<2xf8E4M3FN> to vector<2xi8>
    %x = nvvm.convert.f8x2.to.f16x2 %0 : vector<2xi8> (f8E4M3FN) -> vector<2xf16>
    ```
  }];
  let options = [
    QDQ_NativeTargetOption<"target", "target">
  ];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect", "NVVM::NVVMDialect", "memref::MemRefDialect", "tensor::TensorDialect",
                           "vector::VectorDialect"];
}

#endif // QDQ_CODEGEN_PASSES_TD
