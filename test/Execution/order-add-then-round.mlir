// order = add-then-round: the zero point is added in the compute type, and the sum rounded. Expected by hand.
// RUN: %expect %s

// -0.5 + 1 = 0.5 and 0.5 + 1 = 1.5 are ties; -129.5 + 1 = -128.5 saturates.
func.func @odd_zero_point() {
  %x = arith.constant dense<[0.5, 1.5, -0.5, -1.5, 127.5, -129.5, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<1> : tensor<i8>
  %q = qdq.quantize %x scale %s zero_point %z semantics <order = add-then-round> : (tensor<9xf32>, f32, tensor<i8>) -> tensor<9xi8>
  "expect.eq"(%q) {value = dense<[2, 2, 0, 0, 127, -128, 127, -128, -128]> : tensor<9xi8>} : (tensor<9xi8>) -> ()
  return
}

// 8388607.5 + 1 = 8388608.5 is no value of f32: it becomes 8388608. -8388607.5 + 1 = -8388606.5 is a tie.
func.func @rounded_sum() {
  %x = arith.constant dense<[8388607.5, 0x4F000000, -8388607.5]> : tensor<3xf32>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<1> : tensor<i32>
  %q = qdq.quantize %x scale %s zero_point %z semantics <order = add-then-round> : (tensor<3xf32>, f32, tensor<i32>) -> tensor<3xi32>
  "expect.eq"(%q) {value = dense<[8388608, 2147483647, -8388606]> : tensor<3xi32>} : (tensor<3xi32>) -> ()
  return
}
