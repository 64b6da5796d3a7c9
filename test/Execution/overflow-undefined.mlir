// overflow = undefined: codes in range, up to the bounds. Expected by hand.
// RUN: %expect %s

func.func @signed() {
  %x = arith.constant dense<[127.0, -128.0, 126.5, -127.5, -0.0, 0x00000001]> : tensor<6xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <overflow = undefined> : (tensor<6xf32>, f32) -> tensor<6xi8>
  "expect.eq"(%q) {value = dense<[127, -128, 126, -128, 0, 0]> : tensor<6xi8>} : (tensor<6xi8>) -> ()
  return
}

func.func @unsigned() {
  %x = arith.constant dense<[255.0, 0.0, 254.5, -0.5]> : tensor<4xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <overflow = undefined> : (tensor<4xf32>, f32) -> tensor<4xui8>
  "expect.eq"(%q) {value = dense<[255, 0, 254, 0]> : tensor<4xui8>} : (tensor<4xui8>) -> ()
  return
}
