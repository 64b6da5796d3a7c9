// subtract = output: q and z become f16, the type of the result, then their difference rounds; the product is in f32. Expected by hand.
// RUN: %expect %s

// f32 1/3 is 0.33333334; -124 times it is -41.333336, and f16 has -41.34375 beside -41.3125.
func.func @scale_of_f32() {
  %q = arith.constant dense<[-127, -128]> : tensor<2xi8>
  %s = arith.constant 0.333333343 : f32
  %z = arith.constant dense<-3> : tensor<i8>
  %x = qdq.dequantize %q scale %s zero_point %z semantics <compute = f32, subtract = output> : (tensor<2xi8>, f32, tensor<i8>) -> tensor<2xf16>
  "expect.eq"(%x) {value = dense<[-41.34375, -41.65625]> : tensor<2xf16>} : (tensor<2xf16>) -> ()
  return
}

// 2049 becomes 2048, 2051 becomes 2052.
func.func @rounded_codes() {
  %q = arith.constant dense<[2049, 2051]> : tensor<2xi16>
  %s = arith.constant 1.0 : f32
  %z = arith.constant dense<1> : tensor<i16>
  %x = qdq.dequantize %q scale %s zero_point %z semantics <compute = f32, subtract = output> : (tensor<2xi16>, f32, tensor<i16>) -> tensor<2xf16>
  "expect.eq"(%x) {value = dense<[2047.0, 2052.0]> : tensor<2xf16>} : (tensor<2xf16>) -> ()
  return
}

// Without a zero point too: 2052 * 3, where 2051 * 3 would become 6152.
func.func @no_zero_point() {
  %q = arith.constant dense<[2051]> : tensor<1xi16>
  %s = arith.constant 3.0 : f32
  %x = qdq.dequantize %q scale %s semantics <compute = f32, subtract = output> : (tensor<1xi16>, f32) -> tensor<1xf16>
  "expect.eq"(%x) {value = dense<[6156.0]> : tensor<1xf16>} : (tensor<1xf16>) -> ()
  return
}
