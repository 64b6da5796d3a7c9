// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file | FileCheck %s
// RUN: quant-opt %s --convert-onnx-to-qdq="profile=tflite rounding=nearest-down" --split-input-file | FileCheck %s --check-prefix=OPTIONS

// QONNX. Clamping and rounding by rounding_mode of x / scale + zero point, which is subtracted again in f32.

// CHECK-LABEL: @quant_tensor_4
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 3 : i4
// CHECK: %[[Q:.*]] = qdq.quantize %arg0 scale %[[SCALE]] zero_point %[[ZERO]] semantics <rounding = nearest-even, order = add-then-round, division = exact, compute = f32,
// CHECK-SAME: : (tensor<4xf32>, f32, i4) -> tensor<4xi4>
// CHECK: %[[Y:.*]] = qdq.dequantize %[[Q]] scale %{{.*}} zero_point %{{.*}} semantics <{{.*}}compute = f32, subtract = float, overflow = saturate, nan = lowest
// CHECK-SAME: : (tensor<4xi4>, f32, i4) -> tensor<4xf32>
// CHECK: return %[[Y]]
// OPTIONS-LABEL: @quant_tensor_4
// OPTIONS: qdq.quantize {{.*}} semantics <rounding = nearest-down, order = round-then-add
func.func @quant_tensor_4(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<3.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64, rounding_mode = "ROUND"}
     : (tensor<4xf32>, tensor<f32>, tensor<1xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A zero point of 0 is none, and a narrow range is a clamp.

// CHECK-LABEL: @quant_axis_2x3_narrow
// CHECK: %[[SCALE:.*]] = arith.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK: qdq.quantize %arg0 scale %[[SCALE]] axis 0 clamp [-127, 127] semantics <rounding = away-from-zero
// CHECK-SAME: : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xi8>
// CHECK: qdq.dequantize {{.*}} axis 0
func.func @quant_axis_2x3_narrow(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %s = "onnx.Constant"() {value = dense<[[0.5], [0.25]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "onnx.brevitas", function_name = "IntQuant", signed = 1 : si64, narrow = 1 : si64, rounding_mode = "up"}
     : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<f32>, tensor<f32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// Ties toward zero are ties down where no code is negative. A zero point that is no code stays a float.

// CHECK-LABEL: @quant_fraction_4_unsigned
// CHECK: %[[ZERO:.*]] = arith.constant 1.250000e+00 : f32
// CHECK: qdq.quantize %arg0 scale %{{.*}} zero_point %[[ZERO]] clamp [0, 6] semantics <rounding = nearest-down
// CHECK-SAME: -> tensor<4xui3>
func.func @quant_fraction_4_unsigned(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %z = "onnx.Constant"() {value = dense<1.25> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "finn.custom_op.general", function_name = "Quant", signed = 0 : si64, narrow = 1 : si64, rounding_mode = "HALF_DOWN"}
     : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Parameters along two dimensions, the scale at run time.

// CHECK-LABEL: @quant_block_2x3x4
// CHECK: qdq.quantize %arg0 scale %arg1 zero_point %arg2 block_shape [1, 0, 1]
// CHECK-SAME: : (tensor<2x?x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>) -> tensor<2x?x4xi4>
func.func @quant_block_2x3x4(%x: tensor<2x?x4xf32>, %s: tensor<2x1x4xf32>, %z: tensor<2x1x4xf32>) -> tensor<2x?x4xf32> {
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64}
     : (tensor<2x?x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<f32>) -> tensor<2x?x4xf32>
  return %y : tensor<2x?x4xf32>
}

// -----

// The sign of the input as a code of one bit, -1 or 0: (q + 1/2) * 2s is -s or s. No option changes the rounding.

// CHECK-LABEL: @bipolar_4
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[Q:.*]] = qdq.quantize %arg0 scale %[[ONE]] semantics <rounding = floor,
// CHECK-SAME: -> tensor<4xi1>
// CHECK: %[[TWICE:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[HALF:.*]] = arith.constant -5.000000e-01 : f32
// CHECK: qdq.dequantize %[[Q]] scale %[[TWICE]] zero_point %[[HALF]] semantics
// OPTIONS-LABEL: @bipolar_4
// OPTIONS: qdq.quantize {{.*}} semantics <rounding = floor, order = add-then-round
func.func @bipolar_4(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = "onnx.Constant"() {value = dense<0.25> : tensor<1xf32>} : () -> tensor<1xf32>
  %y = "onnx.Custom"(%x, %s) {domain_name = "qonnx.custom_op.general", function_name = "BipolarQuant"} : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A splat is read once, whatever its size.

// CHECK-LABEL: @bipolar_many
// CHECK: arith.constant dense<5.000000e-01> : tensor<2147483647xf32>
// OPTIONS-LABEL: @bipolar_many
func.func @bipolar_many(%x: tensor<2147483647xf32>) -> tensor<2147483647xf32> {
  %s = "onnx.Constant"() {value = dense<0.25> : tensor<2147483647xf32>} : () -> tensor<2147483647xf32>
  %y = "onnx.Custom"(%x, %s) {domain_name = "qonnx.custom_op.general", function_name = "BipolarQuant"} : (tensor<2147483647xf32>, tensor<2147483647xf32>) -> tensor<2147483647xf32>
  return %y : tensor<2147483647xf32>
}

// -----

// The first form of Trunc keeps scale and zero point, and bounds nothing.

// CHECK-LABEL: @trunc_widths
// CHECK: %[[WIDE:.*]] = qdq.quantize %arg0 {{.*}} semantics <rounding = nearest-even{{.*}} -> tensor<4xi32>
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[SHIFT:.*]] = arith.constant 3 : i32
// CHECK: %[[Q:.*]] = qdq.requantize %[[WIDE]] rescale <exact> multiplier %[[ONE]] shift %[[SHIFT]] semantics <rounding = floor
// CHECK: qdq.dequantize %[[Q]] scale %{{.*}} semantics
func.func @trunc_widths(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %i = "onnx.Constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %o = "onnx.Constant"() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
  %y = "onnx.Custom"(%x, %s, %z, %i, %o) {domain_name = "qonnx.custom_op.general", function_name = "Trunc", rounding_mode = "FLOOR"}
     : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The second one shifts by the quotient of the scales, which shifts the zero point, too.

// CHECK-LABEL: @trunc_scales
// CHECK: qdq.quantize {{.*}} zero_point %{{.*}} semantics {{.*}} : (tensor<4xf32>, f32, i32) -> tensor<4xi32>
// CHECK: %[[SHIFT:.*]] = arith.constant 2 : i32
// CHECK: qdq.requantize {{.*}} shift %[[SHIFT]] clamp [0, 14] semantics <rounding = nearest-even{{.*}} -> tensor<4xui4>
// CHECK: %[[ZERO:.*]] = arith.constant 7.500000e-01 : f32
// CHECK: qdq.dequantize {{.*}} zero_point %[[ZERO]]
func.func @trunc_scales(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %i = "onnx.Constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %t = "onnx.Constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %o = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  %y = "onnx.Custom"(%x, %s, %z, %i, %t, %o) {domain_name = "qonnx.custom_op.general", function_name = "Trunc", narrow = 1 : si64, rounding_mode = "round", signed = 0 : si64}
     : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Scales of one shape but for leading dimensions of 1 stand beside each other.

// CHECK-LABEL: @trunc_scales_of_columns
// CHECK: %[[SHIFT:.*]] = arith.constant 2 : i32
// CHECK: qdq.requantize {{.*}} shift %[[SHIFT]]
func.func @trunc_scales_of_columns(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %s = "onnx.Constant"() {value = dense<[[0.5, 1.0]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %t = "onnx.Constant"() {value = dense<[2.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %y = "onnx.Custom"(%x, %s, %z, %b, %t, %b) {domain_name = "qonnx.custom_op.general", function_name = "Trunc"}
     : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// CHECK-LABEL: @trunc_many
// CHECK: %[[SHIFT:.*]] = arith.constant 2 : i32
// CHECK: qdq.requantize {{.*}} shift %[[SHIFT]]
func.func @trunc_many(%x: tensor<2147483647xf32>) -> tensor<2147483647xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<2147483647xf32>} : () -> tensor<2147483647xf32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<2147483647xf32>} : () -> tensor<2147483647xf32>
  %b = "onnx.Constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %t = "onnx.Constant"() {value = dense<2.0> : tensor<2147483647xf32>} : () -> tensor<2147483647xf32>
  %y = "onnx.Custom"(%x, %s, %z, %b, %t, %b) {domain_name = "qonnx.custom_op.general", function_name = "Trunc"}
     : (tensor<2147483647xf32>, tensor<2147483647xf32>, tensor<2147483647xf32>, tensor<f32>, tensor<2147483647xf32>, tensor<f32>) -> tensor<2147483647xf32>
  return %y : tensor<2147483647xf32>
}

// -----

// CHECK-LABEL: @quant_no_elements
// CHECK-DAG: %[[S:.*]] = tensor.empty() : tensor<0xf32>
// CHECK: qdq.quantize %arg0 scale %[[S]] axis 2
func.func @quant_no_elements(%x: tensor<1x1x0xf32>, %s: tensor<1x1x0xf32>) -> tensor<1x1x0xf32> {
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", narrow = 0 : si64, signed = 1 : si64}
     : (tensor<1x1x0xf32>, tensor<1x1x0xf32>, tensor<f32>, tensor<f32>) -> tensor<1x1x0xf32>
  return %y : tensor<1x1x0xf32>
}

// -----

// torch-mlir's spelling.

// CHECK-LABEL: @torch_4
// CHECK: qdq.quantize {{.*}} -> tensor<4xui1>
func.func @torch_4(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[],f32>, %z: !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f32> {
  %b = "torch.vtensor.literal"() <{value = dense<1.0> : tensor<f32>}> : () -> !torch.vtensor<[],f32>
  %y = "torch.operator"(%x, %s, %z, %b) <{name = "onnx.Quant"}> {torch.onnx.signed = 0 : si64, torch.onnx.narrow = 0 : si64}
     : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f32>
  return %y : !torch.vtensor<[4],f32>
}
