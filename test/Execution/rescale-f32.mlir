// rescale = f32: f32(acc) * M, M = f32(f32(sa * sb) / sy).
// sa = 0.0173, sb = 0.0291, sy = 0.311. Expected by NumPy and Python's integers and fractions; the five accumulators give every
// two kinds different codes (but exact and fixed31-single, which differ rarely).
// RUN: %expect %s

func.func @accumulators() {
  %acc = arith.constant dense<[16469847, 17883289, 6213760, 19494410, 18441745, 2147483647, -2147483648, 0]> : tensor<8xi32>
  %m = arith.constant 0x3AD42C1B : f32
  %z = arith.constant 0 : i16
  %q = qdq.requantize %acc rescale <f32> multiplier %m zero_point %z : (tensor<8xi32>, f32, i16) -> tensor<8xi16>
  "expect.eq"(%q) {value = dense<[26660, 28949, 10058, 31556, 29852, 32767, -32768, 0]> : tensor<8xi16>} : (tensor<8xi16>) -> ()
  return
}

// 2^24 + 1 has no f32; 2^62 + 2^38 + 1 is just above a tie of f32: one rounding.
func.func @long_accumulators() {
  %acc = arith.constant dense<[16777217, 4611686293305294849, -9223372036854775808]> : tensor<3xi64>
  %m = arith.constant dense<[1.0, 0x2C800000, 0x22000000]> : tensor<3xf32>
  %q = qdq.requantize %acc rescale <f32> multiplier %m axis 0 : (tensor<3xi64>, tensor<3xf32>) -> tensor<3xi32>
  "expect.eq"(%q) {value = dense<[16777216, 16777218, -16]> : tensor<3xi32>} : (tensor<3xi32>) -> ()
  return
}
