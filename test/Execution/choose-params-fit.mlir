// power_of_two = fit: the smallest power of two by which the largest number has a code. Codes of 31 bits are finer than f32:
// 2^31 - 128 is the largest number below 2^31. Expected by hand.
// RUN: %expect %s

func.func @wide_codes() {
  %x = arith.constant dense<[[2147483520.0, -1.0], [2147483648.0, 1.0], [-3.0, 1.0]]> : tensor<3x2xf32>
  %s = qdq.choose_params %x mode <symmetric> storage i32 power_of_two <fit> block_shape [1, 2] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  "expect.eq"(%s) {value = dense<[[1.0], [2.0], [1.86264515e-09]]> : tensor<3x1xf32>} : (tensor<3x1xf32>) -> ()
  return
}
