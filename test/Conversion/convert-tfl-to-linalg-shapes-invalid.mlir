// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes and attributes of operators on floats that LiteRT does not take, or that are too open.
// RUN: quant-opt %s --convert-tfl-to-linalg --split-input-file --verify-diagnostics

func.func @open_filter(%x0: tensor<1x4x4x2xf32>, %x1: tensor<2x3x?x2xf32>) -> tensor<1x4x4x2xf32> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.conv_2d' op filter has type 'tensor<2x3x?x2xf32>': expected a static shape of rank 4}}
  %y = "tfl.conv_2d"(%x0, %x1, %c2) {padding = "SAME"} : (tensor<1x4x4x2xf32>, tensor<2x3x?x2xf32>, none) -> tensor<1x4x4x2xf32>
  return %y : tensor<1x4x4x2xf32>
}

// -----

func.func @depthwise_channels(%x0: tensor<1x4x4x2xf32>, %x1: tensor<1x3x3x3xf32>) -> tensor<1x4x4x3xf32> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.depthwise_conv_2d' op input has type 'tensor<1x4x4x2xf32>' and filter 'tensor<1x3x3x3xf32>': expected [1, height, width, outputs], and a multiple of the input's channels}}
  %y = "tfl.depthwise_conv_2d"(%x0, %x1, %c2) {padding = "SAME"} : (tensor<1x4x4x2xf32>, tensor<1x3x3x3xf32>, none) -> tensor<1x4x4x3xf32>
  return %y : tensor<1x4x4x3xf32>
}

// -----

func.func @transposed_channels(%x1: tensor<2x3x3x3xf32>, %x2: tensor<1x4x4x2xf32>) -> tensor<1x8x8x2xf32> {
  %c0 = arith.constant dense<[1, 8, 8, 2]> : tensor<4xi32>
  %c3 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.transpose_conv' op has the input 'tensor<1x4x4x2xf32>' and weights 'tensor<2x3x3x3xf32>': expected static [batch, height, width, channels] and [outputs, height, width, channels]}}
  %y = "tfl.transpose_conv"(%c0, %x1, %x2, %c3) {padding = "SAME"} : (tensor<4xi32>, tensor<2x3x3x3xf32>, tensor<1x4x4x2xf32>, none) -> tensor<1x8x8x2xf32>
  return %y : tensor<1x8x8x2xf32>
}

// -----

func.func @transposed_size(%x1: tensor<2x3x3x2xf32>, %x2: tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {
  %c0 = arith.constant dense<[1, 2, 2, 2]> : tensor<4xi32>
  %c3 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.transpose_conv' op has 2 elements in spatial dimension 0 of the result: expected those of a VALID convolution's input}}
  %y = "tfl.transpose_conv"(%c0, %x1, %x2, %c3) {padding = "VALID"} : (tensor<4xi32>, tensor<2x3x3x2xf32>, tensor<1x4x4x2xf32>, none) -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}

// -----

func.func @weights_format(%x0: tensor<1x4xf32>, %x1: tensor<2x4xf32>) -> tensor<1x2xf32> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.fully_connected' op weights_format is 'SHUFFLED4x16INT8': expected DEFAULT}}
  %y = "tfl.fully_connected"(%x0, %x1, %c2) {weights_format = "SHUFFLED4x16INT8"} : (tensor<1x4xf32>, tensor<2x4xf32>, none) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// -----

func.func @depths(%x0: tensor<1x5xf32>, %x1: tensor<2x4xf32>) -> tensor<1x2xf32> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.fully_connected' op input has type 'tensor<1x5xf32>' and filter 'tensor<2x4xf32>': expected rows of 4 elements}}
  %y = "tfl.fully_connected"(%x0, %x1, %c2) : (tensor<1x5xf32>, tensor<2x4xf32>, none) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// -----

func.func @rank_of_result(%x0: tensor<1x4xf32>, %x1: tensor<2x4xf32>) -> tensor<1x1x2xf32> {
  %c2 = "tfl.no_value"() {value} : () -> none
  // expected-error @below {{'tfl.fully_connected' op result has type 'tensor<1x1x2xf32>' and the input 'tensor<1x4xf32>': expected a matrix, or the rank of the input}}
  %y = "tfl.fully_connected"(%x0, %x1, %c2) : (tensor<1x4xf32>, tensor<2x4xf32>, none) -> tensor<1x1x2xf32>
  return %y : tensor<1x1x2xf32>
}

// -----

func.func @batches(%x0: tensor<2x3x4xf32>, %x1: tensor<3x4x5xf32>) -> tensor<2x3x5xf32> {
  // expected-error @below {{'tfl.batch_matmul' op x has type 'tensor<2x3x4xf32>' and y 'tensor<3x4x5xf32>': expected matrices in batches that fit together}}
  %y = "tfl.batch_matmul"(%x0, %x1) : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// -----

func.func @unsigned_sum(%x0: tensor<2x3xui8>) -> tensor<3xui8> {
  %c1 = arith.constant dense<[0]> : tensor<1xi32>
  // expected-error @below {{'tfl.sum' op input has type 'tensor<2x3xui8>': expected floats or signed integers}}
  %y = "tfl.sum"(%x0, %c1) : (tensor<2x3xui8>, tensor<1xi32>) -> tensor<3xui8>
  return %y : tensor<3xui8>
}

// -----

func.func @arg_of_two_axes(%x0: tensor<2x3xf32>) -> tensor<i32> {
  %c1 = arith.constant dense<[0, 1]> : tensor<2xi32>
  // expected-error @below {{'tfl.arg_max' op has the input 'tensor<2x3xf32>' and the result 'tensor<i32>': expected one axis, floats or signed integers, and integers}}
  %y = "tfl.arg_max"(%x0, %c1) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<i32>
  return %y : tensor<i32>
}

// -----

func.func @resize_to_one_size(%x0: tensor<1x4x4x2xf32>) -> tensor<1x8x8x2xf32> {
  %c1 = arith.constant dense<[8]> : tensor<1xi32>
  // expected-error @below {{'tfl.resize_bilinear' op input has type 'tensor<1x4x4x2xf32>' and size 1 numbers: expected static height and width from 1 to 2^24, and two such numbers}}
  %y = "tfl.resize_bilinear"(%x0, %c1) : (tensor<1x4x4x2xf32>, tensor<1xi32>) -> tensor<1x8x8x2xf32>
  return %y : tensor<1x8x8x2xf32>
}

// -----

func.func @dequantized_to_integers(%x0: tensor<4xf16>) -> tensor<4xi32> {
  // expected-error @below {{'tfl.dequantize' op result has no ranked type of floats}}
  %y = "tfl.dequantize"(%x0) : (tensor<4xf16>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @amounts(%x0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c1 = arith.constant dense<[[1, -1], [0, 0]]> : tensor<2x2xi32>
  // expected-error @below {{'tfl.pad' op padding has not two numbers from 0 on for each of the 2 dimensions of the input}}
  %y = "tfl.pad"(%x0, %c1) : (tensor<2x3xf32>, tensor<2x2xi32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @padding_of_two(%x0: tensor<2x3xf32>, %x2: tensor<2xf32>) -> tensor<4x3xf32> {
  %c1 = arith.constant dense<[[1, 1], [0, 0]]> : tensor<2x2xi32>
  // expected-error @below {{'tfl.padv2' op constant_values has type 'tensor<2xf32>': expected one element of 'f32'}}
  %y = "tfl.padv2"(%x0, %c1, %x2) : (tensor<2x3xf32>, tensor<2x2xi32>, tensor<2xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func @mirror(%x0: tensor<1x3xf32>) -> tensor<3x3xf32> {
  %c1 = arith.constant dense<[[1, 1], [0, 0]]> : tensor<2x2xi32>
  // expected-error @below {{'tfl.mirror_pad' op mirrors 1 elements of dimension 0 of 'tensor<1x3xf32>': expected a static size that has them}}
  %y = "tfl.mirror_pad"(%x0, %c1) {mode = 0 : i32} : (tensor<1x3xf32>, tensor<2x2xi32>) -> tensor<3x3xf32>
  return %y : tensor<3x3xf32>
}

// -----

func.func @packed(%x0: tensor<2xf32>, %x1: tensor<3xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{'tfl.pack' op has operands 'tensor<2xf32>' and 'tensor<3xf32>': expected one static type}}
  %y = "tfl.pack"(%x0, %x1) {axis = 0 : i32, values_count = 2 : i32} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

func.func @broadcast(%x0: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %c1 = arith.constant dense<[2, 4]> : tensor<2xi32>
  // expected-error @below {{'tfl.broadcast_to' op input has type 'tensor<2x3xf32>': expected one that is broadcast to the shape}}
  %y = "tfl.broadcast_to"(%x0, %c1) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @lookup(%x0: tensor<2xi64>, %x1: tensor<4x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{'tfl.embedding_lookup' op lookup has type 'tensor<2xi64>' and value 'tensor<4x3xf32>': expected i32, and a static number of rows}}
  %y = "tfl.embedding_lookup"(%x0, %x1) : (tensor<2xi64>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @shape_of_floats(%x0: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error @below {{'tfl.shape' op result is no ranked tensor of integers}}
  %y = "tfl.shape"(%x0) : (tensor<2x3xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @blocks(%x0: tensor<1x3x4x2xf32>) -> tensor<1x1x2x8xf32> {
  // expected-error @below {{'tfl.space_to_depth' op input has type 'tensor<1x3x4x2xf32>' and block_size is 2: expected static sizes that blocks divide}}
  %y = "tfl.space_to_depth"(%x0) {block_size = 2 : i32} : (tensor<1x3x4x2xf32>) -> tensor<1x1x2x8xf32>
  return %y : tensor<1x1x2x8xf32>
}

// -----

func.func @split_absent(%axis: tensor<i32>, %none: none) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  // expected-error@+1 {{'tfl.split' op has no input, which is operand 1}}
  %y:2 = "tfl.split"(%axis, %none) {num_splits = 2 : i32} : (tensor<i32>, none) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  return %y#0, %y#1 : tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

func.func @depthwise_without_outputs(%x: tensor<1x8x8x4xf32>, %w: tensor<1x3x3x0xf32>) -> tensor<1x6x6x0xf32> {
  // expected-error @below {{'tfl.depthwise_conv_2d' op input has type 'tensor<1x8x8x4xf32>' and filter 'tensor<1x3x3x0xf32>': expected [1, height, width, outputs], and a multiple of the input's channels}}
  %y = "tfl.depthwise_conv_2d"(%x, %w) {padding = "VALID"} : (tensor<1x8x8x4xf32>, tensor<1x3x3x0xf32>) -> tensor<1x6x6x0xf32>
  return %y : tensor<1x6x6x0xf32>
}

// -----

func.func @many_axes(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %axes = "tfl.pseudo_const"() {value = dense<1> : tensor<2147483647xi32>} : () -> tensor<2147483647xi32>
  // expected-error @below {{'tfl.sum' op axis has 2147483647 elements: expected at most 65536}}
  %y = "tfl.sum"(%x, %axes) {keep_dims = false} : (tensor<2x3xf32>, tensor<2147483647xi32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
