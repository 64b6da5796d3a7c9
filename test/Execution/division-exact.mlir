// division = exact: x / s rounds once. Expected by exact rationals: -124.49999237 / 3 = -41.49999746, which f32 rounds
// to -41.49999619.
// RUN: %expect %s

// 4.5 / 3 = 1.5, a tie; the largest f32; the smallest subnormal.
func.func @by_three() {
  %x = arith.constant dense<[0xC2F8FFFF, 0xC2ECFFFF, 0xC269FFFF, 4.5, 0x7F7FFFFF, 0x00000001]> : tensor<6xf32>
  %s = arith.constant 3.0 : f32
  %q = qdq.quantize %x scale %s semantics <division = exact> : (tensor<6xf32>, f32) -> tensor<6xi8>
  "expect.eq"(%q) {value = dense<[-41, -39, -19, 2, 127, 0]> : tensor<6xi8>} : (tensor<6xi8>) -> ()
  return
}
