// The divisor of an offset is that of a chain of `a + a`, of which each op is read once.
// RUN: %chains %s | timeout 60 quant-opt --qdq-motion | FileCheck %s

// CHECK-LABEL: func.func @offset_of_sums(
// CHECK-SAME: %[[P:.*]]: tensor<256xi8>, %[[S:.*]]: tensor<8xf32>
// CHECK-COUNT-45: arith.addi
// CHECK: tensor.extract_slice %[[P]]
// CHECK: tensor.extract_slice %[[S]]
// CHECK: qdq.dequantize
func.func @offset_of_sums(%p: tensor<256xi8>, %s: tensor<8xf32>, %i: index) -> tensor<32xf32> {
  %c32 = arith.constant 32 : index
  %a0 = arith.muli %i, %c32 : index
  // CHAIN 45
  %a#1 = arith.addi %a#0, %a#0 : index
  // END
  %x = qdq.dequantize %p scale %s block_shape [32] : (tensor<256xi8>, tensor<8xf32>) -> tensor<256xf32>
  %r = tensor.extract_slice %x[%a45] [32] [1] : tensor<256xf32> to tensor<32xf32>
  return %r : tensor<32xf32>
}

// Beyond 2^64 nothing is known of a product.
// CHECK-LABEL: func.func @offset_of_products(
// CHECK: qdq.dequantize
// CHECK: tensor.extract_slice
func.func @offset_of_products(%p: tensor<256xi8>, %s: tensor<86xf32>, %i: index) -> tensor<32xf32> {
  %c3 = arith.constant 3 : index
  %a0 = arith.muli %i, %c3 : index
  // CHAIN 45
  %a#1 = arith.muli %a#0, %a#0 : index
  // END
  %x = qdq.dequantize %p scale %s block_shape [3] : (tensor<256xi8>, tensor<86xf32>) -> tensor<256xf32>
  %r = tensor.extract_slice %x[%a45] [32] [1] : tensor<256xf32> to tensor<32xf32>
  return %r : tensor<32xf32>
}
