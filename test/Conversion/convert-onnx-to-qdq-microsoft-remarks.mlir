// RUN: quant-opt --convert-onnx-to-qdq --verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: @matmul_n_bits_groups
// CHECK: qdq.unpack {{.*}} -> tensor<6x32xi4>
// CHECK-NOT: qdq.unpack
// CHECK: qdq.dequantize %{{.*}} scale %{{.*}} block_shape [1, 1]
func.func @matmul_n_bits_groups(%a: tensor<2x32xf32>, %b: tensor<6x2x8xui8>, %s: tensor<6x2xf32>, %z: tensor<6x1xui8>, %g: tensor<32xi32>) -> tensor<2x6xf32> {
  // expected-remark @below {{its packed zero points are ignored, as ONNX Runtime does beside g_idx: all are 8; under another profile they are those of the groups}}
  %y = "onnx.Custom"(%a, %b, %s, %z, %g) {domain_name = "com.microsoft", function_name = "MatMulNBits", K = 32 : si64, N = 6 : si64, bits = 4 : si64, block_size = 16 : si64}
    : (tensor<2x32xf32>, tensor<6x2x8xui8>, tensor<6x2xf32>, tensor<6x1xui8>, tensor<32xi32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}
