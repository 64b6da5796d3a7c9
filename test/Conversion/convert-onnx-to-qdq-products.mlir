// RUN: quant-opt --convert-onnx-to-qdq --split-input-file %s | FileCheck %s
// RUN: quant-opt --convert-onnx-to-qdq=profile=ort --split-input-file %s | FileCheck %s --check-prefix=ORT

// CHECK-LABEL: @matmul_integer
// CHECK-SAME: %[[A:.*]]: tensor<4x8xi8>, %[[B:.*]]: tensor<8x2xi8>
// CHECK: %[[SUM:.*]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<4x8xi8>, tensor<8x2xi8>) outs({{.*}} : tensor<4x2xi32>)
// CHECK: return %[[SUM]]
func.func @matmul_integer(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>) -> tensor<4x2xi32> {
  %none = "onnx.NoValue"() {value} : () -> none
  %y = "onnx.MatMulInteger"(%a, %b, %none) : (tensor<4x8xi8>, tensor<8x2xi8>, none) -> tensor<4x2xi32>
  return %y : tensor<4x2xi32>
}

// -----

// CHECK-LABEL: @matmul_integer_torch
// CHECK: %[[A:.*]] = "torch_c.to_builtin_tensor"
// CHECK: linalg.matmul {{.*}} tensor<4x8xi8>
// CHECK: "torch_c.from_builtin_tensor"
func.func @matmul_integer_torch(%a: !torch.vtensor<[4,8],si8>, %b: !torch.vtensor<[8,2],si8>) -> !torch.vtensor<[4,2],si32> {
  %y = "torch.operator"(%a, %b) <{name = "onnx.MatMulInteger"}> : (!torch.vtensor<[4,8],si8>, !torch.vtensor<[8,2],si8>) -> !torch.vtensor<[4,2],si32>
  return %y : !torch.vtensor<[4,2],si32>
}

// -----

// The padding is the zero point, and the filter moves in the codes' own type.
// CHECK-LABEL: @conv_integer_padded
// CHECK: tensor.pad
// CHECK: tensor.yield %c3_i8{{.*}} : i8
// CHECK: linalg.conv_2d_nchw_fchw {{.*}}tensor<4x2x3x3xi8>
func.func @conv_integer_padded(%x: tensor<1x2x8x8xi8>, %w: tensor<4x2x3x3xi8>) -> tensor<1x4x8x8xi32> {
  %z = "onnx.Constant"() {value = dense<3> : tensor<i8>} : () -> tensor<i8>
  %y = "onnx.ConvInteger"(%x, %w, %z) {auto_pad = "SAME_UPPER"} : (tensor<1x2x8x8xi8>, tensor<4x2x3x3xi8>, tensor<i8>) -> tensor<1x4x8x8xi32>
  return %y : tensor<1x4x8x8xi32>
}

// -----

// CHECK-LABEL: @qlinear_matmul_columns
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4x8xi8>, %[[B:[a-z0-9]+]]: tensor<8x2xi8>
// CHECK: %[[SUM:.*]] = linalg.matmul ins(%[[A]], %[[B]]
// CHECK: %[[Q:.*]] = qdq.requantize %{{.*}} rescale <f64> multiplier %{{.*}}, %{{.*}}, %{{.*}} zero_point %{{.*}} block_shape [1, 1] semantics <{{.*}}order = add-then-round
// CHECK: return %[[Q]]
// ORT-LABEL: @qlinear_matmul_columns
// ORT: qdq.requantize %{{.*}} rescale <f32> multiplier %{{.*}}, %{{.*}}, %{{.*}} zero_point %{{.*}} block_shape [1, 1] semantics <{{.*}}order = round-then-add
func.func @qlinear_matmul_columns(%a: tensor<4x8xi8>, %b: tensor<8x2xi8>) -> tensor<4x2xi8> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %t = "onnx.Constant"() {value = dense<[0.25, 0.1]> : tensor<2xf32>} : () -> tensor<2xf32>
  %z = "onnx.Constant"() {value = dense<3> : tensor<i8>} : () -> tensor<i8>
  %zs = "onnx.Constant"() {value = dense<0> : tensor<2xi8>} : () -> tensor<2xi8>
  %y = "onnx.QLinearMatMul"(%a, %s, %z, %b, %t, %zs, %s, %z)
    : (tensor<4x8xi8>, tensor<f32>, tensor<i8>, tensor<8x2xi8>, tensor<2xf32>, tensor<2xi8>, tensor<f32>, tensor<i8>) -> tensor<4x2xi8>
  return %y : tensor<4x2xi8>
}

// -----

// CHECK-LABEL: @qlinear_conv_bias
// CHECK: linalg.depthwise_conv_2d_nchw_chw {{.*}}tensor<4x3x3xi8>
// CHECK: qdq.requantize %{{.*}} rescale <f64> multiplier %{{.*}}, %{{.*}}, %{{.*}} zero_point %{{.*}} axis 1 {{.*}}-> tensor<?x4x?x?xi8>
func.func @qlinear_conv_bias(%x: tensor<?x4x?x?xi8>, %xs: tensor<f32>, %xz: tensor<i8>, %w: tensor<4x1x3x3xi8>, %ws: tensor<4xf32>, %wz: tensor<4xi8>, %b: tensor<4xi32>) -> tensor<?x4x?x?xi8> {
  %y = "onnx.QLinearConv"(%x, %xs, %xz, %w, %ws, %wz, %xs, %xz, %b) {group = 4 : si64, pads = [1, 1, 1, 1]}
    : (tensor<?x4x?x?xi8>, tensor<f32>, tensor<i8>, tensor<4x1x3x3xi8>, tensor<4xf32>, tensor<4xi8>, tensor<f32>, tensor<i8>, tensor<4xi32>) -> tensor<?x4x?x?xi8>
  return %y : tensor<?x4x?x?xi8>
}

// -----

// float8 has no integers to sum up.
// CHECK-LABEL: @qlinear_matmul_float8
// CHECK: %[[A:.*]] = qdq.dequantize %{{.*}} axis 0 {{.*}} -> tensor<4x8xf32>
// CHECK: %[[B:.*]] = qdq.dequantize %{{.*}} zero_point %{{.*}} semantics {{.*}} -> tensor<8x2xf32>
// CHECK: %[[SUM:.*]] = linalg.contract {{.*}} ins(%[[A]], %[[B]]
// CHECK: qdq.quantize %[[SUM]] scale %{{.*}} semantics <{{.*}}compute = f32{{.*}}: (tensor<4x2xf32>, tensor<f16>, tensor<f8E5M2>) -> tensor<4x2xf8E5M2>
func.func @qlinear_matmul_float8(%a: tensor<4x8xf8E4M3FN>, %as: tensor<4xf16>, %az: tensor<4xf8E4M3FN>, %b: tensor<8x2xi8>, %s: tensor<f16>, %bz: tensor<i8>, %yz: tensor<f8E5M2>) -> tensor<4x2xf8E5M2> {
  %y = "onnx.QLinearMatMul"(%a, %as, %az, %b, %s, %bz, %s, %yz)
    : (tensor<4x8xf8E4M3FN>, tensor<4xf16>, tensor<4xf8E4M3FN>, tensor<8x2xi8>, tensor<f16>, tensor<i8>, tensor<f16>, tensor<f8E5M2>) -> tensor<4x2xf8E5M2>
  return %y : tensor<4x2xf8E5M2>
}
