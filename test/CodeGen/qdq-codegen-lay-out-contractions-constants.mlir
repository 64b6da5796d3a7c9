// RUN: quant-opt %s --qdq-codegen-lay-out-contractions | FileCheck %s
// RUN: quant-opt %S/Inputs/many-constants.mlir --qdq-codegen-lay-out-contractions --qdq-codegen-vectorize | FileCheck %s --check-prefix=MANY

// Beside more than 1 GiB of constants, others stay.
// MANY: arith.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], {{.*}}> : tensor<5x2xf32>
// MANY: return

// CHECK-DAG: #[[WRITTEN:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[MOVED:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (n, k)>
#result = affine_map<(m, n, k) -> (m, n)>

// A lane for each column.
// CHECK-LABEL: func @linear
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00, 5.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00]]>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[MOVED]], #{{.*}}]{{.*}} ins(%{{.*}}, %[[W]] :
func.func @linear(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x2xf32>, tensor<3x2xf32>) outs(%y : tensor<4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// Four rows and five columns of a constant in any order.
// CHECK-LABEL: func @any_order
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[MOVED]], #{{.*}}]
func.func @any_order(%x: tensor<4x2xf32>, %y: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 10.0]]> : tensor<5x2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x2xf32>, tensor<5x2xf32>) outs(%y : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %p fastmath<reassoc> : f32
    linalg.yield %next : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// Four columns leave most of a vector empty.
// CHECK-LABEL: func @narrow
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[WRITTEN]], #{{.*}}]
func.func @narrow(%x: tensor<4x2xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x2xf32>, tensor<4x2xf32>) outs(%y : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %p fastmath<reassoc> : f32
    linalg.yield %next : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// Neighbors of what two rows read are terms.
// CHECK-LABEL: func @few_rows
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[WRITTEN]], #{{.*}}]
func.func @few_rows(%x: tensor<2x3xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %r = linalg.generic {indexing_maps = [#rows, affine_map<(m, n, k) -> (k, n)>, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x3xf32>, tensor<3x2xf32>) outs(%y : tensor<2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %p fastmath<reassoc> : f32
    linalg.yield %next : f32
  } -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// Scales beside codes keep the layout that products of codes look for.
// CHECK-LABEL: func @scales
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #[[WRITTEN]], #{{.*}}]
func.func @scales(%x: tensor<4x2xf32>, %codes: tensor<5x2xi8>, %y: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %s = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 10.0]]> : tensor<5x2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %codes, %s : tensor<4x2xf32>, tensor<5x2xi8>, tensor<5x2xf32>) outs(%y : tensor<4x5xf32>) {
  ^bb0(%a: f32, %c: i8, %scale: f32, %sum: f32):
    %real = arith.sitofp %c : i8 to f32
    %b = arith.mulf %real, %scale : f32
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %p fastmath<reassoc> : f32
    linalg.yield %next : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// Two rows, whose lanes may be terms; no constant, but few rows; integers.
// CHECK-LABEL: func @others
// CHECK-COUNT-3: linalg.generic {indexing_maps = [#{{.*}}, #[[WRITTEN]], #{{.*}}]
func.func @others(%x: tensor<2x2xf32>, %y: tensor<2x3xf32>, %few: tensor<3x2xf32>, %z: tensor<3x3xf32>, %v: tensor<3x2xf32>, %i: tensor<4x2xi32>, %j: tensor<4x3xi32>)
    -> (tensor<2x3xf32>, tensor<3x3xf32>, tensor<4x3xi32>) {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %codes = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x2xf32>, tensor<3x2xf32>) outs(%y : tensor<2x3xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %p fastmath<reassoc> : f32
    linalg.yield %next : f32
  } -> tensor<2x3xf32>
  %s = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%few, %v : tensor<3x2xf32>, tensor<3x2xf32>) outs(%z : tensor<3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<3x3xf32>
  %t = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%i, %codes : tensor<4x2xi32>, tensor<3x2xi32>) outs(%j : tensor<4x3xi32>) {
  ^bb0(%a: i32, %b: i32, %sum: i32):
    %p = arith.muli %a, %b : i32
    %next = arith.addi %sum, %p : i32
    linalg.yield %next : i32
  } -> tensor<4x3xi32>
  return %r, %s, %t : tensor<2x3xf32>, tensor<3x3xf32>, tensor<4x3xi32>
}

// Five rows, or the iterations of a loop, repay the transposition of an argument.
// CHECK-LABEL: func @arguments
// CHECK: %[[T:.*]] = linalg.transpose ins(%arg1 : tensor<?x?xf32>) {{.*}} permutation = [1, 0]
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[MOVED]], #{{.*}}]{{.*}} ins(%arg0, %[[T]] :
// CHECK: %[[R:.*]] = linalg.transpose ins(%arg3 : tensor<3x3xf32>) {{.*}} permutation = [1, 0]
// CHECK: scf.for
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[MOVED]], #{{.*}}]{{.*}} ins(%{{.*}}, %[[R]] :
func.func @arguments(%x: tensor<5x?xf32>, %w: tensor<?x?xf32>, %y: tensor<5x?xf32>, %r: tensor<3x3xf32>, %h: tensor<1x3xf32>, %n: index) -> (tensor<5x?xf32>, tensor<1x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %product = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x?xf32>, tensor<?x?xf32>) outs(%y : tensor<5x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<5x?xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%state = %h) -> tensor<1x3xf32> {
    %step = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%state, %r : tensor<1x3xf32>, tensor<3x3xf32>) outs(%h : tensor<1x3xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %next = arith.addf %sum, %p : f32
      linalg.yield %next : f32
    } -> tensor<1x3xf32>
    scf.yield %step : tensor<1x3xf32>
  }
  return %product, %last : tensor<5x?xf32>, tensor<1x3xf32>
}

// A reshaped constant is one, too.
// CHECK-LABEL: func @reshaped
// CHECK: arith.constant dense<{{.*}}> : tensor<2x2x3xf32>
// CHECK-NOT: linalg.transpose
func.func @reshaped(%x: tensor<2x2x2xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]> : tensor<3x4xf32>
  %v = tensor.expand_shape %w [[0], [1, 2]] output_shape [3, 2, 2] : tensor<3x4xf32> into tensor<3x2x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (n, k, l)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %v : tensor<2x2x2xf32>, tensor<3x2x2xf32>) outs(%y : tensor<2x3xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// Products of one weight, such as the steps of a recurrent network, share what is laid out.
// CHECK-LABEL: func @shared
// CHECK-COUNT-2: arith.constant dense_resource<transposed> : tensor<2x3xf32>
// CHECK: return
// CHECK-NOT: transposed_1
func.func @shared(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %w = arith.constant dense_resource<weight> : tensor<3x2xf32>
  %first = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x2xf32>, tensor<3x2xf32>) outs(%y : tensor<4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<4x3xf32>
  %second = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<4x2xf32>, tensor<3x2xf32>) outs(%first : tensor<4x3xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<4x3xf32>
  return %first, %second : tensor<4x3xf32>, tensor<4x3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F0000004000004040000080400000A0400000C040"
    }
  }
#-}
