// rescale = exact: the real number acc * sa * sb / sy rounded once; the multiplier is that number times 2^62, rounded up.
// sa = 0.0173, sb = 0.0291, sy = 0.311. Expected by NumPy and Python's integers and fractions; the five accumulators give every
// two kinds different codes (but exact and fixed31-single, which differ rarely).
// RUN: %expect %s

func.func @accumulators() {
  %acc = arith.constant dense<[16469847, 17883289, 6213760, 19494410, 18441745, 2147483647, -2147483648, 0]> : tensor<8xi32>
  %m = arith.constant 7465148857362367 : i64
  %t = arith.constant 62 : i8
  %z = arith.constant 0 : i16
  %q = qdq.requantize %acc rescale <exact> multiplier %m shift %t zero_point %z : (tensor<8xi32>, i64, i8, i16) -> tensor<8xi16>
  "expect.eq"(%q) {value = dense<[26661, 28949, 10058, 31557, 29853, 32767, -32768, 0]> : tensor<8xi16>} : (tensor<8xi16>) -> ()
  return
}

// 1/6: 3 and 15 meet ties, to even; 2, 4, 14 do not. 2^32 / 6, rounded up, is not right by itself: 3 would be above its tie.
func.func @ties_of_a_sixth() {
  %acc = arith.constant dense<[2, 3, 4, 9, 14, 15, -3, -9, -15, 21, 2147483646]> : tensor<11xi32>
  %m = arith.constant 45812984491 : i64
  %t = arith.constant 38 : i8
  %g = arith.constant 3 : i8
  %q = qdq.requantize %acc rescale <exact> multiplier %m shift %t fraction %g : (tensor<11xi32>, i64, i8, i8) -> tensor<11xi8>
  "expect.eq"(%q) {value = dense<[0, 0, 1, 2, 2, 2, 0, -2, -2, 4, 127]> : tensor<11xi8>} : (tensor<11xi8>) -> ()
  return
}

// A shift beyond 62, and a product of 126 bits.
func.func @far() {
  %acc = arith.constant dense<[9223372036854775807, -9223372036854775808, 4611686018427387904]> : tensor<3xi64>
  %m = arith.constant 9223372036854775807 : i64
  %t = arith.constant 120 : i8
  %q = qdq.requantize %acc rescale <exact> multiplier %m shift %t : (tensor<3xi64>, i64, i8) -> tensor<3xi8>
  "expect.eq"(%q) {value = dense<[64, -64, 32]> : tensor<3xi8>} : (tensor<3xi8>) -> ()
  return
}
