// order = round-then-add: an integer sum after rounding. Expected by hand.
// RUN: %expect %s

func.func @odd_zero_point() {
  %x = arith.constant dense<[0.5, 1.5, -0.5, -1.5, 127.5, -129.5, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<1> : tensor<i8>
  %q = qdq.quantize %x scale %s zero_point %z semantics <order = round-then-add> : (tensor<9xf32>, f32, tensor<i8>) -> tensor<9xi8>
  "expect.eq"(%q) {value = dense<[1, 3, 1, -1, 127, -128, 127, -128, -128]> : tensor<9xi8>} : (tensor<9xi8>) -> ()
  return
}

// 8388607.5 is a tie and goes to 8388608; 2^31 + 1 saturates.
func.func @exact_sum() {
  %x = arith.constant dense<[8388607.5, 0x4F000000, -8388607.5]> : tensor<3xf32>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<1> : tensor<i32>
  %q = qdq.quantize %x scale %s zero_point %z semantics <order = round-then-add> : (tensor<3xf32>, f32, tensor<i32>) -> tensor<3xi32>
  "expect.eq"(%q) {value = dense<[8388609, 2147483647, -8388607]> : tensor<3xi32>} : (tensor<3xi32>) -> ()
  return
}
