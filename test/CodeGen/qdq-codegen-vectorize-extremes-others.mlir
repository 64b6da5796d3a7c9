// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that look like the search of an extreme, and choose something else: no vector is made of them.
// RUN: quant-opt %s --qdq-codegen-vectorize --split-input-file | FileCheck %s --implicit-check-not="vector<"

// What is compared is not chosen.
// CHECK-LABEL: func.func @of_another(
func.func @of_another(%x: tensor<8x100xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %best: f32):
    %b = arith.addf %a, %a : f32
    %c = arith.cmpf olt, %b, %best : f32
    %s = arith.select %c, %a, %best : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// The best is not what is compared with.
// CHECK-LABEL: func.func @against_another(
func.func @against_another(%x: tensor<8x100xf32>, %limit: f32) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %best: f32):
    %c = arith.cmpf olt, %a, %limit : f32
    %s = arith.select %c, %a, %best : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// The last one that does not win.
// CHECK-LABEL: func.func @swapped(
func.func @swapped(%x: tensor<8x100xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %best: f32):
    %c = arith.cmpf olt, %a, %best : f32
    %s = arith.select %c, %best, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// The last of equal terms, and NaN wins.
// CHECK-LABEL: func.func @with_ties(
func.func @with_ties(%x: tensor<8x100xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %best: f32):
    %c = arith.cmpf ule, %a, %best : f32
    %s = arith.select %c, %a, %best : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// No comparison.
// CHECK-LABEL: func.func @by_a_flag(
func.func @by_a_flag(%x: tensor<8x100xf32>, %flag: i1) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %best: f32):
    %s = arith.select %flag, %a, %best : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// The best is used again.
// CHECK-LABEL: func.func @used_again(
func.func @used_again(%x: tensor<8x100xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %best: f32):
    %c = arith.cmpf olt, %a, %best : f32
    %b = arith.addf %a, %best : f32
    %s = arith.select %c, %a, %best : f32
    %t = arith.minimumf %s, %b : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// The best is no operand of what is chosen.
// CHECK-LABEL: func.func @of_two_terms(
func.func @of_two_terms(%x: tensor<8x100xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %best: f32):
    %s = arith.maxnumf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// A function of the best, too.
// CHECK-LABEL: func.func @used_twice(
func.func @used_twice(%x: tensor<8x100xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %best: f32):
    %b = arith.negf %best : f32
    %s = arith.maxnumf %best, %b : f32
    %t = arith.maxnumf %s, %a : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// The last term.
// CHECK-LABEL: func.func @last_term(
func.func @last_term(%x: tensor<8x100xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %best: f32):
    linalg.yield %a : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// A start that is NaN: no term wins.
// CHECK-LABEL: func.func @from_nan(
func.func @from_nan(%x: tensor<8x100xf32>) -> tensor<f32> {
  %nan = arith.constant 0x7FC00000 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%nan : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %best: f32):
    %c = arith.cmpf olt, %a, %best : f32
    %s = arith.select %c, %a, %best : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// A start that is not known, and may be NaN.
// CHECK-LABEL: func.func @from_an_argument(
func.func @from_an_argument(%x: tensor<8x100xf32>, %start: f32) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%start : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %best: f32):
    %c = arith.cmpf olt, %a, %best : f32
    %s = arith.select %c, %a, %best : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// The first of several zeros is the least from 1.0 on.
// CHECK-LABEL: func.func @from_one(
func.func @from_one(%x: tensor<8x100xf32>) -> tensor<f32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x100xf32>) outs(%f : tensor<f32>) {
  ^bb0(%a: f32, %best: f32):
    %c = arith.cmpf olt, %a, %best : f32
    %s = arith.select %c, %a, %best : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
