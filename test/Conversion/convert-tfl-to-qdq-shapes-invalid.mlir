// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes, attributes and codes that LiteRT does not take, or that are too open.
// RUN: quant-opt %s --convert-tfl-to-qdq --split-input-file --verify-diagnostics

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @bounds_without_codes(%x0: tensor<4x!q>) -> tensor<4x!quant.uniform<i8<-128:-100>:f32, 0.5:-90>> {
  // expected-error @below {{'tfl.relu' op leaves no code of the result}}
  %y = "tfl.relu"(%x0) : (tensor<4x!q>) -> tensor<4x!quant.uniform<i8<-128:-100>:f32, 0.5:-90>>
  return %y : tensor<4x!quant.uniform<i8<-128:-100>:f32, 0.5:-90>>
}

// -----

!q16 = !quant.uniform<i16:f32, 0.5>
func.func @tanh_of_16_bits(%x0: tensor<4x!q16>) -> tensor<4x!q16> {
  // expected-error @below {{'tfl.tanh' op has the zero points 0 and 0 and a result of scale 5.000000e-01: expected no zero points, and the scale 1/32768, as LiteRT's kernel of 16 bits does}}
  %y = "tfl.tanh"(%x0) : (tensor<4x!q16>) -> tensor<4x!q16>
  return %y : tensor<4x!q16>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @bias_of_three(%x0: tensor<1x4x!q>, %x1: tensor<2x4x!w>, %x2: tensor<3xi32>) -> tensor<1x2x!q> {
  // expected-error @below {{'tfl.fully_connected' op bias has type 'tensor<3xi32>': expected 2 integers, one for each output}}
  %y = "tfl.fully_connected"(%x0, %x1, %x2) : (tensor<1x4x!q>, tensor<2x4x!w>, tensor<3xi32>) -> tensor<1x2x!q>
  return %y : tensor<1x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @quantizes_f16(%x0: tensor<4xf16>) -> tensor<4x!q> {
  // expected-error @below {{'tfl.quantize' op input has type 'tensor<4xf16>': expected f32 or a quantized type}}
  %y = "tfl.quantize"(%x0) : (tensor<4xf16>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @open_outputs(%x0: tensor<1x4x4x2x!q>, %x1: tensor<?x3x3x2x!w>) -> tensor<1x4x4x?x!q> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.conv_2d' op filter has type 'tensor<?x3x3x2xi8>': expected a static number of outputs}}
  %y = "tfl.conv_2d"(%x0, %x1, %c2) {padding = "SAME"} : (tensor<1x4x4x2x!q>, tensor<?x3x3x2x!w>, none) -> tensor<1x4x4x?x!q>
  return %y : tensor<1x4x4x?x!q>
}

// -----

!w = !quant.uniform<i8:f32, 0.5>
!q32 = !quant.uniform<i32:f32, 0.5>
func.func @wide_codes(%x0: tensor<1x4x4x2x!q32>, %x1: tensor<2x3x3x2x!w>) -> tensor<1x4x4x2x!q32> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.conv_2d' op input has type 'tensor<1x4x4x2xi32>' and filter 'tensor<2x3x3x2xi8>': expected codes of up to 16 bits}}
  %y = "tfl.conv_2d"(%x0, %x1, %c2) {padding = "SAME"} : (tensor<1x4x4x2x!q32>, tensor<2x3x3x2x!w>, none) -> tensor<1x4x4x2x!q32>
  return %y : tensor<1x4x4x2x!q32>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @depthwise_channels(%x0: tensor<1x4x4x2x!q>, %x1: tensor<1x3x3x3x!w>) -> tensor<1x4x4x3x!q> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.depthwise_conv_2d' op input 'tensor<1x4x4x2xi8>' and filter 'tensor<1x3x3x3xi8>' do not fit together: expected [1, height, width, outputs], and a multiple of the input's channels}}
  %y = "tfl.depthwise_conv_2d"(%x0, %x1, %c2) {padding = "SAME", depth_multiplier = 1 : i32} : (tensor<1x4x4x2x!q>, tensor<1x3x3x3x!w>, none) -> tensor<1x4x4x3x!q>
  return %y : tensor<1x4x4x3x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @channels(%x0: tensor<1x4x4x3x!q>, %x1: tensor<2x3x3x2x!w>) -> tensor<1x4x4x2x!q> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.conv_2d' op input 'tensor<1x4x4x3xi8>' and filter 'tensor<2x3x3x2xi8>' do not fit together: expected static channels, those of the input in groups of the filter's}}
  %y = "tfl.conv_2d"(%x0, %x1, %c2) {padding = "SAME"} : (tensor<1x4x4x3x!q>, tensor<2x3x3x2x!w>, none) -> tensor<1x4x4x2x!q>
  return %y : tensor<1x4x4x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @stride_of_zero(%x0: tensor<1x4x4x2x!q>, %x1: tensor<2x3x3x2x!w>) -> tensor<1x4x4x2x!q> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.conv_2d' op attribute 'stride_h' is 0: expected a positive number of 32 bits}}
  %y = "tfl.conv_2d"(%x0, %x1, %c2) {padding = "SAME", stride_h = 0 : i32} : (tensor<1x4x4x2x!q>, tensor<2x3x3x2x!w>, none) -> tensor<1x4x4x2x!q>
  return %y : tensor<1x4x4x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @padding(%x0: tensor<1x4x4x2x!q>, %x1: tensor<2x3x3x2x!w>) -> tensor<1x4x4x2x!q> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.conv_2d' op padding is 'FULL': expected SAME or VALID}}
  %y = "tfl.conv_2d"(%x0, %x1, %c2) {padding = "FULL"} : (tensor<1x4x4x2x!q>, tensor<2x3x3x2x!w>, none) -> tensor<1x4x4x2x!q>
  return %y : tensor<1x4x4x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @three_dimensions(%x0: tensor<4x4x2x!q>, %x1: tensor<2x3x3x2x!w>) -> tensor<4x4x2x!q> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.conv_2d' op input has type 'tensor<4x4x2xi8>': expected [batch, height, width, channels]}}
  %y = "tfl.conv_2d"(%x0, %x1, %c2) {padding = "SAME"} : (tensor<4x4x2x!q>, tensor<2x3x3x2x!w>, none) -> tensor<4x4x2x!q>
  return %y : tensor<4x4x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @transposed_stride(%x1: tensor<2x3x3x2x!w>, %x2: tensor<1x4x4x2x!q>) -> tensor<1x8x8x2x!q> {
  %c0 = arith.constant dense<[1, 8, 8, 2]> : tensor<4xi32>
  %c3 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.transpose_conv' op attribute 'stride_h' is 0 and the filter 3: expected positive numbers}}
  %y = "tfl.transpose_conv"(%c0, %x1, %x2, %c3) {padding = "SAME", stride_h = 0 : i32} : (tensor<4xi32>, tensor<2x3x3x2x!w>, tensor<1x4x4x2x!q>, none) -> tensor<1x8x8x2x!q>
  return %y : tensor<1x8x8x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @transposed_size(%x1: tensor<2x3x3x2x!w>, %x2: tensor<1x4x4x2x!q>) -> tensor<1x2x2x2x!q> {
  %c0 = arith.constant dense<[1, 2, 2, 2]> : tensor<4xi32>
  %c3 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.transpose_conv' op has 2 elements from 4 in a spatial dimension of the result: expected those of the input of a convolution}}
  %y = "tfl.transpose_conv"(%c0, %x1, %x2, %c3) {padding = "VALID"} : (tensor<4xi32>, tensor<2x3x3x2x!w>, tensor<1x4x4x2x!q>, none) -> tensor<1x2x2x2x!q>
  return %y : tensor<1x2x2x2x!q>
}

// -----

!w = !quant.uniform<i8:f32, 0.5>
func.func @transpose_conv_of_floats(%s: tensor<4xi32>, %w: tensor<2x3x3x2x!w>, %x: tensor<1x4x4x2xf32>) -> tensor<1x8x8x2xf32> {
  // expected-error @below {{'tfl.transpose_conv' op output_shape is not constant: expected a constant of integers}}
  %y = "tfl.transpose_conv"(%s, %w, %x) {padding = "SAME", stride_h = 2 : i32, stride_w = 2 : i32} : (tensor<4xi32>, tensor<2x3x3x2x!w>, tensor<1x4x4x2xf32>) -> tensor<1x8x8x2xf32>
  return %y : tensor<1x8x8x2xf32>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @transposed_channels(%x1: tensor<2x3x3x3x!w>, %x2: tensor<1x4x4x2x!q>) -> tensor<1x8x8x2x!q> {
  %c0 = arith.constant dense<[1, 8, 8, 2]> : tensor<4xi32>
  %c3 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.transpose_conv' op input has type 'tensor<1x4x4x2xi8>' and weights 'tensor<2x3x3x3xi8>': expected static shapes, [batch, height, width, channels] and [outputs, height, width, channels]}}
  %y = "tfl.transpose_conv"(%c0, %x1, %x2, %c3) {padding = "SAME"} : (tensor<4xi32>, tensor<2x3x3x3x!w>, tensor<1x4x4x2x!q>, none) -> tensor<1x8x8x2x!q>
  return %y : tensor<1x8x8x2x!q>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @transposed_unsigned(%x1: tensor<2x3x3x2x!w>, %x2: tensor<1x4x4x2x!q>) -> tensor<1x8x8x2x!q> {
  %c0 = arith.constant dense<[1, 8, 8, 2]> : tensor<4xi32>
  // expected-error @below {{'tfl.transpose_conv' op input has type 'tensor<1x4x4x2xui8>' and weights 'tensor<2x3x3x2xi8>': expected codes i8 or i16, and one scale or those of axis 0 of the weights}}
  %y = "tfl.transpose_conv"(%c0, %x1, %x2) {padding = "SAME"} : (tensor<4xi32>, tensor<2x3x3x2x!w>, tensor<1x4x4x2x!q>) -> tensor<1x8x8x2x!q>
  return %y : tensor<1x8x8x2x!q>
}

// -----

!w = !quant.uniform<i8:f32:1, {0.5, 0.25}>
func.func @lookup_of_columns(%x0: tensor<3xi32>, %x1: tensor<5x2x!w>) -> tensor<3x2xf32> {
  // expected-error @below {{'tfl.embedding_lookup' op lookup has type 'tensor<3xi32>' and value 'tensor<5x2x!quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01}>>': expected rank 1, and one scale or those of axis 0}}
  %y = "tfl.embedding_lookup"(%x0, %x1) : (tensor<3xi32>, tensor<5x2x!w>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

!q = !quant.uniform<i8:f32, 1.0>
!r = !quant.uniform<i8:f32, 1.0e-7>
func.func @large_quotients(%x0: tensor<4x!q>, %x1: tensor<4x!q>) -> tensor<4x!r> {
  // expected-error @below {{'tfl.div' op has scales whose multiplier is 1.000000e+07: expected less than 2^23, which the integer arithmetic of its kernel holds}}
  %y = "tfl.div"(%x0, %x1) {fused_activation_function = "NONE"} : (tensor<4x!q>, tensor<4x!q>) -> tensor<4x!r>
  return %y : tensor<4x!r>
}

// -----

!w = !quant.uniform<i8:f32, 0.5>
func.func @dynamic_input_of_rank_0(%x0: tensor<f32>, %x1: tensor<2x4x!w>) -> tensor<1x2xf32> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.fully_connected' op has the input 'tensor<f32>' and the result 'tensor<1x2xf32>': expected ranked tensors of f32}}
  %y = "tfl.fully_connected"(%x0, %x1, %c2) : (tensor<f32>, tensor<2x4x!w>, none) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// -----

!q32 = !quant.uniform<i32:f32, 0.5>
func.func @sum_of_32_bits(%x0: tensor<4x!q32>, %x1: tensor<4x!q32>) -> tensor<4x!q32> {
  // expected-error @below {{'tfl.add' op has the storage type 'i32': expected 8 or 16 bits}}
  %y = "tfl.add"(%x0, %x1) {fused_activation_function = "NONE"} : (tensor<4x!q32>, tensor<4x!q32>) -> tensor<4x!q32>
  return %y : tensor<4x!q32>
}

// -----

!w = !quant.uniform<i8:f32, 0.5>
func.func @sum_of_large_scales(%x0: tensor<4x!quant.uniform<i8:f32, 1048576.0>>, %x1: tensor<4x!quant.uniform<i8:f32, 1048576.0>>) -> tensor<4x!w> {
  // expected-error @below {{'tfl.add' op has a result whose scale is 2^-20 of those of its operands or less: the kernel does not hold its multiplier}}
  %y = "tfl.add"(%x0, %x1) {fused_activation_function = "NONE"} : (tensor<4x!quant.uniform<i8:f32, 1048576.0>>, tensor<4x!quant.uniform<i8:f32, 1048576.0>>) -> tensor<4x!w>
  return %y : tensor<4x!w>
}

// -----

!q16 = !quant.uniform<i16:f32, 0.5>
func.func @powers_of_two(%x0: tensor<4x!q16>, %x1: tensor<4x!q16>) -> tensor<4x!q16> {
  // expected-error @below {{'tfl.add' op has 16 bits and scales that are powers of two, for which LiteRT has another kernel}}
  %y = "tfl.add"(%x0, %x1) {fused_activation_function = "NONE"} : (tensor<4x!q16>, tensor<4x!q16>) -> tensor<4x!q16>
  return %y : tensor<4x!q16>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @weights_format(%x0: tensor<1x4x!q>, %x1: tensor<2x4x!w>) -> tensor<1x2x!q> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.fully_connected' op weights_format is 'SHUFFLED4x16INT8': expected DEFAULT}}
  %y = "tfl.fully_connected"(%x0, %x1, %c2) {weights_format = "SHUFFLED4x16INT8"} : (tensor<1x4x!q>, tensor<2x4x!w>, none) -> tensor<1x2x!q>
  return %y : tensor<1x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @filter_of_three_dimensions(%x0: tensor<1x4x!q>, %x1: tensor<2x4x1x!w>) -> tensor<1x2x!q> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.fully_connected' op filter has type 'tensor<2x4x1xi8>' and the result 'tensor<1x2xi8>': expected static [outputs, depth], with one scale or those of axis 0, and a result of rank 1 or more}}
  %y = "tfl.fully_connected"(%x0, %x1, %c2) : (tensor<1x4x!q>, tensor<2x4x1x!w>, none) -> tensor<1x2x!q>
  return %y : tensor<1x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @filter_zero_points(%x0: tensor<1x4x!q>, %x1: tensor<2x4x!quant.uniform<i8:f32:0, {0.5:1, 0.5:2}>>) -> tensor<1x2x!q> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.fully_connected' op filter has zero points along axis 0 that are not 0, which the kernel does not have}}
  %y = "tfl.fully_connected"(%x0, %x1, %c2) : (tensor<1x4x!q>, tensor<2x4x!quant.uniform<i8:f32:0, {0.5:1, 0.5:2}>>, none) -> tensor<1x2x!q>
  return %y : tensor<1x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!w = !quant.uniform<i8:f32, 0.5>
func.func @depths(%x0: tensor<1x5x!q>, %x1: tensor<2x4x!w>) -> tensor<1x2x!q> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.fully_connected' op input 'tensor<1x5xi8>', filter 'tensor<2x4xi8>' and result 'tensor<1x2xi8>' do not fit together: expected rows of the filter's 4 columns, and [rows, 2] or the shape of the input up to its last dimension}}
  %y = "tfl.fully_connected"(%x0, %x1, %c2) : (tensor<1x5x!q>, tensor<2x4x!w>, none) -> tensor<1x2x!q>
  return %y : tensor<1x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
!q32 = !quant.uniform<i32:f32, 0.5>
func.func @wide_filter(%x0: tensor<1x4x!q>, %x1: tensor<2x4x!q32>) -> tensor<1x2x!q> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.fully_connected' op has the operand 'tensor<2x4xi32>': expected codes of up to 16 bits}}
  %y = "tfl.fully_connected"(%x0, %x1, %c2) : (tensor<1x4x!q>, tensor<2x4x!q32>, none) -> tensor<1x2x!q>
  return %y : tensor<1x2x!q>
}

// -----

!w = !quant.uniform<i8:f32, 0.5>
func.func @dynamic_weights_format(%x0: tensor<1x4xf32>, %x1: tensor<2x4x!w>) -> tensor<1x2xf32> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.fully_connected' op weights_format is 'SHUFFLED4x16INT8': expected DEFAULT}}
  %y = "tfl.fully_connected"(%x0, %x1, %c2) {weights_format = "SHUFFLED4x16INT8"} : (tensor<1x4xf32>, tensor<2x4x!w>, none) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// -----

!w = !quant.uniform<i8:f32, 0.5>
func.func @dynamic_depths(%x0: tensor<1x5xf32>, %x1: tensor<2x4x!w>) -> tensor<1x2xf32> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.fully_connected' op input 'tensor<1x5xf32>', filter 'tensor<2x4xi8>' and result 'tensor<1x2xf32>' do not fit together: expected rows of the filter's 4 columns}}
  %y = "tfl.fully_connected"(%x0, %x1, %c2) : (tensor<1x5xf32>, tensor<2x4x!w>, none) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @matrices(%x0: tensor<2x3x4x!q>, %x1: tensor<2x3x4x!q>) -> tensor<2x3x4x!q> {
  // expected-error @below {{'tfl.batch_matmul' op x 'tensor<2x3x4xi8>', y 'tensor<2x3x4xi8>' and result 'tensor<2x3x4xi8>' do not fit together: expected matrices in batches}}
  %y = "tfl.batch_matmul"(%x0, %x1) : (tensor<2x3x4x!q>, tensor<2x3x4x!q>) -> tensor<2x3x4x!q>
  return %y : tensor<2x3x4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @batches(%x0: tensor<2x3x4x!q>, %x1: tensor<3x4x5x!q>) -> tensor<2x3x5x!q> {
  // expected-error @below {{'tfl.batch_matmul' op x 'tensor<2x3x4xi8>' and y 'tensor<3x4x5xi8>' have batches that are not broadcast to each other}}
  %y = "tfl.batch_matmul"(%x0, %x1) : (tensor<2x3x4x!q>, tensor<3x4x5x!q>) -> tensor<2x3x5x!q>
  return %y : tensor<2x3x5x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @pool_of_nothing(%x0: tensor<1x4x4x2x!q>) -> tensor<1x4x4x2x!q> {
  // expected-error @below {{'tfl.average_pool_2d' op attribute 'filter_height' is 0: expected a positive number of 15 bits}}
  %y = "tfl.average_pool_2d"(%x0) {padding = "SAME", filter_width = 2 : i32} : (tensor<1x4x4x2x!q>) -> tensor<1x4x4x2x!q>
  return %y : tensor<1x4x4x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @mean_of_open_size(%x0: tensor<?x4x!q>) -> tensor<4x!q> {
  %c1 = arith.constant dense<[0]> : tensor<1xi32>
  // expected-error @below {{'tfl.mean' op input has type 'tensor<?x4xi8>': expected static sizes in its axes, and not more than 2^22 elements}}
  %y = "tfl.mean"(%x0, %c1) : (tensor<?x4x!q>, tensor<1xi32>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @shape_of_mean(%x0: tensor<2x4x!q>) -> tensor<2x!q> {
  %c1 = arith.constant dense<[0]> : tensor<1xi32>
  // expected-error @below {{'tfl.mean' op result has type 'tensor<2xi8>': expected the shape of 'tensor<4xi8>', or with sizes of 1 in its axes}}
  %y = "tfl.mean"(%x0, %c1) : (tensor<2x4x!q>, tensor<1xi32>) -> tensor<2x!q>
  return %y : tensor<2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @activation_without_codes(%x0: tensor<4x!q>, %x1: tensor<4x!q>) -> tensor<4x!quant.uniform<i8<-128:-100>:f32, 0.5:-90>> {
  // expected-error @below {{'tfl.add' op fused_activation_function RELU leaves no code of the result}}
  %y = "tfl.add"(%x0, %x1) {fused_activation_function = "RELU"} : (tensor<4x!q>, tensor<4x!q>) -> tensor<4x!quant.uniform<i8<-128:-100>:f32, 0.5:-90>>
  return %y : tensor<4x!quant.uniform<i8<-128:-100>:f32, 0.5:-90>>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @unranked(%x0: tensor<*xf32>) -> tensor<4x!q> {
  %c1 = arith.constant dense<[4]> : tensor<1xi32>
  // expected-error @below {{'tfl.reshape' op has an operand or a result that is no ranked tensor}}
  %y = "tfl.reshape"(%x0, %c1) : (tensor<*xf32>, tensor<1xi32>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @number_of_elements(%x0: tensor<2x3x!q>) -> tensor<4x!q> {
  %c1 = arith.constant dense<[4]> : tensor<1xi32>
  // expected-error @below {{'tfl.reshape' op has the input 'tensor<2x3xi8>' and the result 'tensor<4xi8>': expected one number of elements}}
  %y = "tfl.reshape"(%x0, %c1) : (tensor<2x3x!q>, tensor<1xi32>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @two_open_sizes(%x0: tensor<?x3x!q>) -> tensor<?x?x!q> {
  %c1 = arith.constant dense<[1, 3]> : tensor<2xi32>
  // expected-error @below {{'tfl.reshape' op has the input 'tensor<?x3xi8>' and the result 'tensor<?x?xi8>': expected at most one open size in the result}}
  %y = "tfl.reshape"(%x0, %c1) : (tensor<?x3x!q>, tensor<2xi32>) -> tensor<?x?x!q>
  return %y : tensor<?x?x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @permutation(%x0: tensor<2x3x!q>) -> tensor<2x3x!q> {
  %c1 = arith.constant dense<[0, 0]> : tensor<2xi32>
  // expected-error @below {{'tfl.transpose' op perm is no permutation of the 2 dimensions of the input}}
  %y = "tfl.transpose"(%x0, %c1) : (tensor<2x3x!q>, tensor<2xi32>) -> tensor<2x3x!q>
  return %y : tensor<2x3x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @padding_amounts(%x0: tensor<2x3x!q>) -> tensor<2x3x!q> {
  %c1 = arith.constant dense<[[1, -1], [0, 0]]> : tensor<2x2xi32>
  // expected-error @below {{'tfl.pad' op padding has not two numbers from 0 on for each of the 2 dimensions of the input}}
  %y = "tfl.pad"(%x0, %c1) : (tensor<2x3x!q>, tensor<2x2xi32>) -> tensor<2x3x!q>
  return %y : tensor<2x3x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @padding_values(%x0: tensor<2x3x!q>, %x2: tensor<2x!q>) -> tensor<4x3x!q> {
  %c1 = arith.constant dense<[[1, 1], [0, 0]]> : tensor<2x2xi32>
  // expected-error @below {{'tfl.padv2' op constant_values has type 'tensor<2xi8>': expected one element}}
  %y = "tfl.padv2"(%x0, %c1, %x2) : (tensor<2x3x!q>, tensor<2x2xi32>, tensor<2x!q>) -> tensor<4x3x!q>
  return %y : tensor<4x3x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @concatenation_shapes(%x0: tensor<2x3x!q>, %x1: tensor<2x4x!q>) -> tensor<4x3x!q> {
  // expected-error @below {{'tfl.concatenation' op has an operand of type 'tensor<2x4x!quant.uniform<i8:f32, 5.000000e-01:10>>' and the result 'tensor<4x3x!quant.uniform<i8:f32, 5.000000e-01:10>>': expected one shape but for axis 0}}
  %y = "tfl.concatenation"(%x0, %x1) {axis = 0 : i32, fused_activation_function = "NONE"} : (tensor<2x3x!q>, tensor<2x4x!q>) -> tensor<4x3x!q>
  return %y : tensor<4x3x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @begin_of_two(%x0: tensor<4x!q>) -> tensor<4x!q> {
  %c1 = arith.constant dense<[0, 0]> : tensor<2xi32>
  %c2 = arith.constant dense<[0]> : tensor<1xi32>
  %c3 = arith.constant dense<[0]> : tensor<1xi32>
  // expected-error @below {{'tfl.strided_slice' op begin has 2 numbers: expected one for each of up to 1 dimensions}}
  %y = "tfl.strided_slice"(%x0, %c1, %c2, %c3) : (tensor<4x!q>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @ellipsis(%x0: tensor<4x!q>) -> tensor<4x!q> {
  %c1 = arith.constant dense<[0]> : tensor<1xi32>
  %c2 = arith.constant dense<[4]> : tensor<1xi32>
  %c3 = arith.constant dense<[1]> : tensor<1xi32>
  // expected-error @below {{'tfl.strided_slice' op has an ellipsis_mask or a new_axis_mask: expected none}}
  %y = "tfl.strided_slice"(%x0, %c1, %c2, %c3) {ellipsis_mask = 1 : i32} : (tensor<4x!q>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @offset(%x0: tensor<4x!q>) -> tensor<4x!q> {
  %c1 = arith.constant dense<[0]> : tensor<1xi32>
  %c2 = arith.constant dense<[4]> : tensor<1xi32>
  %c3 = arith.constant dense<[1]> : tensor<1xi32>
  // expected-error @below {{'tfl.strided_slice' op has offset = true: expected end to be a place}}
  %y = "tfl.strided_slice"(%x0, %c1, %c2, %c3) {offset = true} : (tensor<4x!q>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @strided_open(%x0: tensor<?x!q>) -> tensor<?x!q> {
  %c1 = arith.constant dense<[0]> : tensor<1xi32>
  %c2 = arith.constant dense<[4]> : tensor<1xi32>
  %c3 = arith.constant dense<[1]> : tensor<1xi32>
  // expected-error @below {{'tfl.strided_slice' op takes a part of dimension 0 of the input 'tensor<?x!quant.uniform<i8:f32, 5.000000e-01:10>>': expected a static size there}}
  %y = "tfl.strided_slice"(%x0, %c1, %c2, %c3) : (tensor<?x!q>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x!q>
  return %y : tensor<?x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @stride_negative(%x0: tensor<4x!q>) -> tensor<4x!q> {
  %c1 = arith.constant dense<[0]> : tensor<1xi32>
  %c2 = arith.constant dense<[4]> : tensor<1xi32>
  %c3 = arith.constant dense<[-1]> : tensor<1xi32>
  // expected-error @below {{'tfl.strided_slice' op strides has -1 for dimension 0: expected a positive number}}
  %y = "tfl.strided_slice"(%x0, %c1, %c2, %c3) : (tensor<4x!q>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @begin_beyond(%x0: tensor<4x!q>) -> tensor<4x!q> {
  %c1 = arith.constant dense<[4]> : tensor<1xi32>
  %c2 = arith.constant dense<[5]> : tensor<1xi32>
  %c3 = arith.constant dense<[1]> : tensor<1xi32>
  // expected-error @below {{'tfl.strided_slice' op begin has 4 for dimension 0, which has 4 elements}}
  %y = "tfl.strided_slice"(%x0, %c1, %c2, %c3) {shrink_axis_mask = 1 : i32} : (tensor<4x!q>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @slice_ranks(%x0: tensor<4x2x!q>) -> tensor<4x2x!q> {
  %c1 = arith.constant dense<[0]> : tensor<1xi32>
  %c2 = arith.constant dense<[0]> : tensor<1xi32>
  // expected-error @below {{'tfl.slice' op begin has 1 and size 1 numbers: expected 2}}
  %y = "tfl.slice"(%x0, %c1, %c2) : (tensor<4x2x!q>, tensor<1xi32>, tensor<1xi32>) -> tensor<4x2x!q>
  return %y : tensor<4x2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @slice_open(%x0: tensor<?x!q>) -> tensor<2x!q> {
  %c1 = arith.constant dense<[0]> : tensor<1xi32>
  %c2 = arith.constant dense<[2]> : tensor<1xi32>
  // expected-error @below {{'tfl.slice' op takes a part of dimension 0 of the input 'tensor<?x!quant.uniform<i8:f32, 5.000000e-01:10>>': expected a static size there}}
  %y = "tfl.slice"(%x0, %c1, %c2) : (tensor<?x!q>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x!q>
  return %y : tensor<2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @slice_beyond(%x0: tensor<4x!q>) -> tensor<2x!q> {
  %c1 = arith.constant dense<[3]> : tensor<1xi32>
  %c2 = arith.constant dense<[2]> : tensor<1xi32>
  // expected-error @below {{'tfl.slice' op takes 2 elements from 3 on in dimension 0, which has 4}}
  %y = "tfl.slice"(%x0, %c1, %c2) : (tensor<4x!q>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x!q>
  return %y : tensor<2x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @split_dimension(%x1: tensor<4x!q>) -> tensor<4x!q> {
  %c0 = arith.constant dense<1> : tensor<i32>
  // expected-error @below {{'tfl.split' op splits the input 'tensor<4x!quant.uniform<i8:f32, 5.000000e-01:10>>' along dimension 1: expected one of 1, and a static size}}
  %y = "tfl.split"(%c0, %x1) {num_splits = 1 : i32} : (tensor<i32>, tensor<4x!q>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @split_sizes(%x0: tensor<4x!q>) -> tensor<4x!q> {
  %c1 = arith.constant dense<[5]> : tensor<1xi32>
  %c2 = arith.constant dense<0> : tensor<i32>
  // expected-error @below {{'tfl.split_v' op has a part of 5 of 4 elements}}
  %y = "tfl.split_v"(%x0, %c1, %c2) {num_splits = 1 : i32} : (tensor<4x!q>, tensor<1xi32>, tensor<i32>) -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @beta(%x0: tensor<2x4x!q>) -> tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>> {
  // expected-error @below {{'tfl.softmax' op beta is -1}}
  %y = "tfl.softmax"(%x0) {beta = -1.0 : f32} : (tensor<2x4x!q>) -> tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>>
  return %y : tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @rows_of_open_size(%x0: tensor<2x?x!q>) -> tensor<2x?x!quant.uniform<i8:f32, 0.00390625:-128>> {
  // expected-error @below {{'tfl.softmax' op input has type 'tensor<2x?xi8>': expected rows of a static size of up to 4095 (of any static size where the profile is not tflite)}}
  %y = "tfl.softmax"(%x0) {beta = 1.0 : f32} : (tensor<2x?x!q>) -> tensor<2x?x!quant.uniform<i8:f32, 0.00390625:-128>>
  return %y : tensor<2x?x!quant.uniform<i8:f32, 0.00390625:-128>>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @per_axis_input(%x0: tensor<2x4x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<2x4x!q> {
  // expected-error @below {{'tfl.relu' op input has 2 scales along axis 0: expected one scale for the tensor}}
  %y = "tfl.relu"(%x0) : (tensor<2x4x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<2x4x!q>
  return %y : tensor<2x4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @concatenation_operands() -> tensor<4x!q> {
  // expected-error @below {{'tfl.concatenation' op number of operands is 0: expected 1 or more}}
  %y = "tfl.concatenation"() {axis = 0 : i32, fused_activation_function = "NONE"} : () -> tensor<4x!q>
  return %y : tensor<4x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:10>
func.func @split_results(%dim: tensor<i32>, %x: tensor<4x!q>) {
  // expected-error @below {{'tfl.split' op number of results is 0: expected 1}}
  "tfl.split"(%dim, %x) : (tensor<i32>, tensor<4x!q>) -> ()
  return
}
