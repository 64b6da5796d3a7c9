// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What oneDNN's documents do not allow is refused by name.
// RUN: quant-opt %s --convert-onednn-to-qdq --split-input-file --verify-diagnostics

func.func @quantize_two_operands(%x: tensor<4x8xf32>, %s: tensor<1xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op number of operands is 2: expected 1}}
  %y = "onednn_graph.quantize"(%x, %s) {scales = array<f32: 0.5>} : (tensor<4x8xf32>, tensor<1xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @dynamic_quantize_no_scales(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.dynamic_quantize' op number of operands is 1: expected 2 or 3}}
  %y = "onednn_graph.dynamic_quantize"(%x) : (tensor<4x8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @dequantize_vector(%x: vector<4xi8>) -> tensor<4xf32> {
  // expected-error@+1 {{'onednn_graph.dequantize' op src has type 'vector<4xi8>': expected a tensor}}
  %y = "onednn_graph.dequantize"(%x) {scales = array<f32: 0.5>} : (vector<4xi8>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dequantize_memref_result(%x: tensor<4xi8>) -> memref<4xf32> {
  // expected-error@+1 {{'onednn_graph.dequantize' op result 0 has type 'memref<4xf32>': expected a tensor}}
  %y = "onednn_graph.dequantize"(%x) {scales = array<f32: 0.5>} : (tensor<4xi8>) -> memref<4xf32>
  return %y : memref<4xf32>
}

// -----

func.func @quantize_shape(%x: tensor<4xf32>) -> tensor<5xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op src 'tensor<4xf32>' and dst 'tensor<5xi8>' differ in shape}}
  %y = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>} : (tensor<4xf32>) -> tensor<5xi8>
  return %y : tensor<5xi8>
}

// -----

func.func @quantize_src_f16(%x: tensor<4xf16>) -> tensor<4xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op src type f16 is not allowed: expected f32}}
  %y = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>} : (tensor<4xf16>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

func.func @quantize_dst_s4(%x: tensor<4xf32>) -> tensor<4xi4> {
  // expected-error@+1 {{'onednn_graph.quantize' op dst type s4 is not allowed: expected s8, u8, f8_e4m3, f8_e5m2}}
  %y = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>} : (tensor<4xf32>) -> tensor<4xi4>
  return %y : tensor<4xi4>
}

// -----

func.func @quantize_f8_zps(%x: tensor<4xf32>) -> tensor<4xf8E4M3FN> {
  // expected-error@+1 {{'onednn_graph.quantize' op has zps, which f8_e4m3 does not have: expected none, or zeros}}
  %y = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  return %y : tensor<4xf8E4M3FN>
}

// -----

func.func @dequantize_src_s32(%x: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onednn_graph.dequantize' op src type s32 is not allowed: expected s8, u8, f8_e4m3, f8_e5m2}}
  %y = "onednn_graph.dequantize"(%x) {scales = array<f32: 0.5>} : (tensor<4xi32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dequantize_dst_bf16(%x: tensor<4xi8>) -> tensor<4xbf16> {
  // expected-error@+1 {{'onednn_graph.dequantize' op dst type bf16 is not allowed: expected f32}}
  %y = "onednn_graph.dequantize"(%x) {scales = array<f32: 0.5>} : (tensor<4xi8>) -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

func.func @dynamic_quantize_src_bf16(%x: tensor<4xbf16>, %s: tensor<1xf32>) -> tensor<4xi8> {
  // expected-error@+1 {{'onednn_graph.dynamic_quantize' op src type bf16 is not allowed: expected f32}}
  %y = "onednn_graph.dynamic_quantize"(%x, %s) : (tensor<4xbf16>, tensor<1xf32>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

func.func @dynamic_quantize_dst_u4(%x: tensor<4xf32>, %s: tensor<1xf32>) -> tensor<4xui4> {
  // expected-error@+1 {{'onednn_graph.dynamic_quantize' op dst type u4 is not allowed: expected s8, u8}}
  %y = "onednn_graph.dynamic_quantize"(%x, %s) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xui4>
  return %y : tensor<4xui4>
}

// -----

func.func @dynamic_quantize_scales_f16(%x: tensor<4xf32>, %s: tensor<1xf16>) -> tensor<4xi8> {
  // expected-error@+1 {{'onednn_graph.dynamic_quantize' op scales type f16 is not allowed: expected f32}}
  %y = "onednn_graph.dynamic_quantize"(%x, %s) : (tensor<4xf32>, tensor<1xf16>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

func.func @dynamic_quantize_zps_s4(%x: tensor<4xf32>, %s: tensor<1xf32>, %z: tensor<1xi4>) -> tensor<4xi8> {
  // expected-error@+1 {{'onednn_graph.dynamic_quantize' op zps type s4 is not allowed with dst type s8: expected s8, u8, s32}}
  %y = "onednn_graph.dynamic_quantize"(%x, %s, %z) : (tensor<4xf32>, tensor<1xf32>, tensor<1xi4>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

func.func @dynamic_quantize_zps_f32(%x: tensor<4xf32>, %s: tensor<1xf32>, %z: tensor<1xf32>) -> tensor<4xui8> {
  // expected-error@+1 {{'onednn_graph.dynamic_quantize' op zps type f32 is not allowed with dst type u8: expected s8, u8, s32}}
  %y = "onednn_graph.dynamic_quantize"(%x, %s, %z) : (tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// -----

func.func @dynamic_dequantize_src_s16(%x: tensor<4xi16>, %s: tensor<1xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op src type s16 is not allowed: expected s4, u4, s8, u8}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) : (tensor<4xi16>, tensor<1xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dynamic_dequantize_dst_f64(%x: tensor<4xi8>, %s: tensor<1xf64>) -> tensor<4xf64> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op dst type f64 is not allowed: expected f16, bf16, f32}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) : (tensor<4xi8>, tensor<1xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

func.func @dynamic_dequantize_scales_f32_dst_f16(%x: tensor<4xi8>, %s: tensor<1xf32>) -> tensor<4xf16> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op scales type f32 is not allowed with dst type f16: expected f16}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) : (tensor<4xi8>, tensor<1xf32>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}

// -----

func.func @dynamic_dequantize_zps_s64(%x: tensor<4xi8>, %s: tensor<1xf32>, %z: tensor<1xi64>) -> tensor<4xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op zps type s64 is not allowed with src type s8: expected s8, u8, s32}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s, %z) : (tensor<4xi8>, tensor<1xf32>, tensor<1xi64>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dynamic_dequantize_zps_u8_src_s4(%x: tensor<4xi4>, %s: tensor<1xf32>, %z: tensor<1xui8>) -> tensor<4xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op zps type u8 is not allowed with src type s4: expected s4, u4, s32}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s, %z) : (tensor<4xi4>, tensor<1xf32>, tensor<1xui8>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @dynamic_dequantize_zps_u4_src_u8(%x: tensor<4xui8>, %s: tensor<1xf32>, %z: tensor<1xui4>) -> tensor<4xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op zps type u4 is not allowed with src type u8: expected s8, u8, s32}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s, %z) : (tensor<4xui8>, tensor<1xf32>, tensor<1xui4>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @quantize_no_scales(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op has no attribute 'scales'}}
  %y = "onednn_graph.quantize"(%x) : (tensor<4x8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @quantize_scales_f64(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op attribute 'scales' is [5.000000e-01]: expected a list of f32, such as array<f32: 0.5>}}
  %y = "onednn_graph.quantize"(%x) {scales = [0.5]} : (tensor<4x8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @quantize_no_scales_f64(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op attribute 'scales' is dense<> : tensor<0xf64>: expected a list of f32, such as array<f32: 0.5>}}
  %y = "onednn_graph.quantize"(%x) {scales = dense<> : tensor<0xf64>} : (tensor<4x8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @quantize_zps_text(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op attribute 'zps' is "0": expected a list of s64, such as array<i64: 1>}}
  %y = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>, zps = "0"} : (tensor<4x8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @quantize_qtype_number(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op attribute 'qtype' is 1 : i64: expected a string}}
  %y = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>, qtype = 1} : (tensor<4x8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @quantize_axis_text(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op attribute 'axis' is "1": expected an integer of 64 bits}}
  %y = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>, qtype = "per_channel", axis = "1"} : (tensor<4x8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @quantize_qtype_per_group(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op qtype 'per_group' is not allowed: expected 'per_tensor' or 'per_channel'}}
  %y = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>, qtype = "per_group"} : (tensor<4x8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @dynamic_quantize_qtype_per_group(%x: tensor<4x8xf32>, %s: tensor<4x2xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.dynamic_quantize' op qtype 'per_group' is not allowed: expected 'per_tensor' or 'per_channel'}}
  %y = "onednn_graph.dynamic_quantize"(%x, %s) {qtype = "per_group", group_shape = array<i64: 1, 4>} : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @dynamic_dequantize_qtype_unknown(%x: tensor<4x8xi8>, %s: tensor<1xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op qtype 'per_block' is not allowed: expected 'per_tensor', 'per_channel' or 'per_group'}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) {qtype = "per_block"} : (tensor<4x8xi8>, tensor<1xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @dynamic_quantize_mask(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.dynamic_quantize' op attribute 'mask' is not supported: use 'qtype' and 'axis' instead}}
  %y = "onednn_graph.dynamic_quantize"(%x, %s) {mask = 2} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @quantize_tensor_two_scales(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op scales has type 'tensor<2xf32>': expected one element (per_tensor)}}
  %y = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5, 0.5>} : (tensor<4x8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @dynamic_dequantize_tensor_unknown_scales(%x: tensor<4x8xi8>, %s: tensor<?xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op scales has type 'tensor<?xf32>': expected one element (per_tensor)}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) : (tensor<4x8xi8>, tensor<?xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @dynamic_dequantize_unranked_scales(%x: tensor<4x8xi8>, %s: tensor<*xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op scales has type 'tensor<*xf32>': expected a ranked tensor}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) : (tensor<4x8xi8>, tensor<*xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @dynamic_dequantize_tensor_zps_8(%x: tensor<4x8xi8>, %s: tensor<1xf32>, %z: tensor<8xi8>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op zps has type 'tensor<8xi8>': expected one element, or the shape of scales, 'tensor<1xf32>'}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s, %z) : (tensor<4x8xi8>, tensor<1xf32>, tensor<8xi8>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @quantize_tensor_two_zps(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op zps has 2 elements: expected 1, as in scales}}
  %y = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>, zps = array<i64: 0, 0>} : (tensor<4x8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @quantize_zps_range(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op zps[0] is 128, outside of s8, which holds -128 to 127}}
  %y = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>, zps = array<i64: 128>} : (tensor<4x8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @dequantize_zps_range(%x: tensor<4x8xui8>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dequantize' op zps[0] is -1, outside of u8, which holds 0 to 255}}
  %y = "onednn_graph.dequantize"(%x) {scales = array<f32: 0.5>, zps = array<i64: -1>} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @quantize_channel_count(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op scales has type 'tensor<1xf32>': expected 8 elements, the size of dimension 1 of src 'tensor<4x8xf32>'}}
  %y = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5>, qtype = "per_channel"} : (tensor<4x8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @quantize_channel_rank_1(%x: tensor<4xf32>) -> tensor<4xi8> {
  // expected-error@+1 {{'onednn_graph.quantize' op axis 1 is out of range for src of type 'tensor<4xf32>': expected -1 to 0 (where 'axis' is absent it is 1)}}
  %y = "onednn_graph.quantize"(%x) {scales = array<f32: 0.5, 0.5, 0.5, 0.5>, qtype = "per_channel"} : (tensor<4xf32>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

func.func @dynamic_quantize_channel_axis(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.dynamic_quantize' op axis -3 is out of range for src of type 'tensor<4x8xf32>': expected -2 to 1}}
  %y = "onednn_graph.dynamic_quantize"(%x, %s) {qtype = "per_channel", axis = -3} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @dynamic_quantize_channel_scales_rank(%x: tensor<2x3x4xf32>, %s: tensor<1x3xf32>) -> tensor<2x3x4xi8> {
  // expected-error@+1 {{'onednn_graph.dynamic_quantize' op scales has type 'tensor<1x3xf32>': expected rank 1 (per_channel), or rank 3 like src}}
  %y = "onednn_graph.dynamic_quantize"(%x, %s) {qtype = "per_channel"} : (tensor<2x3x4xf32>, tensor<1x3xf32>) -> tensor<2x3x4xi8>
  return %y : tensor<2x3x4xi8>
}

// -----

func.func @dynamic_quantize_channel_full_rank(%x: tensor<4x8xf32>, %s: tensor<4x8xf32>) -> tensor<4x8xi8> {
  // expected-error@+1 {{'onednn_graph.dynamic_quantize' op scales has type 'tensor<4x8xf32>': expected size 1 in dimension 0, which is not the axis 1}}
  %y = "onednn_graph.dynamic_quantize"(%x, %s) {qtype = "per_channel"} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi8>
  return %y : tensor<4x8xi8>
}

// -----

func.func @dynamic_dequantize_channel_unranked(%x: tensor<*xi8>, %s: tensor<1x8xf32>) -> tensor<*xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op scales has type 'tensor<1x8xf32>': expected rank 1, since the rank of src is unknown}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) {qtype = "per_channel"} : (tensor<*xi8>, tensor<1x8xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @dynamic_dequantize_channel_zps(%x: tensor<4x8xi8>, %s: tensor<8xf32>, %z: tensor<4xi8>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op zps has type 'tensor<4xi8>': expected one element, or the shape of scales, 'tensor<8xf32>'}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s, %z) {qtype = "per_channel"} : (tensor<4x8xi8>, tensor<8xf32>, tensor<4xi8>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @dynamic_dequantize_group_no_shape(%x: tensor<4x8xi8>, %s: tensor<4x2xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op has no attribute 'group_shape'}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) {qtype = "per_group"} : (tensor<4x8xi8>, tensor<4x2xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @dynamic_dequantize_group_shape_without_qtype(%x: tensor<4x8xi8>, %s: tensor<1xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op has a 'group_shape', but qtype is 'per_tensor': expected 'per_group'}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) {group_shape = array<i64: 1, 4>} : (tensor<4x8xi8>, tensor<1xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @dynamic_dequantize_group_unranked(%x: tensor<*xi8>, %s: tensor<4x2xf32>) -> tensor<*xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op qtype 'per_group' needs a src of known rank, not 'tensor<*xi8>'}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) {qtype = "per_group", group_shape = array<i64: 1, 4>} : (tensor<*xi8>, tensor<4x2xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

func.func @dynamic_dequantize_group_entries(%x: tensor<4x8xi8>, %s: tensor<4x2xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op group_shape has 1 entries: expected 2, the rank of src 'tensor<4x8xi8>'}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) {qtype = "per_group", group_shape = array<i64: 4>} : (tensor<4x8xi8>, tensor<4x2xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @dynamic_dequantize_group_zero(%x: tensor<4x8xi8>, %s: tensor<4x2xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op group_shape[0] is 0: expected 1 or more}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) {qtype = "per_group", group_shape = array<i64: 0, 4>} : (tensor<4x8xi8>, tensor<4x2xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @dynamic_dequantize_group_no_divisor(%x: tensor<4x8xi8>, %s: tensor<4x3xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op group_shape[1] is 3, which does not divide dimension 1 of src 'tensor<4x8xi8>'}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) {qtype = "per_group", group_shape = array<i64: 1, 3>} : (tensor<4x8xi8>, tensor<4x3xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @dynamic_dequantize_group_scales_rank(%x: tensor<4x8xi8>, %s: tensor<2xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op scales has type 'tensor<2xf32>': expected rank 2 like src (per_group)}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) {qtype = "per_group", group_shape = array<i64: 4, 4>} : (tensor<4x8xi8>, tensor<2xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @dynamic_dequantize_group_count(%x: tensor<4x8xi8>, %s: tensor<4x4xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op scales has size 4 in dimension 1: expected 2, the number of groups of 4 in 8}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s) {qtype = "per_group", group_shape = array<i64: 1, 4>} : (tensor<4x8xi8>, tensor<4x4xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @dynamic_dequantize_group_zps(%x: tensor<4x8xi8>, %s: tensor<4x2xf32>, %z: tensor<4x8xi8>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'onednn_graph.dynamic_dequantize' op zps has type 'tensor<4x8xi8>': expected one element, or the shape of scales, 'tensor<4x2xf32>'}}
  %y = "onednn_graph.dynamic_dequantize"(%x, %s, %z) {qtype = "per_group", group_shape = array<i64: 1, 4>} : (tensor<4x8xi8>, tensor<4x2xf32>, tensor<4x8xi8>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @dynamic_quantize_zps_range(%x: tensor<2x4xf32>, %s: tensor<2xf32>) -> tensor<2x4xui8> {
  %z = arith.constant dense<[255, 256]> : tensor<2xi32>
  // expected-error@+1 {{'onednn_graph.dynamic_quantize' op zero point element 1 is 256, outside of the storage type 'ui8', which holds 0 to 255}}
  %q = "onednn_graph.dynamic_quantize"(%x, %s, %z) {qtype = "per_channel", axis = 0 : si64} : (tensor<2x4xf32>, tensor<2xf32>, tensor<2xi32>) -> tensor<2x4xui8>
  return %q : tensor<2x4xui8>
}
