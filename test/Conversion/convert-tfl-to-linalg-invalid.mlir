// RUN: quant-opt --convert-tfl-to-linalg --split-input-file --verify-diagnostics %s

func.func @activation(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tfl.add' op fused_activation_function is "SIGN_BIT": expected NONE, RELU, RELU_N1_TO_1, RELU6 or TANH}}
  %y = "tfl.add"(%x, %x) {fused_activation_function = "SIGN_BIT"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @axis(%x: tensor<4x4xf32>, %axis: tensor<1xi32>) -> tensor<4xf32> {
  // expected-error @below {{'tfl.sum' op axis is not constant: expected a constant of integers}}
  %y = "tfl.sum"(%x, %axis) {keep_dims = false} : (tensor<4x4xf32>, tensor<1xi32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @filter(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x2xf32>) -> tensor<1x6x6x4xf32> {
  // expected-error @below {{'tfl.conv_2d' op input has type 'tensor<1x8x8x3xf32>' and filter 'tensor<4x3x3x2xf32>': expected channels that are a multiple of the filter's, and as many groups of filters}}
  %y = "tfl.conv_2d"(%x, %w) {padding = "VALID"} : (tensor<1x8x8x3xf32>, tensor<4x3x3x2xf32>) -> tensor<1x6x6x4xf32>
  return %y : tensor<1x6x6x4xf32>
}

// -----

func.func @bias(%x: tensor<1x8xf32>, %w: tensor<4x8xf32>, %b: tensor<3xf32>) -> tensor<1x4xf32> {
  // expected-error @below {{'tfl.fully_connected' op bias has type 'tensor<3xf32>': expected 4 elements}}
  %y = "tfl.fully_connected"(%x, %w, %b) : (tensor<1x8xf32>, tensor<4x8xf32>, tensor<3xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

// -----

func.func @open_padding(%x: tensor<1x?x8x4xf32>) -> tensor<1x?x4x4xf32> {
  // expected-error @below {{'tfl.average_pool_2d' op input has type 'tensor<1x?x8x4xf32>': expected static sizes for windows that are padded}}
  %y = "tfl.average_pool_2d"(%x) {padding = "SAME", filter_height = 3 : i32, filter_width = 3 : i32, stride_h = 2 : i32, stride_w = 2 : i32} : (tensor<1x?x8x4xf32>) -> tensor<1x?x4x4xf32>
  return %y : tensor<1x?x4x4xf32>
}

// -----

func.func @batch_dims(%x: tensor<2x4xf32>, %i: tensor<2x1xi32>) -> tensor<2x1xf32> {
  // expected-error @below {{'tfl.gather' op batch_dims is 1: expected 0}}
  %y = "tfl.gather"(%x, %i) {axis = 1 : i32, batch_dims = 1 : i32} : (tensor<2x4xf32>, tensor<2x1xi32>) -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}

// -----

func.func @concatenation_results(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @below {{'tfl.concatenation' op number of results is 2: expected 1}}
  %y:2 = "tfl.concatenation"(%x, %x) {axis = 0 : i32, fused_activation_function = "NONE"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %y#0 : tensor<8xf32>
}
