// RUN: quant-opt %s --allow-unregistered-dialect --qdq-codegen-lay-out-contractions="byte-dots=x86-pairs" | FileCheck %s

// A factor that stands behind its sum is erased where its transposition takes its place.
// CHECK: %[[W:.*]] = arith.constant dense<{{.*}}> : tensor<3x4xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[W]] : tensor<6x3xf32>, tensor<3x4xf32>)
// CHECK-NOT: tensor<4x3xf32>
"test.graph"() ({
  %x, %init = "test.x"() : () -> (tensor<6x3xf32>, tensor<6x4xf32>)
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<6x3xf32>, tensor<4x3xf32>) outs(%init : tensor<6x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x4xf32>
  %w = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.0, 2.0, 3.0]]> : tensor<4x3xf32>
  "test.use"(%r) : (tensor<6x4xf32>) -> ()
}) : () -> ()
