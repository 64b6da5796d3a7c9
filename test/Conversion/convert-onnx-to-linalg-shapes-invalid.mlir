// Operands, attributes and shapes that the specification of ONNX excludes, or that are too open.
// RUN: quant-opt --convert-onnx-to-linalg --split-input-file --verify-diagnostics %s

func.func @broadcast_attribute(%x0: tensor<2x3xf32>, %x1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{'onnx.Add' op has the attribute 'broadcast' of opsets below 7: expected a model of opset 7 or newer}}
  %y = "onnx.Add"(%x0, %x1) {broadcast = 1 : si64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @small_floats(%x0: tensor<3xf8E5M2>) -> tensor<3xf8E5M2> {
  // expected-error @below {{'onnx.Neg' op has operands of 'f8E5M2': expected floats of 16 bits or more}}
  %y = "onnx.Neg"(%x0) : (tensor<3xf8E5M2>) -> tensor<3xf8E5M2>
  return %y : tensor<3xf8E5M2>
}

// -----

func.func @root_of_integers(%x0: tensor<3xi32>) -> tensor<3xi32> {
  // expected-error @below {{'onnx.Sqrt' op has operands of 'i32': expected floats}}
  %y = "onnx.Sqrt"(%x0) : (tensor<3xi32>) -> tensor<3xi32>
  return %y : tensor<3xi32>
}

// -----

func.func @sum_of_integers(%x0: tensor<3xi32>, %x1: tensor<3xi32>) -> tensor<3xi32> {
  // expected-error @below {{'onnx.Sum' op has operands of 'i32': expected floats}}
  %y = "onnx.Sum"(%x0, %x1) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %y : tensor<3xi32>
}

// -----

func.func @clip_by_vector(%x0: tensor<2x3xf32>, %x1: tensor<3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{'onnx.Clip' op min has type 'tensor<3xf32>': expected one element of 'f32'}}
  %y = "onnx.Clip"(%x0, %x1) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @clip_of_integers(%x0: tensor<3xi32>) -> tensor<3xi32> {
  // expected-error @below {{'onnx.Clip' op attribute 'max' is no bound of 'i32'}}
  %y = "onnx.Clip"(%x0) {max = 6.0 : f32} : (tensor<3xi32>) -> tensor<3xi32>
  return %y : tensor<3xi32>
}

// -----

func.func @where_of_two_types(%x0: tensor<3xi1>, %x1: tensor<3xf32>, %x2: tensor<3xf16>) -> tensor<3xf32> {
  // expected-error @below {{'onnx.Where' op has operands 'tensor<3xi1>', 'tensor<3xf32>' and 'tensor<3xf16>': expected i1, and one type for X and Y}}
  %y = "onnx.Where"(%x0, %x1, %x2) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf16>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @square_of_more_dimensions(%x0: tensor<3xf32>) -> tensor<1x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<2.0> : tensor<1x1xf32>} : () -> tensor<1x1xf32>
  // expected-error @below {{'onnx.Pow' op Y has type 'tensor<1x1xf32>': expected no more dimensions than X}}
  %y = "onnx.Pow"(%x0, %c1) : (tensor<3xf32>, tensor<1x1xf32>) -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}

// -----

func.func @gelu(%x0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{'onnx.Gelu' op approximate is 'erf': expected none or tanh}}
  %y = "onnx.Gelu"(%x0) {approximate = "erf"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @cast_of_small_floats(%x0: tensor<3xf8E5M2>) -> tensor<3xf32> {
  // expected-error @below {{'onnx.Cast' op casts 'f8E5M2' to 'f32': expected integers, f16, bf16, f32 or f64}}
  %y = "onnx.Cast"(%x0) {to = 1 : si64} : (tensor<3xf8E5M2>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @complex(%x0: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  // expected-error @below {{'onnx.Abs' op operand 0 has element type 'complex<f32>': expected integers or floats}}
  %y = "onnx.Abs"(%x0) : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return %y : tensor<3xcomplex<f32>>
}

// -----

func.func @other_element_type(%x0: tensor<3xf32>) -> tensor<3xf16> {
  // expected-error @below {{'onnx.Relu' op computes elements of type 'f32', and the result type says 'f16'}}
  %y = "onnx.Relu"(%x0) : (tensor<3xf32>) -> tensor<3xf16>
  return %y : tensor<3xf16>
}

// -----

func.func @open_scales(%x0: tensor<1x1x4x4xf32>, %x2: tensor<?xf32>) -> tensor<1x1x8x8xf32> {
  %c1 = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.Resize' op scales has type 'tensor<?xf32>': expected a static number of f32}}
  %y = "onnx.Resize"(%x0, %c1, %x2) : (tensor<1x1x4x4xf32>, none, tensor<?xf32>) -> tensor<1x1x8x8xf32>
  return %y : tensor<1x1x8x8xf32>
}

// -----

func.func @layer_scale(%x0: tensor<2x3xf32>, %x1: tensor<2xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{'onnx.LayerNormalization' op has a scale or bias of type 'tensor<2xf32>', which does not broadcast to 'tensor<2x3xf32>'}}
  %y = "onnx.LayerNormalization"(%x0, %x1) : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @channels(%x0: tensor<1x4x2xf32>, %x1: tensor<3xf32>, %x2: tensor<3xf32>, %x3: tensor<3xf32>, %x4: tensor<3xf32>) -> tensor<1x4x2xf32> {
  // expected-error @below {{'onnx.BatchNormalization' op scale has type 'tensor<3xf32>': expected 4 elements, one a channel}}
  %y = "onnx.BatchNormalization"(%x0, %x1, %x2, %x3, %x4) : (tensor<1x4x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x4x2xf32>
  return %y : tensor<1x4x2xf32>
}

// -----

func.func @training(%x0: tensor<1x4x2xf32>, %x1: tensor<4xf32>, %x2: tensor<4xf32>, %x3: tensor<4xf32>, %x4: tensor<4xf32>) -> tensor<1x4x2xf32> {
  // expected-error @below {{'onnx.BatchNormalization' op training_mode is 1: expected 0}}
  %y = "onnx.BatchNormalization"(%x0, %x1, %x2, %x3, %x4) {training_mode = 1 : si64} : (tensor<1x4x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x2xf32>
  return %y : tensor<1x4x2xf32>
}

// -----

func.func @dropout_trains(%x0: tensor<2x3xf32>, %x1: tensor<f32>, %x2: tensor<i1>) -> tensor<2x3xf32> {
  // expected-error @below {{'onnx.Dropout' op training_mode is not constantly false}}
  %y = "onnx.Dropout"(%x0, %x1, %x2) : (tensor<2x3xf32>, tensor<f32>, tensor<i1>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @gemm_depths(%x0: tensor<2x3xf32>, %x1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{'onnx.Gemm' op has operands 'tensor<2x3xf32>' and 'tensor<2x3xf32>', whose summed dimensions differ}}
  %y = "onnx.Gemm"(%x0, %x1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @gemm_term(%x0: tensor<2x3xf32>, %x1: tensor<3x4xf32>, %x2: tensor<3xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{'onnx.Gemm' op C has type 'tensor<3xf32>': expected one that broadcasts to the product}}
  %y = "onnx.Gemm"(%x0, %x1, %x2) : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @open_filters(%x0: tensor<1x4x5xf32>, %x1: tensor<?x2x3xf32>) -> tensor<1x?x3xf32> {
  // expected-error @below {{'onnx.Conv' op W has type 'tensor<?x2x3xf32>': expected a static number of filters in groups}}
  %y = "onnx.Conv"(%x0, %x1) {group = 2 : si64} : (tensor<1x4x5xf32>, tensor<?x2x3xf32>) -> tensor<1x?x3xf32>
  return %y : tensor<1x?x3xf32>
}

// -----

func.func @open_kernel(%x0: tensor<1x4x5xf32>, %x1: tensor<2x4x?xf32>) -> tensor<1x2x?xf32> {
  // expected-error @below {{'onnx.Conv' op W has type 'tensor<2x4x?xf32>': expected static spatial sizes}}
  %y = "onnx.Conv"(%x0, %x1) : (tensor<1x4x5xf32>, tensor<2x4x?xf32>) -> tensor<1x2x?xf32>
  return %y : tensor<1x2x?xf32>
}

// -----

func.func @transposed_open_filter(%x0: tensor<1x4x5xf32>, %x1: tensor<4x2x?xf32>) -> tensor<1x2x?xf32> {
  // expected-error @below {{'onnx.ConvTranspose' op has operands 'tensor<1x4x5xf32>' and 'tensor<4x2x?xf32>': expected one rank, from 3 to 5, and static sizes of W}}
  %y = "onnx.ConvTranspose"(%x0, %x1) : (tensor<1x4x5xf32>, tensor<4x2x?xf32>) -> tensor<1x2x?xf32>
  return %y : tensor<1x2x?xf32>
}

// -----

func.func @transposed_phases(%x0: tensor<1x4x5x5x5xf32>, %x1: tensor<4x1x7x7x7xf32>) -> tensor<1x4x?x?x?xf32> {
  // expected-error @below {{'onnx.ConvTranspose' op has strides and dilations of 343 convolutions: expected at most 256}}
  %y = "onnx.ConvTranspose"(%x0, %x1) {group = 4, strides = [7, 7, 7]} : (tensor<1x4x5x5x5xf32>, tensor<4x1x7x7x7xf32>) -> tensor<1x4x?x?x?xf32>
  return %y : tensor<1x4x?x?x?xf32>
}

// -----

func.func @transposed_open_shape(%x0: tensor<1x4x?xf32>, %x1: tensor<4x2x3xf32>) -> tensor<1x2x?xf32> {
  // expected-error @below {{'onnx.ConvTranspose' op has attribute 'output_shape' and an open size in dimension 2: expected a static one}}
  %y = "onnx.ConvTranspose"(%x0, %x1) {output_shape = [9]} : (tensor<1x4x?xf32>, tensor<4x2x3xf32>) -> tensor<1x2x?xf32>
  return %y : tensor<1x2x?xf32>
}

// -----

func.func @transposed_channels(%x0: tensor<1x4x5xf32>, %x1: tensor<3x2x3xf32>) -> tensor<1x2x7xf32> {
  // expected-error @below {{'onnx.ConvTranspose' op X has type 'tensor<1x4x5xf32>', W 'tensor<3x2x3xf32>' and group is 1: expected the same channels, in whole groups}}
  %y = "onnx.ConvTranspose"(%x0, %x1) : (tensor<1x4x5xf32>, tensor<3x2x3xf32>) -> tensor<1x2x7xf32>
  return %y : tensor<1x2x7xf32>
}

// -----

func.func @transposed_strides(%x0: tensor<1x4x5xf32>, %x1: tensor<4x2x3xf32>) -> tensor<1x2x7xf32> {
  // expected-error @below {{'onnx.ConvTranspose' op attribute 'strides' has 2 numbers: expected 1}}
  %y = "onnx.ConvTranspose"(%x0, %x1) {strides = [1, 1]} : (tensor<1x4x5xf32>, tensor<4x2x3xf32>) -> tensor<1x2x7xf32>
  return %y : tensor<1x2x7xf32>
}

// -----

func.func @transposed_pads(%x0: tensor<1x4x1xf32>, %x1: tensor<4x2x1xf32>) -> tensor<1x2x1xf32> {
  // expected-error @below {{'onnx.ConvTranspose' op has -1 elements in dimension 2: expected pads that leave some}}
  %y = "onnx.ConvTranspose"(%x0, %x1) {pads = [1, 1]} : (tensor<1x4x1xf32>, tensor<4x2x1xf32>) -> tensor<1x2x1xf32>
  return %y : tensor<1x2x1xf32>
}

// -----

func.func @three_scales(%x0: tensor<1x1x4x4xf32>) -> tensor<1x1x8x8xf32> {
  %c1 = "onnx.NoValue"() {value} : () -> none
  %c2 = "onnx.Constant"() {value = dense<2.0> : tensor<3xf32>} : () -> tensor<3xf32>
  // expected-error @below {{'onnx.Resize' op has 3 scales or sizes: expected 4}}
  %y = "onnx.Resize"(%x0, %c1, %c2) : (tensor<1x1x4x4xf32>, none, tensor<3xf32>) -> tensor<1x1x8x8xf32>
  return %y : tensor<1x1x8x8xf32>
}

// -----

func.func @integer_scales(%x0: tensor<1x1x4x4xf32>) -> tensor<1x1x8x8xf32> {
  %c1 = "onnx.NoValue"() {value} : () -> none
  %c2 = "onnx.Constant"() {value = dense<[1, 1, 2, 2]> : tensor<4xi64>} : () -> tensor<4xi64>
  // expected-error @below {{'onnx.Resize' op scales is not constant: expected a constant of floats as operand 2}}
  %y = "onnx.Resize"(%x0, %c1, %c2) : (tensor<1x1x4x4xf32>, none, tensor<4xi64>) -> tensor<1x1x8x8xf32>
  return %y : tensor<1x1x8x8xf32>
}

// -----

func.func @negative_scale_of_open_size(%x0: tensor<1x1x4x?xf32>) -> tensor<1x1x4x?xf32> {
  %c1 = "onnx.NoValue"() {value} : () -> none
  %c2 = "onnx.Constant"() {value = dense<[1.0, 1.0, 1.0, -2.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  // expected-error @below {{'onnx.Resize' op has the scale -2.000000e+00: expected a positive one}}
  %y = "onnx.Resize"(%x0, %c1, %c2) : (tensor<1x1x4x?xf32>, none, tensor<4xf32>) -> tensor<1x1x4x?xf32>
  return %y : tensor<1x1x4x?xf32>
}

// -----

func.func @negative_scale(%x0: tensor<1x1x4x4xf32>) -> tensor<1x1x8x8xf32> {
  %c1 = "onnx.NoValue"() {value} : () -> none
  %c2 = "onnx.Constant"() {value = dense<[1.0, 1.0, 1.0, -2.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  // expected-error @below {{'onnx.Resize' op has the scale -2}}
  %y = "onnx.Resize"(%x0, %c1, %c2) : (tensor<1x1x4x4xf32>, none, tensor<4xf32>) -> tensor<1x1x8x8xf32>
  return %y : tensor<1x1x8x8xf32>
}

// -----

func.func @nothing_left(%x0: tensor<1x1x4x4xf32>) -> tensor<1x1x4x0xf32> {
  %c1 = "onnx.NoValue"() {value} : () -> none
  %c2 = "onnx.Constant"() {value = dense<[1.0, 1.0, 1.0, 0.125]> : tensor<4xf32>} : () -> tensor<4xf32>
  // expected-error @below {{'onnx.Resize' op resizes 4 elements to 0 in dimension 3: expected some of both}}
  %y = "onnx.Resize"(%x0, %c1, %c2) : (tensor<1x1x4x4xf32>, none, tensor<4xf32>) -> tensor<1x1x4x0xf32>
  return %y : tensor<1x1x4x0xf32>
}

// -----

func.func @coordinates(%x0: tensor<1x1x4x4xf32>) -> tensor<1x1x8x8xf32> {
  %c1 = "onnx.NoValue"() {value} : () -> none
  %c2 = "onnx.Constant"() {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
  // expected-error @below {{'onnx.Resize' op coordinate_transformation_mode is 'tf_crop_and_resize': expected half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric or tf_half_pixel_for_nn}}
  %y = "onnx.Resize"(%x0, %c1, %c2) {coordinate_transformation_mode = "tf_crop_and_resize"} : (tensor<1x1x4x4xf32>, none, tensor<4xf32>) -> tensor<1x1x8x8xf32>
  return %y : tensor<1x1x8x8xf32>
}

// -----

func.func @antialias(%x0: tensor<1x1x4x4xf32>) -> tensor<1x1x8x8xf32> {
  %c1 = "onnx.NoValue"() {value} : () -> none
  %c2 = "onnx.Constant"() {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
  // expected-error @below {{'onnx.Resize' op keep_aspect_ratio_policy is 'stretch' and antialias 1: expected stretch and 0}}
  %y = "onnx.Resize"(%x0, %c1, %c2) {antialias = 1 : si64} : (tensor<1x1x4x4xf32>, none, tensor<4xf32>) -> tensor<1x1x8x8xf32>
  return %y : tensor<1x1x8x8xf32>
}

// -----

func.func @between_integers(%x0: tensor<1x1x4x4xi32>) -> tensor<1x1x8x8xi32> {
  %c1 = "onnx.NoValue"() {value} : () -> none
  %c2 = "onnx.Constant"() {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
  // expected-error @below {{'onnx.Resize' op X has type 'tensor<1x1x4x4xi32>': expected floats or codes of 8 bits to interpolate}}
  %y = "onnx.Resize"(%x0, %c1, %c2) {mode = "linear"} : (tensor<1x1x4x4xi32>, none, tensor<4xf32>) -> tensor<1x1x8x8xi32>
  return %y : tensor<1x1x8x8xi32>
}

// -----

func.func @copied_size(%x0: tensor<?xf32>) -> tensor<?x?xf32> {
  %c1 = "onnx.Constant"() {value = dense<[-1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{'onnx.Reshape' op shape has 0 at position 1: expected a dimension of the input to copy}}
  %y = "onnx.Reshape"(%x0, %c1) : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

func.func @two_inferred(%x0: tensor<?xf32>) -> tensor<?x?xf32> {
  %c1 = "onnx.Constant"() {value = dense<[-1, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{'onnx.Reshape' op shape has -1 at position 1: expected sizes, and -1 once}}
  %y = "onnx.Reshape"(%x0, %c1) : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

func.func @inferred_beside_zero(%x0: tensor<?xf32>) -> tensor<?x?xf32> {
  %c1 = "onnx.Constant"() {value = dense<[-1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{'onnx.Reshape' op shape has -1 beside 0: expected sizes that tell it}}
  %y = "onnx.Reshape"(%x0, %c1) {allowzero = 1 : si64} : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

func.func @reshaped_to_nothing(%x0: tensor<?xf32>) -> tensor<?x0xf32> {
  // expected-error @below {{'onnx.Reshape' op has no shape, which is operand 1}}
  %y = "onnx.Reshape"(%x0) : (tensor<?xf32>) -> tensor<?x0xf32>
  return %y : tensor<?x0xf32>
}

// -----

func.func @squeeze_of_open_sizes(%x0: tensor<?x1xf32>) -> tensor<?xf32> {
  // expected-error @below {{'onnx.Squeeze' op has no axes, and data is 'tensor<?x1xf32>': expected axes, or static sizes}}
  %y = "onnx.Squeeze"(%x0) : (tensor<?x1xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @squeeze_of_two(%x0: tensor<2x3xf32>) -> tensor<3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error @below {{'onnx.Squeeze' op dimension 0 of data has size 2: expected 1}}
  %y = "onnx.Squeeze"(%x0, %c1) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @unsqueeze(%x0: tensor<2x3xf32>) -> tensor<1x2x3xf32> {
  // expected-error @below {{'onnx.Unsqueeze' op has no axes}}
  %y = "onnx.Unsqueeze"(%x0) : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
  return %y : tensor<1x2x3xf32>
}

// -----

func.func @permutation(%x0: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // expected-error @below {{'onnx.Transpose' op perm has 1 axes: expected 2}}
  %y = "onnx.Transpose"(%x0) {perm = [1]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

func.func @no_blocks(%x0: tensor<1x8x4x4xf32>) -> tensor<1x2x8x8xf32> {
  // expected-error @below {{'onnx.DepthToSpace' op has blocksize 0 and input 'tensor<1x8x4x4xf32>': expected a positive one, rank 4, and static sizes but for the batch}}
  %y = "onnx.DepthToSpace"(%x0) {blocksize = 0 : si64} : (tensor<1x8x4x4xf32>) -> tensor<1x2x8x8xf32>
  return %y : tensor<1x2x8x8xf32>
}

// -----

func.func @block_mode(%x0: tensor<1x8x4x4xf32>) -> tensor<1x2x8x8xf32> {
  // expected-error @below {{'onnx.DepthToSpace' op mode is 'RCD': expected DCR or CRD}}
  %y = "onnx.DepthToSpace"(%x0) {blocksize = 2 : si64, mode = "RCD"} : (tensor<1x8x4x4xf32>) -> tensor<1x2x8x8xf32>
  return %y : tensor<1x2x8x8xf32>
}

// -----

func.func @blocks_that_do_not_divide(%x0: tensor<1x8x4x4xf32>) -> tensor<1x72x1x1xf32> {
  // expected-error @below {{'onnx.SpaceToDepth' op input 'tensor<1x8x4x4xf32>' is not divided by blocks of 3}}
  %y = "onnx.SpaceToDepth"(%x0) {blocksize = 3 : si64} : (tensor<1x8x4x4xf32>) -> tensor<1x72x1x1xf32>
  return %y : tensor<1x72x1x1xf32>
}

// -----

func.func @expand(%x0: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %c1 = "onnx.Constant"() {value = dense<[2, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{'onnx.Expand' op input 'tensor<2x3xf32>' does not broadcast to 4 in dimension 1}}
  %y = "onnx.Expand"(%x0, %c1) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @repeats(%x0: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error @below {{'onnx.Tile' op repeats are not one for each of the 2 dimensions, and from 0 to 2^31 - 1}}
  %y = "onnx.Tile"(%x0, %c1) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func @many_values() -> tensor<3xf32> {
  %c0 = "onnx.Constant"() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error @below {{'onnx.ConstantOfShape' op attribute 'value' is dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>: expected one number}}
  %y = "onnx.ConstantOfShape"(%c0) {value = dense<[1.0, 2.0]> : tensor<2xf32>} : (tensor<1xi64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @no_ends(%x0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error @below {{'onnx.Slice' op has no ends, which is operand 2}}
  %y = "onnx.Slice"(%x0, %c1) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @two_steps(%x0: tensor<2x3xf32>) -> tensor<1x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c2 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c3 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c4 = "onnx.Constant"() {value = dense<[1, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{'onnx.Slice' op has 1 starts, 1 ends, 1 axes and 2 steps: expected one number of each}}
  %y = "onnx.Slice"(%x0, %c1, %c2, %c3, %c4) : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<2xi64>) -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}

// -----

func.func @step_of_zero(%x0: tensor<2x3xf32>) -> tensor<1x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c2 = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c3 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  %c4 = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error @below {{'onnx.Slice' op has the step 0: expected one of 32 bits, and no 0}}
  %y = "onnx.Slice"(%x0, %c1, %c2, %c3, %c4) : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}

// -----

func.func @split_of_open_size(%x0: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{'onnx.Split' op has no split, and input is 'tensor<?xf32>': expected split, or a static size in dimension 0}}
  %y = "onnx.Split"(%x0) : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @parts(%x0: tensor<6xf32>) -> tensor<4xf32> {
  %c1 = "onnx.Constant"() {value = dense<[4]> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error @below {{'onnx.Split' op has 1 results and 1 parts of 4 elements, of 6 in dimension 0}}
  %y = "onnx.Split"(%x0, %c1) : (tensor<6xf32>, tensor<1xi64>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @concat(%x0: tensor<2x3xf32>, %x1: tensor<3x2xf32>) -> tensor<5x3xf32> {
  // expected-error @below {{'onnx.Concat' op has inputs 'tensor<2x3xf32>' and 'tensor<3x2xf32>', which differ beside axis 0}}
  %y = "onnx.Concat"(%x0, %x1) {axis = 0 : si64} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// -----

func.func @padding_of_other_type(%x0: tensor<2x3xf32>, %x2: tensor<f16>) -> tensor<4x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[1, 0, 1, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
  // expected-error @below {{'onnx.Pad' op constant_value has type 'tensor<f16>': expected one element of 'f32'}}
  %y = "onnx.Pad"(%x0, %c1, %x2) : (tensor<2x3xf32>, tensor<4xi64>, tensor<f16>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func @padding_of_integers(%x0: tensor<2x3xi8>) -> tensor<4x3xi8> {
  // expected-error @below {{'onnx.Pad' op attribute 'value' is 1}}
  %y = "onnx.Pad"(%x0) {pads = [1, 0, 1, 0], value = 1.0 : f32} : (tensor<2x3xi8>) -> tensor<4x3xi8>
  return %y : tensor<4x3xi8>
}

// -----

func.func @pads(%x0: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[1, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{'onnx.Pad' op has 2 pads: expected two for each of 2 axes}}
  %y = "onnx.Pad"(%x0, %c1) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func @pad_mode(%x0: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[1, 0, 1, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
  // expected-error @below {{'onnx.Pad' op mode is 'mirror': expected constant, edge, reflect or wrap}}
  %y = "onnx.Pad"(%x0, %c1) {mode = "mirror"} : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func @huge_pads(%x0: tensor<2x3xf32>) -> tensor<?x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[4294967296, 0, 0, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
  // expected-error @below {{'onnx.Pad' op has pads beyond 2^31}}
  %y = "onnx.Pad"(%x0, %c1) : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

func.func @edge_of_open_size(%x0: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[1, 0, 1, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
  // expected-error @below {{'onnx.Pad' op mode is 'edge' and dimension 0 of data is open: expected a static size}}
  %y = "onnx.Pad"(%x0, %c1) {mode = "edge"} : (tensor<?x3xf32>, tensor<4xi64>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

func.func @reflects_too_much(%x0: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[2, 0, 0, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
  // expected-error @below {{'onnx.Pad' op reflects 2 elements of dimension 0, which has 2: expected fewer than that}}
  %y = "onnx.Pad"(%x0, %c1) {mode = "reflect"} : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func @edge_of_nothing(%x0: tensor<0x3xf32>) -> tensor<2x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[1, 0, 1, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
  // expected-error @below {{'onnx.Pad' op dimension 0 of data is empty: expected elements to repeat}}
  %y = "onnx.Pad"(%x0, %c1) {mode = "edge"} : (tensor<0x3xf32>, tensor<4xi64>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @pads_take_too_much(%x0: tensor<2x3xf32>) -> tensor<0x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[-2, 0, -1, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
  // expected-error @below {{'onnx.Pad' op takes 3 elements from dimension 0, which has 2}}
  %y = "onnx.Pad"(%x0, %c1) : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}

// -----

func.func @negative_pads_of_open_size(%x0: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c1 = "onnx.Constant"() {value = dense<[-1, 0, 0, 0]> : tensor<4xi64>} : () -> tensor<4xi64>
  // expected-error @below {{'onnx.Pad' op has negative pads in dimension 0, whose size is open: expected a static one}}
  %y = "onnx.Pad"(%x0, %c1) : (tensor<?x3xf32>, tensor<4xi64>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

func.func @indices(%x0: tensor<2x3xf32>, %x1: tensor<1xi8>) -> tensor<1x3xf32> {
  // expected-error @below {{'onnx.Gather' op indices have element type 'i8': expected i32 or i64}}
  %y = "onnx.Gather"(%x0, %x1) : (tensor<2x3xf32>, tensor<1xi8>) -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}

// -----

func.func @reshape_beyond_64_bits(%x: tensor<?xf32>) -> tensor<?x?xf32> {
  %s = "onnx.Constant"() {value = dense<[4294967296, 4294967296]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{'onnx.Reshape' op shape has more elements than 64 bits count}}
  %y = "onnx.Reshape"(%x, %s) : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

func.func @other_rank(%x: tensor<?x?xf32>, %s: tensor<2xi64>) -> tensor<?x?x?xf32> {
  // expected-error @below {{'onnx.Reshape' op has a shape of 2 sizes, and result 'tensor<?x?x?xf32>'}}
  %y = "onnx.Reshape"(%x, %s) : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// -----

func.func @computed_pads(%x: tensor<2x3xf32>, %p: tensor<4xi64>) -> tensor<?x?xf32> {
  // expected-error @below {{'onnx.Pad' op mode is 'edge' and pads are not constant: expected constants}}
  %y = "onnx.Pad"(%x, %p) {mode = "edge"} : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

func.func @range_of_halves(%s: tensor<f16>) -> tensor<?xf16> {
  // expected-error @below {{'onnx.Range' op start has type 'tensor<f16>': expected one integer, f32 or f64, as start}}
  %y = "onnx.Range"(%s, %s, %s) : (tensor<f16>, tensor<f16>, tensor<f16>) -> tensor<?xf16>
  return %y : tensor<?xf16>
}

// -----

func.func @range_of_two_types(%s: tensor<i64>, %n: tensor<i32>) -> tensor<?xi64> {
  // expected-error @below {{'onnx.Range' op limit has type 'tensor<i32>': expected one integer, f32 or f64, as start}}
  %y = "onnx.Range"(%s, %n, %s) : (tensor<i64>, tensor<i32>, tensor<i64>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// -----

func.func @elements_of_other_rank(%x: tensor<2x3xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {
  // expected-error @below {{'onnx.GatherElements' op indices have type 'tensor<2xi64>': expected rank 2, as data}}
  %y = "onnx.GatherElements"(%x, %i) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @elements_beyond(%x: tensor<2x3xf32>, %i: tensor<2x4xi64>) -> tensor<2x4xf32> {
  // expected-error @below {{'onnx.GatherElements' op indices have 4 elements in dimension 1, and data 3}}
  %y = "onnx.GatherElements"(%x, %i) {axis = 0 : si64} : (tensor<2x3xf32>, tensor<2x4xi64>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @coordinates(%x: tensor<2x3xf32>, %i: tensor<4x3xi64>) -> tensor<4xf32> {
  // expected-error @below {{'onnx.GatherND' op has batch_dims 0, data 'tensor<2x3xf32>' and indices 'tensor<4x3xi64>': expected coordinates that data has}}
  %y = "onnx.GatherND"(%x, %i) : (tensor<2x3xf32>, tensor<4x3xi64>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @coordinates_of_nothing(%x: tensor<2x0xf32>, %i: tensor<4x2xi64>) -> tensor<4xf32> {
  // expected-error @below {{'onnx.GatherND' op data has type 'tensor<2x0xf32>': expected elements in dimension 1}}
  %y = "onnx.GatherND"(%x, %i) : (tensor<2x0xf32>, tensor<4x2xi64>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @sums_along_two_axes(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = "onnx.Constant"() {value = dense<[0, 1]> : tensor<2xi64>} : () -> tensor<2xi64>
  // expected-error @below {{'onnx.CumSum' op axis is not one integer}}
  %y = "onnx.CumSum"(%x, %a) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @resized_from_nothing(%x: tensor<1x1x0x4xf32>, %s: tensor<4xi64>) -> tensor<1x1x?x?xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.Resize' op X has type 'tensor<1x1x0x4xf32>': expected elements in dimension 2, which is resized}}
  %y = "onnx.Resize"(%x, %none, %none, %s) : (tensor<1x1x0x4xf32>, none, none, tensor<4xi64>) -> tensor<1x1x?x?xf32>
  return %y : tensor<1x1x?x?xf32>
}

// -----

func.func @squeezed_by_values(%x: tensor<1x2x3xf32>, %a: tensor<1xi64>) -> tensor<2x3xf32> {
  // expected-error @below {{'onnx.Squeeze' op axes is not constant: expected a constant of integers as operand 1}}
  %y = "onnx.Squeeze"(%x, %a) : (tensor<1x2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// A splat of a few bytes may have more elements than memory.

func.func @many_scales(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x8x8xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  %s = "onnx.Constant"() {value = dense<2.0> : tensor<4294967296xf32>} : () -> tensor<4294967296xf32>
  // expected-error @below {{'onnx.Resize' op scales has 4294967296 elements: expected at most 65536}}
  %y = "onnx.Resize"(%x, %none, %s) : (tensor<1x1x4x4xf32>, none, tensor<4294967296xf32>) -> tensor<1x1x8x8xf32>
  return %y : tensor<1x1x8x8xf32>
}

// -----

func.func @many_open_scales(%x: tensor<1x1x4x4xf32>, %s: tensor<4294967296xf32>) -> tensor<1x1x8x8xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.Resize' op scales has 4294967296 elements: expected at most 65536}}
  %y = "onnx.Resize"(%x, %none, %s) : (tensor<1x1x4x4xf32>, none, tensor<4294967296xf32>) -> tensor<1x1x8x8xf32>
  return %y : tensor<1x1x8x8xf32>
}

// -----

func.func @many_starts(%x: tensor<64x8xf32>) -> tensor<?x8xf32> {
  %zero = "onnx.Constant"() {value = dense<0> : tensor<2147483647xi64>} : () -> tensor<2147483647xi64>
  // expected-error @below {{'onnx.Slice' op starts has 2147483647 elements: expected at most 65536}}
  %p = "onnx.Slice"(%x, %zero, %zero, %zero) : (tensor<64x8xf32>, tensor<2147483647xi64>, tensor<2147483647xi64>, tensor<2147483647xi64>) -> tensor<?x8xf32>
  return %p : tensor<?x8xf32>
}

// -----

func.func @many_axes(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %axes = "onnx.Constant"() {value = dense<1> : tensor<2147483647xi64>} : () -> tensor<2147483647xi64>
  // expected-error @below {{'onnx.ReduceSum' op axes has 2147483647 elements: expected at most 65536}}
  %y = "onnx.ReduceSum"(%x, %axes) : (tensor<2x3xf32>, tensor<2147483647xi64>) -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}

// -----

func.func @many_axes_of_an_attribute(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  // expected-error @below {{'onnx.ReduceMax' op attribute 'axes' is dense<1> : tensor<2147483647xi64>: expected a list of s64, such as array<i64: 1>}}
  %y = "onnx.ReduceMax"(%x) {axes = dense<1> : tensor<2147483647xi64>} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}
