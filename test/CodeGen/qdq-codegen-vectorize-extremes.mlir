// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-vectorize --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>

// The range of a tensor: four vectors side by side, whose last ones overlap.
// CHECK-LABEL: func.func @range(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-4: arith.cmpf olt, {{.*}} : vector<16xf32>
// CHECK: scf.yield
// CHECK: vector.transfer_read {{.*}} vector<16xf32>
// CHECK: arith.minnumf {{.*}} : vector<16xf32>
// CHECK: vector.reduction <minnumf>, {{.*}} : vector<16xf32> into f32
// CHECK: vector.reduction <maxnumf>, {{.*}} : vector<16xf32> into f32
func.func @range(%x: tensor<8x100xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r:2 = linalg.generic {indexing_maps = [#id, #none, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<8x100xf32>) outs(%f, %f : tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %low: f32, %high: f32):
    %c = arith.cmpf olt, %a, %low : f32
    %s = arith.select %c, %a, %low : f32
    %d = arith.cmpf ogt, %a, %high : f32
    %t = arith.select %d, %a, %high : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Short rows are searched four at a time.
// CHECK-LABEL: func.func @rows(
// CHECK-COUNT-4: vector.reduction <maxui>, {{.*}} : vector<32xi8> into i8
// CHECK-NOT: vector.reduction
func.func @rows(%x: tensor<8x32xi8>, %init: tensor<8xi8>) -> tensor<8xi8> {
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x32xi8>) outs(%init : tensor<8xi8>) {
  ^bb0(%a: i8, %high: i8):
    %t = arith.maxui %a, %high : i8
    linalg.yield %t : i8
  } -> tensor<8xi8>
  return %r : tensor<8xi8>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The first of several zeros is the least from 1.0 on, a start that is not known may be NaN, and of three terms no
// vector is made.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: vector.
func.func @others(%x: tensor<8x32xf32>, %init: tensor<8xf32>, %short: tensor<8x3xi8>, %low: tensor<8xi8>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xi8>) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x32xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %least: f32):
    %c = arith.cmpf olt, %a, %least : f32
    %s = arith.select %c, %a, %least : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %q = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x32xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %least: f32):
    %c = arith.cmpf olt, %a, %least : f32
    %s = arith.select %c, %a, %least : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%short : tensor<8x3xi8>) outs(%low : tensor<8xi8>) {
  ^bb0(%a: i8, %least: i8):
    %s = arith.minsi %a, %least : i8
    linalg.yield %s : i8
  } -> tensor<8xi8>
  return %r, %q, %p : tensor<8xf32>, tensor<8xf32>, tensor<8xi8>
}

// -----

// A result for each term: nothing is reduced.
// CHECK-LABEL: func.func @each_term(
// CHECK-NOT: vector.reduction
// CHECK: return
func.func @each_term(%x: tensor<4x64xf32>, %init: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x64xf32>) outs(%init : tensor<4x64xf32>) {
  ^bb0(%a: f32, %best: f32):
    %m = arith.maximumf %a, %best : f32
    linalg.yield %m : f32
  } -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// -----

// A maxnumf from a number on is a comparison; one from an unknown start may
// begin with a NaN.
// CHECK-LABEL: func.func @numbers(
// CHECK-NOT: arith.maxnumf
// CHECK: arith.cmpf ogt, {{.*}} : vector<16xf32>
// CHECK: vector.reduction <maxnumf>, %{{.*}} fastmath<nnan> : vector<16xf32>
// CHECK: arith.maxnumf {{.*}} : vector<16xf32>
// CHECK: vector.reduction <maxnumf>, %{{[^ ]*}} : vector<16xf32>
func.func @numbers(%x: tensor<8x64xf32>, %init: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%least : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%a: f32, %best: f32):
    %m = arith.maxnumf %a, %best : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %best: f32):
    %m = arith.maxnumf %a, %best : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %r, %q : tensor<8xf32>, tensor<8xf32>
}
