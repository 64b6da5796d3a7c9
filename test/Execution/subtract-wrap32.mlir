// subtract = wrap32: q - z modulo 2^32, then rounds to f32. Expected by hand.
// RUN: %expect %s

// -2147483649 wraps to 2147483647.
func.func @one() {
  %q = arith.constant dense<[16777217, 2147483647, -2147483648]> : tensor<3xi32>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<1> : tensor<i32>
  %x = qdq.dequantize %q scale %s zero_point %z semantics <subtract = wrap32> : (tensor<3xi32>, f32, tensor<i32>) -> tensor<3xf32>
  "expect.eq"(%x) {value = dense<[16777216.0, 2147483648.0, 2147483648.0]> : tensor<3xf32>} : (tensor<3xf32>) -> ()
  return
}

// 16777217 + 2^31 wraps to -2130706431, which f32 rounds.
func.func @lowest() {
  %q = arith.constant dense<[16777217, 2147483647, -2147483648]> : tensor<3xi32>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<-2147483648> : tensor<i32>
  %x = qdq.dequantize %q scale %s zero_point %z semantics <subtract = wrap32> : (tensor<3xi32>, f32, tensor<i32>) -> tensor<3xf32>
  "expect.eq"(%x) {value = dense<[-2130706432.0, -1.0, 0.0]> : tensor<3xf32>} : (tensor<3xf32>) -> ()
  return
}

func.func @bytes() {
  %q = arith.constant dense<[-128, 127]> : tensor<2xi8>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<127> : tensor<i8>
  %x = qdq.dequantize %q scale %s zero_point %z semantics <subtract = wrap32> : (tensor<2xi8>, f32, tensor<i8>) -> tensor<2xf32>
  "expect.eq"(%x) {value = dense<[-255.0, 0.0]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  return
}
