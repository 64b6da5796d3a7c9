// compute = f32. Expected by exact rationals: 0.349999994 / 0.100000001490 = 3.5 - 3 / 26843546, which f32 rounds to 3.5.
// RUN: %expect %s

// 0.85000002 / s = 8.5 + 3 / 26843546 rounds to 8.5, a tie.
func.func @quantize() {
  %x = arith.constant dense<[0x3EB33333, 0x3F59999A, 16777217.0]> : tensor<3xf32>
  %s = arith.constant 0x3DCCCCCD : f32
  %q = qdq.quantize %x scale %s semantics <compute = f32> : (tensor<3xf32>, f32) -> tensor<3xi8>
  "expect.eq"(%q) {value = dense<[4, 8, 127]> : tensor<3xi8>} : (tensor<3xi8>) -> ()
  return
}

// f32 holds even numbers from 2^24 on.
func.func @dequantize() {
  %q = arith.constant dense<[16777217, 16777219]> : tensor<2xi32>
  %s = arith.constant 1.0 : f32
  %x = qdq.dequantize %q scale %s semantics <compute = f32> : (tensor<2xi32>, f32) -> tensor<2xf64>
  "expect.eq"(%x) {value = dense<[16777216.0, 16777220.0]> : tensor<2xf64>} : (tensor<2xf64>) -> ()
  return
}
