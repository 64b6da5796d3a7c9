// subtract = wide: q - z is exact, then rounds to f32. Expected by hand.
// RUN: %expect %s

// 2147483646 and -2147483649 are no values of f32.
func.func @one() {
  %q = arith.constant dense<[16777217, 2147483647, -2147483648]> : tensor<3xi32>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<1> : tensor<i32>
  %x = qdq.dequantize %q scale %s zero_point %z semantics <subtract = wide> : (tensor<3xi32>, f32, tensor<i32>) -> tensor<3xf32>
  "expect.eq"(%x) {value = dense<[16777216.0, 2147483648.0, -2147483648.0]> : tensor<3xf32>} : (tensor<3xf32>) -> ()
  return
}

// 16777217 + 2^31 = 2164260865.
func.func @lowest() {
  %q = arith.constant dense<[16777217, 2147483647, -2147483648]> : tensor<3xi32>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<-2147483648> : tensor<i32>
  %x = qdq.dequantize %q scale %s zero_point %z semantics <subtract = wide> : (tensor<3xi32>, f32, tensor<i32>) -> tensor<3xf32>
  "expect.eq"(%x) {value = dense<[2164260864.0, 4294967296.0, 0.0]> : tensor<3xf32>} : (tensor<3xf32>) -> ()
  return
}

func.func @bytes() {
  %q = arith.constant dense<[-128, 127]> : tensor<2xi8>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<127> : tensor<i8>
  %x = qdq.dequantize %q scale %s zero_point %z semantics <subtract = wide> : (tensor<2xi8>, f32, tensor<i8>) -> tensor<2xf32>
  "expect.eq"(%x) {value = dense<[-255.0, 0.0]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  return
}
