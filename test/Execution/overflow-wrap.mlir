// overflow = wrap: modulo 2^bits; an infinity counts as NaN, which is the lowest code. Expected by hand:
// 10^10 = 0x2540BE400.
// RUN: %expect %s

// 127.5 is a tie and goes to 128; -128.5 goes to -128.
func.func @signed() {
  %x = arith.constant dense<[127.5, 128.0, 300.0, -300.0, 1.0e10, -128.5, 0x7F800000, 0xFF800000]> : tensor<8xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <overflow = wrap> : (tensor<8xf32>, f32) -> tensor<8xi8>
  "expect.eq"(%q) {value = dense<[-128, -128, 44, -44, 0, -128, -128, -128]> : tensor<8xi8>} : (tensor<8xi8>) -> ()
  return
}

func.func @unsigned() {
  %x = arith.constant dense<[-1.0, 255.5, 256.0, -0.0, 0x7F800000, 0xFF800000]> : tensor<6xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <overflow = wrap> : (tensor<6xf32>, f32) -> tensor<6xui8>
  "expect.eq"(%q) {value = dense<[255, 0, 0, 0, 0, 0]> : tensor<6xui8>} : (tensor<6xui8>) -> ()
  return
}

func.func @zero_point() {
  %x = arith.constant dense<[127.0, -128.0]> : tensor<2xf32>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<1> : tensor<i8>
  %q = qdq.quantize %x scale %s zero_point %z semantics <overflow = wrap> : (tensor<2xf32>, f32, tensor<i8>) -> tensor<2xi8>
  "expect.eq"(%q) {value = dense<[-128, -127]> : tensor<2xi8>} : (tensor<2xi8>) -> ()
  return
}

func.func @narrow() {
  %x = arith.constant dense<[1.5, -2.5, 3.0]> : tensor<3xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <overflow = wrap> : (tensor<3xf32>, f32) -> tensor<3xi2>
  "expect.eq"(%q) {value = dense<[-2, -2, -1]> : tensor<3xi2>} : (tensor<3xi2>) -> ()
  return
}
