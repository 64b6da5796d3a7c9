// RUN: quant-opt %s --qdq-declare-sum-order=order=lanes --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-declare-sum-order=order=any --split-input-file | FileCheck %s --check-prefix=ANY
// RUN: quant-opt %s --qdq-declare-sum-order --split-input-file | FileCheck %s --check-prefix=WRITTEN

// CHECK-LABEL: @matmul
// CHECK: linalg.generic
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = math.fma %[[A]], %[[B]], %[[OUT]] {qdq.partial_sums = 32 : i64} : f32
// CHECK-NEXT: linalg.yield %[[S]]
// ANY-LABEL: @matmul
// ANY: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
// ANY-NEXT: arith.addf %{{.*}}, %[[P]] fastmath<reassoc,contract> : f32
// WRITTEN-LABEL: @matmul
// WRITTEN: linalg.matmul
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>, %c: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x3xf32>) outs(%c : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// -----

// A product in f16 keeps its rounding.
// CHECK-LABEL: @matvec_f16
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : f16
// CHECK-NEXT: arith.addf %{{.*}}, %[[P]] {qdq.partial_sums = 32 : i64} : f16
func.func @matvec_f16(%a: tensor<4x8xf16>, %b: tensor<8xf16>, %c: tensor<4xf16>) -> tensor<4xf16> {
  %r = linalg.matvec ins(%a, %b : tensor<4x8xf16>, tensor<8xf16>) outs(%c : tensor<4xf16>) -> tensor<4xf16>
  return %r : tensor<4xf16>
}

// -----

// The terms of other sums round by themselves, also where they are products.
// CHECK-LABEL: @sum
// CHECK: linalg.generic
// CHECK: arith.addf %{{.*}}, %{{.*}} {qdq.partial_sums = 32 : i64} : f32
// ANY-LABEL: @sum
// ANY: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
// WRITTEN-LABEL: @sum
// WRITTEN: linalg.reduce
func.func @sum(%x: tensor<9xf32>, %z: tensor<f32>) -> tensor<f32> {
  %0 = linalg.reduce ins(%x : tensor<9xf32>) outs(%z : tensor<f32>) dimensions = [0]
    (%in: f32, %out: f32) {
      %s = arith.addf %in, %out : f32
      linalg.yield %s : f32
    }
  return %0 : tensor<f32>
}

// -----

// CHECK-LABEL: @squares
// CHECK: %[[P:.*]] = arith.mulf %[[X:.*]], %[[X]] : f32
// CHECK-NEXT: arith.addf %{{.*}}, %[[P]] {qdq.partial_sums = 32 : i64} : f32
// ANY-LABEL: @squares
// ANY: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
// ANY-NEXT: arith.addf %{{.*}}, %[[P]] fastmath<reassoc,contract> : f32
func.func @squares(%x: tensor<4x9xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x9xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Integers are exact; the written order of convolutions stays, that of sums which a runtime forms
// in order, and of what is no sum alone.
// CHECK-LABEL: @others
// CHECK: linalg.matvec
// CHECK: linalg.conv_1d
// CHECK: linalg.reduce
// CHECK: linalg.reduce
// CHECK: linalg.reduce
// CHECK-NOT: qdq.partial_sums
// ANY-LABEL: @others
// ANY: arith.mulf {{.*}} fastmath<contract>
// ANY-NEXT: arith.addf {{.*}} fastmath<contract>
// ANY-NOT: fastmath
func.func @others(%a: tensor<4x8xi8>, %b: tensor<8xi8>, %c: tensor<4xi32>, %x: tensor<9xf32>, %w: tensor<3xf32>, %y: tensor<7xf32>, %z: tensor<f32>, %n: tensor<i32>, %m: tensor<9xi32>)
    -> (tensor<4xi32>, tensor<7xf32>, tensor<f32>, tensor<i32>, tensor<f32>) {
  %0 = linalg.matvec ins(%a, %b : tensor<4x8xi8>, tensor<8xi8>) outs(%c : tensor<4xi32>) -> tensor<4xi32>
  %1 = linalg.conv_1d ins(%x, %w : tensor<9xf32>, tensor<3xf32>) outs(%y : tensor<7xf32>) -> tensor<7xf32>
  %2 = linalg.reduce ins(%x : tensor<9xf32>) outs(%z : tensor<f32>) dimensions = [0]
    (%in: f32, %out: f32) {
      %s = arith.addf %out, %in {qdq.in_order} : f32
      linalg.yield %s : f32
    }
  %3 = linalg.reduce ins(%m : tensor<9xi32>) outs(%n : tensor<i32>) dimensions = [0]
    (%in: i32, %out: i32) {
      %s = arith.addi %out, %in : i32
      linalg.yield %s : i32
    }
  %4 = linalg.reduce ins(%x : tensor<9xf32>) outs(%z : tensor<f32>) dimensions = [0]
    (%in: f32, %out: f32) {
      %t = arith.mulf %out, %in : f32
      %s = arith.addf %out, %t : f32
      linalg.yield %s : f32
    }
  return %0, %1, %2, %3, %4 : tensor<4xi32>, tensor<7xf32>, tensor<f32>, tensor<i32>, tensor<f32>
}

// -----

// Any order may be that of lanes; it stays otherwise.
// CHECK-LABEL: @any_order
// ANY-LABEL: @any_order
// CHECK: math.fma %{{.*}}, %{{.*}}, %{{.*}} {qdq.partial_sums = 32 : i64} : f32
// WRITTEN-LABEL: @any_order
// WRITTEN: arith.addf {{.*}} fastmath<reassoc,contract>
func.func @any_order(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%c : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y fastmath<reassoc,contract> : f32
    %s = arith.addf %out, %p fastmath<reassoc,contract> : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// CHECK-LABEL: @any_order_f16
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : f16
// CHECK-NEXT: arith.addf %{{.*}}, %[[P]] {qdq.partial_sums = 32 : i64} : f16
func.func @any_order_f16(%a: tensor<8xf16>, %b: tensor<8xf16>, %c: tensor<f16>) -> tensor<f16> {
  %r = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%a, %b : tensor<8xf16>, tensor<8xf16>) outs(%c : tensor<f16>) {
  ^bb0(%x: f16, %y: f16, %out: f16):
    %p = arith.mulf %x, %y fastmath<reassoc,contract> : f16
    %s = arith.addf %out, %p fastmath<reassoc,contract> : f16
    linalg.yield %s : f16
  } -> tensor<f16>
  return %r : tensor<f16>
}
