// division = reciprocal: k = 1 / s rounds, then x * k. Expected by exact rationals: k = 11184811 / 2^25, and
// -124.49999237 * k = -41.500001..., which f32 rounds to -41.5, a tie.
// RUN: %expect %s

// 4.5 * k = 1.50000004... rounds to 1.5, a tie; the largest f32; the smallest subnormal.
func.func @by_three() {
  %x = arith.constant dense<[0xC2F8FFFF, 0xC2ECFFFF, 0xC269FFFF, 4.5, 0x7F7FFFFF, 0x00000001]> : tensor<6xf32>
  %s = arith.constant 3.0 : f32
  %q = qdq.quantize %x scale %s semantics <division = reciprocal> : (tensor<6xf32>, f32) -> tensor<6xi8>
  "expect.eq"(%q) {value = dense<[-42, -40, -20, 2, 127, 0]> : tensor<6xi8>} : (tensor<6xi8>) -> ()
  return
}
