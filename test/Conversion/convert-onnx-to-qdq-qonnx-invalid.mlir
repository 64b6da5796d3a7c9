// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file --verify-diagnostics

func.func @quant_input(%x: tensor<2x4xf64>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{input has element type 'f64': expected f32}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf64>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_result(%x: tensor<2x4xf32>) -> tensor<2x4xf16> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{result has element type 'f16': expected f32}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf16>
  return %y : tensor<2x4xf16>
}

// -----

func.func @quant_scale_type(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f16>} : () -> tensor<f16>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{scale has element type 'f16': expected f32}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf32>, tensor<f16>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_scale_open(%x: tensor<2x4xf32>, %s: tensor<?xf32>) -> tensor<2x4xf32> {
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{scale has type 'tensor<?xf32>': expected static sizes, which decide the granularity}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf32>, tensor<?xf32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_scale_size(%x: tensor<2x4xf32>, %s: tensor<3xf32>) -> tensor<2x4xf32> {
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{scale has type 'tensor<3xf32>': expected a shape that broadcasts to 'tensor<2x4xf32>'}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_scale_rank(%x: tensor<2x4xf32>, %s: tensor<2x1x1xf32>) -> tensor<2x4xf32> {
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{scale has type 'tensor<2x1x1xf32>': expected a shape that broadcasts to 'tensor<2x4xf32>'}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf32>, tensor<2x1x1xf32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_scale_larger(%x: tensor<2x1xf32>, %s: tensor<2x4xf32>) -> tensor<2x1xf32> {
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{scale has type 'tensor<2x4xf32>': expected a shape that broadcasts to 'tensor<2x1xf32>'}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x1xf32>, tensor<2x4xf32>, tensor<f32>, tensor<f32>) -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}

// -----

func.func @quant_unranked(%x: tensor<*xf32>, %s: tensor<4xf32>) -> tensor<*xf32> {
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{input has type 'tensor<*xf32>': expected a rank, since the scale 'tensor<4xf32>' is not one for all}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<*xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @quant_zero_point_shape(%x: tensor<2x4xf32>, %s: tensor<4xf32>, %z: tensor<2x1xf32>) -> tensor<2x4xf32> {
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{zero point has type 'tensor<2x1xf32>': expected one element, or the shape of the scale, 'tensor<4xf32>'}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf32>, tensor<4xf32>, tensor<2x1xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_zero_point_beside_one_scale(%x: tensor<2x4xf32>, %s: tensor<f32>, %z: tensor<4xf32>) -> tensor<2x4xf32> {
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{scale has type 'tensor<f32>' and the zero point has more elements: expected a constant scale, or the shape of the zero point}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_bit_width_argument(%x: tensor<2x4xf32>, %b: tensor<f32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{bit width is no constant: expected one, which decides the type of the codes}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_bit_widths(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<[4.0, 8.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  // expected-error@+1 {{bit width has type 'tensor<2xf32>': expected one element}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<2xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_bit_width_type(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  // expected-error@+1 {{bit width has element type 'i64': expected f32}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<i64>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_bit_width_fraction(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<3.5> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{bit width is 3.500000e+00: expected an integer from 1 to 32}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_bit_width_wide(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<33.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{bit width is 3.300000e+01: expected an integer from 1 to 32}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_signed(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{has no 'signed': expected 0 or 1}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", narrow = 0 : si64} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_narrow(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{has no 'narrow': expected 0 or 1}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_half_down(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{rounding_mode is 'HALF_DOWN', ties toward zero, which no rounding of qdq has for signed codes: expected unsigned codes, or another mode}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64, rounding_mode = "HALF_DOWN"} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_rounding(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{rounding_mode is 'HALF_ODD': expected ROUND, HALF_EVEN, CEIL, FLOOR, UP, DOWN, HALF_UP or HALF_DOWN}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64, rounding_mode = "HALF_ODD"} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_one_bit(%x: tensor<2x4xf32>, %z: tensor<f32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{has one signed bit and a zero point, 'tensor<f32>', that is not a constant 0: expected 0}}
  %y = "onnx.Custom"(%x, %s, %z, %b) {domain_name = "qonnx.custom_op.general", function_name = "Quant", signed = 1 : si64, narrow = 0 : si64} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @quant_operands(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<2.5e38> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{number of operands is 2: expected 4}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "qonnx.custom_op.general", function_name = "Quant"} : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @bipolar_scale(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<2.5e38> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{scale is 2.500000e+38: expected a number whose double is an f32}}
  %y = "onnx.Custom"(%x, %s) {domain_name = "qonnx.custom_op.general", function_name = "BipolarQuant"} : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @trunc_half_down(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %i = "onnx.Constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %o = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{rounding_mode is 'HALF_DOWN', ties toward zero}}
  %y = "onnx.Custom"(%x, %s, %z, %i, %o) {domain_name = "qonnx.custom_op.general", function_name = "Trunc", rounding_mode = "HALF_DOWN"} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @trunc_left(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %i = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %o = "onnx.Constant"() {value = dense<32.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{shifts codes to the left by 31: expected at most 30}}
  %y = "onnx.Custom"(%x, %s, %z, %i, %o) {domain_name = "qonnx.custom_op.general", function_name = "Trunc"} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @trunc_output_scale(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %i = "onnx.Constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %t = "onnx.Constant"() {value = dense<0.75> : tensor<f32>} : () -> tensor<f32>
  %o = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{output scale is 7.500000e-01 where the scale is 5.000000e-01: expected the scale times a power of two}}
  %y = "onnx.Custom"(%x, %s, %z, %i, %t, %o) {domain_name = "qonnx.custom_op.general", function_name = "Trunc"} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @trunc_output_scales(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %i = "onnx.Constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %t = "onnx.Constant"() {value = dense<[2.0, 1.0, 2.0, 2.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %o = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{output scale is 2^1 times the scale, and elsewhere 2^2 times: expected one factor}}
  %y = "onnx.Custom"(%x, %s, %z, %i, %t, %o) {domain_name = "qonnx.custom_op.general", function_name = "Trunc"} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @trunc_scale_argument(%x: tensor<2x4xf32>, %s: tensor<f32>) -> tensor<2x4xf32> {
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %i = "onnx.Constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %t = "onnx.Constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %o = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{scale has type 'tensor<f32>' and is no constant: expected constant scales, which decide the shift}}
  %y = "onnx.Custom"(%x, %s, %z, %i, %t, %o) {domain_name = "qonnx.custom_op.general", function_name = "Trunc"} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @trunc_zero_point_argument(%x: tensor<2x4xf32>, %z: tensor<f32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %i = "onnx.Constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %t = "onnx.Constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %o = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{zero point has type 'tensor<f32>' and is no constant: expected one, which is shifted with the codes}}
  %y = "onnx.Custom"(%x, %s, %z, %i, %t, %o) {domain_name = "qonnx.custom_op.general", function_name = "Trunc"} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @trunc_output_bit_width(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %s = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %i = "onnx.Constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %t = "onnx.Constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %o = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{output bit width is 0.000000e+00: expected an integer from 1 to 32}}
  %y = "onnx.Custom"(%x, %s, %z, %i, %t, %o) {domain_name = "qonnx.custom_op.general", function_name = "Trunc"} : (tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @trunc_empty(%x: tensor<2x0xf32>) -> tensor<2x0xf32> {
  %s = "onnx.Constant"() {value = dense<> : tensor<0xf32>} : () -> tensor<0xf32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<4.0> : tensor<f32>} : () -> tensor<f32>
  // expected-error@+1 {{scale has no elements: expected at least one}}
  %y = "onnx.Custom"(%x, %s, %z, %b, %s, %b) {domain_name = "qonnx.custom_op.general", function_name = "Trunc"} : (tensor<2x0xf32>, tensor<0xf32>, tensor<f32>, tensor<f32>, tensor<0xf32>, tensor<f32>) -> tensor<2x0xf32>
  return %y : tensor<2x0xf32>
}

// -----

// As many elements, which meet in all pairs.
func.func @trunc_crossed_scales(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %s = "onnx.Constant"() {value = dense<[[1.0], [2.0]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %z = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %b = "onnx.Constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %t = "onnx.Constant"() {value = dense<[[1.0, 2.0]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  // expected-error@+1 {{output scale is 2^1 times the scale, and elsewhere 2^0 times: expected one factor}}
  %y = "onnx.Custom"(%x, %s, %z, %b, %t, %b) {domain_name = "qonnx.custom_op.general", function_name = "Trunc"} : (tensor<2x2xf32>, tensor<2x1xf32>, tensor<f32>, tensor<f32>, tensor<1x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
