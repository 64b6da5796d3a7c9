// RUN: quant-opt --convert-onnx-to-qdq --split-input-file --verify-diagnostics %s

func.func @f(%a: tensor<4x8xi8>, %b: tensor<7x2xi8>) -> tensor<4x2xi32> {
  // expected-error @below {{has operands 'tensor<4x8xi8>' and 'tensor<7x2xi8>', whose shapes do not fit together as those of numpy.matmul}}
  %y = "onnx.MatMulInteger"(%a, %b) : (tensor<4x8xi8>, tensor<7x2xi8>) -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}

// -----

func.func @batches(%a: tensor<2x4x8xi8>, %b: tensor<3x8x2xi8>) -> tensor<?x4x2xi32> {
  // expected-error @below {{whose shapes do not fit together as those of numpy.matmul}}
  %y = "onnx.MatMulInteger"(%a, %b) : (tensor<2x4x8xi8>, tensor<3x8x2xi8>) -> tensor<?x4x2xi32>
  return %y : tensor<?x4x2xi32>
}

// -----

func.func @types(%a: tensor<4x8xi16>, %b: tensor<8x2xi8>) -> tensor<4x2xi32> {
  // expected-error @below {{a has type 'tensor<4x8xi16>': expected a ranked tensor of i8 or ui8}}
  %y = "onnx.MatMulInteger"(%a, %b) : (tensor<4x8xi16>, tensor<8x2xi8>) -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}

// -----

func.func @scalars(%a: tensor<i8>, %b: tensor<8x2xi8>) -> tensor<4x2xi32> {
  // expected-error @below {{expected rank 1 or more}}
  %y = "onnx.MatMulInteger"(%a, %b) : (tensor<i8>, tensor<8x2xi8>) -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}

// -----

func.func @zero_point_of_each_summed_element(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>, %z: tensor<8xi8>) -> tensor<4x2xi32> {
  // expected-error @below {{a_zero_point has type 'tensor<8xi8>': expected one element, or one for each row of a, 'tensor<4x8xi8>'}}
  %y = "onnx.MatMulInteger"(%a, %b, %z) : (tensor<4x8xi8>, tensor<8x2xi8>, tensor<8xi8>) -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}

// -----

func.func @zero_point_type(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>, %z: tensor<ui8>) -> tensor<4x2xi32> {
  // expected-error @below {{a_zero_point has type 'tensor<ui8>': expected a ranked tensor of 'i8', the type of its codes}}
  %y = "onnx.MatMulInteger"(%a, %b, %z) : (tensor<4x8xi8>, tensor<8x2xi8>, tensor<ui8>) -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}

// -----

func.func @result(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>) -> tensor<4x3xi32> {
  // expected-error @below {{result has type 'tensor<4x3xi32>': expected 'tensor<4x2xi32>'}}
  %y = "onnx.MatMulInteger"(%a, %b) : (tensor<4x8xi8>, tensor<8x2xi8>) -> tensor<4x3xi32>
  return %y : tensor<4x3xi32>
}

// -----

func.func @group(%x: tensor<1x6x8x8xi8>, %w: tensor<4x2x3x3xi8>) -> tensor<1x4x6x6xi32> {
  // expected-error @below {{x has 6 channels and w 2 with group = 2: expected group times those of w}}
  %y = "onnx.ConvInteger"(%x, %w) {group = 2 : si64} : (tensor<1x6x8x8xi8>, tensor<4x2x3x3xi8>) -> tensor<1x4x6x6xi32>
  return %y : tensor<1x4x6x6xi32>
}

// -----

func.func @filters_of_groups(%x: tensor<1x6x8x8xi8>, %w: tensor<5x2x3x3xi8>) -> tensor<1x5x6x6xi32> {
  // expected-error @below {{group is 3: expected a divisor of the 5 filters}}
  %y = "onnx.ConvInteger"(%x, %w) {group = 3 : si64} : (tensor<1x6x8x8xi8>, tensor<5x2x3x3xi8>) -> tensor<1x5x6x6xi32>
  return %y : tensor<1x5x6x6xi32>
}

// -----

func.func @kernel_shape(%x: tensor<1x2x8x8xi8>, %w: tensor<4x2x3x3xi8>) -> tensor<1x4x6x6xi32> {
  // expected-error @below {{kernel_shape has 2 in dimension 1: expected 3, as in the filter}}
  %y = "onnx.ConvInteger"(%x, %w) {kernel_shape = [3, 2]} : (tensor<1x2x8x8xi8>, tensor<4x2x3x3xi8>) -> tensor<1x4x6x6xi32>
  return %y : tensor<1x4x6x6xi32>
}

// -----

func.func @window(%x: tensor<1x2x2x8xi8>, %w: tensor<4x2x5x3xi8>) -> tensor<1x4x?x6xi32> {
  // expected-error @below {{a window of 5 elements does not fit into spatial dimension 0 of the input, which has 2 and 1 of padding}}
  %y = "onnx.ConvInteger"(%x, %w) {pads = [1, 0, 0, 0]} : (tensor<1x2x2x8xi8>, tensor<4x2x5x3xi8>) -> tensor<1x4x?x6xi32>
  return %y : tensor<1x4x?x6xi32>
}

// -----

func.func @strides(%x: tensor<1x2x8x8xi8>, %w: tensor<4x2x3x3xi8>) -> tensor<1x4x6x6xi32> {
  // expected-error @below {{attribute 'strides' has 0: expected numbers from 1 to 2^31}}
  %y = "onnx.ConvInteger"(%x, %w) {strides = [1, 0]} : (tensor<1x2x8x8xi8>, tensor<4x2x3x3xi8>) -> tensor<1x4x6x6xi32>
  return %y : tensor<1x4x6x6xi32>
}

// -----

func.func @auto_pad(%x: tensor<1x2x8x8xi8>, %w: tensor<4x2x3x3xi8>) -> tensor<1x4x6x6xi32> {
  // expected-error @below {{auto_pad is 'SAME': expected NOTSET, SAME_UPPER, SAME_LOWER or VALID}}
  %y = "onnx.ConvInteger"(%x, %w) {auto_pad = "SAME"} : (tensor<1x2x8x8xi8>, tensor<4x2x3x3xi8>) -> tensor<1x4x6x6xi32>
  return %y : tensor<1x4x6x6xi32>
}

// -----

func.func @rank(%x: tensor<1x2xi8>, %w: tensor<4x2xi8>) -> tensor<1x4xi32> {
  // expected-error @below {{has operands 'tensor<1x2xi8>' and 'tensor<4x2xi8>': expected one rank, from 3 to 5}}
  %y = "onnx.ConvInteger"(%x, %w) : (tensor<1x2xi8>, tensor<4x2xi8>) -> tensor<1x4xi32>
  return %y : tensor<1x4xi32>
}

// -----

func.func @bias(%x: tensor<1x2x8x8xi8>, %s: tensor<f32>, %z: tensor<i8>, %w: tensor<4x2x3x3xi8>, %b: tensor<3xi32>) -> tensor<1x4x6x6xi8> {
  // expected-error @below {{B has type 'tensor<3xi32>': expected i32 of the 4 filters}}
  %y = "onnx.QLinearConv"(%x, %s, %z, %w, %s, %z, %s, %z, %b)
    : (tensor<1x2x8x8xi8>, tensor<f32>, tensor<i8>, tensor<4x2x3x3xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>, tensor<3xi32>) -> tensor<1x4x6x6xi8>
  return %y : tensor<1x4x6x6xi8>
}

// -----

func.func @n_bits(%a: tensor<2x96xf32>, %b: tensor<6x3x12xui8>, %s: tensor<6x3xf32>) -> tensor<2x6xf32> {
  // expected-error @below {{bits is 3: expected 2, 4 or 8}}
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulNBits", K = 96 : si64, N = 6 : si64, bits = 3 : si64, block_size = 32 : si64}
    : (tensor<2x96xf32>, tensor<6x3x12xui8>, tensor<6x3xf32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

func.func @n_bits_weight(%a: tensor<2x96xf32>, %b: tensor<6x3x12xui8>, %s: tensor<6x3xf32>) -> tensor<2x6xf32> {
  // expected-error @below {{B has type 'tensor<6x3x12xui8>': expected 'tensor<6x3x16xui8>'}}
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulNBits", K = 96 : si64, N = 6 : si64, block_size = 32 : si64}
    : (tensor<2x96xf32>, tensor<6x3x12xui8>, tensor<6x3xf32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

func.func @n_bits_block(%a: tensor<2x96xf32>, %b: tensor<6x3x16xui8>, %s: tensor<6x3xf32>) -> tensor<2x6xf32> {
  // expected-error @below {{block_size is 24: expected a power of two, 16 or more}}
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulNBits", K = 96 : si64, N = 6 : si64, block_size = 24 : si64}
    : (tensor<2x96xf32>, tensor<6x3x16xui8>, tensor<6x3xf32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

func.func @gemm(%a: tensor<4x8xi8>, %b: tensor<2x8xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x2xf32> {
  // expected-error @below {{with transA = 0 and transB = 0: expected matrices that fit together}}
  %y = "onnx.Custom"(%a, %s, %z, %b, %s, %z) {domain_name = "com.microsoft", function_name = "QGemm"}
    : (tensor<4x8xi8>, tensor<f32>, tensor<i8>, tensor<2x8xi8>, tensor<f32>, tensor<i8>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

func.func @add(%a: tensor<4x8xi8>, %b: tensor<3xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x8xi8> {
  // expected-error @below {{expected one element type, and shapes that are broadcast to each other}}
  %y = "onnx.Custom"(%a, %s, %z, %b, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearAdd"}
    : (tensor<4x8xi8>, tensor<f32>, tensor<i8>, tensor<3xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @where(%c: tensor<8xi8>, %a: tensor<4x8xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x8xi8> {
  // expected-error @below {{condition has type 'tensor<8xi8>': expected a ranked tensor of i1}}
  %y = "onnx.Custom"(%c, %a, %s, %z, %a, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearWhere"}
    : (tensor<8xi8>, tensor<4x8xi8>, tensor<f32>, tensor<i8>, tensor<4x8xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @where_shapes(%c: tensor<3xi1>, %a: tensor<4x8xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x8xi8> {
  // expected-error @below {{shapes that are broadcast to each other}}
  %y = "onnx.Custom"(%c, %a, %s, %z, %a, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearWhere"}
    : (tensor<3xi1>, tensor<4x8xi8>, tensor<f32>, tensor<i8>, tensor<4x8xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @scale(%x: tensor<4x8xi8>, %s: tensor<8xf32>, %z: tensor<i8>, %t: tensor<f32>) -> tensor<4x8xi8> {
  // expected-error @below {{X_scale has type 'tensor<8xf32>': expected one element}}
  %y = "onnx.Custom"(%x, %s, %z, %t, %z) {domain_name = "com.microsoft", function_name = "QLinearSigmoid"}
    : (tensor<4x8xi8>, tensor<8xf32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @pool(%x: tensor<1x2x8x8xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<1x2x4x4xi8> {
  // expected-error @below {{has no attribute 'kernel_shape'}}
  %y = "onnx.Custom"(%x, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearAveragePool"}
    : (tensor<1x2x8x8xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<1x2x4x4xi8>
  return %y : tensor<1x2x4x4xi8>
}

// -----

func.func @float8_zero_points_beside_one_scale(%a: tensor<4x8xf8E4M3FN>, %s: tensor<f32>, %az: tensor<4xf8E4M3FN>, %b: tensor<8x2xi8>, %z: tensor<i8>) -> tensor<4x2xi8> {
  // expected-error @below {{a_zero_point has type 'tensor<4xf8E4M3FN>': expected one element, or the shape of a_scale, 'tensor<f32>'}}
  %y = "onnx.QLinearMatMul"(%a, %s, %az, %b, %s, %z, %s, %z)
    : (tensor<4x8xf8E4M3FN>, tensor<f32>, tensor<4xf8E4M3FN>, tensor<8x2xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<4x2xi8>
  return %y : tensor<4x2xi8>
}

// -----

func.func @float8_of_no_operator_set(%a: tensor<4x8xf8E4M3>, %s: tensor<f32>, %az: tensor<f8E4M3>, %b: tensor<8x2xi8>, %z: tensor<i8>) -> tensor<4x2xi8> {
  // expected-error @below {{a has type 'tensor<4x8xf8E4M3>': expected a ranked tensor of i8, ui8 or a float8 of ONNX}}
  %y = "onnx.QLinearMatMul"(%a, %s, %az, %b, %s, %z, %s, %z)
    : (tensor<4x8xf8E4M3>, tensor<f32>, tensor<f8E4M3>, tensor<8x2xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<4x2xi8>
  return %y : tensor<4x2xi8>
}

// -----

func.func @channels_last(%x: tensor<1x4x8x8xi8>, %w: tensor<6x4x3x3xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<1x6x6x6xi8> {
  // expected-error @below {{x has 8 channels and w 4 with group = 1: expected group times those of w}}
  %y = "onnx.Custom"(%x, %s, %z, %w, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearConv", channels_last = 1 : si64}
    : (tensor<1x4x8x8xi8>, tensor<f32>, tensor<i8>, tensor<6x4x3x3xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<1x6x6x6xi8>
  return %y : tensor<1x6x6x6xi8>
}

// -----

func.func @filter_scales(%x: tensor<1x2x8x8xi8>, %s: tensor<f32>, %z: tensor<i8>, %w: tensor<4x2x3x3xi8>, %t: tensor<3xf32>) -> tensor<1x4x6x6xi8> {
  // expected-error @below {{w_scale has type 'tensor<3xf32>': expected one element, or one for each of the 4 filters}}
  %y = "onnx.QLinearConv"(%x, %s, %z, %w, %t, %z, %s, %z)
    : (tensor<1x2x8x8xi8>, tensor<f32>, tensor<i8>, tensor<4x2x3x3xi8>, tensor<3xf32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<1x4x6x6xi8>
  return %y : tensor<1x4x6x6xi8>
}

// -----

func.func @open_filter(%x: tensor<1x2x8x8xi8>, %w: tensor<4x2x?x3xi8>) -> tensor<1x4x8x8xi32> {
  // expected-error @below {{the filter's size in spatial dimension 0 is dynamic: expected a static one for its padding}}
  %y = "onnx.ConvInteger"(%x, %w) {auto_pad = "SAME_UPPER"}
    : (tensor<1x2x8x8xi8>, tensor<4x2x?x3xi8>) -> tensor<1x4x8x8xi32>
  return %y : tensor<1x4x8x8xi32>
}

// -----

func.func @types_of_scales(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>, %s: tensor<f32>, %t: tensor<f16>) -> tensor<4x2xf32> {
  // expected-error @below {{b_scale has type 'tensor<f16>': expected 'f32', the type of a_scale}}
  %y = "onnx.Custom"(%a, %b, %s, %t) {domain_name = "com.microsoft", function_name = "MatMulIntegerToFloat"}
    : (tensor<4x8xi8>, tensor<8x2xi8>, tensor<f32>, tensor<f16>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

func.func @gemm_scales(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>, %s: tensor<f32>, %z: tensor<i8>, %t: tensor<3xf32>) -> tensor<4x2xf32> {
  // expected-error @below {{b_scale has type 'tensor<3xf32>': expected one element, or one for each of the 2 columns of y}}
  %y = "onnx.Custom"(%a, %s, %z, %b, %t, %z) {domain_name = "com.microsoft", function_name = "QGemm"}
    : (tensor<4x8xi8>, tensor<f32>, tensor<i8>, tensor<8x2xi8>, tensor<3xf32>, tensor<i8>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

func.func @gemm_without_scale(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x2xf32> {
  %n = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{has y_zero_point without y_scale}}
  %y = "onnx.Custom"(%a, %s, %z, %b, %s, %z, %n, %n, %z) {domain_name = "com.microsoft", function_name = "QGemm"}
    : (tensor<4x8xi8>, tensor<f32>, tensor<i8>, tensor<8x2xi8>, tensor<f32>, tensor<i8>, none, none, tensor<i8>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

func.func @dilated_pool(%x: tensor<1x2x8x8xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<1x2x6x6xi8> {
  // expected-error @below {{has dilations, which this operator does not}}
  %y = "onnx.Custom"(%x, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearAveragePool", kernel_shape = [2, 2], dilations = [2, 2]}
    : (tensor<1x2x8x8xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<1x2x6x6xi8>
  return %y : tensor<1x2x6x6xi8>
}

// -----

func.func @pool_of_four_dimensions(%x: tensor<1x2x4x4x4x4xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<1x2x3x3x3x3xi8> {
  // expected-error @below {{has 4 spatial dimensions: expected 1 to 3}}
  %y = "onnx.Custom"(%x, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearAveragePool", kernel_shape = [2, 2, 2, 2]}
    : (tensor<1x2x4x4x4x4xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<1x2x3x3x3x3xi8>
  return %y : tensor<1x2x3x3x3x3xi8>
}

// -----

func.func @softmax_of_old_opset(%x: tensor<4x8xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x8xi8> {
  // expected-error @below {{axis is 0 in opset 12, where a row has all dimensions from it on: expected the last one}}
  %y = "onnx.Custom"(%x, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearSoftmax", axis = 0 : si64, opset = 12 : si64}
    : (tensor<4x8xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}
