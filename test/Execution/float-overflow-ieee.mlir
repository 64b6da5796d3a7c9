// float_overflow = ieee: infinity, or NaN where the format has none. Expected by hand: 464 is the tie between
// 448 and the 480 that f8E4M3FN does not have, and 448 is even; 61440 the one between 57344 and 65536, and 65536 is even.
// RUN: %expect %s

func.func @f8E4M3FN() {
  %x = arith.constant dense<[448.0, 464.0, 0x43E80001, 500.0, -1.0e6, 0x7F800000, 0xFF800000, 0x7FC00000, -0.0]> : tensor<9xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <float_overflow = ieee> : (tensor<9xf32>, f32) -> tensor<9xf8E4M3FN>
  "expect.eq"(%q) {value = dense<[448.0, 448.0, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, -0.0]> : tensor<9xf8E4M3FN>} : (tensor<9xf8E4M3FN>) -> ()
  return
}

func.func @f8E5M2() {
  %x = arith.constant dense<[57344.0, 61439.0, 61440.0, -61440.0, 0x7F800000, 0xFF800000, 0x7FC00000, -0.0]> : tensor<8xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <float_overflow = ieee> : (tensor<8xf32>, f32) -> tensor<8xf8E5M2>
  "expect.eq"(%q) {value = dense<[57344.0, 57344.0, 0x7C, 0xFC, 0x7C, 0xFC, 0x7E, -0.0]> : tensor<8xf8E5M2>} : (tensor<8xf8E5M2>) -> ()
  return
}

// What rounds toward zero stays finite, an infinity does not.
func.func @toward_zero() {
  %x = arith.constant dense<[500.0, -500.0, 0x7F800000]> : tensor<3xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <float_overflow = ieee, rounding = toward-zero> : (tensor<3xf32>, f32) -> tensor<3xf8E4M3FN>
  "expect.eq"(%q) {value = dense<[448.0, -448.0, 0x7F]> : tensor<3xf8E4M3FN>} : (tensor<3xf8E4M3FN>) -> ()
  return
}

// Formats without infinity and NaN always saturate.
func.func @f4E2M1FN() {
  %x = arith.constant dense<[7.0, 0x7F800000]> : tensor<2xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <float_overflow = ieee> : (tensor<2xf32>, f32) -> tensor<2xf4E2M1FN>
  "expect.eq"(%q) {value = dense<[6.0, 6.0]> : tensor<2xf4E2M1FN>} : (tensor<2xf4E2M1FN>) -> ()
  return
}
