// rescale = fixed31-double: gemmlowp's SaturatingRoundingDoublingHighMul and RoundingDivideByPOT, with m and shift of TFLite's QuantizeMultiplier.
// sa = 0.0173, sb = 0.0291, sy = 0.311. Expected by NumPy and Python's integers and fractions; the five accumulators give every
// two kinds different codes (but exact and fixed31-single, which differ rarely).
// RUN: %expect %s

func.func @accumulators() {
  %acc = arith.constant dense<[16469847, 17883289, 6213760, 19494410, 18441745, 2147483647, -2147483648, 0]> : tensor<8xi32>
  %m = arith.constant 1779830183 : i32
  %t = arith.constant 40 : i8
  %z = arith.constant 0 : i16
  %q = qdq.requantize %acc rescale <fixed31-double> multiplier %m shift %t zero_point %z : (tensor<8xi32>, i32, i8, i16) -> tensor<8xi16>
  "expect.eq"(%q) {value = dense<[26661, 28949, 10059, 31557, 29853, 32767, -32768, 0]> : tensor<8xi16>} : (tensor<8xi16>) -> ()
  return
}

// A quarter in two roundings: 1 / 2 up to 1, and 1 / 2 away from zero to 1, where 1 / 4 itself would be 0; -1 / 2 up to 0; -3 / 2 up to -1,
// and -1 / 2 away from zero to -1.
func.func @two_roundings() {
  %acc = arith.constant dense<[1, -1, 3, -3, 5, -5, 6, -6]> : tensor<8xi32>
  %m = arith.constant 1073741824 : i32
  %t = arith.constant 32 : i8
  %q = qdq.requantize %acc rescale <fixed31-double> multiplier %m shift %t : (tensor<8xi32>, i32, i8) -> tensor<8xi8>
  "expect.eq"(%q) {value = dense<[1, 0, 1, -1, 2, -1, 2, -2]> : tensor<8xi8>} : (tensor<8xi8>) -> ()
  return
}

// INT_MIN * INT_MIN, of which SRDHM's 32 bits hold no double; nothing wraps.
func.func @both_lowest() {
  %acc = arith.constant dense<[-2147483648, 2147483647]> : tensor<2xi32>
  %m = arith.constant -2147483648 : i32
  %t = arith.constant 31 : i8
  %q = qdq.requantize %acc rescale <fixed31-double> multiplier %m shift %t : (tensor<2xi32>, i32, i8) -> tensor<2xi32>
  "expect.eq"(%q) {value = dense<[2147483647, -2147483647]> : tensor<2xi32>} : (tensor<2xi32>) -> ()
  return
}
