// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-tabulate-codes --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>
#column = affine_map<(i, j) -> (j)>

// The requantized sum is a byte of its own; what follows is a table, whose shared operands stay operands.
// CHECK-LABEL: func.func @epilogue(
// CHECK-SAME: %[[SUMS:[^:]*]]: tensor<16x64xi32>, %[[BIAS:[^:]*]]: tensor<64xi32>, %[[THREE:[^:]*]]: tensor<f32>
// CHECK: %[[TABLE:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[THREE]] : tensor<256xi8>, tensor<f32>)
// CHECK: arith.addf
// CHECK: math.tanh
// CHECK: %[[CODES:.*]] = linalg.generic {{.*}} ins(%[[SUMS]], %[[BIAS]], %[[THREE]] :
// CHECK: %[[CODE:.*]] = arith.trunci
// CHECK: linalg.yield %[[CODE]] : i8
// CHECK: linalg.generic {{.*}} ins(%[[CODES]] : tensor<16x64xi8>)
// CHECK: %[[I:.*]] = arith.index_castui
// CHECK: tensor.extract %[[TABLE]][%[[I]]]
func.func @epilogue(%sums: tensor<16x64xi32>, %bias: tensor<64xi32>, %three: tensor<f32>) -> tensor<16x64xi8> {
  %e = tensor.empty() : tensor<16x64xi8>
  %r = linalg.generic {indexing_maps = [#id, #column, #none, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sums, %bias, %three : tensor<16x64xi32>, tensor<64xi32>, tensor<f32>) outs(%e : tensor<16x64xi8>) {
  ^bb0(%sum: i32, %b: i32, %t: f32, %out: i8):
    %biased = arith.addi %sum, %b : i32
    %code = arith.trunci %biased : i32 to i8
    %real = arith.sitofp %code : i8 to f32
    %shifted = arith.addf %real, %t : f32
    %y = math.tanh %shifted : f32
    %next = arith.fptosi %y : f32 to i8
    linalg.yield %next : i8
  } -> tensor<16x64xi8>
  return %r : tensor<16x64xi8>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A tensor of one element is shared, whatever dimension it has; results may be reals.
// CHECK-LABEL: func.func @one(
// CHECK: %[[TABLE:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %arg1 : tensor<256xi8>, tensor<1xf32>) outs(%{{.*}} : tensor<256xf32>)
// CHECK: math.tanh
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<1x4096xi8>)
// CHECK: tensor.extract %[[TABLE]]
func.func @one(%x: tensor<1x4096xi8>, %s: tensor<1xf32>) -> tensor<1x4096xf32> {
  %e = tensor.empty() : tensor<1x4096xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<1x4096xi8>, tensor<1xf32>) outs(%e : tensor<1x4096xf32>) {
  ^bb0(%p: i8, %q: f32, %out: f32):
    %t = arith.sitofp %p : i8 to f32
    %u = arith.mulf %t, %q : f32
    %h = math.tanh %u : f32
    linalg.yield %h : f32
  } -> tensor<1x4096xf32>
  return %r : tensor<1x4096xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// No tables: two bytes, a quotient that traps for a code that nobody may have, few elements, and one quantize alone.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: tensor.extract
func.func @others(%x: tensor<4096xi8>, %y: tensor<4096xi8>, %few: tensor<64xi8>) -> (tensor<4096xi8>, tensor<4096xi8>, tensor<64xi8>, tensor<4096xi8>) {
  %e = tensor.empty() : tensor<4096xi8>
  %s = tensor.empty() : tensor<64xi8>
  %scale = arith.constant 0.5 : f32
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<4096xi8>, tensor<4096xi8>) outs(%e : tensor<4096xi8>) {
  ^bb0(%p: i8, %q: i8, %out: i8):
    %t = arith.addi %p, %q : i8
    %r = arith.sitofp %t : i8 to f32
    %h = math.tanh %r : f32
    %n = arith.fptosi %h : f32 to i8
    %u = arith.addi %n, %p : i8
    linalg.yield %u : i8
  } -> tensor<4096xi8>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4096xi8>) outs(%e : tensor<4096xi8>) {
  ^bb0(%p: i8, %out: i8):
    %c100 = arith.constant 100 : i8
    %t = arith.divsi %c100, %p : i8
    %r = arith.sitofp %t : i8 to f32
    %h = math.tanh %r : f32
    %n = arith.fptosi %h : f32 to i8
    %u = arith.addi %n, %p : i8
    linalg.yield %u : i8
  } -> tensor<4096xi8>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%few : tensor<64xi8>) outs(%s : tensor<64xi8>) {
  ^bb0(%p: i8, %out: i8):
    %r = arith.sitofp %p : i8 to f32
    %h = math.tanh %r : f32
    %n = arith.fptosi %h : f32 to i8
    linalg.yield %n : i8
  } -> tensor<64xi8>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4096xi8>) outs(%e : tensor<4096xi8>) {
  ^bb0(%p: i8, %out: i8):
    %r = arith.sitofp %p : i8 to f32
    %n = qdq.encode %r scale %scale as i8 semantics <rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wrap32, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate> : (f32, f32) -> i8
    linalg.yield %n : i8
  } -> tensor<4096xi8>
  return %a, %b, %c, %d : tensor<4096xi8>, tensor<4096xi8>, tensor<64xi8>, tensor<4096xi8>
}
