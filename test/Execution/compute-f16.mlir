// compute = f16. Expected by hand: f16 holds even numbers from 2048 on; 65520 and more are infinite.
// RUN: %expect %s

func.func @quantize() {
  %x = arith.constant dense<[2049.0, 2051.0, 257.0, 65519.0, 65520.0, -65520.0]> : tensor<6xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <compute = f16> : (tensor<6xf32>, f32) -> tensor<6xi32>
  "expect.eq"(%q) {value = dense<[2048, 2052, 257, 65504, 2147483647, -2147483648]> : tensor<6xi32>} : (tensor<6xi32>) -> ()
  return
}

func.func @dequantize() {
  %q = arith.constant dense<[2049, 2051, -2049]> : tensor<3xi16>
  %s = arith.constant 1.0 : f32
  %x = qdq.dequantize %q scale %s semantics <compute = f16> : (tensor<3xi16>, f32) -> tensor<3xf32>
  "expect.eq"(%x) {value = dense<[2048.0, 2052.0, -2048.0]> : tensor<3xf32>} : (tensor<3xf32>) -> ()
  return
}
