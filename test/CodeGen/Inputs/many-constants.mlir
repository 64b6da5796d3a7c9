// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>

func.func @any_order(%x: tensor<4x2xf32>, %y: tensor<4x5xf32>, %i: index) -> (tensor<4x5xf32>, f32) {
  %many = arith.constant dense<1.0> : tensor<268435457xf32>
  %one = tensor.extract %many[%i] : tensor<268435457xf32>
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 10.0]]> : tensor<5x2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x2xf32>, tensor<5x2xf32>) outs(%y : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %p fastmath<reassoc> : f32
    linalg.yield %next : f32
  } -> tensor<4x5xf32>
  return %r, %one : tensor<4x5xf32>, f32
}
