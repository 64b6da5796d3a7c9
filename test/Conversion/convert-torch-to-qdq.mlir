// RUN: quant-opt --convert-torch-to-qdq --split-input-file %s | FileCheck %s
// RUN: quant-opt --convert-torch-to-qdq=profile=onnx --split-input-file %s | FileCheck %s --check-prefix=ONNX
// RUN: quant-opt --lower-quant --split-input-file %s | FileCheck %s --check-prefix=LOWERED

// Constants of the torch dialect are gone, and so are its types.
// CHECK-LABEL: @quantize_per_tensor
// CHECK-DAG: %[[S:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG: %[[Z:.*]] = arith.constant 3 : i32
// CHECK-NOT: torch.constant
// CHECK: qdq.quantize %{{.*}} scale %[[S]] zero_point %[[Z]] clamp [-127, 127] semantics <rounding = nearest-even, order = round-then-add, division = reciprocal, compute = f32
// CHECK-SAME: nan = zero
// ONNX-LABEL: @quantize_per_tensor
// ONNX: qdq.quantize {{.*}} division = exact
// LOWERED-LABEL: @quantize_per_tensor(
// LOWERED-SAME: tensor<3x4xf32>) -> tensor<3x4xi8>
func.func @quantize_per_tensor(%x: !torch.vtensor<[3,4],f32>) -> !torch.vtensor<[3,4],si8> {
  %s = "torch.constant.float"() <{value = 5.000000e-01 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 3 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -127 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %q = "torch.operator"(%x, %s, %z, %low, %high, %dtype) <{name = "torch.quantized_decomposed.quantize_per_tensor"}>
     : (!torch.vtensor<[3,4],f32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[3,4],si8>
  return %q : !torch.vtensor<[3,4],si8>
}

// -----

// No f32 has the reciprocal of this scale in f32: it is multiplied by.
// CHECK-LABEL: @quantize_per_tensor_f64_scale
// CHECK: %[[K:.*]] = arith.constant 2.99999952 : f32
// CHECK: arith.mulf %{{.*}}, %[[K]] : f32
// CHECK: qdq.quantize %{{.*}} scale %{{.*}} zero_point
func.func @quantize_per_tensor_f64_scale(%x: tensor<4xf32>) -> tensor<4xui8> {
  %s = "torch.constant.float"() <{value = 0.33333338 : f64}> : () -> !torch.float
  %z = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 255 : i64}> : () -> !torch.int
  %q = "torch.operator"(%x, %s, %z, %z, %high, %z) <{name = "torch.quantized_decomposed.quantize_per_tensor"}>
     : (tensor<4xf32>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int) -> tensor<4xui8>
  return %q : tensor<4xui8>
}

// -----

// Types are promoted: f32 by f64 is f64; integers of 64 bits become i32; constants too.
// CHECK-LABEL: @quantize_per_channel
// CHECK: %[[Z:.*]] = arith.constant dense<[1, -2]> : tensor<2xi32>
// CHECK: qdq.quantize %{{.*}} scale %{{.*}} zero_point %[[Z]] axis 0 semantics <{{.*}}order = round-then-add, division = reciprocal, compute = f64
func.func @quantize_per_channel(%x: !torch.vtensor<[2,?],f32>, %s: !torch.vtensor<[2],f64>) -> !torch.vtensor<[2,?],si8> {
  %z = "torch.vtensor.literal"() <{value = dense<[1, -2]> : tensor<2xsi64>}> : () -> !torch.vtensor<[2],si64>
  %axis = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %q = "torch.operator"(%x, %s, %z, %axis, %low, %high, %dtype) <{name = "torch.quantized_decomposed.quantize_per_channel"}>
     : (!torch.vtensor<[2,?],f32>, !torch.vtensor<[2],f64>, !torch.vtensor<[2],si64>, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[2,?],si8>
  return %q : !torch.vtensor<[2,?],si8>
}

// -----

// The zero point is added before rounding here, but not under the profile of another system.
// CHECK-LABEL: @quantize_per_token
// CHECK: qdq.quantize %{{.*}} block_shape [1, 0] semantics <rounding = nearest-even, order = add-then-round
// ONNX-LABEL: @quantize_per_token
// ONNX: qdq.quantize {{.*}} order = round-then-add
func.func @quantize_per_token(%x: !torch.vtensor<[?,8],f32>, %s: !torch.vtensor<[?,1],f32>, %z: !torch.vtensor<[?,1],si64>) -> !torch.vtensor<[?,8],si8> {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %q = "torch.operator"(%x, %s, %z, %low, %high, %dtype) <{name = "torch.quantized_decomposed.quantize_per_token"}>
     : (!torch.vtensor<[?,8],f32>, !torch.vtensor<[?,1],f32>, !torch.vtensor<[?,1],si64>, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[?,8],si8>
  return %q : !torch.vtensor<[?,8],si8>
}

// -----

// Parameters without the dimensions that one block fills.
// CHECK-LABEL: @dequantize_affine
// CHECK: %[[S:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] {{.*}} tensor<2x3xbf16> into tensor<2x3x1xbf16>
// CHECK: qdq.dequantize %{{.*}} scale %[[S]] block_shape [1, 1, 0] semantics <{{.*}}compute = f32, subtract = output
func.func @dequantize_affine(%q: !torch.vtensor<[2,3,8],ui8>, %s: !torch.vtensor<[2,3],bf16>) -> !torch.vtensor<[2,3,8],bf16> {
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %8 = "torch.constant.int"() <{value = 8 : i64}> : () -> !torch.int
  %block = "torch.prim.ListConstruct"(%1, %1, %8) : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
  %none = "torch.constant.none"() : () -> !torch.none
  %dtype = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %out = "torch.constant.int"() <{value = 15 : i64}> : () -> !torch.int
  %y = "torch.operator"(%q, %block, %s, %none, %dtype, %none, %none, %out) <{name = "torch.torchao.dequantize_affine"}>
     : (!torch.vtensor<[2,3,8],ui8>, !torch.list<int>, !torch.vtensor<[2,3],bf16>, !torch.none, !torch.int, !torch.none, !torch.none, !torch.int) -> !torch.vtensor<[2,3,8],bf16>
  return %y : !torch.vtensor<[2,3,8],bf16>
}

// -----

// Other operators of the torch dialect stay as they are, and keep their constants.
// CHECK-LABEL: @others
// CHECK: %[[C:.*]] = "torch.constant.int"
// CHECK: "torch.aten.transpose.int"(%{{.*}}, %[[C]], %[[C]])
func.func @others(%x: !torch.vtensor<[3],f32>) -> !torch.vtensor<[3],f16> {
  %c = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %f16 = "torch.constant.int"() <{value = 5 : i64}> : () -> !torch.int
  %0 = "torch.aten.transpose.int"(%x, %c, %c) : (!torch.vtensor<[3],f32>, !torch.int, !torch.int) -> !torch.vtensor<[3],f32>
  // CHECK: arith.truncf
  %1 = "torch.operator"(%0, %f16) <{name = "torch.quantized_decomposed.convert_element_type.no_fuse"}> : (!torch.vtensor<[3],f32>, !torch.int) -> !torch.vtensor<[3],f16>
  return %1 : !torch.vtensor<[3],f16>
}

// -----

// A range, then the formulas of PyTorch; results of f64 and i64.
// CHECK-LABEL: @choose_qparams
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]
// CHECK: arith.minimumf
// CHECK: arith.maximumf
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: tensor.expand_shape %{{.*}} : tensor<f64> into tensor<1xf64>
// CHECK: math.roundeven
// CHECK: arith.fptosi %{{.*}} : f32 to i64
func.func @choose_qparams(%x: !torch.vtensor<[?,8],f32>) -> (!torch.vtensor<[1],f64>, !torch.vtensor<[1],si64>) {
  %low = "torch.constant.int"() <{value = -128 : i64}> : () -> !torch.int
  %high = "torch.constant.int"() <{value = 127 : i64}> : () -> !torch.int
  %eps = "torch.constant.float"() <{value = 1.000000e-05 : f64}> : () -> !torch.float
  %dtype = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %s, %z = "torch.operator"(%x, %low, %high, %eps, %dtype) <{name = "torch.quantized_decomposed.choose_qparams.tensor"}>
     : (!torch.vtensor<[?,8],f32>, !torch.int, !torch.int, !torch.float, !torch.int) -> (!torch.vtensor<[1],f64>, !torch.vtensor<[1],si64>)
  return %s, %z : !torch.vtensor<[1],f64>, !torch.vtensor<[1],si64>
}

// -----

// Each block is a dimension of its own.
// CHECK-LABEL: @choose_qparams_affine
// CHECK: tensor.expand_shape %{{.*}} : tensor<2x8xf32> into tensor<2x2x4xf32>
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
func.func @choose_qparams_affine(%x: tensor<2x8xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
  %mapping = "torch.constant.str"() <{value = "SYMMETRIC"}> : () -> !torch.str
  %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
  %4 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
  %block = "torch.prim.ListConstruct"(%1, %4) : (!torch.int, !torch.int) -> !torch.list<int>
  %s, %z = "torch.operator"(%x, %mapping, %block, %1) <{name = "torch.torchao.choose_qparams_affine"}>
     : (tensor<2x8xf32>, !torch.str, !torch.list<int>, !torch.int) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  return %s, %z : tensor<2x2xf32>, tensor<2x2xi32>
}

// -----

// torch-mlir's own op.
// CHECK-LABEL: @own_op
// CHECK: qdq.dequantize
// CHECK-NOT: torch.
// CHECK: return
func.func @own_op(%q: tensor<4xui8>) -> tensor<4xf32> {
  %s = "torch.constant.float"() <{value = 2.500000e-02 : f64}> : () -> !torch.float
  %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
  %255 = "torch.constant.int"() <{value = 255 : i64}> : () -> !torch.int
  %none = "torch.constant.none"() : () -> !torch.none
  %y = "torch.quantized_decomposed.dequantize_per_tensor"(%q, %s, %0, %0, %255, %0, %none)
     : (tensor<4xui8>, !torch.float, !torch.int, !torch.int, !torch.int, !torch.int, !torch.none) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
