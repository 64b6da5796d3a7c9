// compute = f64. Expected by exact rationals: 0.349999994 / 0.100000001490 = 3.5 - 3 / 26843546, no tie in f64.
// RUN: %expect %s

// 0.85000002 / s = 8.5 + 3 / 26843546.
func.func @quantize() {
  %x = arith.constant dense<[0x3EB33333, 0x3F59999A, 16777217.0]> : tensor<3xf32>
  %s = arith.constant 0x3DCCCCCD : f32
  %q = qdq.quantize %x scale %s semantics <compute = f64> : (tensor<3xf32>, f32) -> tensor<3xi8>
  "expect.eq"(%q) {value = dense<[3, 9, 127]> : tensor<3xi8>} : (tensor<3xi8>) -> ()
  return
}

func.func @dequantize() {
  %q = arith.constant dense<[16777217, 16777219]> : tensor<2xi32>
  %s = arith.constant 1.0 : f32
  %x = qdq.dequantize %q scale %s semantics <compute = f64> : (tensor<2xi32>, f32) -> tensor<2xf64>
  "expect.eq"(%x) {value = dense<[16777217.0, 16777219.0]> : tensor<2xf64>} : (tensor<2xf64>) -> ()
  return
}
