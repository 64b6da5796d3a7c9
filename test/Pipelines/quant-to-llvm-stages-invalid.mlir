// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each stage refuses IR that an earlier stage should have replaced.
// RUN: split-file %s %t
// RUN: quant-opt %t/sources.mlir --quant-to-llvm --split-input-file --verify-diagnostics
// RUN: quant-opt %t/qdq.mlir --quant-to-llvm=start-at=qdq --verify-diagnostics
// RUN: quant-opt %t/linalg.mlir --quant-to-llvm=start-at=linalg --verify-diagnostics
// RUN: quant-opt %t/fused.mlir --quant-to-llvm=start-at=fused --split-input-file --verify-diagnostics
// RUN: quant-opt %t/boundary.mlir --quant-to-llvm=start-at=boundary --split-input-file --verify-diagnostics
// RUN: quant-opt %t/planned.mlir --quant-to-llvm=start-at=planned --verify-diagnostics
// RUN: quant-opt %t/vectors.mlir --quant-to-llvm=start-at=vectors --verify-diagnostics
// RUN: quant-opt %t/buffers.mlir --quant-to-llvm=start-at=buffers --verify-diagnostics
// RUN: quant-opt %t/memory.mlir --quant-to-llvm=start-at=memory --split-input-file --verify-diagnostics
// RUN: quant-opt %t/target.mlir --quant-to-llvm=start-at=target --split-input-file --verify-diagnostics
// RUN: quant-opt %t/llvm.mlir --quant-to-llvm=start-at=llvm --split-input-file --verify-diagnostics

//--- sources.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{not lowered: 1 onnx.Unique}}
  %0 = "onnx.Unique"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @shifted(%x: tensor<4xf32>, %init: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error@+1 {{'linalg.generic' op reaches the stage 'sources' of quant-to-llvm: a body reads the initial value of a result unless all elements are written}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i + 2)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%init : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

func.func @diagonal(%x: tensor<4xf32>, %init: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{a body reads the initial value of a result unless all elements are written}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%init : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @open(%x: tensor<?xf32>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error@+1 {{an index of a result is a loop where its size is open}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%init : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @outer(%x: f32) -> f32 {
  return %x : f32
}
// expected-error@+1 {{'builtin.module' op reaches the stage 'sources' of quant-to-llvm: functions of a module within the module are not lowered: move them to the outer one}}
module @inner {
  func.func @f(%x: tensor<?xf32>, %s: f32) -> tensor<?xi8> {
    %q = qdq.quantize %x scale %s : (tensor<?xf32>, f32) -> tensor<?xi8>
    return %q : tensor<?xi8>
  }
}

// -----

func.func @rows(%x: vector<4294967296x4294967296xf32>, %s: vector<4294967296xf32>) -> vector<4294967296x4294967296xi8> {
  // expected-error@+1 {{'qdq.quantize' op reaches the stage 'sources' of quant-to-llvm: vectors have at most 4096 rows, each of which becomes ops of its own, of at most 2^20 elements: write a loop}}
  %q = qdq.quantize %x scale %s axis 0 : (vector<4294967296x4294967296xf32>, vector<4294967296xf32>) -> vector<4294967296x4294967296xi8>
  return %q : vector<4294967296x4294967296xi8>
}

// -----

func.func @columns(%x: vector<2147483647xf32>, %s: f32) -> vector<2147483647xf8E4M3FN> {
  // expected-error@+1 {{'qdq.quantize' op reaches the stage 'sources' of quant-to-llvm: vectors have at most 4096 rows, each of which becomes ops of its own, of at most 2^20 elements: write a loop}}
  %q = qdq.quantize %x scale %s : (vector<2147483647xf32>, f32) -> vector<2147483647xf8E4M3FN>
  return %q : vector<2147483647xf8E4M3FN>
}

// -----

func.func @beyond_the_rank(%x: memref<?xf32>) -> index {
  %c = arith.constant 2147483647 : index
  // expected-error@+1 {{'memref.dim' op reaches the stage 'sources' of quant-to-llvm: a dimension lies beyond the rank, where upstream reads memory that is not a size}}
  %n = memref.dim %x, %c : memref<?xf32>
  return %n : index
}

//--- qdq.mlir
func.func @f(%x: f32) -> !quant.uniform<i8:f32, 0.5> {
  // expected-error@+1 {{'quant.qcast' op reaches the stage 'qdq' of quant-to-llvm: ops of quant are qdq ops there}}
  %0 = quant.qcast %x : f32 to !quant.uniform<i8:f32, 0.5>
  return %0 : !quant.uniform<i8:f32, 0.5>
}

//--- linalg.mlir
func.func private @g(%x: tensor<4xi4>) -> tensor<4xi4> {
  return %x : tensor<4xi4>
}
// expected-error@+1 {{'func.func' op reaches the stage 'linalg' of quant-to-llvm: public functions have packed bytes there}}
func.func @f(%x: tensor<4xi4>) {
  return
}

//--- fused.mlir
func.func @f(%x: tensor<4xf32>, %s: f32) -> tensor<4xi8> {
  // expected-error@+1 {{'qdq.quantize' op reaches the stage 'fused' of quant-to-llvm: qdq ops are linalg ops there, but for those of elements}}
  %0 = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{not lowered: 1 onnx.Relu}}
  %0 = "onnx.Relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- boundary.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'arith.negf' op reaches the stage 'boundary' of quant-to-llvm: elementwise ops on tensors are linalg ops there}}
  %0 = arith.negf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xindex> {
  // expected-error@+1 {{'shape.shape_of' op reaches the stage 'boundary' of quant-to-llvm: shapes are values of arith there}}
  %0 = shape.shape_of %x : tensor<?xf32> -> tensor<?xindex>
  return %0 : tensor<?xindex>
}

//--- planned.mlir
// expected-error@+1 {{'func.func' op reaches the stage 'planned' of quant-to-llvm: tensors that callers pass have bufferization.writable there}}
func.func @f(%x: tensor<4xf32>) {
  return
}

//--- vectors.mlir
func.func @f(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>, %z: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{'linalg.matmul' op reaches the stage 'vectors' of quant-to-llvm: reductions are linalg.generic ops there}}
  %0 = linalg.matmul ins(%x, %y : tensor<4x8xf32>, tensor<8x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

//--- buffers.mlir
func.func @f(%x: vector<4xf32>, %s: vector<4xf32>) -> vector<4xi8> {
  // expected-error@+1 {{'qdq.encode' op reaches the stage 'buffers' of quant-to-llvm: qdq ops are arithmetic there}}
  %0 = qdq.encode %x scale %s as i8 semantics <rounding = nearest-even, order = add-then-round, division = exact, compute = f32, subtract = float, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate> : (vector<4xf32>, vector<4xf32>) -> vector<4xi8>
  return %0 : vector<4xi8>
}

//--- memory.mlir
func.func @f(%x: tensor<4xf32>, %i: index) -> f32 {
  // expected-error@+1 {{'tensor.extract' op reaches the stage 'memory' of quant-to-llvm: tensors are memrefs there}}
  %0 = tensor.extract %x[%i] : tensor<4xf32>
  return %0 : f32
}

// -----

// Whole bytes, and one element.
func.func @clean(%m: memref<16xf8E5M2>, %n: memref<16xi4>, %i: index, %v: vector<16xf8E5M2>) -> vector<1xi4> {
  vector.store %v, %m[%i] : memref<16xf8E5M2>, vector<16xf8E5M2>
  %w = vector.load %n[%i] : memref<16xi4>, vector<1xi4>
  return %w : vector<1xi4>
}

// -----

func.func @transfer_write_f4(%m: memref<16xf4E2M1FN>, %i: index, %v: vector<16xf4E2M1FN>) {
  // expected-error@+1 {{'vector.transfer_write' op reaches the stage 'memory' of quant-to-llvm: LLVM packs the elements of its vector in registers, not in memory. Move i8, and truncate or extend the vector}}
  vector.transfer_write %v, %m[%i] : vector<16xf4E2M1FN>, memref<16xf4E2M1FN>
  return
}

// -----

func.func @load_i3(%m: memref<?xi3>, %i: index) -> vector<[4]xi3> {
  // expected-error@+1 {{'vector.load' op reaches the stage 'memory' of quant-to-llvm: LLVM packs the elements of its vector}}
  %v = vector.load %m[%i] : memref<?xi3>, vector<[4]xi3>
  return %v : vector<[4]xi3>
}

//--- target.mlir
func.func @f(%x: memref<4xf32>, %v: f32) {
  // expected-error@+1 {{'linalg.fill' op reaches the stage 'target' of quant-to-llvm: linalg ops are loops there}}
  linalg.fill ins(%v : f32) outs(%x : memref<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %s: f32) -> tensor<4xi8> {
  // expected-error@+1 {{'qdq.quantize' op reaches the stage 'target' of quant-to-llvm: tensors are memrefs there}}
  %q = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
  return %q : tensor<4xi8>
}

//--- llvm.mlir
func.func @f(%c: i1, %x: f32, %y: f32) -> f32 {
  // expected-error@+1 {{'scf.if' op reaches the stage 'llvm' of quant-to-llvm: loops are branches there}}
  %0 = scf.if %c -> f32 {
    scf.yield %x : f32
  } else {
    scf.yield %y : f32
  }
  return %0 : f32
}

// -----

func.func @f(%x: tensor<4xf32>, %s: f32) -> tensor<4xi8> {
  // expected-error@+1 {{'qdq.quantize' op reaches the stage 'llvm' of quant-to-llvm: tensors are memrefs there}}
  %q = qdq.quantize %x scale %s : (tensor<4xf32>, f32) -> tensor<4xi8>
  return %q : tensor<4xi8>
}
