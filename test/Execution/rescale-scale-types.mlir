// Scales of f64, and of 8 bits: a fourth of the accumulators. 2^25 / 4 + 1/4 is no f32. Expected by hand.
// RUN: %expect %s

func.func @qdq_f64() {
  %acc = arith.constant dense<[2, 6, -2, -6, 3, -3, 33554435, -33554437]> : tensor<8xi32>
  %quarter = arith.constant 0.25 : f64
  %one = arith.constant 1.0 : f64
  %q = qdq.requantize %acc rescale <qdq> multiplier %quarter, %one : (tensor<8xi32>, f64, f64) -> tensor<8xi32>
  "expect.eq"(%q) {value = dense<[0, 2, 0, -2, 1, -1, 8388609, -8388609]> : tensor<8xi32>} : (tensor<8xi32>) -> ()
  return
}

func.func @f64_of_bytes() {
  %acc = arith.constant dense<[2, 6, -2, -6, 3, -3, 1, -1]> : tensor<8xi32>
  %half = arith.constant 0.5 : f8E5M2
  %one = arith.constant 1.0 : f8E5M2
  %q = qdq.requantize %acc rescale <f64> multiplier %half, %half, %one : (tensor<8xi32>, f8E5M2, f8E5M2, f8E5M2) -> tensor<8xi8>
  "expect.eq"(%q) {value = dense<[0, 2, 0, -2, 1, -1, 0, 0]> : tensor<8xi8>} : (tensor<8xi8>) -> ()
  return
}

// Codes of floats with an integer zero point; a scale of f8E8M0FNU in f16 and bf16.
func.func @quantize_floats() {
  %x = arith.constant dense<[1.0, -0.5, 300.0]> : tensor<3xf32>
  %s = arith.constant 0.5 : f32
  %z = arith.constant 2 : i8
  %q = qdq.quantize %x scale %s zero_point %z : (tensor<3xf32>, f32, i8) -> tensor<3xf8E5M2>
  "expect.eq"(%q) {value = dense<[4.0, 1.0, 640.0]> : tensor<3xf8E5M2>} : (tensor<3xf8E5M2>) -> ()
  return
}

func.func @dequantize_floats() {
  %q = arith.constant dense<[4.0, 1.0, 640.0]> : tensor<3xf8E5M2>
  %s = arith.constant 0.5 : f32
  %z = arith.constant 2 : i8
  %x = qdq.dequantize %q scale %s zero_point %z : (tensor<3xf8E5M2>, f32, i8) -> tensor<3xf32>
  "expect.eq"(%x) {value = dense<[1.0, -0.5, 319.0]> : tensor<3xf32>} : (tensor<3xf32>) -> ()
  return
}

func.func @scale_of_an_exponent() {
  %q = arith.constant dense<[1, -3, 100]> : tensor<3xi8>
  %s = arith.constant dense<4.0> : tensor<f8E8M0FNU>
  %x = qdq.dequantize %q scale %s semantics <compute = f16> : (tensor<3xi8>, tensor<f8E8M0FNU>) -> tensor<3xf16>
  %y = qdq.dequantize %q scale %s semantics <compute = bf16> : (tensor<3xi8>, tensor<f8E8M0FNU>) -> tensor<3xbf16>
  "expect.eq"(%x) {value = dense<[4.0, -12.0, 400.0]> : tensor<3xf16>} : (tensor<3xf16>) -> ()
  "expect.eq"(%y) {value = dense<[4.0, -12.0, 400.0]> : tensor<3xbf16>} : (tensor<3xbf16>) -> ()
  return
}

// 2^24 + 2^16 + 1 is above a tie of bf16, which f32 loses.
func.func @wide_codes_in_bf16() {
  %q = arith.constant dense<[1, 16842753, -16842753]> : tensor<3xi32>
  %s = arith.constant 1.0 : f32
  %x = qdq.dequantize %q scale %s semantics <compute = bf16> : (tensor<3xi32>, f32) -> tensor<3xbf16>
  "expect.eq"(%x) {value = dense<[1.0, 16908288.0, -16908288.0]> : tensor<3xbf16>} : (tensor<3xbf16>) -> ()
  return
}

// The type of computation is that of the scale, or of the result.
func.func @compute_of_f64() {
  %q = arith.constant dense<[3, -5]> : tensor<2xi8>
  %s = arith.constant 0.1 : f64
  %t = arith.constant 0.1 : f32
  %x = qdq.dequantize %q scale %s semantics <compute = auto> : (tensor<2xi8>, f64) -> tensor<2xf64>
  %y = qdq.dequantize %q scale %t semantics <compute = auto> : (tensor<2xi8>, f32) -> tensor<2xf64>
  "expect.eq"(%x) {value = dense<[0x3FD3333333333334, -0.5]> : tensor<2xf64>} : (tensor<2xf64>) -> ()
  "expect.eq"(%y) {value = dense<[0x3FD3333338000000, 0xBFE0000004000000]> : tensor<2xf64>} : (tensor<2xf64>) -> ()
  return
}
