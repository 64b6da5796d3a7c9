// RUN: quant-opt %s --qdq-codegen-lay-out-contractions="byte-dots=x86-pairs" --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-lay-out-contractions=byte-dots=x86-vnni --split-input-file | FileCheck %s --check-prefix=ALONE

// ALONE-NOT: tensor.collapse_shape

#window = affine_map<(y, x, f, i, j, c) -> (y * 2 + i, x * 2 + j, c)>
#filters = affine_map<(y, x, f, i, j, c) -> (i, j, c, f)>
#result = affine_map<(y, x, f, i, j, c) -> (y, x, f)>

// Two pixels of three channels are a line of six, and two zeros.
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0 * 2 + d3, d1 * 6 + d4)>
// CHECK-DAG: #[[FILTERS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>
// CHECK-LABEL: func.func @line(
// CHECK-SAME: %[[A:.*]]: tensor<4x7x3xi8>
// CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[\[}}[1], [2], [3], [4], [5], [6], [0], [0]], {{\[}}[7], [8], [9], [10], [11], [12], [0], [0]]]> : tensor<2x8x1xi8>
// CHECK-DAG: %[[LINES:.*]] = tensor.collapse_shape %[[A]] {{\[}}[0], [1, 2]] : tensor<4x7x3xi8> into tensor<4x21xi8>
// CHECK: linalg.generic {indexing_maps = [#[[WINDOW]], #[[FILTERS]], {{.*}} ins(%[[LINES]], %[[W]] :
func.func @line(%a: tensor<4x7x3xi8>, %c: tensor<2x3x1xi32>) -> tensor<2x3x1xi32> {
  %w = arith.constant dense<[[[[1], [2], [3]], [[4], [5], [6]]], [[[7], [8], [9]], [[10], [11], [12]]]]> : tensor<2x2x3x1xi8>
  %r = linalg.generic {indexing_maps = [#window, #filters, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : tensor<4x7x3xi8>, tensor<2x2x3x1xi8>) outs(%c : tensor<2x3x1xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %m = arith.muli %p, %q : i32
    %s = arith.addi %sum, %m : i32
    linalg.yield %s : i32
  } -> tensor<2x3x1xi32>
  return %r : tensor<2x3x1xi32>
}

// -----

#window = affine_map<(y, x, f, i, j, c) -> (y + i, x + j, c)>
#spread = affine_map<(y, x, f, i, j, c) -> (y + i, x + j * 2, c)>
#filters = affine_map<(y, x, f, i, j, c) -> (i, j, c, f)>
#result = affine_map<(y, x, f, i, j, c) -> (y, x, f)>

// The last zeros would meet what is behind the rows; pixels with a gap are no line; whole fours are no shorter.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: tensor.collapse_shape
// CHECK: return
func.func @others(%a: tensor<3x4x3xi8>, %b: tensor<3x9x3xi8>, %e: tensor<3x9x4xi8>, %c: tensor<2x3x1xi32>) -> (tensor<2x3x1xi32>, tensor<2x3x1xi32>, tensor<2x3x1xi32>) {
  %w = arith.constant dense<1> : tensor<2x2x3x1xi8>
  %v = arith.constant dense<1> : tensor<2x2x4x1xi8>
  %r = linalg.generic {indexing_maps = [#window, #filters, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : tensor<3x4x3xi8>, tensor<2x2x3x1xi8>) outs(%c : tensor<2x3x1xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %m = arith.muli %p, %q : i32
    %s = arith.addi %sum, %m : i32
    linalg.yield %s : i32
  } -> tensor<2x3x1xi32>
  %t = linalg.generic {indexing_maps = [#spread, #filters, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%b, %w : tensor<3x9x3xi8>, tensor<2x2x3x1xi8>) outs(%c : tensor<2x3x1xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %m = arith.muli %p, %q : i32
    %s = arith.addi %sum, %m : i32
    linalg.yield %s : i32
  } -> tensor<2x3x1xi32>
  %u = linalg.generic {indexing_maps = [#window, #filters, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%e, %v : tensor<3x9x4xi8>, tensor<2x2x4x1xi8>) outs(%c : tensor<2x3x1xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %m = arith.muli %p, %q : i32
    %s = arith.addi %sum, %m : i32
    linalg.yield %s : i32
  } -> tensor<2x3x1xi32>
  return %r, %t, %u : tensor<2x3x1xi32>, tensor<2x3x1xi32>, tensor<2x3x1xi32>
}

// -----

#window = affine_map<(x, f, j, c) -> (x + j, c)>
#mirrored = affine_map<(x, f, j, c) -> (-x + j + 3, c)>
#filters = affine_map<(x, f, j, c) -> (j, c, f)>
#pixels = affine_map<(x, f, j, c) -> (x, j, f)>
#result = affine_map<(x, f, j, c) -> (x, f)>

// Pixels with a result each are no line; the last of mirrored windows is not that of the last pixel.
// CHECK-LABEL: func.func @no_windows(
// CHECK-NOT: tensor.collapse_shape
// CHECK: return
func.func @no_windows(%a: tensor<5x3xi8>, %b: tensor<6x3xi8>, %c: tensor<4x2x5xi32>, %d: tensor<4x5xi32>) -> (tensor<4x2x5xi32>, tensor<4x5xi32>) {
  %w = arith.constant dense<1> : tensor<2x3x5xi8>
  %r = linalg.generic {indexing_maps = [#window, #filters, #pixels], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%b, %w : tensor<6x3xi8>, tensor<2x3x5xi8>) outs(%c : tensor<4x2x5xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %m = arith.muli %p, %q : i32
    %s = arith.addi %sum, %m : i32
    linalg.yield %s : i32
  } -> tensor<4x2x5xi32>
  %t = linalg.generic {indexing_maps = [#mirrored, #filters, #result], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %w : tensor<5x3xi8>, tensor<2x3x5xi8>) outs(%d : tensor<4x5xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %m = arith.muli %p, %q : i32
    %s = arith.addi %sum, %m : i32
    linalg.yield %s : i32
  } -> tensor<4x5xi32>
  return %r, %t : tensor<4x2x5xi32>, tensor<4x5xi32>
}
