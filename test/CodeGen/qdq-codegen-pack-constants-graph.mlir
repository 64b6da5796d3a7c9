// RUN: quant-opt %s --allow-unregistered-dialect --qdq-codegen-pack-constants | FileCheck %s

// The body of a module is a graph region: ops stand before their operands.
// CHECK: linalg.matmul ins(%{{.*}}, %[[D:[0-9]+]] :
// CHECK: %[[D]] = qdq.dequantize {{.*}} -> tensor<4x2xf32>
// CHECK: unpacked: "0x080000000105020603070408"
%x = "test.x"() : () -> tensor<1x4xf32>
%init = "test.y"() : () -> tensor<1x2xf32>
%r = linalg.matmul ins(%x, %t : tensor<1x4xf32>, tensor<4x2xf32>) outs(%init : tensor<1x2xf32>) -> tensor<1x2xf32>
%e = tensor.empty() : tensor<4x2xf32>
%t = linalg.transpose ins(%d : tensor<2x4xf32>) outs(%e : tensor<4x2xf32>) permutation = [1, 0]
%d = qdq.dequantize %c scale %scale : (tensor<2x4xi8>, tensor<f32>) -> tensor<2x4xf32>
%c = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8>
%scale = arith.constant dense<1.0> : tensor<f32>
"test.use"(%r) : (tensor<1x2xf32>) -> ()
