// rescale = fixed15: the same with m rounded to 15 bits.
// sa = 0.0173, sb = 0.0291, sy = 0.311. Expected by NumPy and Python's integers and fractions; the five accumulators give every
// two kinds different codes (but exact and fixed31-single, which differ rarely).
// RUN: %expect %s

func.func @accumulators() {
  %acc = arith.constant dense<[16469847, 17883289, 6213760, 19494410, 18441745, 2147483647, -2147483648, 0]> : tensor<8xi32>
  %m = arith.constant 27158 : i32
  %t = arith.constant 24 : i8
  %z = arith.constant 0 : i16
  %q = qdq.requantize %acc rescale <fixed15> multiplier %m shift %t zero_point %z : (tensor<8xi32>, i32, i8, i16) -> tensor<8xi16>
  "expect.eq"(%q) {value = dense<[26660, 28948, 10058, 31556, 29852, 32767, -32768, 0]> : tensor<8xi16>} : (tensor<8xi16>) -> ()
  return
}
