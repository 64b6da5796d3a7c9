// nan = undefined: under overflow = saturate it is the lowest code, and other values are not touched. Expected by hand.
// RUN: %expect %s

func.func @saturate() {
  %x = arith.constant dense<[0x7FC00000, 0xFFC00001, 0x7F800001, 1.0]> : tensor<4xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <nan = undefined> : (tensor<4xf32>, f32) -> tensor<4xi8>
  "expect.eq"(%q) {value = dense<[-128, -128, -128, 1]> : tensor<4xi8>} : (tensor<4xi8>) -> ()
  return
}
