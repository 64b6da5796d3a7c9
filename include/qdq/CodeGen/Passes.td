// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of code generation, and those that fix what callers see of a function.

#ifndef QDQ_CODEGEN_PASSES_TD
#define QDQ_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"
include "qdq/Numerics/PassOptions.td"

def AttachTargetPass : QDQ_Pass<"qdq-codegen-attach-target", "::mlir::ModuleOp"> {
  let summary = "the processor to generate code for, as an attribute of the module";
  let description = [{
    Writes `llvm.target` to the module: `triple`, `cpu` and `features` in the words of LLVM. `cpu=native` becomes the name of this machine's processor, and the features by which this machine
    differs. A module that has an `llvm.target` keeps it if no option names a processor. Fails for a name that LLVM does not know.

    `quant-to-llvm` reads its strategies from the attribute, each where it was measured to gain. No strategy changes a bit of a result. `without` lists those not to use, for tests and measurements.

    | strategy | used on | pass |
    |---|---|---|
    | `byte-dots` | AVX512-VNNI; AVX-VNNI, up to 256 bits | `qdq-codegen-vectorize{byte-dots}` |
    | `reciprocals` | x86 with FMA | `qdq-codegen-expand-elements` |
    | `lookup-tables` | AVX-512BW | `qdq-codegen-lookup-tables` |
    | `multishifts` | AVX-512VBMI | `qdq-codegen-multishifts` |
    | `saturating-packs` | AVX-512BW | `qdq-codegen-saturating-packs` |
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

def GeneralizeReductionsPass : QDQ_Pass<"qdq-codegen-generalize-reductions"> {
  let summary = "named reductions as linalg.generic ops";
  let description = [{
    A named op of linalg that adds up i32 or f32, such as `linalg.matmul` or a convolution, becomes a `linalg.generic`: what `qdq-codegen-lay-out-byte-contractions` and
    `qdq-codegen-vectorize` look at.

    ```mlir
    %0 = linalg.matvec ins(%a, %x : tensor<8x64xf32>, tensor<64xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
    ```
    becomes
    ```mlir
    %0 = linalg.generic {... iterator_types = ["parallel", "reduction"]} ins(%a, %x : tensor<8x64xf32>, tensor<64xf32>) outs(%y : tensor<8xf32>) {
    ...
    } -> tensor<8xf32>
    ```
  }];
  let dependentDialects = ["linalg::LinalgDialect"];
}

def HoistLoopInvariantsPass : QDQ_Pass<"qdq-codegen-hoist-loop-invariants"> {
  let summary = "loop-invariant code motion of reads of tensors";
  let description = [{
    The scale of a tensor or of a row, and what is computed of it, is the same in each iteration of the loop over its vectors. As long as it is a tensor, it moves before the loop: of buffers LLVM cannot tell
    whether the stores of the loop change them, and reads a scale once a vector. Out of a loop that may not be entered, integer divisions stay, and a read
    at indices for which the type of the tensor does not vouch moves behind a branch that asks whether there is an iteration. Only slices that are read move, and nothing out of parallel loops. For tensors, before bufferization.

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

def HoistTranspositionsPass : QDQ_Pass<"qdq-codegen-hoist-transpositions"> {
  let summary = "loop-invariant code motion of transpositions";
  let description = [{
    A `linalg.transpose` of a tensor from outside a loop moves before the loop: the weights of a recurrent network are laid out once, not in each step. Upstream's
    `loop-invariant-code-motion` moves what could trap, too, such as a division in a loop that is not entered.

    ```mlir
    func.func @f(%w: tensor<4x8xf32>, %n: index, %init: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %init) -> tensor<8x4xf32> {
        %e = tensor.empty() : tensor<8x4xf32>
        %t = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
        %a = linalg.add ins(%s, %t : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s : tensor<8x4xf32>) -> tensor<8x4xf32>
        scf.yield %a : tensor<8x4xf32>
      }
      return %r : tensor<8x4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%w: tensor<4x8xf32>, %n: index, %init: tensor<8x4xf32>) -> tensor<8x4xf32> {
      ...
      %t = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %init) -> (tensor<8x4xf32>) {
        %a = linalg.add ins(%s, %t : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s : tensor<8x4xf32>) -> tensor<8x4xf32>
        scf.yield %a : tensor<8x4xf32>
      }
      return %r : tensor<8x4xf32>
    }
    ```
  }];
}

def LayOutByteContractionsPass : QDQ_Pass<"qdq-codegen-lay-out-byte-contractions"> {
  let summary = "contractions of bytes with the factors of a row side by side";
  let description = [{
    A `linalg.generic` that sums products of bytes in i32 becomes one in which four factors of a row lie together, and the sums of neighboring columns:
    what `qdq-codegen-vectorize{byte-dots}` makes vectors of. Operands whose order is another, such as those of a convolution whose channels are not innermost,
    are transposed, constants right here; so is the result, after the elementwise op that alone uses the sums. A `tensor.pad` comes after its transposition.
    A depthwise convolution whose lines are not multiples of 16, or have a stride, gets its channels innermost, if they are.

    ```mlir
    func.func @f(%a: tensor<64x32xi8>, %b: tensor<64x48xi8>, %c: tensor<32x48xi32>) -> tensor<32x48xi32> {
      %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<64x32xi8>, tensor<64x48xi8>) outs(%c : tensor<32x48xi32>) {
      ^bb0(%l: i8, %r: i8, %sum: i32):
        %x = arith.extsi %l : i8 to i32
        %y = arith.extsi %r : i8 to i32
        %p = arith.muli %x, %y : i32
        %n = arith.addi %sum, %p : i32
        linalg.yield %n : i32
      } -> tensor<32x48xi32>
      return %0 : tensor<32x48xi32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%a: tensor<64x32xi8>, %b: tensor<64x48xi8>, %c: tensor<32x48xi32>) -> tensor<32x48xi32> {
      %e = tensor.empty() : tensor<32x64xi8>
      %t = linalg.transpose ins(%a : tensor<64x32xi8>) outs(%e : tensor<32x64xi8>) permutation = [1, 0]
      %0 = linalg.generic {... ins(%t, %b : tensor<32x64xi8>, tensor<64x48xi8>) outs(%c : tensor<32x48xi32>) {
      ...
      } -> tensor<32x48xi32>
      return %0 : tensor<32x48xi32>
    }
    ```
  }];
  let dependentDialects = ["linalg::LinalgDialect", "tensor::TensorDialect"];
}

def VectorizePass : QDQ_Pass<"qdq-codegen-vectorize"> {
  let summary = "elementwise linalg.generic to vector ops";
  let description = [{
    Each elementwise `linalg.generic` on tensors whose maps are projected permutations (what `convert-qdq-to-linalg` makes of static blocks,
    axes and whole tensors) is tiled to vectors of `vector-bits` over its innermost loop; what does not fill the last vector stays a `linalg.generic`. So do others:
    sums that have an order and no neighbors, bodies that load, and elements narrower than a byte in memory, which LLVM lays out differently in vectors.

    A body that loads the parameters of short or dynamic blocks is tiled first so that a tile lies in one block, and what is left over of a dimension is peeled; there
    the parameter is a scalar, or an operand with a projected permutation. Codes of less than a byte between two generics are stored in bytes; those of rows that begin inside a byte
    are unpacked a few rows at a time, to a `bufferization.alloc_tensor` of the same size in each tile.

    Where the body shifts a storage word by the index of an inner loop, to read its sub-byte elements, both loops become one vector: a vector of words is
    shifted once for each element of a word, and the elements are interleaved while they are narrow; words of 32 bits are moved to their lanes first. Packing goes
    the other way. What depends on nothing but a code of at most 4 bits and on what is the same in the whole tile, such as its scale, is computed once
    for all codes and looked up, if one vector holds the table.

    A reduction in any order (`fastmath<reassoc>`, see `qdq-fuse-contractions`) is one of vectors: storage words and elements of the innermost
    reductions are lanes, up to four by four results are added up side by side, and the lanes of each at the end. Codes of at most 4 bits are read in words
    of four bytes where vectors of them fill blocks, or blocks vectors: the other factor is laid out for their elements first.

    A reduction of floats whose innermost results come from the elements of storage words, as a product with a weight [K, N] packed along N does, has a vector of
    neighboring words for each element of a word, and keeps the order of its terms. Up to eight rows share what becomes of a code. Tiles of 32 terms
    follow one another along the words: rows of the weight are read in their whole length.

    With `byte-dots`, a sum of products of bytes in i32 (a matrix product, or a convolution whose channels are innermost, see `qdq-codegen-lay-out-byte-contractions`) is tiled to registers of
    sums, up to four vectors of columns by six rows, to which a `vector.contract` adds four products a lane: `qdq-codegen-lower-byte-dots` makes it an instruction.
    Where rows share columns, these are laid out once in fours. Operands of one signedness are multiplied as unsigned and signed ones, and what that
    adds is taken off again: the sums are exact modulo 2^32. An elementwise consumer that alone uses the sums is fused into the tiles.

    In other sums in i32 or f32, neighbors in the result are lanes where they come from neighbors, or from every other element, in the operands: a
    depthwise convolution over its channels if these are innermost, else over a line, or a product with a weight [K, N] packed along K, as GPTQ does. Each lane
    adds up in the order of the loops. Up to four rows (eight of floats) and 16 vectors of floats are added up side by side.

    The pass folds what it meets: run it after the quantized ops are lowered.

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
    Option<"byteDots", "byte-dots", "bool", "false",
           "sums of products of bytes in fours, for qdq-codegen-lower-byte-dots">,
    Option<"wideQuotients", "wide-quotients", "bool", "false",
           "quotients in as many vectors as fill one of the result, where that leaves nothing over">,
    Option<"wideFloats", "wide-floats", "bool", "false",
           "casts of floats of 8 bits in as many lanes as fill a vector of f16, where that leaves nothing over">
  ];
  let dependentDialects = ["affine::AffineDialect",
                           "bufferization::BufferizationDialect",
                           "scf::SCFDialect", "tensor::TensorDialect",
                           "vector::VectorDialect"];
}

def BlockFloatingPointPass : QDQ_Pass<"qdq-codegen-block-floating-point"> {
  let summary = "products with short integer codes, of numbers in block floating point";
  let description = [{
    A sum that may be added up in any order (`fastmath<reassoc>`, see `qdq-fuse-contractions`), of products with codes of at most 4 bits (integers and f4E2M1FN), in blocks or not, becomes one of products of bytes, which `qdq-codegen-lower-byte-dots` makes instructions. As many elements of the other factor, `x`, as meet a block or a
    part of it share an exponent, and each is an integer of 23 bits and a sign, to nearest, ties to even: within 2^-22.9 of the largest of them, however
    small it is. Three bytes make the integer. In each lane of i32, the products with the codes of four bytes of a block are added up exactly; that sum is rounded to f32, multiplied with the scale, and added up
    as `fastmath` allows. It is another value than the sum of products with rounded weights: one with an infinite scale is an infinity or NaN, not always the same of both, and a sum of zeros may be +0 for -0.

    Where `x` has a NaN, an infinity, a number from 2^120 on, or a part whose largest number is below 2^-100 but not zero, the sum as it was is computed: all of it, or, after `qdq-codegen-parallelize`, the
    parts that read such rows.

    It pays where one or two rows of `x` share a weight that comes from memory. Sums of which fewer than 64 share `x`, more rows, other codes, an `x` of a dynamic shape, weights that are rounded to
    a narrower type, zero points that are not the same for all codes, and blocks that neither fill a vector nor are filled by vectors, stay.

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
           "bits of a vector: 128, 256 or 512">,
    Option<"chooseOnly", "choose-only", "bool", "false",
           "only note, by an attribute, which sums are to change: a later run obeys, so that the parts of a sum are what the whole would be">
  ];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect", "math::MathDialect",
                           "scf::SCFDialect", "tensor::TensorDialect", "vector::VectorDialect"];
}

def LowerByteDotsPass : QDQ_Pass<"qdq-codegen-lower-byte-dots"> {
  let summary = "contractions of four unsigned and four signed bytes a lane as x86's vpdpbusd";
  let description = [{
    For a target with AVX512-VNNI, or AVX-VNNI and vectors of 256 bits. Nothing saturates on the way, so that the values stay. Contractions of other
    shapes, types or signedness stay as they are.

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
    becomes
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
  let dependentDialects = ["LLVM::LLVMDialect", "vector::VectorDialect"];
}

def FlattenTransfersPass : QDQ_Pass<"qdq-codegen-flatten-transfers"> {
  let summary = "reads and writes of contiguous memory by vectors of rank 1";
  let description = [{
    Upstream's flattening of vector transfers, for all widths: `qdq-codegen-vectorize` reads and writes storage words and their elements as
    vectors of rank 2, which lie in one row of a buffer. A read of one element for all lanes becomes a load. Rows become a transfer
    each if `vector.insert_strided_slice` joined them or `vector.extract` takes them apart, as in panels of byte products, or if they are of
    an expanded buffer with gaps between them: upstream's `fold-memref-alias-ops` would read other elements of those.

    ```mlir
    func.func @f(%m: memref<16x2xf32>, %v: vector<16x2xf32>) {
      %c0 = arith.constant 0 : index
      vector.transfer_write %v, %m[%c0, %c0] {in_bounds = [true, true]} : vector<16x2xf32>, memref<16x2xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["memref::MemRefDialect", "vector::VectorDialect"];
}

def SplitStoresPass : QDQ_Pass<"qdq-codegen-split-stores"> {
  let summary = "stores of several registers, one by one from the first address on";
  let description = [{
    A write of several registers of `vector-bits` to neighboring bytes becomes one write for each, in the order of their addresses. LLVM would store the last part first. Where the
    address is not that of a line, each store writes to two, and processors put together what neighboring stores write to one line only if they follow each other.

    ```mlir
    func.func @f(%v: vector<32xf32>, %y: memref<1000xf32>, %i: index) {
      vector.transfer_write %v, %y[%i] {in_bounds = [true]} : vector<32xf32>, memref<1000xf32>
      return
    }
    ```
    becomes
    ```mlir
    func.func @f(%v: vector<32xf32>, %y: memref<1000xf32>, %i: index) {
      %0 = vector.extract_strided_slice %v {offsets = [0], sizes = [16], strides = [1]} : vector<32xf32> to vector<16xf32>
      ...
      vector.transfer_write %0, %y[%i] {in_bounds = [true]} : vector<16xf32>, memref<1000xf32>
      %1 = vector.extract_strided_slice %v {offsets = [16], sizes = [16], strides = [1]} : vector<32xf32> to vector<16xf32>
      ...
      vector.transfer_write %1, %y[%j] {in_bounds = [true]} : vector<16xf32>, memref<1000xf32>
      return
    }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "512",
           "bits of a register">
  ];
  let dependentDialects = ["arith::ArithDialect", "vector::VectorDialect"];
}

def StreamStoresPass : QDQ_Pass<"qdq-codegen-stream-stores"> {
  let summary = "vectors of large results stored past the caches";
  let description = [{
    Where loops write whole vectors, and the buffers that they read and write have `min-bytes` or more, the stores become `nontemporal`: no line of the result is read before it is written, and none takes the
    place of another in the caches. The result is a sixteenth of them at least: the sums of a product are less. Each store looks whether its address is a multiple of 64 or 16, and is an ordinary one where it is neither. Where only the run knows the sizes of the buffers, it
    chooses between two copies of the loops. A fence follows them. Vectors of whole cache lines that these loops read once are prefetched, 4 KiB ahead.

    A smaller result, which a cache would hold for its reader, takes up to three times as long.

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
    Each op of `linalg` on tensors with at least twice `min-part` iterations becomes an `scf.forall` over parts of about `min-part` iterations:
    whole inner loops, and as many iterations of one loop around them as are needed. Only loops that have a dimension in every result are divided, so that
    two parts never write the same byte, and no reduction changes its order: the results are those of the whole, bit for bit. Where sizes are dynamic, so are the parts,
    and too little work is one part. Ops inside of parallel loops stay.

    A sum is divided with the elementwise op that alone uses it: no sums are stored between two parallel loops. The parts of a matrix product or a
    convolution have the work of four times `min-part` iterations, there are 32 of them or little more, and they divide batches first, then columns (the
    innermost loop of the result, in multiples of 64 that leave nothing over), then rows.

    ```mlir
    #map = affine_map<(d0, d1) -> (d0, d1)>
    func.func @f(%x: tensor<1024x4096xf32>) -> tensor<1024x4096xf32> {
      %e = tensor.empty() : tensor<1024x4096xf32>
      %y = linalg.exp ins(%x : tensor<1024x4096xf32>) outs(%e : tensor<1024x4096xf32>) -> tensor<1024x4096xf32>
      return %y : tensor<1024x4096xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<1024x4096xf32>) -> tensor<1024x4096xf32> {
      %e = tensor.empty() : tensor<1024x4096xf32>
      %y = scf.forall (%i) = (0) to (1024) step (32) shared_outs(%out = %e) -> (tensor<1024x4096xf32>) {
        ...
        %part = linalg.exp ins(%in : tensor<32x4096xf32>) outs(%slice : tensor<32x4096xf32>) -> tensor<32x4096xf32>
        ...
      }
      return %y : tensor<1024x4096xf32>
    }
    ```
  }];
  let options = [
    Option<"minPart", "min-part", "int64_t", "131072",
           "iterations that are worth a thread">
  ];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def FuseElementwisePass : QDQ_Pass<"qdq-codegen-fuse-elementwise"> {
  let summary = "consumer fusion of elementwise linalg.generic ops";
  let description = [{
    Upstream's elementwise fusion where it is free: both ops are parallel in all loops, the result between has no other use, and the second reads
    each of its elements once. So the ops that users have beside their casts are computed in the same loop. Every bit stays: bodies
    are put one behind the other. Outputs that no body reads start from `tensor.empty`.

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

def VerifyVectorMemoryPass : QDQ_Pass<"qdq-codegen-verify-vector-memory"> {
  let summary = "fail if vectors of sub-byte elements go from or to memory";
  let description = [{
    Changes nothing. LLVM packs the elements of `vector<16xi4>` into 8 bytes, while `memref<16xi4>` holds each in a byte: a `vector` op that moves
    more than one element between the two would compile, and give other elements. It is an error at its location.
  }];
}

//===----------------------------------------------------------------------===//
// Function boundaries, for callers that hold bytes
//===----------------------------------------------------------------------===//

def PackBoundariesPass : QDQ_Pass<"qdq-pack-boundaries", "::mlir::ModuleOp"> {
  let summary = "sub-byte tensors of public functions to packed bytes";
  let description = [{
    An argument or result of a public function that is a tensor of 2 to 7 bits an element, integer or float, becomes `tensor<Pxi8>`, P =
    ceil(elements * bits / 8): row-major, the first element in the lowest bits, no gaps, and zeros behind the last element. One `index` for
    each dynamic dimension follows it. The body unpacks and packs (`qdq.unpack`, `qdq.pack`); `i1` is not packed. Private functions stay, and so do calls: a public
    function that the module itself refers to goes on under a private name, called by its packed form. The type before is left in the
    attribute `qdq.unpacked_type`, signless. A tensor without a rank is an error.

    Works on IR without quantized types, before `convert-qdq-to-linalg`, which makes one loop of an unpack and the dequantize that reads it.

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
  let summary = "sub-byte constants to packed bytes";
  let description = [{
    An `arith.constant` of a tensor with 2 to 7 bits an element becomes one of packed bytes, laid out as by `qdq-pack-boundaries`, and a
    `qdq.unpack`. For before `convert-qdq-to-linalg`, with no folding in between, which would undo it. Applies to `dense_resource`, which holds a byte for each element and which LLVM IR has no form for at these
    widths, and to `dense` of at least `min-elements` that are not all equal: LLVM keeps one constant object for each of them.
  }];
  let options = [Option<"minElements", "min-elements", "int64_t", "64",
                        "smaller dense constants stay as they are">];
  let dependentDialects = ["arith::ArithDialect", "qdq::QDQDialect",
                           "tensor::TensorDialect"];
}

def ReadOnlyArgumentsPass : QDQ_Pass<"qdq-read-only-arguments", "::mlir::ModuleOp"> {
  let summary = "bufferization must not write to the tensor arguments of public functions";
  let description = [{
    Sets `bufferization.writable = false` on them, where nothing else is said. One-shot bufferization of function boundaries otherwise
    takes the caller's buffer for its own and writes results into it.

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
    Results of public functions become trailing `memref` arguments: ranked tensors, and scalars as rank 0. Bufferization then computes in
    the caller's buffer where it can.

    A caller must know the shapes first. Where results have dynamic sizes, or the function begins with assertions (`runtime-checks`),
    a companion function computes both from the same arguments and writes them to a last argument of type `memref<Nxindex>`: 1 + the index of
    the first assertion that fails, or 0; then, result by result, the sizes of the dynamic dimensions of a tensor, or the value of an
    `index`. The function itself no longer asserts what the companion does, nor returns these indices. What cannot be computed from scalar
    arguments and the shapes of tensors alone stays: assertions in the function, tensors as results.

    For the caller, the function has the attributes `qdq.tensor_type` (its type before), `qdq.results` (for each result of that type
    "destination", "shape" or "returned") and `qdq.shape_function`, and the companion has the messages in `qdq.assertions`.

    ```mlir
    func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %d = tensor.dim %x, %c0 : tensor<?xf32>
      %e = tensor.empty(%d) : tensor<?xf32>
      %y = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      return %y : tensor<?xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f.shapes(%x: tensor<?xf32>, %sizes: memref<2xindex>) attributes {qdq.assertions = []} {
      ...
      %dim = tensor.dim %x, %c0 : tensor<?xf32>
      ...
      memref.store %dim, %sizes[%c1] : memref<2xindex>
      return
    }
    func.func @f(%x: tensor<?xf32>, %out: memref<?xf32>) attributes {qdq.results = ["destination"], qdq.shape_function = @f.shapes,
        qdq.tensor_type = (tensor<?xf32>) -> tensor<?xf32>} {
      ...
      %y = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      bufferization.materialize_in_destination %y in restrict writable %out : (tensor<?xf32>, memref<?xf32>) -> ()
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

def EmulateBF16Pass : QDQ_Pass<"qdq-codegen-emulate-bf16"> {
  let summary = "bf16 arithmetic in f32, rounded to bf16 after every op";
  let description = [{
    `arith` ops with bf16 operands or results extend to f32, compute, and truncate. With 24 bits of significand for 8, the second rounding changes
    nothing, but for fma. Hardware conversions of some processors (AVX512-BF16) flush subnormals: with `qdq-codegen-expand-arith` behind this pass,
    none is left to use. Unlike upstream's `arith-emulate-unsupported-floats`, whose patterns do the work, it does not let the
    rounding between two ops be contracted away.

    ```mlir
    %c = arith.addf %a, %b : bf16
    ```
    becomes
    ```mlir
    %0 = arith.extf %b : bf16 to f32
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.addf %1, %0 : f32
    %c = arith.truncf %2 : f32 to bf16
    ```
  }];
  let options = [
    Option<"includeF16", "include-f16", "bool", "false",
           "arithmetic on f16 as well, for targets with no instruction">
  ];
  let dependentDialects = ["arith::ArithDialect"];
}

def ExpandArithPass : QDQ_Pass<"qdq-codegen-expand-arith"> {
  let summary = "arith ops that LLVM has no instruction for";
  let description = [{
    Rounded divisions of integers, `maxnumf`, `minnumf`, and casts from f32 to bf16, by upstream's patterns; casts from f64 to bf16, by f32 rounded to odd; and bitcasts of a scalar bf16, by f32: x86 would
    take its sign for 0 where nothing else is asked for (LLVM 22). Unlike upstream's `arith-expand`, it leaves
    `arith.maximumf`, `minimumf` and the maxima and minima of integers to LLVM's intrinsics: upstream's selects give the second of two zeros, whatever its sign,
    and LLVM does not vectorize a reduction of them.

    ```mlir
    func.func @f(%a: i32, %b: i32, %x: f32, %y: f32) -> (i32, f32) {
      %q = arith.ceildivui %a, %b : i32
      %m = arith.maximumf %x, %y : f32
      return %q, %m : i32, f32
    }
    ```
    becomes
    ```mlir
    func.func @f(%a: i32, %b: i32, %x: f32, %y: f32) -> (i32, f32) {
      ...
      %quotient = arith.divui %less, %b : i32
      ...
      %m = arith.maximumf %x, %y : f32
      return %q, %m : i32, f32
    }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def ExpandFmaPass : QDQ_Pass<"qdq-codegen-expand-fma"> {
  let summary = "math.fma on bf16 in f64, rounded once";
  let description = [{
    LLVM rounds `llvm.fma` on bf16 to f32 and then to bf16, and some processors flush the result if it is subnormal. The product is exact in f64, and the sum
    is rounded to odd there, so that its rounding to bf16 is the only one that counts. Other types stay.

    ```mlir
    func.func @f(%a: bf16, %b: bf16, %c: bf16) -> bf16 {
      %r = math.fma %a, %b, %c : bf16
      return %r : bf16
    }
    ```
    becomes
    ```mlir
    func.func @f(%a: bf16, %b: bf16, %c: bf16) -> bf16 {
      ...
      %product = arith.mulf %x, %y : f64
      ...
      %sum = arith.addf %product, %z : f64
      ...
      %r = arith.truncf %odd : f64 to bf16
      return %r : bf16
    }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def OutlineParallelPass : QDQ_Pass<"qdq-codegen-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "bodies of scf.parallel as functions, and reductions in order";
  let description = [{
    The body of each `scf.parallel` becomes a function, with its constants, so that it has a stack of its own, for `convert-scf-to-openmp`. Where bounds are not
    constant and there is one iteration at most, the function is called at once: `qdq-codegen-parallelize` makes one part of little work, and threads would cost more
    than it. An `scf.parallel` with reductions becomes `scf.for`: in what order threads combine their values is not fixed.

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
    Buffer deallocation makes such clones, for example for a function that returns its argument. Upstream's `convert-bufferization-to-memref`
    copies them by a function of its runtime library, `memrefCopy`, which a compiled object need not have. The buffer must be contiguous, which it is where one-shot bufferization used the identity layout on function boundaries.
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect",
                           "scf::SCFDialect"];
}

def LowerStridedCopiesPass : QDQ_Pass<"qdq-codegen-lower-strided-copies"> {
  let summary = "memref.copy between buffers with gaps as linalg.generic";
  let description = [{
    Where one of the buffers is not contiguous, upstream's lowering calls a library, `memrefCopy`, which copies one element at a time. Such a copy
    becomes a structured op, whose innermost loop LLVM makes one of vectors. Copies without a rank stay.

    ```mlir
    func.func @f(%from: memref<3x4xi8>, %to: memref<3x4xi8, strided<[6, 1]>>) {
      memref.copy %from, %to : memref<3x4xi8> to memref<3x4xi8, strided<[6, 1]>>
      return
    }
    ```
  }];
  let dependentDialects = ["linalg::LinalgDialect"];
}

def LimitUnrollingPass : QDQ_Pass<"qdq-codegen-limit-unrolling"> {
  let summary = "limits to the unrolling of loops of few iterations";
  let description = [{
    The rest of a row, behind its vectors, is a loop whose bounds only the run knows, but that is short. LLVM does not see that, and repeats its body many times, which takes most of the time to compile and never runs. Where the bounds of a loop say that it has fewer than 32 iterations, `loop_annotation` has LLVM repeat it
    in lanes at most; a loop of at most one iteration becomes `scf.if`. Loops of a constant number of iterations stay.

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
    becomes
    ```mlir
    func.func @f(%x: memref<?xf32>, %n: index, %v: f32) {
      ...
      scf.for %i = %whole to %n step %c1 {
        memref.store %v, %x[%i] : memref<?xf32>
      } {loop_annotation = #loop_annotation}
      return
    }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "scf::SCFDialect"];
}

def PrefetchReadsPass : QDQ_Pass<"qdq-codegen-prefetch-reads"> {
  let summary = "prefetches of the next rows of a reduction";
  let description = [{
    Rows that are summed side by side are as many streams from memory, several in a page, which processors do not foresee. Where a loop carries vectors, sums as a rule,
    and reads others at addresses which depend on the loop around it, it prefetches the last element of each in the next iteration of that, whose first one may share a cache line with what is read now; in the last iteration, in this.

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
        %1 = arith.cmpi slt, %c1, %0 : index
        %2 = arith.addi %i, %c1 : index
        %3 = arith.select %1, %2, %i : index
        ... = scf.for %j = %c0 to %c256 step %c16 ... {
          ...
          %4 = arith.addi %j, %c15 : index
          memref.prefetch %w[%3, %4], read, locality<3>, data : memref<8x256xf32>
          ... = vector.transfer_read %w[%i, %j]...
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect"];
}

def LowerExpandShapesPass : QDQ_Pass<"qdq-codegen-lower-expand-shapes"> {
  let summary = "memref.expand_shape with several dynamic sizes in a group";
  let description = [{
    Such an op becomes a `memref.reinterpret_cast` to the sizes that it names. Other expansions stay, for upstream's `expand-strided-metadata`, which
    crashes on these.

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

def EliminateEmptyTensorsPass : QDQ_Pass<"qdq-codegen-eliminate-empty-tensors"> {
  let summary = "results computed in the buffers in which they end";
  let description = [{
    Upstream's `eliminate-empty-tensors`, but for one case: where two results begin in one tensor, such as a `linalg.fill` that they share, neither
    begins in a destination of its own. Upstream gives both that of the first one, and writes the first result over the second (22.1).

    ```mlir
    func.func @f(%x: tensor<4xi8>, %out: memref<4xi32>) {
      %e = tensor.empty() : tensor<4xi32>
      %y = linalg.copy ins(%x : tensor<4xi8>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
      bufferization.materialize_in_destination %y in restrict writable %out : (tensor<4xi32>, memref<4xi32>) -> ()
      return
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<4xi8>, %out: memref<4xi32>) {
      %e = bufferization.to_tensor %out restrict writable : memref<4xi32> to tensor<4xi32>
      ...
      %y = linalg.copy ins(%x : tensor<4xi8>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
      bufferization.materialize_in_destination %y in writable %out : (tensor<4xi32>, memref<4xi32>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = ["bufferization::BufferizationDialect",
                           "tensor::TensorDialect"];
}

def DeclareGlobalsPass : QDQ_Pass<"qdq-codegen-declare-globals", "::mlir::ModuleOp"> {
  let summary = "memref.global ops for the tensor constants, in their order";
  let description = [{
    One-shot bufferization makes a `memref.global` for each `arith.constant` of a tensor type, unless there is one of that value. It visits functions in the
    order of their addresses, so that names and places of the globals change from run to run. After this pass, all of them exist.
    A `dense_resource` of rank 0 becomes `dense`: upstream's conversion to LLVM aborts on such a global (22.1).

    ```mlir
    func.func @f() -> tensor<2xi8> {
      %c = arith.constant dense<[1, 2]> : tensor<2xi8>
      return %c : tensor<2xi8>
    }
    ```
    becomes
    ```mlir
    memref.global "private" constant @__constant_2xi8 : memref<2xi8> = dense<[1, 2]> {alignment = 64 : i64}
    func.func @f() -> tensor<2xi8> {
      ...
    ```
  }];
  let dependentDialects = ["memref::MemRefDialect"];
}

def DecomposeTensorOpsPass : QDQ_Pass<"qdq-codegen-decompose-tensor-ops"> {
  let summary = "ops on tensors that bufferization does not know to some that it does";
  let description = [{
    `tensor.concat`, `tensor.bitcast`, `linalg.softmax`, `linalg.pack`, `linalg.unpack` and the winograd ops, by upstream's decompositions: to slices,
    `tensor.pad`, reshapes, `arith.bitcast` and structured ops. A `tensor.pad` of a tensor without elements becomes `tensor.generate`. The pass folds what it meets: run it after the quantized ops are lowered.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "math::MathDialect",
                           "scf::SCFDialect", "tensor::TensorDialect"];
}

def ExpandElementsPass : QDQ_Pass<"qdq-codegen-expand-elements"> {
  let summary = "element ops as the arithmetic of the target";
  let description = [{
    Each `qdq.encode` becomes the ops that compute its code, as `convert-qdq-to-arith` makes them, or as a strategy that is equal in every bit does. For `quant-to-llvm`,
    after `qdq-codegen-vectorize`, before `qdq-codegen-hoist-loop-invariants`.

    A division of vectors of f32 takes about ten times as long as a product. With `reciprocals`, for targets with an instruction for `math.fma`, and where many values have one scale `s`, `x / s` becomes
    `q = x * r` and `q - (q * s - x) * r`, in which `r = 1 / s` and both sums are `math.fma`. That is the quotient as division rounds it, bit for bit, where
    2^-60 <= s <= 2^60 and neither quotient nor remainder are tiny: docs/Rationale.md. The reciprocal of any other scale is taken for NaN; vectors in which a
    result is NaN, as it is for infinities too, are divided. Semantics for which a tiny quotient matters (directed roundings, bf16) keep the division.

    The scale is one for all lanes; or a loop around the division does not change it; or a loop around reads the same vectors of scales over and over: then
    the reciprocals of the whole tensor are computed before that loop. Where integers bound the quotients before they are rounded to the nearest, those numbers times
    the one scale bound `x` instead: then no result is NaN that was none before, and whether the scale is in the range is all that is asked.

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
      %t = arith.trunci %c : vector<16xi32> to vector<16xi8>
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

def FuseRoundingsPass : QDQ_Pass<"qdq-codegen-fuse-roundings"> {
  let summary = "rounding to even and conversion to an integer as one op of LLVM";
  let description = [{
    `arith.fptosi` of `math.roundeven`, f32 to i32, becomes `llvm.intr.lrint`: one instruction of x86 (`cvtps2dq`), of the oldest too, where `roundeven` alone is a call
    for each element. What neither can convert is poison in both.

    ```mlir
    func.func @f(%x: vector<16xf32>) -> vector<16xi32> {
      %r = math.roundeven %x : vector<16xf32>
      %i = arith.fptosi %r : vector<16xf32> to vector<16xi32>
      return %i : vector<16xi32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: vector<16xf32>) -> vector<16xi32> {
      %i = llvm.intr.lrint(%x) : (vector<16xf32>) -> vector<16xi32>
      return %i : vector<16xi32>
    }
    ```
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

def SaturatingPacksPass : QDQ_Pass<"qdq-codegen-saturating-packs"> {
  let summary = "words that bytes hold as bytes, by packs of AVX-512";
  let description = [{
    LLVM narrows the words of each register alone, and joins the parts: eleven instructions for 64 bytes of AVX-512. Where i32 become i8, and constants before tell that they
    fit (a clamp of integers, or of floats that are rounded; masks and shifts), as signed or as unsigned bytes, `vpackssdw` and `vpacksswb` or `vpackuswb` make a
    register of four, which one shuffle puts in order. They saturate: a clamp to all bytes goes. A sum of what 16 bits hold is added there,
    and one that does not overflow of a short number and any, with saturation.
    Codes of 4 bits, of which two make a byte, are put together as words, and narrowed then.

    For a target with AVX512BW and vectors of 512 bits, after whatever else makes integers, before `qdq-codegen-fuse-roundings`. Other truncations stay.

    ```mlir
    func.func @f(%words: vector<64xi32>) -> vector<64xi8> {
      %low = arith.constant dense<-128> : vector<64xi32>
      %high = arith.constant dense<127> : vector<64xi32>
      %0 = arith.maxsi %words, %low : vector<64xi32>
      %1 = arith.minsi %0, %high : vector<64xi32>
      %bytes = arith.trunci %1 : vector<64xi32> to vector<64xi8>
      return %bytes : vector<64xi8>
    }
    ```
    becomes
    ```mlir
    func.func @f(%words: vector<64xi32>) -> vector<64xi8> {
      ...
      %0 = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"(%a, %b) : (vector<16xi32>, vector<16xi32>) -> vector<32xi16>
      ...
      %1 = llvm.call_intrinsic "llvm.x86.avx512.packssdw.512"(%c, %d) : (vector<16xi32>, vector<16xi32>) -> vector<32xi16>
      %2 = llvm.call_intrinsic "llvm.x86.avx512.packsswb.512"(%0, %1) : (vector<32xi16>, vector<32xi16>) -> vector<64xi8>
      %bytes = vector.shuffle %2, %2 [0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49, 50, 51, 4, 5, 6, 7, 20, 21, 22, 23, 36, 37, 38, 39, 52, 53, 54, 55, 8, 9, 10, 11, 24, 25, 26, 27, 40, 41, 42, 43, 56, 57, 58, 59, 12, 13, 14, 15, 28, 29, 30, 31, 44, 45, 46, 47, 60, 61, 62, 63] : vector<64xi8>, vector<64xi8>
      return %bytes : vector<64xi8>
    }
    ```
  }];
  let dependentDialects = ["LLVM::LLVMDialect", "vector::VectorDialect"];
}

def LookupTablesPass : QDQ_Pass<"qdq-codegen-lookup-tables"> {
  let summary = "lookup tables as permutations of AVX-512";
  let description = [{
    A vector of elements of a table, which another vector's elements choose, becomes `vpermd` or `vpermw` by its intrinsic, or `vpshufb` for a constant table of 16 bytes. LLVM finds these
    instructions too, but keeps a mask of the indices before them, which they do not need.

    What is computed of five bits of a lane alone, and ends in a choice or a minimum, as the decoding of a float of 6 bits does, becomes a lookup in two registers (`vpermi2d`): the ops are
    folded for each of the 32 codes, so that the table cannot differ from them.

    ```mlir
    func.func @f(%codes: vector<16xi32>) -> vector<16xi32> {
      %fields = arith.constant dense<31> : vector<16xi32>
      %seven = arith.constant dense<7> : vector<16xi32>
      %0 = arith.andi %codes, %fields : vector<16xi32>
      %1 = arith.muli %0, %seven : vector<16xi32>
      %2 = arith.xori %1, %seven : vector<16xi32>
      %3 = arith.cmpi ult, %2, %0 : vector<16xi32>
      %4 = arith.select %3, %2, %0 : vector<16xi1>, vector<16xi32>
      return %4 : vector<16xi32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%codes: vector<16xi32>) -> vector<16xi32> {
      ...
      %low = arith.constant dense<[0, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi32>
      %high = arith.constant dense<[16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : vector<16xi32>
      ...
      %0 = vector.extract_strided_slice %codes {offsets = [0], sizes = [16], strides = [1]} : vector<16xi32> to vector<16xi32>
      %1 = llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.d.512"(%low, %0, %high) : (vector<16xi32>, vector<16xi32>, vector<16xi32>) -> vector<16xi32>
      ...
    }
    ```

    For a target with AVX512BW and vectors of 512 bits, after `qdq-expand-floats` and `qdq-codegen-expand-arith`. Other lookups stay.
  }];
  let dependentDialects = ["LLVM::LLVMDialect", "vector::VectorDialect"];
}

def MultishiftsPass : QDQ_Pass<"qdq-codegen-multishifts"> {
  let summary = "codes that cross bytes by multishifts of AVX-512";
  let description = [{
    A vector of 16, 32 or 64 bytes that are fields of the bits of another vector of bytes, as codes of 3, 5, 6 or 7 bits that are unpacked, becomes a permutation of bytes to words of 64 bits, and
    one `vpmultishiftqb`, which shifts a word for each of its bytes. The fields are found by following each bit through shifts, masks, shuffles and casts, so that it does not matter by which of them
    codes are unpacked.

    ```mlir
    func.func @f(%bytes: vector<12xi8>) -> vector<16xi8> {
      %zeros = arith.constant dense<0> : vector<12xi8>
      %by2 = arith.constant dense<2> : vector<4xi32>
      %by4 = arith.constant dense<4> : vector<4xi32>
      %by6 = arith.constant dense<6> : vector<4xi32>
      %second = arith.constant dense<0x3f00> : vector<4xi32>
      %third = arith.constant dense<0x3f0000> : vector<4xi32>
      %fourth = arith.constant dense<0x3f000000> : vector<4xi32>
      %first = arith.constant dense<0x3f> : vector<4xi32>
      %mask = arith.constant dense<63> : vector<16xi8>
      %parts = vector.shuffle %bytes, %zeros [0, 1, 2, 12, 3, 4, 5, 12, 6, 7, 8, 12, 9, 10, 11, 12] : vector<12xi8>, vector<12xi8>
      %words = vector.bitcast %parts : vector<16xi8> to vector<4xi32>
      %0 = arith.andi %words, %first : vector<4xi32>
      %1 = arith.shli %words, %by2 : vector<4xi32>
      %2 = arith.andi %1, %second : vector<4xi32>
      %3 = arith.shli %words, %by4 : vector<4xi32>
      %4 = arith.andi %3, %third : vector<4xi32>
      %5 = arith.shli %words, %by6 : vector<4xi32>
      %6 = arith.andi %5, %fourth : vector<4xi32>
      %7 = arith.ori %0, %2 : vector<4xi32>
      %8 = arith.ori %7, %4 : vector<4xi32>
      %9 = arith.ori %8, %6 : vector<4xi32>
      %codes = vector.bitcast %9 : vector<4xi32> to vector<16xi8>
      %r = arith.andi %codes, %mask : vector<16xi8>
      return %r : vector<16xi8>
    }
    ```
    becomes
    ```mlir
    func.func @f(%bytes: vector<12xi8>) -> vector<16xi8> {
      ...
      %words = vector.shuffle %bytes, %bytes [0, 1, 2, 3, 4, 5, 6, 7, 6, 7, 8, 9, 10, 11, 11, 11] : vector<12xi8>, vector<12xi8>
      %shifts = arith.constant dense<[0, 6, 12, 18, 24, 30, 36, 42, 0, 6, 12, 18, 24, 30, 36, 42]> : vector<16xi8>
      %cut = llvm.call_intrinsic "llvm.x86.avx512.pmultishift.qb.128"(%shifts, %words) : (vector<16xi8>, vector<16xi8>) -> vector<16xi8>
      %mask = arith.constant dense<63> : vector<16xi8>
      %r = arith.andi %cut, %mask : vector<16xi8>
      return %r : vector<16xi8>
    }
    ```

    For a target with AVX512VBMI and AVX512VL.
  }];
  let dependentDialects = ["LLVM::LLVMDialect", "vector::VectorDialect"];
}

def MathToIntrinsicsPass : QDQ_Pass<"qdq-math-to-intrinsics"> {
  let summary = "math rounding ops as LLVM's intrinsics, for GPUs";
  let description = [{
    `math.roundeven`, `round`, `floor`, `ceil`, `trunc`, `absf`, `copysign` and `fma`, on scalars and vectors of LLVM's types, become `llvm.call_intrinsic`.
    A GPU has instructions for these; but upstream's `convert-gpu-to-nvvm` and `convert-gpu-to-rocdl` call a library of the vendor
    for each math op, and refuse what `convert-math-to-llvm` makes of it. Run the pass before them, on the module or in
    `gpu.module(...)`, once the loops are there: such a call has effects for all that MLIR knows, so that nothing fuses any more.

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
    `arith.extf` and `arith.truncf` from and to floats of fewer than 16 bits, on scalars and vectors of fixed size, become instructions of `target` where these
    have the same result for every input. All others stay: `qdq-expand-floats` comes next. [Targets.md](Targets.md) has the table, and the reason for each row.

    On NVIDIA's targets that is `nvvm.convert.*`, on CPUs an intrinsic of LLVM. The clamp of `float_overflow = saturate` before a cast disappears into
    an instruction that saturates. AMD's targets get `arith` ops of which `convert-arith-to-amdgpu` makes instructions, and no other: on gfx950 `arith.scaling_extf` and
    `arith.scaling_truncf` with an f8E8M0FNU scale that is a scalar or visibly broadcast. `qdq-expand-floats` comes after that pass there.

    A cast that is not native leaves a remark with the reason: `--remarks-filter=qdq-native-casts`, with `--remark-format=emitRemark`. What has no use
    afterwards is removed.

    ```mlir
    func.func @f(%q: vector<2xf8E4M3FN>) -> vector<2xf16> {
      %x = arith.extf %q : vector<2xf8E4M3FN> to vector<2xf16>
      return %x : vector<2xf16>
    }
    ```
    becomes, with `target=sm_89` and `--canonicalize`,
    ```mlir
    func.func @f(%q: vector<2xf8E4M3FN>) -> vector<2xf16> {
      %0 = arith.bitcast %q : vector<2xf8E4M3FN> to vector<2xi8>
      %x = nvvm.convert.f8x2.to.f16x2 %0 : vector<2xi8> (f8E4M3FN) -> vector<2xf16>
      return %x : vector<2xf16>
    }
    ```
  }];
  let options = [
    QDQ_NativeTargetOption<"target", "target">
  ];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect", "NVVM::NVVMDialect", "memref::MemRefDialect", "tensor::TensorDialect",
                           "vector::VectorDialect"];
}

#endif // QDQ_CODEGEN_PASSES_TD
