// RUN: quant-opt %s --convert-torch-to-qdq --split-input-file --verify-diagnostics

func.func @scale_at_run_time(%x: !torch.vtensor<[2,4],f32>, %s: !torch.float) -> !torch.vtensor<[2,4],si8> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{scale has type '!torch.float': expected a tensor}}
  %y = "torch.operator"(%x, %s, %0, %low, %high, %1) <{name = "torch.quantized_decomposed.quantize_per_tensor"}> : (!torch.vtensor<[2,4],f32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,4],si8>
  return %y : !torch.vtensor<[2,4],si8>
}

// -----

func.func @zero_point_outside(%x: !torch.vtensor<[2,4],f32>) -> !torch.vtensor<[2,4],si8> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{zero point element 0 is 300, outside of the storage type}}
  %y = "torch.operator"(%x, %half, %many, %low, %high, %1) <{name = "torch.quantized_decomposed.quantize_per_tensor"}> : (!torch.vtensor<[2,4],f32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,4],si8>
  return %y : !torch.vtensor<[2,4],si8>
}

// -----

func.func @range(%x: !torch.vtensor<[2,4],f32>) -> !torch.vtensor<[2,4],si8> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{quant_min is -128 and quant_max 300: expected a range in -128 to 127}}
  %y = "torch.operator"(%x, %half, %0, %low, %many, %1) <{name = "torch.quantized_decomposed.quantize_per_tensor"}> : (!torch.vtensor<[2,4],f32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,4],si8>
  return %y : !torch.vtensor<[2,4],si8>
}

// -----

func.func @dtype(%x: !torch.vtensor<[2,4],f32>) -> !torch.vtensor<[2,4],si8> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  %two = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  // expected-error@+1 {{dtype says 'i16', but the tensor has 'i8'}}
  %y = "torch.operator"(%x, %half, %0, %low, %high, %two) <{name = "torch.quantized_decomposed.quantize_per_tensor"}> : (!torch.vtensor<[2,4],f32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,4],si8>
  return %y : !torch.vtensor<[2,4],si8>
}

// -----

func.func @number_of_operands(%x: !torch.vtensor<[2,4],f32>) -> !torch.vtensor<[2,4],si8> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{number of operands is 5: expected 6}}
  %y = "torch.operator"(%x, %half, %0, %low, %high) <{name = "torch.quantized_decomposed.quantize_per_tensor"}> : (!torch.vtensor<[2,4],f32>, !torch.float, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,4],si8>
  return %y : !torch.vtensor<[2,4],si8>
}

// -----

func.func @bounds_at_run_time(%x: !torch.vtensor<[2,4],f32>, %s: !torch.vtensor<[],f32>, %z: !torch.vtensor<[],si32>) -> !torch.vtensor<[2,4],si8> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{quant_min (operand 3) is no constant of one integer: the range of codes has to be known}}
  %y = "torch.operator"(%x, %s, %z, %z, %z, %1) <{name = "torch.quantized_decomposed.quantize_per_tensor.tensor2"}> : (!torch.vtensor<[2,4],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],si32>, !torch.vtensor<[],si32>, !torch.vtensor<[],si32>, !torch.int) -> !torch.vtensor<[2,4],si8>
  return %y : !torch.vtensor<[2,4],si8>
}

// -----

func.func @storage(%x: !torch.vtensor<[2,4],f32>) -> !torch.vtensor<[2,4],f8E5M2> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{result has type 'tensor<2x4xf8E5M2>': expected elements of i8, ui8, i16, ui16, i32 or ui32}}
  %y = "torch.operator"(%x, %half, %0, %low, %high, %1) <{name = "torch.quantized_decomposed.quantize_per_tensor"}> : (!torch.vtensor<[2,4],f32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,4],f8E5M2>
  return %y : !torch.vtensor<[2,4],f8E5M2>
}

// -----

func.func @axis(%x: !torch.vtensor<[2,4],f32>, %s: !torch.vtensor<[4],f32>, %z: !torch.vtensor<[4],si32>) -> !torch.vtensor<[2,4],si8> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{axis is 3, out of range for input 'tensor<2x4xf32>': expected -2 to 1}}
  %y = "torch.operator"(%x, %s, %z, %3, %low, %high, %1) <{name = "torch.quantized_decomposed.quantize_per_channel"}> : (!torch.vtensor<[2,4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],si32>, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,4],si8>
  return %y : !torch.vtensor<[2,4],si8>
}

// -----

func.func @channels(%x: !torch.vtensor<[2,4],f32>, %s: !torch.vtensor<[4],f32>, %z: !torch.vtensor<[4],si32>) -> !torch.vtensor<[2,4],si8> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{scales has type 'tensor<4xf32>': expected 2 elements, one for each index of dimension 0}}
  %y = "torch.operator"(%x, %s, %z, %0, %low, %high, %1) <{name = "torch.quantized_decomposed.quantize_per_channel"}> : (!torch.vtensor<[2,4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],si32>, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,4],si8>
  return %y : !torch.vtensor<[2,4],si8>
}

// -----

func.func @bytes_of_zero_points(%x: !torch.vtensor<[2,4],si8>, %s: !torch.vtensor<[4],f32>, %z: !torch.vtensor<[4],si8>) -> !torch.vtensor<[2,4],f32> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{zero_points has type 'tensor<4xi8>': expected integers of 32 or 64 bits, since PyTorch subtracts others modulo their type}}
  %y = "torch.operator"(%x, %s, %z, %1, %low, %high, %1) <{name = "torch.quantized_decomposed.dequantize_per_channel"}> : (!torch.vtensor<[2,4],si8>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],si8>, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,4],f32>
  return %y : !torch.vtensor<[2,4],f32>
}

// -----

func.func @reals_of_zero_points(%x: !torch.vtensor<[2,4],f32>, %s: !torch.vtensor<[4],f32>, %z: !torch.vtensor<[4],f32>) -> !torch.vtensor<[2,4],si8> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{zero_points has type 'tensor<4xf32>': expected integers, since it is added to rounded values}}
  %y = "torch.operator"(%x, %s, %z, %1, %low, %high, %1) <{name = "torch.quantized_decomposed.quantize_per_channel"}> : (!torch.vtensor<[2,4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,4],si8>
  return %y : !torch.vtensor<[2,4],si8>
}

// -----

func.func @tokens(%x: !torch.vtensor<[2,4],f32>, %s: !torch.vtensor<[4],f32>, %z: !torch.vtensor<[4],si32>) -> !torch.vtensor<[2,4],si8> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{scales has type 'tensor<4xf32>': expected 'tensor<2x1xf32>'}}
  %y = "torch.operator"(%x, %s, %z, %low, %high, %1) <{name = "torch.quantized_decomposed.quantize_per_token"}> : (!torch.vtensor<[2,4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],si32>, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,4],si8>
  return %y : !torch.vtensor<[2,4],si8>
}

// -----

func.func @group_size(%x: !torch.vtensor<[2,4],f32>, %s: !torch.vtensor<[2,2],f32>, %z: !torch.vtensor<[2,2],si32>) -> !torch.vtensor<[2,4],si8> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{group_size is 3: expected a divisor of 4, the columns of 'tensor<2x4xf32>'}}
  %y = "torch.operator"(%x, %s, %z, %low, %high, %1, %3) <{name = "torch.quantized_decomposed.quantize_per_channel_group"}> : (!torch.vtensor<[2,4],f32>, !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],si32>, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,4],si8>
  return %y : !torch.vtensor<[2,4],si8>
}

// -----

func.func @no_list(%x: !torch.vtensor<[2,4],f32>, %s: !torch.vtensor<[4],f32>, %z: !torch.vtensor<[4],si32>) -> !torch.vtensor<[2,4],si8> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{block_size (operand 1) is no constant: expected a torch.prim.ListConstruct of torch.constant.int}}
  %y = "torch.operator"(%x, %0, %s, %z, %1) <{name = "torch.torchao.quantize_affine"}> : (!torch.vtensor<[2,4],f32>, !torch.int, !torch.vtensor<[4],f32>, !torch.vtensor<[4],si32>, !torch.int) -> !torch.vtensor<[2,4],si8>
  return %y : !torch.vtensor<[2,4],si8>
}

// -----

func.func @convert(%x: !torch.vtensor<[2,4],f32>) -> !torch.vtensor<[2,4],si8> {
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %3 = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %many = "torch.constant.int"() <{value = 300 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{makes 'tensor<2x4xi8>' of 'tensor<2x4xf32>'}}
  %y = "torch.operator"(%x, %1) <{name = "torch.quantized_decomposed.convert_element_type.no_fuse"}> : (!torch.vtensor<[2,4],f32>, !torch.int) -> !torch.vtensor<[2,4],si8>
  return %y : !torch.vtensor<[2,4],si8>
}

// -----

func.func @range_of_f16(%x: tensor<4xf16>) -> (tensor<1xf64>, tensor<1xi64>) {
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %eps = "torch.constant.float"() <{value = 1.000000e-05 : f64}> : () -> !torch.float
  // expected-error@+1 {{input has type 'tensor<4xf16>': expected a ranked tensor of f32}}
  %s, %z = "torch.operator"(%x, %low, %high, %eps, %1) <{name = "torch.quantized_decomposed.choose_qparams.tensor"}>
     : (tensor<4xf16>, !torch.int, !torch.int, !torch.float, !torch.int) -> (tensor<1xf64>, tensor<1xi64>)
  return %s, %z : tensor<1xf64>, tensor<1xi64>
}

// -----

func.func @range_result(%x: tensor<4xf32>) -> (tensor<f64>, tensor<1xi64>) {
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %eps = "torch.constant.float"() <{value = 1.000000e-05 : f64}> : () -> !torch.float
  // expected-error@+1 {{result 0 has type 'tensor<f64>': expected 'tensor<1xf64>', of floats}}
  %s, %z = "torch.operator"(%x, %low, %high, %eps, %1) <{name = "torch.quantized_decomposed.choose_qparams.tensor"}>
     : (tensor<4xf32>, !torch.int, !torch.int, !torch.float, !torch.int) -> (tensor<f64>, tensor<1xi64>)
  return %s, %z : tensor<f64>, tensor<1xi64>
}

// -----

func.func @mapping_type(%x: tensor<4xf32>) -> (tensor<f32>, tensor<i32>) {
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %eps = "torch.constant.float"() <{value = 1.000000e-05 : f64}> : () -> !torch.float
  %mapping = "torch.constant.str"() <{value = "AFFINE"}> : () -> !torch.str
  %block = "torch.prim.ListConstruct"(%1) : (!torch.int) -> !torch.list<int>
  // expected-error@+1 {{mapping_type is 'AFFINE': expected SYMMETRIC, SYMMETRIC_NO_CLIPPING_ERR or ASYMMETRIC}}
  %s, %z = "torch.operator"(%x, %mapping, %block, %1) <{name = "torch.torchao.choose_qparams_affine"}>
     : (tensor<4xf32>, !torch.str, !torch.list<int>, !torch.int) -> (tensor<f32>, tensor<i32>)
  return %s, %z : tensor<f32>, tensor<i32>
}
