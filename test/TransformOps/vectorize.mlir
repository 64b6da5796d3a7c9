// RUN: quant-opt %s --transform-interpreter --split-input-file | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func @quantize
  func.func @quantize(%x: tensor<4x64xf32>, %s: f32) -> tensor<4x64xi8> {
    // CHECK: arith.divf {{.*}} vector<8xf32>
    // CHECK: vector.transfer_write {{.*}} vector<8xi8>
    // CHECK-NOT: linalg.generic
    %q = qdq.quantize %x scale %s : (tensor<4x64xf32>, f32) -> tensor<4x64xi8>
    return %q : tensor<4x64xi8>
  }
  // Packed codes: slots and bytes become lanes together.
  // CHECK-LABEL: func @unpack
  func.func @unpack(%w: tensor<8x16xui8>, %s: tensor<8x1xf32>) -> tensor<8x32xf32> {
    // CHECK: vector.interleave
    // CHECK-NOT: linalg.generic
    %q = qdq.unpack %w packing <onnx, axis = 1> : (tensor<8x16xui8>) -> tensor<8x32xi4>
    %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<8x32xi4>, tensor<8x1xf32>) -> tensor<8x32xf32>
    return %x : tensor<8x32xf32>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.qdq.convert_qdq_to_linalg {element_ops}
      transform.apply_patterns.qdq.fuse
    } : !transform.any_op
    transform.qdq.vectorize %functions {vector_bits = 256} : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.qdq.convert_qdq_to_arith
    } : !transform.any_op
    // The handle still names the functions.
    transform.annotate %functions "test.done" : !transform.any_op
    transform.yield
  }
}
