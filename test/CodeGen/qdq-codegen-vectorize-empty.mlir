// RUN: quant-opt %s --qdq-codegen-vectorize | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-vectorize=byte-dots=x86-vnni | FileCheck %s

// Sizes of 0 behind casts, which folding finds after tiling: nothing to add, and nothing to tile.

// CHECK-LABEL: func.func @reassociable(
// CHECK: linalg.generic
func.func @reassociable(%x: tensor<0x64xf32>, %init: tensor<f32>) -> tensor<f32> {
  %c = tensor.cast %x : tensor<0x64xf32> to tensor<?x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%c : tensor<?x64xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %sum: f32):
    %s = arith.addf %sum, %a fastmath<reassoc> : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @lanes(
// CHECK: linalg.generic
func.func @lanes(%x: tensor<0x64xi32>, %init: tensor<64xi32>) -> tensor<64xi32> {
  %c = tensor.cast %x : tensor<0x64xi32> to tensor<?x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<?x64xi32>) outs(%init : tensor<64xi32>) {
  ^bb0(%a: i32, %sum: i32):
    %s = arith.addi %sum, %a : i32
    linalg.yield %s : i32
  } -> tensor<64xi32>
  return %r : tensor<64xi32>
}

#x = affine_map<(i, j, k) -> (i, k)>
#w = affine_map<(i, j, k) -> (k, j)>
#y = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: func.func @no_factors(
// CHECK: linalg.generic
func.func @no_factors(%x: tensor<4x0xi8>, %w: tensor<0x16xi8>, %init: tensor<4x16xi32>) -> tensor<4x16xi32> {
  %a = tensor.cast %x : tensor<4x0xi8> to tensor<4x?xi8>
  %b = tensor.cast %w : tensor<0x16xi8> to tensor<?x16xi8>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x?xi8>, tensor<?x16xi8>) outs(%init : tensor<4x16xi32>) {
  ^bb0(%u: i8, %v: i8, %sum: i32):
    %p = arith.extui %u : i8 to i32
    %q = arith.extsi %v : i8 to i32
    %t = arith.muli %p, %q : i32
    %s = arith.addi %sum, %t : i32
    linalg.yield %s : i32
  } -> tensor<4x16xi32>
  return %r : tensor<4x16xi32>
}

// CHECK-LABEL: func.func @no_columns(
// CHECK: return
func.func @no_columns(%x: tensor<4x16xi8>, %w: tensor<16x0xi8>, %init: tensor<4x0xi32>) -> tensor<4x?xi32> {
  %b = tensor.cast %w : tensor<16x0xi8> to tensor<16x?xi8>
  %c = tensor.cast %init : tensor<4x0xi32> to tensor<4x?xi32>
  %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %b : tensor<4x16xi8>, tensor<16x?xi8>) outs(%c : tensor<4x?xi32>) {
  ^bb0(%u: i8, %v: i8, %sum: i32):
    %p = arith.extui %u : i8 to i32
    %q = arith.extsi %v : i8 to i32
    %t = arith.muli %p, %q : i32
    %s = arith.addi %sum, %t : i32
    linalg.yield %s : i32
  } -> tensor<4x?xi32>
  return %r : tensor<4x?xi32>
}
