// Positions that only a dataflow analysis knows to be constant.
// RUN: quant-opt %s --sccp | FileCheck %s

#draw = #qdq.semantics<rounding = stochastic, order = round-then-add, division = exact, compute = f32, subtract = wide, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>

// CHECK-LABEL: func.func @known(
// CHECK: %[[Q:.*]] = arith.constant dense<[1, 2, 2, 4]> : tensor<4xi8>
// CHECK: return %[[Q]]
func.func @known() -> tensor<4xi8> {
  %x = arith.constant dense<[0.5, 1.5, 2.25, 3.75]> : tensor<4xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics #draw at [4] of [16] {seed = 7 : i64} : (tensor<4xf32>, f32) -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// CHECK-LABEL: func.func @argument(
// CHECK: %[[Q:.*]] = arith.constant dense<[1, 2, 2, 4]> : tensor<4xi8>
// CHECK: return %[[Q]]
func.func @argument() -> tensor<4xi8> {
  %c4 = arith.constant 4 : index
  cf.br ^bb1(%c4 : index)
^bb1(%o: index):
  %x = arith.constant dense<[0.5, 1.5, 2.25, 3.75]> : tensor<4xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics #draw at [%o] of [16] {seed = 7 : i64} : (tensor<4xf32>, f32, index) -> tensor<4xi8>
  return %q : tensor<4xi8>
}
