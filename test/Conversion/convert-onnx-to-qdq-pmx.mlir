// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file | FileCheck %s

// OpenPPL pmx DequantizeLinear.

// CHECK-LABEL: @dequantize_tensor_6x4
func.func @dequantize_tensor_6x4(%x: tensor<6x4xi8>, %s: tensor<1xf16>) -> tensor<6x4xf16> {
  // CHECK: qdq.dequantize %{{.*}} scale %{{.*}} semantics <rounding = nearest-even, order = add-then-round, division = exact, compute = f16, subtract = wide,
  // CHECK-SAME: overflow = wrap, nan = lowest, fusion = none,
  // CHECK-SAME: : (tensor<6x4xi8>, tensor<f16>) -> tensor<6x4xf16>
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", quant_data_type = "int8"}
     : (tensor<6x4xi8>, tensor<1xf16>) -> tensor<6x4xf16>
  return %y : tensor<6x4xf16>
}

// -----

// CHECK-LABEL: @dequantize_group_6x4_axis0
func.func @dequantize_group_6x4_axis0(%x: tensor<6x4xi8>, %s: tensor<2x4xf32>, %z: tensor<2x4xi8>) -> tensor<6x4xf32> {
  // CHECK: block_shape [3, 1] semantics {{.*}}compute = f32
  %y = "onnx.Custom"(%x, %s, %z) {domain_name = "opmx", function_name = "DequantizeLinear", group_size = 3 : si64, has_zeropoint = 1 : si64, quant_axis = 0 : si64, quant_data_type = "int8"}
     : (tensor<6x4xi8>, tensor<2x4xf32>, tensor<2x4xi8>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

// It is d_1 that the groups of quant_axis = 1 divide.

// CHECK-LABEL: @dequantize_group_6x4_axis1
func.func @dequantize_group_6x4_axis1(%x: tensor<6x4xi8>, %s: tensor<6x2xf32>) -> tensor<6x4xf32> {
  // CHECK: block_shape [1, 2]
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", group_size = 2 : si64, quant_data_type = "int8"}
     : (tensor<6x4xi8>, tensor<6x2xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

// A scale for each index but those of quant_axis.

// CHECK-LABEL: @dequantize_channel_6x4_axis1
func.func @dequantize_channel_6x4_axis1(%x: tensor<6x4xi8>, %s: tensor<6x1xf32>) -> tensor<6x4xf32> {
  // CHECK: block_shape [1, 0]
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", quant_axis = 1 : si64, quant_data_type = "int8"}
     : (tensor<6x4xi8>, tensor<6x1xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

// CHECK-LABEL: @dequantize_channel_6x4_axis0
func.func @dequantize_channel_6x4_axis0(%x: tensor<6x4xi8>, %s: tensor<1x4xf32>) -> tensor<6x4xf32> {
  // CHECK: block_shape [0, 1]
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", group_size = 0 : si64, quant_axis = 0 : si64, quant_data_type = "int8"}
     : (tensor<6x4xi8>, tensor<1x4xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

// A vector of scales is one for each output feature.

// CHECK-LABEL: @dequantize_channel_6x4_vector
func.func @dequantize_channel_6x4_vector(%x: tensor<6x4xi8>, %s: tensor<6xf32>) -> tensor<6x4xf32> {
  // CHECK: axis 0 semantics
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", quant_data_type = "int8"}
     : (tensor<6x4xi8>, tensor<6xf32>) -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

// Where group_size is absent, and the scale has groups, it is 128.

// CHECK-LABEL: @dequantize_group_2x256_default
func.func @dequantize_group_2x256_default(%x: tensor<2x256xi8>, %s: tensor<2x2xf32>) -> tensor<2x256xf32> {
  // CHECK: block_shape [1, 128]
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear"}
     : (tensor<2x256xi8>, tensor<2x2xf32>) -> tensor<2x256xf32>
  return %y : tensor<2x256xf32>
}

// -----

// CHECK-LABEL: @dequantize_bias_6x4
func.func @dequantize_bias_6x4(%x: tensor<6x4xi8>, %s: tensor<6x2xf16>, %z: tensor<6x2xf16>) -> tensor<6x4xf16> {
  // CHECK: zero_point %{{.*}} in <expressed> block_shape [1, 2] semantics {{.*}} : (tensor<6x4xi8>, tensor<6x2xf16>, tensor<6x2xf16>) -> tensor<6x4xf16>
  %y = "onnx.Custom"(%x, %s, %z) {domain_name = "pmx", function_name = "DequantizeLinear", float_zeropoint = 1 : si64, group_size = 2 : si64, has_zeropoint = 1 : si64, quant_data_type = "int8"}
     : (tensor<6x4xi8>, tensor<6x2xf16>, tensor<6x2xf16>) -> tensor<6x4xf16>
  return %y : tensor<6x4xf16>
}

// -----

// A float zero point that is no bias is subtracted from codes.

// CHECK-LABEL: @dequantize_float_zero_point_6x4
func.func @dequantize_float_zero_point_6x4(%x: tensor<6x4xi8>, %s: tensor<f16>, %z: tensor<f32>) -> tensor<6x4xf16> {
  // CHECK: zero_point %{{.*}} semantics {{.*}} : (tensor<6x4xi8>, tensor<f16>, tensor<f32>) -> tensor<6x4xf16>
  %y = "onnx.Custom"(%x, %s, %z) {domain_name = "pmx", function_name = "DequantizeLinear", has_zeropoint = true, quant_data_type = "int8"}
     : (tensor<6x4xi8>, tensor<f16>, tensor<f32>) -> tensor<6x4xf16>
  return %y : tensor<6x4xf16>
}

// -----

// int4x4: four rows in a row of i16. Codes beside an integer zero point are 0 to 15, the others -8 to 7.

// CHECK-LABEL: @dequantize_int4_group_8x6
func.func @dequantize_int4_group_8x6(%x: tensor<2x6xi16>, %s: tensor<8x2xf16>, %z: tensor<8x2xi8>) -> tensor<8x6xf16> {
  // CHECK-SAME: %[[X:.*]]: tensor<2x6xi16>
  // CHECK: %[[Q:.*]] = qdq.unpack %[[X]] packing <pmx-int4x4> : (tensor<2x6xi16>) -> tensor<8x6xui4>
  // CHECK: qdq.dequantize %[[Q]] {{.*}} block_shape [1, 3] semantics {{.*}} : (tensor<8x6xui4>, tensor<8x2xf16>, tensor<8x2xi8>) -> tensor<8x6xf16>
  %y = "onnx.Custom"(%x, %s, %z) {domain_name = "pmx", function_name = "DequantizeLinear", group_size = 3 : si64, has_zeropoint = 1 : si64, quant_data_type = "int4"}
     : (tensor<2x6xi16>, tensor<8x2xf16>, tensor<8x2xi8>) -> tensor<8x6xf16>
  return %y : tensor<8x6xf16>
}

// -----

// CHECK-LABEL: @dequantize_int4_tensor_8x6
func.func @dequantize_int4_tensor_8x6(%x: tensor<2x6xi16>, %s: tensor<f32>) -> tensor<8x6xf32> {
  // CHECK: packing <pmx-int4x4> : (tensor<2x6xi16>) -> tensor<8x6xi4>
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", quant_data_type = "int4"}
     : (tensor<2x6xi16>, tensor<f32>) -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

// CHECK-LABEL: @dequantize_int4_bias_8x6
func.func @dequantize_int4_bias_8x6(%x: tensor<2x6xi16>, %s: tensor<2x6xf32>, %z: tensor<2x6xf32>) -> tensor<8x6xf32> {
  // CHECK: packing <pmx-int4x4> : (tensor<2x6xi16>) -> tensor<8x6xi4>
  // CHECK: zero_point %{{.*}} in <expressed> block_shape [4, 1]
  %y = "onnx.Custom"(%x, %s, %z) {domain_name = "pmx", function_name = "DequantizeLinear", float_zeropoint = 1 : si64, group_size = 4 : si64, quant_axis = 0 : si64, quant_data_type = "int4"}
     : (tensor<2x6xi16>, tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// -----

// CHECK-LABEL: @dequantize_int4_dynamic
func.func @dequantize_int4_dynamic(%x: tensor<?x?xi16>, %s: tensor<?x?xf16>, %z: tensor<?x?xi8>) -> tensor<?x?xf16> {
  // CHECK: packing <pmx-int4x4> : (tensor<?x?xi16>) -> tensor<?x?xui4>
  // CHECK: block_shape [1, 32] semantics {{.*}} : (tensor<?x?xui4>, tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16>
  %y = "onnx.Custom"(%x, %s, %z) {domain_name = "pmx", function_name = "DequantizeLinear", group_size = 32 : si64, has_zeropoint = 1 : si64, quant_data_type = "int4"}
     : (tensor<?x?xi16>, tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}
