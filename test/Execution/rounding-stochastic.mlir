// rounding = stochastic, seed 0: by its definition. The first word of Philox4x32-10 with counter 0 and key 0 is
// 0x6627E8D5 (the known answer of Random123), so that element 0 goes up if its fraction exceeds 0x6627E8 / 2^24 = 0.39905....
// RUN: %expect %s

// 0x6627E8 / 2^24
func.func @equal_goes_down() {
  %x = arith.constant dense<[0x3ECC4FD0]> : tensor<1xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> : (tensor<1xf32>, f32) -> tensor<1xi8>
  "expect.eq"(%q) {value = dense<[0]> : tensor<1xi8>} : (tensor<1xi8>) -> ()
  return
}

// 0x6627E9 / 2^24
func.func @above_goes_up() {
  %x = arith.constant dense<[0x3ECC4FD2]> : tensor<1xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> : (tensor<1xf32>, f32) -> tensor<1xi8>
  "expect.eq"(%q) {value = dense<[1]> : tensor<1xi8>} : (tensor<1xi8>) -> ()
  return
}

func.func @tie_goes_up() {
  %x = arith.constant dense<[0.5]> : tensor<1xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> : (tensor<1xf32>, f32) -> tensor<1xi8>
  "expect.eq"(%q) {value = dense<[1]> : tensor<1xi8>} : (tensor<1xi8>) -> ()
  return
}

// 0.25 above -1.
func.func @negative() {
  %x = arith.constant dense<[-0.75]> : tensor<1xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> : (tensor<1xf32>, f32) -> tensor<1xi8>
  "expect.eq"(%q) {value = dense<[-1]> : tensor<1xi8>} : (tensor<1xi8>) -> ()
  return
}

// 0.5 above -1.
func.func @negative_up() {
  %x = arith.constant dense<[-0.5]> : tensor<1xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> : (tensor<1xf32>, f32) -> tensor<1xi8>
  "expect.eq"(%q) {value = dense<[0]> : tensor<1xi8>} : (tensor<1xi8>) -> ()
  return
}

// Whole numbers stay, whatever is drawn.
func.func @integers() {
  %x = arith.constant dense<[2.0, -3.0, -0.0, 127.0, -128.0, 300.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<9xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> : (tensor<9xf32>, f32) -> tensor<9xi8>
  "expect.eq"(%q) {value = dense<[2, -3, 0, 127, -128, 127, 127, -128, -128]> : tensor<9xi8>} : (tensor<9xi8>) -> ()
  return
}
