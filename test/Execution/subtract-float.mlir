// subtract = float: q and z become f32, then their difference rounds. Expected by hand.
// RUN: %expect %s

// 16777217 becomes 16777216.
func.func @one() {
  %q = arith.constant dense<[16777217, 2147483647, -2147483648]> : tensor<3xi32>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<1> : tensor<i32>
  %x = qdq.dequantize %q scale %s zero_point %z semantics <subtract = float> : (tensor<3xi32>, f32, tensor<i32>) -> tensor<3xf32>
  "expect.eq"(%x) {value = dense<[16777215.0, 2147483648.0, -2147483648.0]> : tensor<3xf32>} : (tensor<3xf32>) -> ()
  return
}

func.func @lowest() {
  %q = arith.constant dense<[16777217, 2147483647, -2147483648]> : tensor<3xi32>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<-2147483648> : tensor<i32>
  %x = qdq.dequantize %q scale %s zero_point %z semantics <subtract = float> : (tensor<3xi32>, f32, tensor<i32>) -> tensor<3xf32>
  "expect.eq"(%x) {value = dense<[2164260864.0, 4294967296.0, 0.0]> : tensor<3xf32>} : (tensor<3xf32>) -> ()
  return
}

func.func @bytes() {
  %q = arith.constant dense<[-128, 127]> : tensor<2xi8>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<127> : tensor<i8>
  %x = qdq.dequantize %q scale %s zero_point %z semantics <subtract = float> : (tensor<2xi8>, f32, tensor<i8>) -> tensor<2xf32>
  "expect.eq"(%x) {value = dense<[-255.0, 0.0]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  return
}
