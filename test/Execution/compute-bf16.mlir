// compute = bf16. Expected by hand: bf16 holds even numbers from 256 on, multiples of 4 from 512 on.
// RUN: %expect %s

func.func @quantize() {
  %x = arith.constant dense<[257.0, 259.0, 514.0, 518.0]> : tensor<4xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <compute = bf16> : (tensor<4xf32>, f32) -> tensor<4xi16>
  "expect.eq"(%q) {value = dense<[256, 260, 512, 520]> : tensor<4xi16>} : (tensor<4xi16>) -> ()
  return
}

func.func @dequantize() {
  %q = arith.constant dense<[257, 259, -257]> : tensor<3xi16>
  %s = arith.constant 1.0 : f32
  %x = qdq.dequantize %q scale %s semantics <compute = bf16> : (tensor<3xi16>, f32) -> tensor<3xf32>
  "expect.eq"(%x) {value = dense<[256.0, 260.0, -256.0]> : tensor<3xf32>} : (tensor<3xf32>) -> ()
  return
}

// 2^30 + 2^22 is a tie, and even; f32 rounds 2^30 + 2^22 + 1 to it, which is above.
func.func @dequantize_long_integers() {
  %q = arith.constant dense<[1077936128, 1077936129]> : tensor<2xi32>
  %s = arith.constant 1.0 : f32
  %x = qdq.dequantize %q scale %s semantics <compute = bf16> : (tensor<2xi32>, f32) -> tensor<2xf32>
  "expect.eq"(%x) {value = dense<[1073741824.0, 1082130432.0]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  return
}

// 56 bits just above a tie of bf16, which f64 rounds to the tie: one rounding. 2^53 + 1 + 2^45 likewise; short ones stay.
func.func @long_integers() {
  %x = arith.constant dense<[39547252437581828, -39547252437581828, 9042383626829825, 9042383626829824, 257, -1]> : tensor<6xi64>
  %s = arith.constant 1.0 : bf16
  %r = qdq.dequantize %x scale %s : (tensor<6xi64>, bf16) -> tensor<6xbf16>
  "expect.eq"(%r) {value = dense<[0x5B0D, 0xDB0D, 0x5A01, 0x5A00, 0x4380, 0xBF80]> : tensor<6xbf16>} : (tensor<6xbf16>) -> ()
  return
}
