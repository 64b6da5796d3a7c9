// fusion = fma: the product and the sum round once. Expected by exact rationals: k = 1/3 in f32 is 11184811 / 2^25;
// -10.5 * k + 3 = -0.5 - 3.5 / 2^25, below the tie. 7 * 0.1f - 0.7f = (93952411 - 93952408) / 2^27 = 3 / 2^27.
// RUN: %expect %s

func.func @quantize() {
  %x = arith.constant dense<[-10.5, -16.5, -28.5, -52.5]> : tensor<4xf32>
  %s = arith.constant 3.0 : f32
  %z = arith.constant dense<3> : tensor<i8>
  %q = qdq.quantize %x scale %s zero_point %z semantics <fusion = fma, division = reciprocal, order = add-then-round> : (tensor<4xf32>, f32, tensor<i8>) -> tensor<4xi8>
  "expect.eq"(%q) {value = dense<[-1, -3, -7, -15]> : tensor<4xi8>} : (tensor<4xi8>) -> ()
  return
}

func.func @dequantize() {
  %q = arith.constant dense<[7, -7]> : tensor<2xi8>
  %s = arith.constant 0x3DCCCCCD : f32
  %z = arith.constant dense<0xBF333333> : tensor<f32>
  %x = qdq.dequantize %q scale %s zero_point %z in <expressed> semantics <fusion = fma> : (tensor<2xi8>, f32, tensor<f32>) -> tensor<2xf32>
  "expect.eq"(%x) {value = dense<[0x32C00000, 0xBFB33333]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  return
}
