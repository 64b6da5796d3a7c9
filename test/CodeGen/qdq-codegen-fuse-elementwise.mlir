// RUN: quant-opt %s --convert-qdq-to-linalg --convert-elementwise-to-linalg --resolve-ranked-shaped-type-result-dims --qdq-codegen-fuse-elementwise | FileCheck %s

// Dequantize, the user's ops and quantize are one loop; rounding stays between. No output starts from an input.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.*]]: tensor<?xi8>
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?xi8>
// CHECK: linalg.generic {{.*}} ins(%[[X]]{{.*}} outs(%[[E]] : tensor<?xi8>)
// CHECK: arith.mulf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: math.roundeven
// CHECK: } -> tensor<?xi8>
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @chain(%q: tensor<?xi8>, %s: tensor<f32>) -> tensor<?xi8> {
  %x = qdq.dequantize %q scale %s : (tensor<?xi8>, tensor<f32>) -> tensor<?xf32>
  %e = math.exp %x : tensor<?xf32>
  %a = arith.addf %e, %x : tensor<?xf32>
  %r = qdq.quantize %a scale %s : (tensor<?xf32>, tensor<f32>) -> tensor<?xi8>
  return %r : tensor<?xi8>
}

// A result that others read as well is not computed twice.
// CHECK-LABEL: func.func @shared(
// CHECK-COUNT-2: linalg.generic
func.func @shared(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = math.exp %x : tensor<4xf32>
  %b = math.absf %a : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Nor what a broadcast or a product would read many times.
// CHECK-LABEL: func.func @broadcast(
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK: linalg.yield
// CHECK-LABEL: func.func @product(
// CHECK: math.exp
// CHECK: linalg.yield
// CHECK: linalg.generic
// CHECK: arith.mulf
#rows = affine_map<(i, j) -> (i)>
#both = affine_map<(i, j) -> (i, j)>
func.func @broadcast(%x: tensor<4xf32>, %o: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = math.exp %x : tensor<4xf32>
  %b = linalg.generic {indexing_maps = [#rows, #both], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4xf32>) outs(%o : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @product(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = math.exp %x : tensor<4x4xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%l: f32, %r: f32, %acc: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %p : tensor<4x4xf32>
}

// -----

// Units behind a row, where a mean keeps its place, go with the op.
// CHECK-LABEL: func.func @units
// CHECK-SAME: %[[SUMS:.*]]: tensor<64xf32>
// CHECK-NOT: tensor.expand_shape
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]] : tensor<64xf32>)
// CHECK-NOT: tensor.collapse_shape
// CHECK: return
func.func @units(%sums: tensor<64xf32>) -> tensor<64xf32> {
  %count = arith.constant 512.0 : f32
  %0 = tensor.expand_shape %sums [[0, 1]] output_shape [64, 1] : tensor<64xf32> into tensor<64x1xf32>
  %1 = tensor.empty() : tensor<64x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<64x1xf32>) outs(%1 : tensor<64x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %4 = arith.divf %in, %count : f32
    linalg.yield %4 : f32
  } -> tensor<64x1xf32>
  %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<64x1xf32> into tensor<64xf32>
  return %3 : tensor<64xf32>
}
