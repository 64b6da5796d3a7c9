// RUN: quant-opt %s --qdq-vectorize | FileCheck %s

// What is read goes nowhere: there is nothing to write in vectors.
// CHECK-LABEL: func.func @reads(
// CHECK-COUNT-2: linalg.generic
func.func @reads(%x: tensor<16x2xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, s) -> (i, s)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<16x2xi32>) {
  ^bb0(%b: i32):
    %s = linalg.index 1 : index
    %a = arith.index_cast %s : index to i32
    %h = arith.shrui %b, %a : i32
    linalg.yield
  }
  linalg.generic {indexing_maps = [affine_map<(i, s) -> (i, s)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16x2xi32>) {
  ^bb0(%b: i32):
    linalg.yield
  }
  return
}
