// nan = zero-point: quiet, negative and signaling NaNs. Expected by hand.
// RUN: %expect %s

func.func @zero_point() {
  %x = arith.constant dense<[0x7FC00000, 0xFFC00001, 0x7F800001, 1.0]> : tensor<4xf32>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<5> : tensor<i8>
  %q = qdq.quantize %x scale %s zero_point %z semantics <nan = zero-point> : (tensor<4xf32>, f32, tensor<i8>) -> tensor<4xi8>
  "expect.eq"(%q) {value = dense<[5, 5, 5, 6]> : tensor<4xi8>} : (tensor<4xi8>) -> ()
  return
}

func.func @unsigned() {
  %x = arith.constant dense<[0x7FC00000, 0xFFC00001, 0x7F800001, 1.0]> : tensor<4xf32>
  %s = arith.constant 1.0 : f32
  %z_bits = arith.constant dense<3> : tensor<i4>
  %z = tensor.bitcast %z_bits : tensor<i4> to tensor<ui4>
  %q = qdq.quantize %x scale %s zero_point %z semantics <nan = zero-point> : (tensor<4xf32>, f32, tensor<ui4>) -> tensor<4xui4>
  "expect.eq"(%q) {value = dense<[3, 3, 3, 4]> : tensor<4xui4>} : (tensor<4xui4>) -> ()
  return
}

func.func @none() {
  %x = arith.constant dense<[0x7FC00000, 0xFFC00001, 0x7F800001, 1.0]> : tensor<4xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <nan = zero-point> : (tensor<4xf32>, f32) -> tensor<4xi8>
  "expect.eq"(%q) {value = dense<[0, 0, 0, 1]> : tensor<4xi8>} : (tensor<4xi8>) -> ()
  return
}

// inf / inf is NaN, 1 / inf is 0.
func.func @quotient() {
  %x = arith.constant dense<[0x7F800000, 0xFF800000, 1.0]> : tensor<3xf32>
  %s = arith.constant 0x7F800000 : f32
  %q = qdq.quantize %x scale %s semantics <nan = zero-point> : (tensor<3xf32>, f32) -> tensor<3xi8>
  "expect.eq"(%q) {value = dense<[0, 0, 0]> : tensor<3xi8>} : (tensor<3xi8>) -> ()
  return
}
