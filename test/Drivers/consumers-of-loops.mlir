// RUN: quant-opt %s --convert-qdq-to-linalg | qdq-consumers - | FileCheck %s
// RUN: not qdq-consumers %s 2>&1 | FileCheck %s --check-prefix=QDQ

// Upstream's consumer fusion takes the linalg form into a loop; the op itself has no destination (docs/Rationale.md).

// CHECK-LABEL: func @quantize_after_loop
func.func @quantize_after_loop(%x: tensor<64x8xf32>, %s: tensor<8xf32>) -> tensor<64x8xi8> {
  // CHECK: scf.for {{.*}} -> (tensor<64x8xf32>, tensor<64x8xi8>)
  // CHECK: linalg.exp
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<16x8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<16x8xi8>)
  // CHECK: scf.yield
  // QDQ: error: is not fused into the loop that makes its operand
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %e = tensor.empty() : tensor<64x8xf32>
  %y = scf.for %i = %c0 to %c64 step %c16 iter_args(%all = %e) -> (tensor<64x8xf32>) {
    %part = tensor.extract_slice %x[%i, 0] [16, 8] [1, 1] : tensor<64x8xf32> to tensor<16x8xf32>
    %to = tensor.extract_slice %all[%i, 0] [16, 8] [1, 1] : tensor<64x8xf32> to tensor<16x8xf32>
    %exp = linalg.exp ins(%part : tensor<16x8xf32>) outs(%to : tensor<16x8xf32>) -> tensor<16x8xf32>
    %next = tensor.insert_slice %exp into %all[%i, 0] [16, 8] [1, 1] : tensor<16x8xf32> into tensor<64x8xf32>
    scf.yield %next : tensor<64x8xf32>
  }
  %q = qdq.quantize %y scale %s axis 1 semantics <rounding = nearest-even> : (tensor<64x8xf32>, tensor<8xf32>) -> tensor<64x8xi8>
  return %q : tensor<64x8xi8>
}
