// float_overflow = saturate: the largest finite value, for infinities too. Expected by hand: 464 is the tie between
// 448 and the 480 that f8E4M3FN does not have, 61440 the one between 57344 and 65536.
// RUN: %expect %s

func.func @f8E4M3FN() {
  %x = arith.constant dense<[448.0, 464.0, 0x43E80001, 500.0, -1.0e6, 0x7F800000, 0xFF800000, 0x7FC00000, -0.0]> : tensor<9xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <float_overflow = saturate> : (tensor<9xf32>, f32) -> tensor<9xf8E4M3FN>
  "expect.eq"(%q) {value = dense<[448.0, 448.0, 448.0, 448.0, -448.0, 448.0, -448.0, 0x7F, -0.0]> : tensor<9xf8E4M3FN>} : (tensor<9xf8E4M3FN>) -> ()
  return
}

func.func @f8E5M2() {
  %x = arith.constant dense<[57344.0, 61439.0, 61440.0, -61440.0, 0x7F800000, 0xFF800000, 0x7FC00000, -0.0]> : tensor<8xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <float_overflow = saturate> : (tensor<8xf32>, f32) -> tensor<8xf8E5M2>
  "expect.eq"(%q) {value = dense<[57344.0, 57344.0, 57344.0, -57344.0, 57344.0, -57344.0, 0x7E, -0.0]> : tensor<8xf8E5M2>} : (tensor<8xf8E5M2>) -> ()
  return
}

// No negative zero.
func.func @f8E4M3FNUZ() {
  %x = arith.constant dense<[240.0, 250.0, -0.0, 0x7FC00000]> : tensor<4xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <float_overflow = saturate> : (tensor<4xf32>, f32) -> tensor<4xf8E4M3FNUZ>
  "expect.eq"(%q) {value = dense<[240.0, 240.0, 0.0, 0x80]> : tensor<4xf8E4M3FNUZ>} : (tensor<4xf8E4M3FNUZ>) -> ()
  return
}
