// RUN: quant-opt %s --convert-qdq-to-linalg --split-input-file | FileCheck %s

// One generic from containers to reals.
// CHECK-DAG: #[[CONTAINERS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[GROUP:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
// CHECK-LABEL: func @dequantize_gptq_blocked
// CHECK-SAME: %[[W:.*]]: tensor<32x64xi32>, %[[Z:.*]]: tensor<2x8xi32>, %[[S:.*]]: tensor<2x64xf16>
func.func @dequantize_gptq_blocked(%w: tensor<32x64xi32>, %z: tensor<2x8xi32>, %s: tensor<2x64xf16>) -> tensor<256x64xf16> {
  // Zero points change along the innermost dimension: they are unpacked once.
  // CHECK: %[[WORDS:.*]] = tensor.expand_shape %[[W]] {{.*}} : tensor<32x64xi32> into tensor<2x16x64xi32>
  // CHECK: %[[ZEROS:.*]] = linalg.generic {{.*}} ins(%[[Z]] : tensor<2x8xi32>)
  // CHECK: %[[ZERO:.*]] = tensor.collapse_shape %[[ZEROS]]
  // CHECK: linalg.generic {indexing_maps = [#[[CONTAINERS]], #[[GROUP]], #[[GROUP]], #{{.*}}], {{.*}} ins(%[[WORDS]], %[[S]], %[[ZERO]] : {{.*}}) outs(%{{.*}} : tensor<2x16x8x64xf16>)
  // CHECK: arith.shrui
  // CHECK: arith.subi
  // CHECK: arith.mulf
  // CHECK: tensor.collapse_shape %{{.*}} : tensor<2x16x8x64xf16> into tensor<256x64xf16>
  // CHECK-NOT: qdq.
  %q = qdq.unpack %w packing <gptq-v1> : (tensor<32x64xi32>) -> tensor<256x64xui4>
  %zeros = qdq.unpack %z packing <gptq-v1, part = zero-point> : (tensor<2x8xi32>) -> tensor<2x64xui4>
  %x = qdq.dequantize %q scale %s zero_point %zeros block_shape [128, 1] : (tensor<256x64xui4>, tensor<2x64xf16>, tensor<2x64xui4>) -> tensor<256x64xf16>
  return %x : tensor<256x64xf16>
}

// -----

// Blocks shorter than a container split the slots.
// CHECK-LABEL: func @dequantize_awq_axis
func.func @dequantize_awq_axis(%w: tensor<4x2xi32>, %s: tensor<16xf16>) -> tensor<4x16xf16> {
  // CHECK: tensor.expand_shape %{{.*}} output_shape [2, 4, 2] : tensor<16xf16> into tensor<2x4x2xf16>
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x2xi32>, tensor<2x4x2xf16>) outs(%{{.*}} : tensor<4x2x4x2xf16>)
  // CHECK-NOT: linalg.generic
  %q = qdq.unpack %w packing <awq-gemm> : (tensor<4x2xi32>) -> tensor<4x16xi4>
  %x = qdq.dequantize %q scale %s axis 1 : (tensor<4x16xi4>, tensor<16xf16>) -> tensor<4x16xf16>
  return %x : tensor<4x16xf16>
}

// -----

// Blocks of 3 and containers of 2 have no common loops; neither have rows of 5.
// CHECK-LABEL: func @dequantize_onnx_apart
func.func @dequantize_onnx_apart(%a: tensor<3xi8>, %b: tensor<5xi8>, %s: tensor<2xf32>, %t: f32) -> (tensor<6xf32>, tensor<2x5xf32>) {
  // CHECK-COUNT-4: linalg.generic
  %q = qdq.unpack %a packing <onnx> : (tensor<3xi8>) -> tensor<6xi4>
  %x = qdq.dequantize %q scale %s block_shape [3] : (tensor<6xi4>, tensor<2xf32>) -> tensor<6xf32>
  %r = qdq.unpack %b packing <onnx> : (tensor<5xi8>) -> tensor<2x5xi4>
  %y = qdq.dequantize %r scale %t : (tensor<2x5xi4>, f32) -> tensor<2x5xf32>
  return %x, %y : tensor<6xf32>, tensor<2x5xf32>
}

// -----

// Who reads the codes themselves gets them beside.
// CHECK-LABEL: func @dequantize_and_codes
func.func @dequantize_and_codes(%c: tensor<8xi8>, %s: f32) -> (tensor<16xi4>, tensor<16xf32>, tensor<16xf32>) {
  // CHECK: %[[Q:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x2xi4>)
  // CHECK: %[[CODES:.*]] = tensor.collapse_shape %[[Q]]
  // CHECK-COUNT-2: linalg.generic {{.*}} ins(%{{.*}} : tensor<8xi8>) outs(%{{.*}} : tensor<8x2xf32>)
  // CHECK: return %[[CODES]]
  %q = qdq.unpack %c packing <onnx> : (tensor<8xi8>) -> tensor<16xi4>
  %x = qdq.dequantize %q scale %s : (tensor<16xi4>, f32) -> tensor<16xf32>
  %y = qdq.dequantize %q scale %s semantics <subtract = float> : (tensor<16xi4>, f32) -> tensor<16xf32>
  return %q, %x, %y : tensor<16xi4>, tensor<16xf32>, tensor<16xf32>
}

// -----

// The codes of a byte are reduced where they are made.
// CHECK-DAG: #[[CODE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[BLOCK:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-DAG: #[[BYTE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func @quantize_onnx_blocked
// CHECK-SAME: %{{.*}}: tensor<4x64xf32>, %[[S:.*]]: tensor<4x2xf32>
func.func @quantize_onnx_blocked(%x: tensor<4x64xf32>, %s: tensor<4x2xf32>) -> tensor<128xi8> {
  // CHECK: %[[BYTES:.*]] = linalg.fill ins(%c0_i8 : i8) outs(%{{.*}} : tensor<4x2x16xi8>)
  // CHECK: linalg.generic {indexing_maps = [#[[CODE]], #[[BLOCK]], #[[BYTE]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%{{.*}}, %[[S]] : tensor<4x2x16x2xf32>, tensor<4x2xf32>) outs(%[[BYTES]] : tensor<4x2x16xi8>)
  // CHECK: arith.divf
  // CHECK: arith.shli
  // CHECK: arith.ori
  // CHECK-NOT: linalg.generic
  %q = qdq.quantize %x scale %s block_shape [1, 32] : (tensor<4x64xf32>, tensor<4x2xf32>) -> tensor<4x64xi4>
  %c = qdq.pack %q packing <onnx> : (tensor<4x64xi4>) -> tensor<128xi8>
  return %c : tensor<128xi8>
}

// -----

// Draws follow the position in the whole tensor, which a loop of slots does not
// change; the body loads the scales of short blocks there too.
// CHECK-LABEL: func @quantize_onnx_loads
func.func @quantize_onnx_loads(%x: tensor<64xf32>, %s: f32, %t: tensor<3xf32>) -> (tensor<32xi8>, tensor<32xi8>) {
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<32x2xf32>) outs(%{{.*}} : tensor<32xi8>)
  // CHECK: math.floor
  // CHECK: arith.shli
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<32x2xf32>) outs(%{{.*}} : tensor<32xi8>)
  // CHECK: tensor.extract %{{.*}} : tensor<3xf32>
  // CHECK-NOT: linalg.generic
  %q = qdq.quantize %x scale %s semantics <rounding = stochastic> : (tensor<64xf32>, f32) -> tensor<64xi4>
  %c = qdq.pack %q packing <onnx> : (tensor<64xi4>) -> tensor<32xi8>
  %r = qdq.quantize %x scale %t block_shape [24] : (tensor<64xf32>, tensor<3xf32>) -> tensor<64xi4>
  %d = qdq.pack %r packing <onnx> : (tensor<64xi4>) -> tensor<32xi8>
  return %c, %d : tensor<32xi8>, tensor<32xi8>
}

// -----

// A generic that was there before keeps its operands.
// CHECK-LABEL: func @unpack_beside_others
func.func @unpack_beside_others(%c: tensor<8xi8>) -> tensor<16xi8> {
  // CHECK: %[[CODES:.*]] = tensor.collapse_shape
  // CHECK: linalg.generic {{.*}} ins(%[[CODES]] : tensor<16xi4>)
  %q = qdq.unpack %c packing <onnx> : (tensor<8xi8>) -> tensor<16xi4>
  %bytes = tensor.empty() : tensor<16xi8>
  %w = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%q : tensor<16xi4>) outs(%bytes : tensor<16xi8>) {
  ^bb0(%in: i4, %out: i8):
    %e = arith.extsi %in : i4 to i8
    linalg.yield %e : i8
  } -> tensor<16xi8>
  return %w : tensor<16xi8>
}

// -----

// A neighbor without elements splits nothing.
// CHECK-LABEL: func @quantize_empty
func.func @quantize_empty(%x: tensor<0xf32>, %s: f32) -> tensor<4x0xi8> {
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<0xi8>)
  // CHECK: tensor.expand_shape
  %q = qdq.quantize %x scale %s : (tensor<0xf32>, f32) -> tensor<0xi8>
  %e = tensor.expand_shape %q [[0, 1]] output_shape [4, 0] : tensor<0xi8> into tensor<4x0xi8>
  return %e : tensor<4x0xi8>
}

// -----

// A generic that was there before, and reads an element many times: the codes
// are one with their containers, and it is another.
// CHECK-LABEL: func @dequantize_for_columns
func.func @dequantize_for_columns(%c: tensor<8xi8>, %s: f32, %y: tensor<4x4x3xf32>) -> tensor<4x4x3xf32> {
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x2xi8>) outs(%{{.*}} : tensor<4x2x2xf32>)
  // CHECK: %[[W:.*]] = tensor.collapse_shape
  // CHECK: linalg.generic {{.*}} ins(%[[W]] : tensor<4x4xf32>)
  %q = qdq.unpack %c packing <onnx> : (tensor<8xi8>) -> tensor<4x4xui4>
  %w = qdq.dequantize %q scale %s : (tensor<4x4xui4>, f32) -> tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, k, m) -> (n, k)>, affine_map<(n, k, m) -> (n, k, m)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%w : tensor<4x4xf32>) outs(%y : tensor<4x4x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %p = arith.mulf %in, %out : f32
    linalg.yield %p : f32
  } -> tensor<4x4x3xf32>
  return %r : tensor<4x4x3xf32>
}
