// A comparison stands between each product and whatever adds to it.
// RUN: quant-opt %s --convert-qdq-to-linalg=contraction-proof --convert-qdq-to-arith=contraction-proof | FileCheck %s
// RUN: quant-opt %s --lower-quant=contraction-proof | FileCheck %s
// RUN: quant-opt %s --lower-quant | FileCheck %s --check-prefix=DEFAULT

// CHECK-LABEL: func.func @dequantize_tensor_4
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: %[[IS_INF:.*]] = arith.cmpf ogt, %[[P]], %{{.*}} : f32
// CHECK: %[[R:.*]] = arith.select %[[IS_INF]], %{{.*}}, %[[P]] : f32
// CHECK: linalg.yield %[[R]]
// DEFAULT-LABEL: func.func @dequantize_tensor_4
// DEFAULT-NOT: arith.cmpf
func.func @dequantize_tensor_4(%q: tensor<4xi8>, %s: f32) -> tensor<4xf32> {
  %x = qdq.dequantize %q scale %s : (tensor<4xi8>, f32) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @dequantize_bias_vector
// CHECK: %[[P:.*]] = arith.mulf {{.*}} : vector<4xf32>
// CHECK: %[[IS_INF:.*]] = arith.cmpf ogt, %[[P]], %{{.*}} : vector<4xf32>
// CHECK: %[[R:.*]] = arith.select %[[IS_INF]], %{{.*}}, %[[P]]
// CHECK: arith.addf %[[R]]
// DEFAULT-LABEL: func.func @dequantize_bias_vector
// DEFAULT: %[[P:.*]] = arith.mulf
// DEFAULT: arith.addf %[[P]]
func.func @dequantize_bias_vector(%q: vector<4xi8>, %s: f32, %b: f32) -> vector<4xf32> {
  %x = qdq.dequantize %q scale %s zero_point %b in <expressed> : (vector<4xi8>, f32, f32) -> vector<4xf32>
  return %x : vector<4xf32>
}

// x * (1 / s) + z.
// CHECK-LABEL: func.func @quantize_reciprocal
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: %[[IS_INF:.*]] = arith.cmpf ogt, %[[P]]
// CHECK: %[[R:.*]] = arith.select %[[IS_INF]], %{{.*}}, %[[P]]
// CHECK: arith.addf %[[R]]
func.func @quantize_reciprocal(%x: f32, %s: f32, %z: i8) -> i8 {
  %q = qdq.quantize %x scale %s zero_point %z semantics <division = reciprocal, order = add-then-round> : (f32, f32, i8) -> i8
  return %q : i8
}

// What is asked for is one rounding.
// CHECK-LABEL: func.func @fused
// CHECK: math.fma
// CHECK-NOT: arith.mulf
// CHECK: return
func.func @fused(%q: i8, %s: f32, %b: f32) -> f32 {
  %x = qdq.dequantize %q scale %s zero_point %b in <expressed> semantics <fusion = fma> : (i8, f32, f32) -> f32
  return %x : f32
}
