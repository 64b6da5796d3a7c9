// rounding = floor: the next code below. Expected by hand.
// RUN: %expect %s

// Ties, 0.5 +- 1 ulp, -0, the smallest subnormals, the bounds of i8 +- 0.5, integers, infinities, NaN.
func.func @integers() {
  %x = arith.constant dense<[0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0x3EFFFFFF, 0xBEFFFFFF, 0x3F000001, -0.0, 0x00000001, 0x80000001, 126.5, 127.5, -127.5, -128.5, 2.0, -3.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<21xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <rounding = floor> : (tensor<21xf32>, f32) -> tensor<21xi8>
  "expect.eq"(%q) {value = dense<[0, 1, 2, -1, -2, -3, 0, -1, 0, 0, 0, -1, 126, 127, -128, -128, 2, -3, 127, -128, -128]> : tensor<21xi8>} : (tensor<21xi8>) -> ()
  return
}

// Ties between the values 0, 0.5, 1, 1.5, 2, 3, 4, 6: a code is odd where its last bit is. 7 and infinity saturate.
func.func @floats() {
  %x = arith.constant dense<[0.25, 0.75, 1.25, 2.5, 5.0, -0.25, -5.0, 0.3, -0.0, 7.0, 0x7F800000]> : tensor<11xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <rounding = floor> : (tensor<11xf32>, f32) -> tensor<11xf4E2M1FN>
  "expect.eq"(%q) {value = dense<[0.0, 0.5, 1.0, 2.0, 4.0, -0.5, -6.0, 0.0, -0.0, 6.0, 6.0]> : tensor<11xf4E2M1FN>} : (tensor<11xf4E2M1FN>) -> ()
  return
}
