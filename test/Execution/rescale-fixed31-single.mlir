// rescale = fixed31-single: (acc * m + 2^(t - 1)) >> t, with the m and t of fixed31-double.
// sa = 0.0173, sb = 0.0291, sy = 0.311. Expected by NumPy and Python's integers and fractions; the five accumulators give every
// two kinds different codes (but exact and fixed31-single, which differ rarely).
// RUN: %expect %s

func.func @accumulators() {
  %acc = arith.constant dense<[16469847, 17883289, 6213760, 19494410, 18441745, 2147483647, -2147483648, 0]> : tensor<8xi32>
  %m = arith.constant 1779830183 : i32
  %t = arith.constant 40 : i8
  %z = arith.constant 0 : i16
  %q = qdq.requantize %acc rescale <fixed31-single> multiplier %m shift %t zero_point %z : (tensor<8xi32>, i32, i8, i16) -> tensor<8xi16>
  "expect.eq"(%q) {value = dense<[26661, 28949, 10058, 31557, 29853, 32767, -32768, 0]> : tensor<8xi16>} : (tensor<8xi16>) -> ()
  return
}
