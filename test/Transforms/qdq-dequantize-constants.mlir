// RUN: quant-opt %s --qdq-dequantize-constants --cse | FileCheck %s
// RUN: quant-opt %s --qdq-dequantize-constants=subtract=wrap32 --cse | FileCheck %s
// RUN: quant-opt %s --lower-quant=dequantize-constants | FileCheck %s --check-prefix=LOWERED
// RUN: quant-opt %s --lower-quant | FileCheck %s --check-prefix=DEFAULT

// CHECK-LABEL: func.func @tensor(
// CHECK-NEXT: %[[X:.*]] = arith.constant dense<[5.000000e-01, 1.000000e+00, 1.500000e+00, -2.000000e+00]> : tensor<4xf32>
// CHECK-NEXT: return %[[X]]
// LOWERED-LABEL: func.func @tensor(
// LOWERED-NOT: linalg.generic
// LOWERED: return
// DEFAULT-LABEL: func.func @tensor(
// DEFAULT: linalg.generic
func.func @tensor() -> tensor<4xf32> {
  %q = arith.constant dense<[1, 2, 3, -4]> : tensor<4xi8>
  %s = arith.constant dense<0.5> : tensor<f32>
  %x = qdq.dequantize %q scale %s : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// One zero point for all scales; codes are unsigned.
// CHECK-LABEL: func.func @axis_ui8(
// CHECK: arith.constant dense<{{\[\[}}0.000000e+00, 4.000000e+00], [6.350000e+01, 2.540000e+02]]> : tensor<2x2xf64>
func.func @axis_ui8() -> tensor<2x2xf64> {
  %q_bits = arith.constant dense<[[128, 130], [255, 255]]> : tensor<2x2xi8>
  %q = tensor.bitcast %q_bits : tensor<2x2xi8> to tensor<2x2xui8>
  %s = arith.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %z_bits = arith.constant dense<128> : tensor<i8>
  %z = tensor.bitcast %z_bits : tensor<i8> to tensor<ui8>
  %x = qdq.dequantize %q scale %s zero_point %z axis 1 : (tensor<2x2xui8>, tensor<2xf32>, tensor<ui8>) -> tensor<2x2xf64>
  return %x : tensor<2x2xf64>
}

// Codes that are no constant, reshaped.
// CHECK-LABEL: func.func @reshaped_argument(
// CHECK: qdq.dequantize
func.func @reshaped_argument(%q: tensor<2x2xi8>) -> tensor<4xf32> {
  %s = arith.constant 0.5 : f32
  %c = tensor.collapse_shape %q [[0, 1]] : tensor<2x2xi8> into tensor<4xi8>
  %x = qdq.dequantize %c scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// The last block is short: scale 1 for three elements, 4 for two.
// CHECK-LABEL: func.func @blocks(
// CHECK-NEXT: arith.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00, -3.200000e+01, 2.800000e+01]]> : tensor<1x5xf16>
func.func @blocks() -> tensor<1x5xf16> {
  %q = arith.constant dense<[[1, 2, 3, -8, 7]]> : tensor<1x5xi4>
  %s = arith.constant dense<[[1.0, 4.0]]> : tensor<1x2xf32>
  %x = qdq.dequantize %q scale %s block_shape [1, 3] : (tensor<1x5xi4>, tensor<1x2xf32>) -> tensor<1x5xf16>
  return %x : tensor<1x5xf16>
}

// A resource stays one. Few elements of few parameters: each code is computed once.
// CHECK-LABEL: func.func @resource(
// CHECK: arith.constant dense_resource<[[NAME:dequantized.*]]> : tensor<3xf32>
func.func @resource() -> tensor<3xf32> {
  %q = arith.constant dense_resource<codes> : tensor<3xi8>
  %s = arith.constant dense_resource<scale> : tensor<1xf32>
  %c = tensor.collapse_shape %s [] : tensor<1xf32> into tensor<f32>
  %x = qdq.dequantize %q scale %c : (tensor<3xi8>, tensor<f32>) -> tensor<3xf32>
  return %x : tensor<3xf32>
}

// Few compilers read a single number from a resource.
// CHECK-LABEL: func.func @one(
// CHECK-NEXT: arith.constant dense<2.000000e+00> : tensor<1xf32>
func.func @one() -> tensor<1xf32> {
  %q = arith.constant dense_resource<code> : tensor<1xi8>
  %s = arith.constant dense<0.5> : tensor<f32>
  %x = qdq.dequantize %q scale %s : (tensor<1xi8>, tensor<f32>) -> tensor<1xf32>
  return %x : tensor<1xf32>
}

// A scale that is dequantized itself: (2 * 0.25) * 3 and (4 * 0.25) * 5.
// CHECK-LABEL: func.func @two_level(
// CHECK: arith.constant dense<[1.500000e+00, 5.000000e+00]> : tensor<2xf32>
// CHECK-NOT: qdq.dequantize
func.func @two_level() -> tensor<2xf32> {
  %sq = arith.constant dense<[2.0, 4.0]> : tensor<2xf8E4M3FN>
  %g = arith.constant 0.25 : f32
  %s = qdq.dequantize %sq scale %g : (tensor<2xf8E4M3FN>, f32) -> tensor<2xf32>
  %q = arith.constant dense<[3, 5]> : tensor<2xi8>
  %x = qdq.dequantize %q scale %s axis 0 : (tensor<2xi8>, tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}

// Codes that a packing holds: 1, 2, 4 and -1 in the bytes 0x21 and 0xF4.
// CHECK-LABEL: func.func @packed(
// CHECK-NOT: qdq.
// CHECK: arith.constant dense_resource<[[PACKED:dequantized.*]]> : tensor<2x2xf32>
func.func @packed() -> tensor<2x2xf32> {
  %c = arith.constant dense_resource<packed> : tensor<1x2xi8>
  %flat = tensor.collapse_shape %c [[0, 1]] : tensor<1x2xi8> into tensor<2xi8>
  %q = qdq.unpack %flat packing <onnx> : (tensor<2xi8>) -> tensor<2x2xi4>
  %s = arith.constant dense<0.5> : tensor<f32>
  %x = qdq.dequantize %q scale %s : (tensor<2x2xi4>, tensor<f32>) -> tensor<2x2xf32>
  return %x : tensor<2x2xf32>
}

// What is not constant, has no data that fit, or is no static tensor stays.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-5: qdq.dequantize
func.func @others(%q: tensor<2xi8>, %s: f32) -> (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<?xf32>, tensor<0xf32>) {
  %c = arith.constant dense<[1, 2]> : tensor<2xi8>
  %one = arith.constant 1.0 : f32
  %broken = arith.constant dense_resource<codes> : tensor<3xi16>
  %missing = arith.constant dense_resource<missing> : tensor<2xi8>
  %empty = arith.constant dense<> : tensor<0xi8>
  %any = tensor.cast %c : tensor<2xi8> to tensor<?xi8>
  %0 = qdq.dequantize %q scale %one : (tensor<2xi8>, f32) -> tensor<2xf32>
  %1 = qdq.dequantize %c scale %s : (tensor<2xi8>, f32) -> tensor<2xf32>
  %2 = qdq.dequantize %broken scale %one : (tensor<3xi16>, f32) -> tensor<3xf32>
  %3 = qdq.dequantize %any scale %one : (tensor<?xi8>, f32) -> tensor<?xf32>
  %4 = qdq.dequantize %empty scale %one : (tensor<0xi8>, f32) -> tensor<0xf32>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<?xf32>, tensor<0xf32>
}

// Weights as quantizers write them that leave floats in the file.
// CHECK-LABEL: func.func @quantized(
// CHECK-NEXT: %[[W:.*]] = arith.constant dense<{{\[\[}}0.000000e+00, -2.000000e+00], [1.000000e+00, 6.350000e+01], [1.000000e+00, 0.000000e+00]]> : tensor<3x2xf32>
// CHECK-NEXT: return %[[W]]
func.func @quantized() -> tensor<3x2xf32> {
  %w = arith.constant dense<[[0.25, 0.75, 1.0], [-2.25, 100.0, -0.0]]> : tensor<2x3xf32>
  %s = arith.constant 0.5 : f32
  %q = qdq.quantize %w scale %s semantics <rounding = nearest-even> : (tensor<2x3xf32>, f32) -> tensor<2x3xi8>
  %x = qdq.dequantize %q scale %s : (tensor<2x3xi8>, f32) -> tensor<2x3xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %t = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  return %t : tensor<3x2xf32>
}

// Draws are made when the code runs.
// CHECK-LABEL: func.func @stochastic(
// CHECK: qdq.quantize
func.func @stochastic() -> tensor<2xi8> {
  %w = arith.constant dense<[0.25, 0.75]> : tensor<2xf32>
  %s = arith.constant 0.5 : f32
  %q = qdq.quantize %w scale %s semantics <rounding = stochastic> : (tensor<2xf32>, f32) -> tensor<2xi8>
  return %q : tensor<2xi8>
}

// 1, 2 and -1 times 0.5: 0x3F000000, 0x3F800000, 0xBF000000.
// CHECK-DAG: [[NAME]]: "0x080000000000003F0000803F000000BF"
// CHECK-DAG: [[PACKED]]: "0x080000000000003F0000803F00000040000000BF"
{-#
  dialect_resources: {
    builtin: {
      codes: "0x040000000102FF",
      code: "0x0400000004",
      packed: "0x0400000021F4",
      scale: "0x040000000000003F"
    }
  }
#-}
