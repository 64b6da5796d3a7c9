// compute = auto: the type of the scale. Expected by hand: f16 holds even numbers from 2048 on, f32 holds all.
// RUN: %expect %s

// 1e6 is infinite in f16.
func.func @scale_f16() {
  %x = arith.constant dense<[2049.0, 2051.0, 1.0e6]> : tensor<3xf32>
  %s = arith.constant 1.0 : f16
  %q = qdq.quantize %x scale %s semantics <compute = auto> : (tensor<3xf32>, f16) -> tensor<3xi16>
  "expect.eq"(%q) {value = dense<[2048, 2052, 32767]> : tensor<3xi16>} : (tensor<3xi16>) -> ()
  return
}

func.func @scale_f32() {
  %x = arith.constant dense<[2049.0, 2051.0, 1.0e6]> : tensor<3xf32>
  %s = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %s semantics <compute = auto> : (tensor<3xf32>, f32) -> tensor<3xi16>
  "expect.eq"(%q) {value = dense<[2049, 2051, 32767]> : tensor<3xi16>} : (tensor<3xi16>) -> ()
  return
}

// f32 holds even numbers from 2^24 on.
func.func @dequantize_f32() {
  %q = arith.constant dense<[16777217]> : tensor<1xi32>
  %s = arith.constant 1.0 : f32
  %x = qdq.dequantize %q scale %s semantics <compute = auto> : (tensor<1xi32>, f32) -> tensor<1xf32>
  "expect.eq"(%x) {value = dense<[0x4B800000]> : tensor<1xf32>} : (tensor<1xf32>) -> ()
  return
}

func.func @dequantize_f64() {
  %q = arith.constant dense<[16777217]> : tensor<1xi32>
  %s = arith.constant 1.0 : f32
  %x = qdq.dequantize %q scale %s semantics <compute = auto> : (tensor<1xi32>, f32) -> tensor<1xf64>
  "expect.eq"(%x) {value = dense<[16777217.0]> : tensor<1xf64>} : (tensor<1xf64>) -> ()
  return
}

// 3 * 0.1 in f64.
func.func @dequantize_scale_f64() {
  %q = arith.constant dense<[3]> : tensor<1xi8>
  %s = arith.constant 0.1 : f64
  %x = qdq.dequantize %q scale %s semantics <compute = auto> : (tensor<1xi8>, f64) -> tensor<1xf64>
  "expect.eq"(%x) {value = dense<[0x3FD3333333333334]> : tensor<1xf64>} : (tensor<1xf64>) -> ()
  return
}
