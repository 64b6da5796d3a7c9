// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of torch.operator that are no constants, or whose values or types PyTorch does not take.
// RUN: quant-opt %s --convert-torch-to-qdq --split-input-file --verify-diagnostics

func.func @small_groups(%x: tensor<2x4xf32>, %s: tensor<2x2xf32>, %z: tensor<2x2xi32>) -> (tensor<2x4xi8>) {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %size = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error@+1 {{group_size is 1: expected 2 or more}}
  %r0 = "torch.operator"(%x, %s, %z, %low, %high, %dtype, %size) <{name = "torch.quantized_decomposed.quantize_per_channel_group"}>
     : (tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x2xi32>, !torch.int, !torch.int, !torch.int, !torch.int) -> (tensor<2x4xi8>)
  return %r0 : tensor<2x4xi8>
}

// -----

func.func @group_size_at_run_time(%x: tensor<2x4xf32>, %s: tensor<2x2xf32>, %z: tensor<2x2xi32>, %size: !torch.int) -> (tensor<2x4xi8>) {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error@+1 {{group_size (operand 6) is no constant: expected a torch.constant.int}}
  %r0 = "torch.operator"(%x, %s, %z, %low, %high, %dtype, %size) <{name = "torch.quantized_decomposed.quantize_per_channel_group"}>
     : (tensor<2x4xf32>, tensor<2x2xf32>, tensor<2x2xi32>, !torch.int, !torch.int, !torch.int, !torch.int) -> (tensor<2x4xi8>)
  return %r0 : tensor<2x4xi8>
}

// -----

func.func @eps_at_run_time(%x: tensor<4xf32>, %eps: !torch.float) -> (tensor<1xf64>, tensor<1xi64>) {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  // expected-error@+1 {{eps (operand 3) is no constant: expected a torch.constant.float}}
  %r0, %r1 = "torch.operator"(%x, %low, %high, %eps, %dtype) <{name = "torch.quantized_decomposed.choose_qparams.tensor"}>
     : (tensor<4xf32>, !torch.int, !torch.int, !torch.float, !torch.int) -> (tensor<1xf64>, tensor<1xi64>)
  return %r0, %r1 : tensor<1xf64>, tensor<1xi64>
}

// -----

func.func @mapping_at_run_time(%x: tensor<4xf32>, %mapping: !torch.str) -> (tensor<f32>, tensor<i32>) {
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %four = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %block = "torch.prim.ListConstruct"(%four) : (!torch.int) -> !torch.list<int>
  // expected-error@+1 {{mapping_type (operand 1) is no constant: expected a torch.constant.str}}
  %r0, %r1 = "torch.operator"(%x, %mapping, %block, %dtype) <{name = "torch.torchao.choose_qparams_affine"}>
     : (tensor<4xf32>, !torch.str, !torch.list<int>, !torch.int) -> (tensor<f32>, tensor<i32>)
  return %r0, %r1 : tensor<f32>, tensor<i32>
}

// -----

func.func @dtype_of_complex_numbers(%x: tensor<4xf32>) -> (tensor<1xf64>, tensor<1xi64>) {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 9 : i64}> : () -> !torch.int
  %eps = "torch.constant.float"() <{value = 1.000000e-05 : f64}> : () -> !torch.float
  // expected-error@+1 {{dtype is 9: expected the number of a real or quantized type, such as 6 (f32), 1 (i8) or 0 (ui8)}}
  %r0, %r1 = "torch.operator"(%x, %low, %high, %eps, %dtype) <{name = "torch.quantized_decomposed.choose_qparams.tensor"}>
     : (tensor<4xf32>, !torch.int, !torch.int, !torch.float, !torch.int) -> (tensor<1xf64>, tensor<1xi64>)
  return %r0, %r1 : tensor<1xf64>, tensor<1xi64>
}

// -----

func.func @dtype_of_floats(%x: tensor<4xf32>) -> (tensor<1xf64>, tensor<1xi64>) {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  %eps = "torch.constant.float"() <{value = 1.000000e-05 : f64}> : () -> !torch.float
  // expected-error@+1 {{dtype is 'f32': expected integers of at most 16 bits}}
  %r0, %r1 = "torch.operator"(%x, %low, %high, %eps, %dtype) <{name = "torch.quantized_decomposed.choose_qparams.tensor"}>
     : (tensor<4xf32>, !torch.int, !torch.int, !torch.float, !torch.int) -> (tensor<1xf64>, tensor<1xi64>)
  return %r0, %r1 : tensor<1xf64>, tensor<1xi64>
}

// -----

func.func @no_dtype_of_tokens(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %none = "torch.constant.none"() : () -> none
  // expected-error@+1 {{has no dtype: expected 1 (i8)}}
  %s, %z = "torch.operator"(%x, %none) <{name = "torch.quantized_decomposed.choose_qparams_per_token"}> : (tensor<2x4xf32>, none) -> (tensor<2x1xf32>, tensor<2x1xf32>)
  return %s, %z : tensor<2x1xf32>, tensor<2x1xf32>
}

// -----

func.func @dtype_of_tokens(%x: tensor<2x4xf32>) -> (tensor<2x1xf64>, tensor<2x1xi64>) {
  %dtype = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  // expected-error@+1 {{dtype is 'ui8': expected 1 (i8)}}
  %r0, %r1 = "torch.operator"(%x, %dtype) <{name = "torch.quantized_decomposed.choose_qparams_per_token"}>
     : (tensor<2x4xf32>, !torch.int) -> (tensor<2x1xf64>, tensor<2x1xi64>)
  return %r0, %r1 : tensor<2x1xf64>, tensor<2x1xi64>
}

// -----

func.func @converted_to_another_dtype(%x: tensor<2x4xf32>) -> (tensor<2x4xbf16>) {
  %dtype = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  // expected-error@+1 {{(dtype 'f16'): expected one ranked shape, and f16, bf16, f32 or f64 as the dtype says}}
  %r0 = "torch.operator"(%x, %dtype) <{name = "torch.quantized_decomposed.convert_element_type.no_fuse"}>
     : (tensor<2x4xf32>, !torch.int) -> (tensor<2x4xbf16>)
  return %r0 : tensor<2x4xbf16>
}

// -----

func.func @wide_zero_point(%x: tensor<2x4xf32>) -> (tensor<2x4xi8>) {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %z = "torch.constant.int"() <{value = 1099511627776 : i64}> : () -> !torch.int
  %half = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  // expected-error@+1 {{zero_point is 1099511627776: expected an integer of 32 bits}}
  %r0 = "torch.operator"(%x, %half, %z, %low, %high, %dtype) <{name = "torch.quantized_decomposed.quantize_per_tensor"}>
     : (tensor<2x4xf32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> (tensor<2x4xi8>)
  return %r0 : tensor<2x4xi8>
}

// -----

func.func @one_block_size(%x: tensor<2x4xf32>, %s: tensor<2xf32>, %z: tensor<2xi32>) -> (tensor<2x4xi8>) {
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %four = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %block = "torch.prim.ListConstruct"(%four) : (!torch.int) -> !torch.list<int>
  // expected-error@+1 {{block_size has 1 sizes, and input 'tensor<2x4xf32>': expected one for each dimension}}
  %r0 = "torch.operator"(%x, %block, %s, %z, %dtype) <{name = "torch.torchao.quantize_affine"}>
     : (tensor<2x4xf32>, !torch.list<int>, tensor<2xf32>, tensor<2xi32>, !torch.int) -> (tensor<2x4xi8>)
  return %r0 : tensor<2x4xi8>
}

// -----

func.func @bound_of_zero(%x: tensor<4xf32>) -> (tensor<f32>, tensor<i32>) {
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %four = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %mapping = "torch.constant.str"() <{value = "SYMMETRIC_NO_CLIPPING_ERR"}> : () -> !torch.str
  %block = "torch.prim.ListConstruct"(%four) : (!torch.int) -> !torch.list<int>
  // expected-error@+1 {{quant_min is 0 and quant_max 127 with mapping_type SYMMETRIC_NO_CLIPPING_ERR, which divides by both: expected neither to be 0}}
  %r0, %r1 = "torch.operator"(%x, %mapping, %block, %dtype, %low, %high) <{name = "torch.torchao.choose_qparams_affine"}>
     : (tensor<4xf32>, !torch.str, !torch.list<int>, !torch.int, !torch.int, !torch.int) -> (tensor<f32>, tensor<i32>)
  return %r0, %r1 : tensor<f32>, tensor<i32>
}

// -----

func.func @scale_of_another_dtype(%x: tensor<4xf32>) -> (tensor<f64>, tensor<i32>) {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %four = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %f32 = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  %mapping = "torch.constant.str"() <{value = "SYMMETRIC"}> : () -> !torch.str
  %block = "torch.prim.ListConstruct"(%four) : (!torch.int) -> !torch.list<int>
  %none = "torch.constant.none"() : () -> !torch.none
  // expected-error@+1 {{result 0 has type 'tensor<f64>', but its dtype is 'f32'}}
  %r0, %r1 = "torch.operator"(%x, %mapping, %block, %dtype, %low, %high, %none, %f32) <{name = "torch.torchao.choose_qparams_affine"}>
     : (tensor<4xf32>, !torch.str, !torch.list<int>, !torch.int, !torch.int, !torch.int, !torch.none, !torch.int) -> (tensor<f64>, tensor<i32>)
  return %r0, %r1 : tensor<f64>, tensor<i32>
}

// -----

func.func @narrow_scale_of_groups(%x: tensor<2x4xf32>, %s: tensor<2x2xf16>, %z: tensor<2x2xi32>) -> (tensor<2x4xi8>) {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %size = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  // expected-error@+1 {{scales has elements of 'f16', and input of 'f32': expected one type, or scales of f32 or f64}}
  %r0 = "torch.operator"(%x, %s, %z, %low, %high, %dtype, %size) <{name = "torch.quantized_decomposed.quantize_per_channel_group"}>
     : (tensor<2x4xf32>, tensor<2x2xf16>, tensor<2x2xi32>, !torch.int, !torch.int, !torch.int, !torch.int) -> (tensor<2x4xi8>)
  return %r0 : tensor<2x4xi8>
}

// -----

func.func @narrow_scale_of_codes(%x: tensor<2x4xi8>, %s: tensor<2x2xf16>, %z: tensor<2x2xi32>) -> (tensor<2x4xf32>) {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %size = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %out = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
  // expected-error@+1 {{scales has elements of 'f16', and result of 'f32': expected one type, or scales of f32 or f64}}
  %r0 = "torch.operator"(%x, %s, %z, %low, %high, %dtype, %size, %out) <{name = "torch.quantized_decomposed.dequantize_per_channel_group"}>
     : (tensor<2x4xi8>, tensor<2x2xf16>, tensor<2x2xi32>, !torch.int, !torch.int, !torch.int, !torch.int, !torch.int) -> (tensor<2x4xf32>)
  return %r0 : tensor<2x4xf32>
}

// -----

func.func @no_zero_point(%x: tensor<2x4xf32>, %s: tensor<2xf32>) -> (tensor<2x4xi8>) {
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %four = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %block = "torch.prim.ListConstruct"(%one, %four) : (!torch.int, !torch.int) -> !torch.list<int>
  %none = "torch.constant.none"() : () -> !torch.none
  // expected-error@+1 {{has no zero_point, which PyTorch adds: expected one}}
  %r0 = "torch.operator"(%x, %block, %s, %none, %dtype) <{name = "torch.torchao.quantize_affine"}>
     : (tensor<2x4xf32>, !torch.list<int>, tensor<2xf32>, !torch.none, !torch.int) -> (tensor<2x4xi8>)
  return %r0 : tensor<2x4xi8>
}

// -----

func.func @narrow_scale(%x: tensor<2x4xf32>, %s: tensor<2xf16>, %z: tensor<2xi32>) -> (tensor<2x4xi8>) {
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %four = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %block = "torch.prim.ListConstruct"(%one, %four) : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error@+1 {{scale has elements of 'f16', and input of 'f32': expected one type, or a scale of f32 or f64}}
  %r0 = "torch.operator"(%x, %block, %s, %z, %dtype) <{name = "torch.torchao.quantize_affine"}>
     : (tensor<2x4xf32>, !torch.list<int>, tensor<2xf16>, tensor<2xi32>, !torch.int) -> (tensor<2x4xi8>)
  return %r0 : tensor<2x4xi8>
}

// -----

func.func @codes_beyond_f16(%x: tensor<2x4xf16>, %s: tensor<2xf16>, %z: tensor<2xi32>) -> (tensor<2x4xi16>) {
  %dtype = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
  %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %four = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %block = "torch.prim.ListConstruct"(%one, %four) : (!torch.int, !torch.int) -> !torch.list<int>
  // expected-error@+1 {{result has elements of 'i16', which 'f16' does not hold: expected i8 or ui8}}
  %r0 = "torch.operator"(%x, %block, %s, %z, %dtype) <{name = "torch.torchao.quantize_affine"}>
     : (tensor<2x4xf16>, !torch.list<int>, tensor<2xf16>, tensor<2xi32>, !torch.int) -> (tensor<2x4xi16>)
  return %r0 : tensor<2x4xi16>
}

// -----

func.func @keepdim_at_run_time(%x: tensor<4xf32>, %keep: !torch.bool) -> (tensor<f32>, tensor<i32>) {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %four = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %mapping = "torch.constant.str"() <{value = "SYMMETRIC"}> : () -> !torch.str
  %block = "torch.prim.ListConstruct"(%four) : (!torch.int) -> !torch.list<int>
  %none = "torch.constant.none"() : () -> !torch.none
  // expected-error@+1 {{keepdim (operand 9) is no constant: expected a torch.constant.bool}}
  %r0, %r1 = "torch.operator"(%x, %mapping, %block, %dtype, %low, %high, %none, %none, %none, %keep) <{name = "torch.torchao.choose_qparams_affine"}>
     : (tensor<4xf32>, !torch.str, !torch.list<int>, !torch.int, !torch.int, !torch.int, !torch.none, !torch.none, !torch.none, !torch.bool) -> (tensor<f32>, tensor<i32>)
  return %r0, %r1 : tensor<f32>, tensor<i32>
}
