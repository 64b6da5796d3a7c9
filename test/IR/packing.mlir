// RUN: quant-opt %s | quant-opt | FileCheck %s
// RUN: quant-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// Presets print as they are; parameters as they were given.
// CHECK-LABEL: func @unpack_presets
func.func @unpack_presets(%w: tensor<512x64xi32>, %z: tensor<4x8xsi32>, %g: tensor<?x36xui8>) {
  // CHECK: qdq.unpack %{{.*}} packing <gptq-v1> : (tensor<512x64xi32>) -> tensor<4096x64xui4>
  %0 = qdq.unpack %w packing <gptq-v1> : (tensor<512x64xi32>) -> tensor<4096x64xui4>
  // CHECK: packing <gptq-v1, part = zero-point> : (tensor<4x8xsi32>) -> tensor<4x64xui4>
  %1 = qdq.unpack %z packing <gptq-v1, part = zero-point> : (tensor<4x8xsi32>) -> tensor<4x64xui4>
  // CHECK: packing <ggml-q4_0, part = scale> : (tensor<?x36xui8>) -> tensor<?x2xf16>
  %2 = qdq.unpack %g packing <ggml-q4_0, part = scale> : (tensor<?x36xui8>) -> tensor<?x2xf16>
  // CHECK: packing <gptq-v1, bits = 3, axis = -1> : (tensor<512x64xi32>) -> tensor<512x682xui3>
  %3 = qdq.unpack %w packing <gptq-v1, bits = 3, axis = -1> : (tensor<512x64xi32>) -> tensor<512x682xui3>
  return
}

// CHECK-LABEL: func @pack_parameters
func.func @pack_parameters(%q: tensor<8x?xi4>, %x: tensor<4xf4E2M1FN>) -> tensor<3x?xi16> {
  // CHECK: packing <bits = 4, container = i16, axis = 0, block = 8, order = [7, 6, 5, 4, 3, 2, 1, 0], record = 3, at = 1, offset = -8> :
  %0 = qdq.pack %q packing <offset = -8, record = 3, at = 1, bits = 4, axis = 0, block = 8, order = [7, 6, 5, 4, 3, 2, 1, 0], container = i16> : (tensor<8x?xi4>) -> tensor<3x?xi16>
  // CHECK: packing <bits = 4, positive_zero> : (tensor<4xf4E2M1FN>) -> tensor<2xi8>
  %1 = qdq.pack %x packing <bits = 4, positive_zero> : (tensor<4xf4E2M1FN>) -> tensor<2xi8>
  return %0 : tensor<3x?xi16>
}

// FOLD-LABEL: func @fold_ggml_mxfp4
func.func @fold_ggml_mxfp4() -> (tensor<1xf8E8M0FNU>, tensor<3xf4E2M1FN>) {
  // FOLD-DAG: dense<2.000000e+00> : tensor<1xf8E8M0FNU>
  // Code 8 is +0 in ggml's table.
  // FOLD-DAG: dense<[0.000000e+00, 5.000000e-01, -6.000000e+00]> : tensor<3xf4E2M1FN>
  %c = arith.constant dense<[0x80, 0x08, 0x01, 0x0F, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<17xi8>
  %s = qdq.unpack %c packing <ggml-mxfp4, part = scale> : (tensor<17xi8>) -> tensor<1xf8E8M0FNU>
  %q = qdq.unpack %c packing <ggml-mxfp4> : (tensor<17xi8>) -> tensor<3xf4E2M1FN>
  return %s, %q : tensor<1xf8E8M0FNU>, tensor<3xf4E2M1FN>
}

// 0.5, 1, 1.5 and -0.5 are 1, 2, 3 and 9; the bits of 5 are 1, 0, 1.
// FOLD-LABEL: func @fold_floats_and_bits
func.func @fold_floats_and_bits() -> (tensor<2xi8>, tensor<4xf4E2M1FN>, tensor<8xi1>, tensor<1xi8>) {
  // FOLD-DAG: %[[BYTES:.*]] = arith.constant dense<[33, -109]> : tensor<2xi8>
  // FOLD-DAG: %[[FLOATS:.*]] = arith.constant dense<[5.000000e-01, 1.000000e+00, 1.500000e+00, -5.000000e-01]> : tensor<4xf4E2M1FN>
  // FOLD-DAG: %[[BITS:.*]] = arith.constant dense<[true, false, true, false, false, false, false, false]> : tensor<8xi1>
  // FOLD-DAG: %[[BYTE:.*]] = arith.constant dense<5> : tensor<1xi8>
  // FOLD: return %[[BYTES]], %[[FLOATS]], %[[BITS]], %[[BYTE]]
  %floats = arith.constant dense<[0.5, 1.0, 1.5, -0.5]> : tensor<4xf4E2M1FN>
  %bytes = arith.constant dense<[33, 147]> : tensor<2xi8>
  %five = arith.constant dense<5> : tensor<1xi8>
  %bits = arith.constant dense<[true, false, true, false, false, false, false, false]> : tensor<8xi1>
  %a = qdq.pack %floats packing <onnx> : (tensor<4xf4E2M1FN>) -> tensor<2xi8>
  %b = qdq.unpack %bytes packing <onnx> : (tensor<2xi8>) -> tensor<4xf4E2M1FN>
  %c = qdq.unpack %five packing <onnx> : (tensor<1xi8>) -> tensor<8xi1>
  %d = qdq.pack %bits packing <onnx> : (tensor<8xi1>) -> tensor<1xi8>
  return %a, %b, %c, %d : tensor<2xi8>, tensor<4xf4E2M1FN>, tensor<8xi1>, tensor<1xi8>
}

// Nothing reads the result: dead code.
// FOLD-LABEL: func @unused
func.func @unused(%c: tensor<4x?xi32>) {
  // FOLD-NOT: qdq.
  %q = qdq.unpack %c packing <gptq-v2> : (tensor<4x?xi32>) -> tensor<32x?xui4>
  return
}
