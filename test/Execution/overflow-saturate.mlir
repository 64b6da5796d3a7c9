// overflow = saturate: the nearest bound. Expected by hand.
// RUN: %expect %s

func.func @signed() {
  %x = arith.constant dense<[127.5, 128.0, 300.0, -300.0, 1.0e10, -128.5, 0x7F800000, 0xFF800000]> : tensor<8xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <overflow = saturate> : (tensor<8xf32>, f32) -> tensor<8xi8>
  "expect.eq"(%q) {value = dense<[127, 127, 127, -128, 127, -128, 127, -128]> : tensor<8xi8>} : (tensor<8xi8>) -> ()
  return
}

func.func @unsigned() {
  %x = arith.constant dense<[-1.0, 255.5, 256.0, -0.0, 0x7F800000, 0xFF800000]> : tensor<6xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <overflow = saturate> : (tensor<6xf32>, f32) -> tensor<6xui8>
  "expect.eq"(%q) {value = dense<[0, 255, 255, 0, 255, 0]> : tensor<6xui8>} : (tensor<6xui8>) -> ()
  return
}

// 2^31 - 1 is no value of f32.
func.func @beyond_f32() {
  %x = arith.constant dense<[2147483520.0, 0x4F000000, -2147483648.0, 0xCF000001]> : tensor<4xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <overflow = saturate> : (tensor<4xf32>, f32) -> tensor<4xi32>
  "expect.eq"(%q) {value = dense<[2147483520, 2147483647, -2147483648, -2147483648]> : tensor<4xi32>} : (tensor<4xi32>) -> ()
  return
}

func.func @narrow() {
  %x = arith.constant dense<[1.5, -2.5, 2.0]> : tensor<3xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <overflow = saturate> : (tensor<3xf32>, f32) -> tensor<3xi2>
  "expect.eq"(%q) {value = dense<[1, -2, 1]> : tensor<3xi2>} : (tensor<3xi2>) -> ()
  return
}
