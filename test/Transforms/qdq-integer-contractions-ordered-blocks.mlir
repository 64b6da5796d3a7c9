// RUN: quant-opt %s --qdq-integer-contractions | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: quant-opt %s --qdq-integer-contractions=blocks=ordered 2>&1 | FileCheck %s --check-prefixes=CHECK,ORDERED
// RUN: quant-opt %s --qdq-integer-contractions=blocks=none 2>&1 | FileCheck %s --check-prefixes=CHECK,NONE

#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (n, k)>
#sum = affine_map<(m, n, k) -> (m, n)>

// ORDERED: remark: {{.*}}its operands have blocks, which are to stay (blocks=ordered)
// NONE: remark: {{.*}}its operands have blocks, which are to stay (blocks=none)

// CHECK-LABEL: func @any_order
// ALL: linalg.generic {{.*}} ins({{.*}} : tensor<2x32xi8>, tensor<4x32xi8>) outs({{.*}} : tensor<2x4xi32>)
// ORDERED: qdq.dequantize
// ORDERED: linalg.generic {{.*}} ins({{.*}} : tensor<2x64xf32>, tensor<4x64xf32>)
// NONE: linalg.generic {{.*}} ins({{.*}} : tensor<2x64xf32>, tensor<4x64xf32>)
func.func @any_order(%x: tensor<2x64xi8>, %s: tensor<2x2xf32>, %w: tensor<4x64xi8>, %t: tensor<4x2xf32>, %init: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %a = qdq.dequantize %x scale %s block_shape [1, 32] : (tensor<2x64xi8>, tensor<2x2xf32>) -> tensor<2x64xf32>
  %b = qdq.dequantize %w scale %t block_shape [1, 32] : (tensor<4x64xi8>, tensor<4x2xf32>) -> tensor<4x64xf32>
  %y = linalg.generic {indexing_maps = [#row, #column, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x64xf32>, tensor<4x64xf32>) outs(%init : tensor<2x4xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %p = arith.mulf %l, %r fastmath<reassoc,contract> : f32
    %sum = arith.addf %out, %p fastmath<reassoc,contract> : f32
    linalg.yield %sum : f32
  } -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func @written_order
// ALL: linalg.generic {{.*}} ins({{.*}} : tensor<2x32xi8>, tensor<4x32xi8>)
// ORDERED: linalg.generic {{.*}} ins({{.*}} : tensor<2x32xi8>, tensor<4x32xi8>)
// NONE: linalg.generic {{.*}} ins({{.*}} : tensor<2x64xf32>, tensor<4x64xf32>)
func.func @written_order(%x: tensor<2x64xi8>, %s: tensor<2x2xf32>, %w: tensor<4x64xi8>, %t: tensor<4x2xf32>, %init: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %a = qdq.dequantize %x scale %s block_shape [1, 32] : (tensor<2x64xi8>, tensor<2x2xf32>) -> tensor<2x64xf32>
  %b = qdq.dequantize %w scale %t block_shape [1, 32] : (tensor<4x64xi8>, tensor<4x2xf32>) -> tensor<4x64xf32>
  %y = linalg.generic {indexing_maps = [#row, #column, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x64xf32>, tensor<4x64xf32>) outs(%init : tensor<2x4xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %p = arith.mulf %l, %r : f32
    %sum = arith.addf %out, %p : f32
    linalg.yield %sum : f32
  } -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
