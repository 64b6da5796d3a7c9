// RUN: quant-opt %s --qdq-codegen-lower-byte-dots=dots=x86-amx --canonicalize | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-lower-byte-dots=dots=x86-vnni | FileCheck %s --check-prefix=VNNI

// Two tiles of rows, of which the second has twelve of the first, by one of
// columns; 64 factors of each in a step.
// VNNI-NOT: llvm.call_intrinsic
// CHECK-LABEL: func.func @tiles(
// CHECK-DAG: %[[ROWS:.*]] = arith.constant 16 : i16
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 64 : i16
// CHECK-DAG: %[[LINE:.*]] = arith.constant 192 : i64
// CHECK-DAG: %[[SUMS:.*]] = arith.constant 256 : i64
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 64 : i64
// CHECK: %[[A:.*]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%[[ROWS]], %[[BYTES]], %{{.*}}, %[[SUMS]])
// CHECK: %[[B:.*]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"(%[[ROWS]], %[[BYTES]], %{{.*}}, %[[SUMS]])
// CHECK: %[[NEXT:.*]]:2 = scf.for {{.*}} step %c16 iter_args(%[[C:.*]] = %[[A]], %[[D:.*]] = %[[B]]) -> (!llvm.x86_amx, !llvm.x86_amx)
// CHECK: %[[PANEL:.*]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"({{.*}}, %[[FOUR]])
// CHECK: %[[X:.*]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"({{.*}}, %[[LINE]])
// CHECK: llvm.call_intrinsic "llvm.x86.tdpbusd.internal"(%[[ROWS]], %[[BYTES]], %[[BYTES]], %[[C]], %[[X]], %[[PANEL]])
// CHECK: %[[Y:.*]] = llvm.call_intrinsic "llvm.x86.tileloadd64.internal"({{.*}}, %[[LINE]])
// CHECK: llvm.call_intrinsic "llvm.x86.tdpbusd.internal"(%[[ROWS]], %[[BYTES]], %[[BYTES]], %[[D]], %[[Y]], %[[PANEL]])
// CHECK: llvm.call_intrinsic "llvm.x86.tilestored64.internal"(%[[ROWS]], %[[BYTES]], %{{.*}}, %[[SUMS]], %[[NEXT]]#0)
// CHECK: llvm.call_intrinsic "llvm.x86.tilestored64.internal"(%[[ROWS]], %[[BYTES]], %{{.*}}, %[[SUMS]], %[[NEXT]]#1)
// CHECK-NOT: linalg.generic
func.func @tiles(%x: memref<20x192xi8>, %panel: memref<48x1x16x4xi8>, %sums: memref<20x64xi32>) {
  %part = memref.subview %sums[0, 16] [20, 16] [1, 1] : memref<20x64xi32> to memref<20x16xi32, strided<[64, 1], offset: 16>>
  linalg.generic {indexing_maps = [affine_map<(m, v, k, n, j) -> (m, 4 * k + j)>, affine_map<(m, v, k, n, j) -> (k, v, n, j)>, affine_map<(m, v, k, n, j) -> (m, 16 * v + n)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel", "reduction"]}
      ins(%x, %panel : memref<20x192xi8>, memref<48x1x16x4xi8>) outs(%part : memref<20x16xi32, strided<[64, 1], offset: 16>>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %p = arith.extui %a : i8 to i32
    %q = arith.extsi %b : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  }
  return
}

// Lines whose distance is known at run time.
// CHECK-LABEL: func.func @unknown_lines(
// CHECK: llvm.call_intrinsic "llvm.x86.tdpbusd.internal"
func.func @unknown_lines(%x: memref<16x64xi8, strided<[?, 1]>>, %panel: memref<16x1x16x4xi8>, %sums: memref<16x16xi32, strided<[?, 1]>>) {
  linalg.generic {indexing_maps = [affine_map<(m, v, k, n, j) -> (m, 4 * k + j)>, affine_map<(m, v, k, n, j) -> (k, v, n, j)>, affine_map<(m, v, k, n, j) -> (m, 16 * v + n)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel", "reduction"]}
      ins(%x, %panel : memref<16x64xi8, strided<[?, 1]>>, memref<16x1x16x4xi8>) outs(%sums : memref<16x16xi32, strided<[?, 1]>>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %p = arith.extui %a : i8 to i32
    %q = arith.extsi %b : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  }
  return
}

// What is no tile stays: fewer rows, or more sums than registers; lines with
// gaps; a panel for each row, rows for each column.
// CHECK-LABEL: func.func @few_rows(
// CHECK: linalg.generic
func.func @few_rows(%x: memref<15x64xi8>, %panel: memref<16x1x16x4xi8>, %sums: memref<15x16xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, v, k, n, j) -> (m, 4 * k + j)>, affine_map<(m, v, k, n, j) -> (k, v, n, j)>, affine_map<(m, v, k, n, j) -> (m, 16 * v + n)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel", "reduction"]}
      ins(%x, %panel : memref<15x64xi8>, memref<16x1x16x4xi8>) outs(%sums : memref<15x16xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %p = arith.extui %a : i8 to i32
    %q = arith.extsi %b : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  }
  return
}

// CHECK-LABEL: func.func @many_rows(
// CHECK: linalg.generic
func.func @many_rows(%x: memref<33x64xi8>, %panel: memref<16x1x16x4xi8>, %sums: memref<33x16xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, v, k, n, j) -> (m, 4 * k + j)>, affine_map<(m, v, k, n, j) -> (k, v, n, j)>, affine_map<(m, v, k, n, j) -> (m, 16 * v + n)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel", "reduction"]}
      ins(%x, %panel : memref<33x64xi8>, memref<16x1x16x4xi8>) outs(%sums : memref<33x16xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %p = arith.extui %a : i8 to i32
    %q = arith.extsi %b : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  }
  return
}

// CHECK-LABEL: func.func @many_columns(
// CHECK: linalg.generic
func.func @many_columns(%x: memref<16x64xi8>, %panel: memref<16x3x16x4xi8>, %sums: memref<16x48xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, v, k, n, j) -> (m, 4 * k + j)>, affine_map<(m, v, k, n, j) -> (k, v, n, j)>, affine_map<(m, v, k, n, j) -> (m, 16 * v + n)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel", "reduction"]}
      ins(%x, %panel : memref<16x64xi8>, memref<16x3x16x4xi8>) outs(%sums : memref<16x48xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %p = arith.extui %a : i8 to i32
    %q = arith.extsi %b : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  }
  return
}

// CHECK-LABEL: func.func @gaps(
// CHECK: linalg.generic
func.func @gaps(%x: memref<16x64xi8, strided<[128, 2]>>, %panel: memref<16x1x16x4xi8>, %sums: memref<16x16xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, v, k, n, j) -> (m, 4 * k + j)>, affine_map<(m, v, k, n, j) -> (k, v, n, j)>, affine_map<(m, v, k, n, j) -> (m, 16 * v + n)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel", "reduction"]}
      ins(%x, %panel : memref<16x64xi8, strided<[128, 2]>>, memref<16x1x16x4xi8>) outs(%sums : memref<16x16xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %p = arith.extui %a : i8 to i32
    %q = arith.extsi %b : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  }
  return
}

// CHECK-LABEL: func.func @panel_of_a_row(
// CHECK: linalg.generic
func.func @panel_of_a_row(%x: memref<16x64xi8>, %panel: memref<16x16x1x16x4xi8>, %sums: memref<16x16xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, v, k, n, j) -> (m, 4 * k + j)>, affine_map<(m, v, k, n, j) -> (m, k, v, n, j)>, affine_map<(m, v, k, n, j) -> (m, 16 * v + n)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel", "reduction"]}
      ins(%x, %panel : memref<16x64xi8>, memref<16x16x1x16x4xi8>) outs(%sums : memref<16x16xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %p = arith.extui %a : i8 to i32
    %q = arith.extsi %b : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  }
  return
}

// CHECK-LABEL: func.func @rows_of_a_column(
// CHECK: linalg.generic
func.func @rows_of_a_column(%x: memref<16x1x64xi8>, %panel: memref<16x1x16x4xi8>, %sums: memref<16x16xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, v, k, n, j) -> (m, v, 4 * k + j)>, affine_map<(m, v, k, n, j) -> (k, v, n, j)>, affine_map<(m, v, k, n, j) -> (m, 16 * v + n)>],
      iterator_types = ["parallel", "parallel", "reduction", "parallel", "reduction"]}
      ins(%x, %panel : memref<16x1x64xi8>, memref<16x1x16x4xi8>) outs(%sums : memref<16x16xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %p = arith.extui %a : i8 to i32
    %q = arith.extsi %b : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  }
  return
}
