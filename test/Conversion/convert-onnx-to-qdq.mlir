// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file | FileCheck %s
// RUN: quant-opt %s --convert-onnx-to-qdq="profile=torch rounding=floor" --split-input-file | FileCheck %s --check-prefix=OPTIONS

// The constants of onnx-mlir become arith constants: scalars where arith has them, rank 0 where the type has a signedness.

// CHECK-LABEL: @quantize_tensor_3x4
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf32>
// OPTIONS-LABEL: @quantize_tensor_3x4
func.func @quantize_tensor_3x4(%x: tensor<3x4xf32>) -> tensor<3x4xui8> {
  // CHECK-NOT: onnx.
  // CHECK-DAG: %[[S:.*]] = arith.constant 5.000000e-01 : f32
  // CHECK-DAG: %[[Z:.*]] = {{(arith.constant dense<128> :|tensor.bitcast .* to)}} tensor<ui8>
  // CHECK: %[[Q:.*]] = qdq.quantize %[[X]] scale %[[S]] zero_point %[[Z]]
  // CHECK-SAME: semantics <rounding = nearest-even, order = round-then-add, division = exact, compute = auto, subtract = wide,
  // CHECK-SAME: overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
  // CHECK-SAME: : (tensor<3x4xf32>, f32, tensor<ui8>) -> tensor<3x4xui8>
  // CHECK: return %[[Q]]
  // OPTIONS: semantics <rounding = floor, order = add-then-round, division = reciprocal, compute = f32, subtract = wrap32,
  // OPTIONS-SAME: overflow = saturate, nan = highest, fusion = fma, float_overflow = saturate>
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<128> : tensor<ui8>} : () -> tensor<ui8>
  %q = "onnx.QuantizeLinear"(%x, %s, %z) {axis = 1 : si64, block_size = 0 : si64, onnx_node_name = "Q", output_dtype = 0 : si64, saturate = 1 : si64}
     : (tensor<3x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<3x4xui8>
  return %q : tensor<3x4xui8>
}

// -----

// CHECK-LABEL: @dequantize_tensor_3x4
// CHECK-SAME: %[[X:.*]]: tensor<3x4xi8>, %[[S:.*]]: tensor<f32>, %[[Z:.*]]: tensor<i8>
func.func @dequantize_tensor_3x4(%x: tensor<3x4xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<3x4xf32> {
  // CHECK: qdq.dequantize %[[X]] scale %[[S]] zero_point %[[Z]] semantics
  // CHECK-SAME: : (tensor<3x4xi8>, tensor<f32>, tensor<i8>) -> tensor<3x4xf32>
  %y = "onnx.DequantizeLinear"(%x, %s, %z) : (tensor<3x4xi8>, tensor<f32>, tensor<i8>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// A 1-D parameter of one element is a scalar to ONNX, whatever the axis.

// CHECK-LABEL: @quantize_tensor_3x4_vector_parameters
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf32>, %[[S:.*]]: tensor<1xf32>
func.func @quantize_tensor_3x4_vector_parameters(%x: tensor<3x4xf32>, %s: tensor<1xf32>) -> tensor<3x4xi8> {
  // CHECK-DAG: %[[S0:.*]] = tensor.collapse_shape %[[S]] [] : tensor<1xf32> into tensor<f32>
  // CHECK-DAG: %[[Z:.*]] = arith.constant 3 : i8
  // CHECK: qdq.quantize %[[X]] scale %[[S0]] zero_point %[[Z]] semantics
  %z = arith.constant dense<3> : tensor<1xi8>
  %q = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<3x4xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<3x4xi8>
  return %q : tensor<3x4xi8>
}

// -----

// CHECK-LABEL: @quantize_tensor_4_mixed_parameters
func.func @quantize_tensor_4_mixed_parameters(%x: tensor<4xf32>) -> tensor<4xui8> {
  // CHECK-DAG: %[[S:.*]] = arith.constant 2.000000e+00 : f32
  // CHECK-DAG: %[[Z:.*]] = {{(arith.constant dense<7> :|tensor.bitcast .* to)}} tensor<ui8>
  // CHECK: qdq.quantize %{{.*}} scale %[[S]] zero_point %[[Z]] semantics
  %s = "onnx.Constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<7> : tensor<1xui8>} : () -> tensor<1xui8>
  %q = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<1xui8>) -> tensor<4xui8>
  return %q : tensor<4xui8>
}

// -----

// Without a zero point; all three spellings of an absent operand.

// CHECK-LABEL: @dequantize_tensor_4_absent_zero_point
func.func @dequantize_tensor_4_absent_zero_point(%x: tensor<4xi8>, %s: tensor<f32>, %none: none) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NOT: zero_point
  // CHECK-NOT: onnx.
  // CHECK-COUNT-3: qdq.dequantize
  %no = "onnx.NoValue"() {value} : () -> none
  %a = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  %b = "onnx.DequantizeLinear"(%x, %s, %no) : (tensor<4xi8>, tensor<f32>, none) -> tensor<4xf32>
  %c = "onnx.DequantizeLinear"(%x, %s, %none) : (tensor<4xi8>, tensor<f32>, none) -> tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @quantize_axis_2x3x4
func.func @quantize_axis_2x3x4(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %z: tensor<3xi8>, %t: tensor<4xf32>)
    -> (tensor<2x3x4xi8>, tensor<2x3x4xi8>) {
  // The default axis is 1.
  // CHECK: qdq.quantize %{{.*}} scale %{{.*}} zero_point %{{.*}} axis 1 semantics
  // CHECK-SAME: (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xi8>) -> tensor<2x3x4xi8>
  %a = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xi8>) -> tensor<2x3x4xi8>
  // CHECK: qdq.quantize %{{.*}} scale %{{.*}} axis 2 semantics
  %b = "onnx.QuantizeLinear"(%x, %t) {axis = -1 : si64} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xi8>
  return %a, %b : tensor<2x3x4xi8>, tensor<2x3x4xi8>
}

// -----

// Weights and their parameters as constants; one that another op also uses stays.

// CHECK-LABEL: @dequantize_axis_2x3_constant
func.func @dequantize_axis_2x3_constant() -> (tensor<2x3xf32>, tensor<2xf32>) {
  // CHECK: %[[KEPT:.*]] = "onnx.Constant"
  // CHECK-NOT: onnx.Constant
  // CHECK-DAG: %[[S:.*]] = arith.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
  // CHECK-DAG: %[[Z:.*]] = {{(arith.constant dense<0> :|tensor.bitcast .* to)}} tensor<2xui4>
  // CHECK-DAG: %[[W:.*]] = {{(arith.constant dense<\[\[1, 2, 3\], \[4, 5, 15\]\]> :|tensor.bitcast .* to)}} tensor<2x3xui4>
  // CHECK: qdq.dequantize %[[W]] scale %[[S]] zero_point %[[Z]] axis 0 semantics
  // CHECK: return %{{.*}}, %[[KEPT]]
  %w = "onnx.Constant"() {value = dense<[[1, 2, 3], [4, 5, 15]]> : tensor<2x3xui4>} : () -> tensor<2x3xui4>
  %s = "onnx.Constant"() {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
  %z = "onnx.Constant"() {value = dense<0> : tensor<2xui4>} : () -> tensor<2xui4>
  %y = "onnx.DequantizeLinear"(%w, %s, %z) {axis = 0 : i64} : (tensor<2x3xui4>, tensor<2xf32>, tensor<2xui4>) -> tensor<2x3xf32>
  return %y, %s : tensor<2x3xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: @dequantize_axis_4x2_resource
func.func @dequantize_axis_4x2_resource(%s: tensor<2xf32>) -> tensor<4x2xf32> {
  // CHECK: %[[W:.*]] = arith.constant dense_resource<weights> : tensor<4x2xi8>
  // CHECK: qdq.dequantize %[[W]]
  %w = "onnx.Constant"() {value = dense_resource<weights> : tensor<4x2xi8>} : () -> tensor<4x2xi8>
  %y = "onnx.DequantizeLinear"(%w, %s) : (tensor<4x2xi8>, tensor<2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x0100000001020304050607FF"
    }
  }
#-}

// -----

// CHECK-LABEL: @dequantize_tensor_2_resource_parameter
func.func @dequantize_tensor_2_resource_parameter(%x: tensor<2xi8>) -> tensor<2xf32> {
  // CHECK: %[[S:.*]] = arith.constant 5.000000e-01 : f32
  // CHECK: qdq.dequantize %{{.*}} scale %[[S]]
  %s = "onnx.Constant"() {value = dense_resource<scale> : tensor<1xf32>} : () -> tensor<1xf32>
  %y = "onnx.DequantizeLinear"(%x, %s) : (tensor<2xi8>, tensor<1xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      scale: "0x040000000000003F"
    }
  }
#-}

// -----

// CHECK-LABEL: @dequantize_blocked_4x64
func.func @dequantize_blocked_4x64(%x: tensor<4x64xi4>, %s: tensor<4x2xf32>, %z: tensor<4x2xi4>, %c: tensor<1x64xf32>)
    -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  // CHECK: qdq.dequantize %{{.*}} scale %{{.*}} zero_point %{{.*}} block_shape [1, 32] semantics
  %a = "onnx.DequantizeLinear"(%x, %s, %z) {axis = 1 : si64, block_size = 32 : si64}
     : (tensor<4x64xi4>, tensor<4x2xf32>, tensor<4x2xi4>) -> tensor<4x64xf32>
  // CHECK: qdq.dequantize %{{.*}} scale %{{.*}} block_shape [4, 1] semantics
  %b = "onnx.DequantizeLinear"(%x, %c) {axis = -2 : si64, block_size = 4 : si64} : (tensor<4x64xi4>, tensor<1x64xf32>) -> tensor<4x64xf32>
  return %a, %b : tensor<4x64xf32>, tensor<4x64xf32>
}

// -----

// The last block has 1 element: ceil(10 / 3) = 4.

// CHECK-LABEL: @quantize_blocked_10x2_short_tail
func.func @quantize_blocked_10x2_short_tail(%x: tensor<10x2xf32>, %s: tensor<4x2xf32>) -> tensor<10x2xi8> {
  // CHECK: block_shape [3, 1]
  %q = "onnx.QuantizeLinear"(%x, %s) {axis = 0 : si64, block_size = 3 : si64} : (tensor<10x2xf32>, tensor<4x2xf32>) -> tensor<10x2xi8>
  return %q : tensor<10x2xi8>
}

// -----

// CHECK-LABEL: @quantize_blocked_8
func.func @quantize_blocked_8(%x: tensor<8xf32>, %s: tensor<2xf32>, %t: tensor<1xf32>) -> (tensor<8xi8>, tensor<8xi8>) {
  // CHECK: qdq.quantize %{{.*}} block_shape [4]
  %a = "onnx.QuantizeLinear"(%x, %s) {axis = 0 : si64, block_size = 4 : si64} : (tensor<8xf32>, tensor<2xf32>) -> tensor<8xi8>
  // CHECK: qdq.quantize %{{.*}} block_shape [8]
  %b = "onnx.QuantizeLinear"(%x, %t) {axis = 0 : si64, block_size = 8 : si64} : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xi8>
  return %a, %b : tensor<8xi8>, tensor<8xi8>
}

// -----

// Block sizes that the shapes leave no choice of: one block, one element a block, and B with ceil(7 / B) = 4, which is only 2.

// CHECK-LABEL: @quantize_blocked_2x7_inferred
func.func @quantize_blocked_2x7_inferred(%x: tensor<2x7xf32>, %one: tensor<2x1xf32>, %all: tensor<2x7xf32>, %four: tensor<2x4xf32>)
    -> (tensor<2x7xi8>, tensor<2x7xi8>, tensor<2x7xi8>) {
  // CHECK: block_shape [1, 0]
  %a = "onnx.QuantizeLinear"(%x, %one) : (tensor<2x7xf32>, tensor<2x1xf32>) -> tensor<2x7xi8>
  // CHECK: block_shape [1, 1]
  %b = "onnx.QuantizeLinear"(%x, %all) : (tensor<2x7xf32>, tensor<2x7xf32>) -> tensor<2x7xi8>
  // CHECK: block_shape [1, 2]
  %c = "onnx.QuantizeLinear"(%x, %four) : (tensor<2x7xf32>, tensor<2x4xf32>) -> tensor<2x7xi8>
  return %a, %b, %c : tensor<2x7xi8>, tensor<2x7xi8>, tensor<2x7xi8>
}

// -----

// CHECK-LABEL: @dynamic_quantize_tensor_3x4
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf32>
func.func @dynamic_quantize_tensor_3x4(%x: tensor<3x4xf32>) -> (tensor<3x4xui8>, tensor<f32>, tensor<ui8>) {
  // CHECK: %[[S:.*]], %[[Z:.*]] = qdq.choose_params %[[X]] semantics <rounding = nearest-even
  // CHECK-SAME: : (tensor<3x4xf32>) -> (tensor<f32>, tensor<ui8>)
  // CHECK: %[[Q:.*]] = qdq.quantize %[[X]] scale %[[S]] zero_point %[[Z]] semantics <rounding = nearest-even
  // CHECK-SAME: : (tensor<3x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<3x4xui8>
  // CHECK: return %[[Q]], %[[S]], %[[Z]]
  %q, %s, %z = "onnx.DynamicQuantizeLinear"(%x) {onnx_node_name = "DQL"} : (tensor<3x4xf32>) -> (tensor<3x4xui8>, tensor<f32>, tensor<ui8>)
  return %q, %s, %z : tensor<3x4xui8>, tensor<f32>, tensor<ui8>
}

// -----

// A pair is rounding: it stays. So do ops of the dialect that are no quantization.

// CHECK-LABEL: @quantize_dequantize_tensor_4
func.func @quantize_dequantize_tensor_4(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4xf32> {
  // CHECK: %[[Q:.*]] = qdq.quantize
  // CHECK: %[[Y:.*]] = qdq.dequantize %[[Q]]
  // CHECK: "onnx.Relu"(%[[Y]])
  %q = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<i8>) -> tensor<4xi8>
  %y = "onnx.DequantizeLinear"(%q, %s, %z) : (tensor<4xi8>, tensor<f32>, tensor<i8>) -> tensor<4xf32>
  %r = "onnx.Relu"(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Integer attributes of any type; signed and signless are the same storage.

// CHECK-LABEL: @quantize_axis_2x3_attribute_types
func.func @quantize_axis_2x3_attribute_types(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %z: tensor<3xsi8>) -> (tensor<2x3xi8>, tensor<2x3xsi8>) {
  // CHECK: axis 1 semantics
  %a = "onnx.QuantizeLinear"(%x, %s, %z) {axis = 1 : ui64, output_dtype = 3 : i32} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xsi8>) -> tensor<2x3xi8>
  // CHECK: axis 1 semantics {{.*}} -> tensor<2x3xsi8>
  %b = "onnx.QuantizeLinear"(%x, %s, %z) {axis = -1 : i8, output_dtype = 3 : ui8} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xsi8>) -> tensor<2x3xsi8>
  return %a, %b : tensor<2x3xi8>, tensor<2x3xsi8>
}
