// RUN: quant-opt --convert-onnx-to-qdq --split-input-file %s | FileCheck %s
// RUN: quant-opt --convert-onnx-to-qdq=profile=onnx --split-input-file %s | FileCheck %s --check-prefix=ONNX

// CHECK-LABEL: @matmul_n_bits
// CHECK: %[[CODES:.*]] = qdq.unpack %{{.*}} packing <matmulnbits> : (tensor<6x48xui8>) -> tensor<6x96xi4>
// CHECK: %[[W:.*]] = qdq.dequantize %[[CODES]] scale %{{.*}} block_shape [1, 32] {{.*}} -> tensor<6x96xf32>
// CHECK: linalg.contract indexing_maps = {{.*}} ins(%{{.*}}, %[[W]] : tensor<?x96xf32>, tensor<6x96xf32>)
func.func @matmul_n_bits(%a: tensor<?x96xf32>, %b: tensor<6x3x16xui8>, %s: tensor<6x3xf32>) -> tensor<?x6xf32> {
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "MatMulNBits", K = 96 : si64, N = 6 : si64, bits = 4 : si64, block_size = 32 : si64}
    : (tensor<?x96xf32>, tensor<6x3x16xui8>, tensor<6x3xf32>) -> tensor<?x6xf32>
  return %y : tensor<?x6xf32>
}

// -----

// A in i8 by blocks, and dequantized again. ONNX Runtime's factor is 127 over
// the largest magnitude, and its sums have no order.
// CHECK-LABEL: @matmul_n_bits_accuracy_level
// CHECK: %[[MOST:.*]] = qdq.choose_params %[[BLOCKS:.*]] mode <symmetric> storage i8 block_shape [1, 1, 0] clamp [-1, 1]
// CHECK: arith.divf %cst{{.*}}, %in : f32
// CHECK: arith.mulf
// CHECK: arith.divf %in, %cst{{.*}} : f32
// CHECK: qdq.quantize %{{.*}} scale %cst{{.*}} -> tensor<2x3x32xi8>
// CHECK: %[[X:.*]] = qdq.dequantize %{{.*}} block_shape [1, 32] {{.*}}: (tensor<2x96xi8>, tensor<2x3xf32>) -> tensor<2x96xf32>
// CHECK: %[[W:.*]] = qdq.dequantize %{{.*}} block_shape [1, 32] {{.*}} -> tensor<6x96xf32>
// CHECK: linalg.generic {{.*}} ins(%[[X]], %[[W]] : tensor<2x96xf32>, tensor<6x96xf32>)
// CHECK: arith.mulf {{.*}} fastmath<reassoc,contract>
// CHECK: arith.addf {{.*}} fastmath<reassoc,contract>
// ONNX-LABEL: @matmul_n_bits_accuracy_level
// ONNX: %[[SCALE:.*]] = qdq.choose_params %[[BLOCKS:.*]] mode <symmetric> storage i8 block_shape [1, 1, 0] semantics
// ONNX: qdq.quantize %[[BLOCKS]] scale %[[SCALE]] block_shape [1, 1, 0] {{.*}} -> tensor<2x3x32xi8>
// ONNX: linalg.contract
func.func @matmul_n_bits_accuracy_level(%a: tensor<2x96xf32>, %b: tensor<6x3x16xui8>, %s: tensor<6x3xf32>, %z: tensor<6x2xui8>) -> tensor<2x6xf32> {
  %y = "onnx.Custom"(%a, %b, %s, %z) {domain_name = "com.microsoft", function_name = "MatMulNBits", K = 96 : si64, N = 6 : si64, bits = 4 : si64, block_size = 32 : si64, accuracy_level = 4 : si64}
    : (tensor<2x96xf32>, tensor<6x3x16xui8>, tensor<6x3xf32>, tensor<6x2xui8>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

// Without the domain, as torch-mlir's importer writes it.
// CHECK-LABEL: @matmul_n_bits_torch
// CHECK: qdq.unpack
// CHECK: linalg.contract
func.func @matmul_n_bits_torch(%a: !torch.vtensor<[2,32],f32>, %b: !torch.vtensor<[6,1,16],ui8>, %s: !torch.vtensor<[6,1],f32>) -> !torch.vtensor<[2,6],f32> {
  %y = "torch.operator"(%a, %b, %s) <{name = "onnx.MatMulNBits"}> {torch.onnx.K = 32 : si64, torch.onnx.N = 6 : si64, torch.onnx.block_size = 32 : si64}
    : (!torch.vtensor<[2,32],f32>, !torch.vtensor<[6,1,16],ui8>, !torch.vtensor<[6,1],f32>) -> !torch.vtensor<[2,6],f32>
  return %y : !torch.vtensor<[2,6],f32>
}

// -----

// CHECK-LABEL: @gemm_transposed
// CHECK: linalg.matmul indexing_maps = {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x8xi8>, tensor<2x8xi8>)
// CHECK: qdq.requantize %{{.*}} rescale <f32> multiplier {{.*}} -> tensor<4x2xi8>
func.func @gemm_transposed(%a: tensor<4x8xi8>, %b: tensor<2x8xi8>, %s: tensor<f32>, %z: tensor<i8>, %c: tensor<2xi32>) -> tensor<4x2xi8> {
  %y = "onnx.Custom"(%a, %s, %z, %b, %s, %z, %c, %s, %z) {domain_name = "com.microsoft", function_name = "QGemm", transB = 1 : si64}
    : (tensor<4x8xi8>, tensor<f32>, tensor<i8>, tensor<2x8xi8>, tensor<f32>, tensor<i8>, tensor<2xi32>, tensor<f32>, tensor<i8>) -> tensor<4x2xi8>
  return %y : tensor<4x2xi8>
}

// -----

// CHECK-LABEL: @dynamic_quantize_matmul
// CHECK: %[[S:.*]], %[[Z:.*]] = qdq.choose_params %[[A:.*]] mode <ort>
// CHECK: qdq.quantize %[[A]] scale %[[S]] zero_point %[[Z]] {{.*}} -> tensor<4x8xui8>
// CHECK: qdq.dequantize %{{.*}} : (tensor<4x2xi32>, f32) -> tensor<4x2xf32>
func.func @dynamic_quantize_matmul(%a: tensor<4x8xf32>, %b: tensor<8x2xi8>, %s: tensor<f32>) -> tensor<4x2xf32> {
  %y = "onnx.Custom"(%a, %b, %s) {domain_name = "com.microsoft", function_name = "DynamicQuantizeMatMul"}
    : (tensor<4x8xf32>, tensor<8x2xi8>, tensor<f32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

// Under its own profile the sum is ONNX Runtime's: two fused multiply-adds, rounded as codes.
// CHECK-LABEL: @add
// CHECK: linalg.generic
// CHECK-COUNT-2: math.fma
// CHECK: qdq.quantize %{{.*}} scale %{{.*}} semantics {{.*}} : (tensor<4x8xf32>, f32) -> tensor<4x8xui8>
// ONNX-LABEL: @add
// ONNX-COUNT-2: qdq.dequantize
// ONNX: arith.addf
// ONNX: qdq.quantize
func.func @add(%a: tensor<4x8xui8>, %b: tensor<8xui8>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<4x8xui8> {
  %y = "onnx.Custom"(%a, %s, %z, %b, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearAdd"}
    : (tensor<4x8xui8>, tensor<f32>, tensor<ui8>, tensor<8xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<4x8xui8>
  return %y : tensor<4x8xui8>
}

// -----

// CHECK-LABEL: @mul
// CHECK: arith.muli
// CHECK: qdq.requantize %{{.*}} rescale <f32> {{.*}}order = add-then-round
func.func @mul(%a: tensor<4x8xui8>, %b: tensor<?x8xui8>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<4x8xui8> {
  %y = "onnx.Custom"(%a, %s, %z, %b, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearMul"}
    : (tensor<4x8xui8>, tensor<f32>, tensor<ui8>, tensor<?x8xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<4x8xui8>
  return %y : tensor<4x8xui8>
}

// -----

// CHECK-LABEL: @sigmoid
// CHECK: qdq.dequantize
// CHECK-NOT: math.exp
// CHECK: qdq.quantize
// ONNX-LABEL: @sigmoid
// ONNX: math.exp {{.*}} : f64
func.func @sigmoid(%x: tensor<?xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<?xi8> {
  %y = "onnx.Custom"(%x, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearSigmoid"}
    : (tensor<?xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<?xi8>
  return %y : tensor<?xi8>
}

// -----

// CHECK-LABEL: @average_pool
// CHECK: tensor.pad
// CHECK: qdq.dequantize
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
// CHECK: arith.addf {{.*}} {qdq.in_order} : f32
// CHECK: arith.divf
// CHECK: qdq.quantize {{.*}}order = add-then-round
func.func @average_pool(%x: tensor<1x2x8x8xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<1x2x4x4xi8> {
  %y = "onnx.Custom"(%x, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearAveragePool", kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 0, 0]}
    : (tensor<1x2x8x8xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<1x2x4x4xi8>
  return %y : tensor<1x2x4x4xi8>
}

// -----

// CHECK-LABEL: @global_average_pool
// CHECK: iterator_types = ["parallel", "reduction", "reduction", "parallel"]
// CHECK: qdq.requantize %{{.*}} rescale <f32> multiplier %{{.*}} : (tensor<2x5xi32>, f32, tensor<i8>) -> tensor<2x5xi8>
// CHECK: tensor.expand_shape {{.*}} into tensor<2x1x1x5xi8>
func.func @global_average_pool(%x: tensor<2x7x7x5xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<2x1x1x5xi8> {
  %y = "onnx.Custom"(%x, %s, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearGlobalAveragePool", channels_last = 1 : si64}
    : (tensor<2x7x7x5xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<2x1x1x5xi8>
  return %y : tensor<2x1x1x5xi8>
}

// -----

// The channels of x and y are last; the filter is as ever.
// CHECK-LABEL: @qlinear_conv_channels_last
// CHECK: %[[PADDED:.*]] = tensor.pad %{{.*}} low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[PADDED]], %{{.*}} : tensor<1x10x10x4xi8>, tensor<6x4x3x3xi8>)
// CHECK-NOT: linalg.transpose
// CHECK: qdq.requantize %{{.*}} rescale <f32> multiplier {{.*}} axis 3 {{.*}} -> tensor<1x8x8x6xi8>
// ONNX-LABEL: @qlinear_conv_channels_last
// ONNX: qdq.requantize %{{.*}} rescale <f64>
func.func @qlinear_conv_channels_last(%x: tensor<1x8x8x4xi8>, %s: tensor<f32>, %z: tensor<i8>, %w: tensor<6x4x3x3xi8>, %ws: tensor<6xf32>) -> tensor<1x8x8x6xi8> {
  %y = "onnx.Custom"(%x, %s, %z, %w, %ws, %z, %s, %z) {domain_name = "com.microsoft", function_name = "QLinearConv", channels_last = 1 : si64, pads = [1, 1, 1, 1]}
    : (tensor<1x8x8x4xi8>, tensor<f32>, tensor<i8>, tensor<6x4x3x3xi8>, tensor<6xf32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<1x8x8x6xi8>
  return %y : tensor<1x8x8x6xi8>
}

// -----

// Groups split the last dimension. The domain is dropped, and the attribute
// tells whose operator it is.
// CHECK-LABEL: @qlinear_conv_channels_last_groups_torch
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2], [3, 4]] {{.*}} into tensor<1x8x8x2x2xi8>
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2], [3, 4]] {{.*}} into tensor<1x6x6x6x
// CHECK: qdq.requantize %{{.*}} rescale <f32>
func.func @qlinear_conv_channels_last_groups_torch(%x: !torch.vtensor<[1,8,8,4],si8>, %s: !torch.vtensor<[],f32>, %z: !torch.vtensor<[],si8>, %w: !torch.vtensor<[6,2,3,3],si8>) -> !torch.vtensor<[1,6,6,6],si8> {
  %y = "torch.operator"(%x, %s, %z, %w, %s, %z, %s, %z) <{name = "onnx.QLinearConv"}> {torch.onnx.channels_last = 1 : si64, torch.onnx.group = 2 : si64}
    : (!torch.vtensor<[1,8,8,4],si8>, !torch.vtensor<[],f32>, !torch.vtensor<[],si8>, !torch.vtensor<[6,2,3,3],si8>, !torch.vtensor<[],f32>, !torch.vtensor<[],si8>, !torch.vtensor<[],f32>, !torch.vtensor<[],si8>) -> !torch.vtensor<[1,6,6,6],si8>
  return %y : !torch.vtensor<[1,6,6,6],si8>
}

// -----

// Rows of bytes, then their codes; zeros for indices out of range.
// CHECK-LABEL: @gather_block_quantized
// CHECK: linalg.generic {{.*}} ins(%[[I:.*]] : tensor<?xi64>) outs(%{{.*}} : tensor<?x16xi8>)
// CHECK: %[[CODES:.*]] = qdq.unpack %{{.*}} packing <axis = 1> sizes(%{{.*}}) : {{.*}} -> tensor<?x32xui4>
// CHECK: %[[ROWS:.*]] = qdq.dequantize %[[CODES]] scale %{{.*}} zero_point %{{.*}} block_shape [1, 16] {{.*}} -> tensor<?x32xf32>
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]], %[[I]] : tensor<?x32xf32>, tensor<?xi64>)
// CHECK: arith.select
func.func @gather_block_quantized(%data: tensor<5x16xui8>, %i: tensor<?xi64>, %s: tensor<5x2xf32>, %z: tensor<5x1xui8>) -> tensor<?x32xf32> {
  %y = "onnx.Custom"(%data, %i, %s, %z) {domain_name = "com.microsoft", function_name = "GatherBlockQuantized", block_size = 16 : si64}
    : (tensor<5x16xui8>, tensor<?xi64>, tensor<5x2xf32>, tensor<5x1xui8>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// -----

// Blocks along the gathered axis: the table is dequantized first.
// CHECK-LABEL: @gather_along_blocks_torch
// CHECK: %[[TABLE:.*]] = qdq.dequantize %{{.*}} block_shape [16, 1] {{.*}} -> tensor<32x4xf16>
// CHECK: tensor.extract %[[TABLE]][
func.func @gather_along_blocks_torch(%data: !torch.vtensor<[32,4],si4>, %i: !torch.vtensor<[3],si32>, %s: !torch.vtensor<[2,4],f16>) -> !torch.vtensor<[3,4],f16> {
  %y = "torch.operator"(%data, %i, %s) <{name = "onnx.GatherBlockQuantized"}> {torch.onnx.block_size = 16 : si64, torch.onnx.quantize_axis = 0 : si64}
    : (!torch.vtensor<[32,4],si4>, !torch.vtensor<[3],si32>, !torch.vtensor<[2,4],f16>) -> !torch.vtensor<[3,4],f16>
  return %y : !torch.vtensor<[3,4],f16>
}
