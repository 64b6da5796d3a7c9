// RUN: quant-opt --convert-onnx-to-qdq --split-input-file %s | FileCheck %s

// The scale in f64, no smaller than that of subnormal numbers; what is not finite passes by.
// CHECK-LABEL: @mx
// CHECK: %[[FINITE:.*]] = linalg.generic
// CHECK: %[[CHOSEN:.*]] = qdq.choose_params %[[FINITE]] mode <symmetric> storage f8E4M3FN power_of_two <floor> block_shape [1, 32] {{.*}} -> tensor<4x3xf64>
// CHECK: %[[SCALE:.*]] = linalg.generic {{.*}} ins(%[[CHOSEN]] : tensor<4x3xf64>)
// CHECK: %[[CODES:.*]] = qdq.quantize %[[FINITE]] scale %[[SCALE]] block_shape [1, 32] {{.*}}compute = f64{{.*}} -> tensor<4x70xf8E4M3FN>
// CHECK: %[[Y:.*]] = qdq.dequantize %[[CODES]] scale %[[SCALE]]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[Y]]
func.func @mx(%x: tensor<4x70xf32>) -> tensor<4x70xf32> {
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "MXQuantizeDequantize", element_dtype = "fp8_e4m3"} : (tensor<4x70xf32>) -> tensor<4x70xf32>
  return %y : tensor<4x70xf32>
}

// -----

// The widths of the shared exponent and the sign are no part of the codes.
// CHECK-LABEL: @bfp
// CHECK: qdq.choose_params %{{.*}} storage i8 power_of_two <floor> block_shape [8, 1]
// CHECK: qdq.quantize {{.*}} clamp [-127, 127] semantics <rounding = nearest-up
func.func @bfp(%x: tensor<?x5xf16>) -> tensor<?x5xf16> {
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "BFPQuantizeDequantize", axis = -2 : si64, rounding_mode = 1 : si64} : (tensor<?x5xf16>) -> tensor<?x5xf16>
  return %y : tensor<?x5xf16>
}

// -----

// CHECK-LABEL: @bfp_prime
// CHECK: %[[S:.*]] = qdq.choose_params %[[X:.*]] mode <symmetric> storage i5 {{.*}} block_shape [1, 16]
// CHECK: %[[SUB:.*]] = qdq.choose_params %[[X]] mode <symmetric> storage i5 {{.*}} block_shape [1, 2]
// CHECK: linalg.generic {{.*}} ins(%[[SUB]], %[[S]]
// CHECK: qdq.quantize %[[X]] {{.*}} block_shape [1, 2] clamp [-15, 15]
func.func @bfp_prime(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %y = "onnx.Custom"(%x) {domain_name = "com.amd.quark", function_name = "BFPQuantizeDequantize", bfp_method = "to_bfp_prime", bit_width = 13 : si64, block_size = 16 : si64} : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// -----

// One element stays as it is, to the kernels.
// CHECK-LABEL: @one
// CHECK-NEXT: return %arg0
func.func @one(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %y = "torch.operator"(%x) {name = "onnx.MXQuantizeDequantize"} : (tensor<1x1xf32>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}
