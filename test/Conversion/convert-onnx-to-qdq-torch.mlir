// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file | FileCheck %s

// torch-mlir's spelling of ONNX nodes. Values of its types pass through its own casts, which are signless.

// CHECK-LABEL: @quantize_tensor_2xd
// CHECK-SAME: %[[X:.*]]: !torch.vtensor<[2,?],f32>, %[[S:.*]]: !torch.vtensor<[],f32>) -> !torch.vtensor<[2,?],ui8>
func.func @quantize_tensor_2xd(%x: !torch.vtensor<[2,?],f32>, %s: !torch.vtensor<[],f32>) -> !torch.vtensor<[2,?],ui8> {
  // CHECK-DAG: %[[TS:.*]] = "torch_c.to_builtin_tensor"(%[[S]]) : (!torch.vtensor<[],f32>) -> tensor<f32>
  // CHECK-DAG: %[[TX:.*]] = "torch_c.to_builtin_tensor"(%[[X]]) : (!torch.vtensor<[2,?],f32>) -> tensor<2x?xf32>
  // CHECK-DAG: %[[Z:.*]] = {{(arith.constant dense<200> :|tensor.bitcast .* to)}} tensor<ui8>
  // CHECK: %[[Q:.*]] = qdq.quantize %[[TX]] scale %[[TS]] zero_point %[[Z]] {{.*}} -> tensor<2x?xui8>
  // CHECK: %[[B:.*]] = tensor.bitcast %[[Q]] : tensor<2x?xui8> to tensor<2x?xi8>
  // CHECK: %[[R:.*]] = "torch_c.from_builtin_tensor"(%[[B]]) : (tensor<2x?xi8>) -> !torch.vtensor<[2,?],ui8>
  // CHECK: return %[[R]]
  %z = "torch.vtensor.literal"() <{value = dense<200> : tensor<ui8>}> : () -> !torch.vtensor<[],ui8>
  %q = "torch.operator"(%x, %s, %z) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<[2,?],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],ui8>) -> !torch.vtensor<[2,?],ui8>
  return %q : !torch.vtensor<[2,?],ui8>
}

// -----

// `name` as a discardable attribute, signed elements, an operand left out by `torch.constant.none`, constants of a node.

// CHECK-LABEL: @quantize_axis_2x3_none
// CHECK-NOT: torch.constant.none
func.func @quantize_axis_2x3_none(%x: !torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],si8> {
  // CHECK: %[[S:.*]] = arith.constant dense<[5.000000e-01, 2.000000e+00]> : tensor<2xf32>
  // CHECK: qdq.quantize %{{.*}} scale %[[S]] axis 0 semantics {{.*}} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xi8>
  // CHECK-NEXT: "torch_c.from_builtin_tensor"({{.*}}) : (tensor<2x3xi8>) -> !torch.vtensor<[2,3],si8>
  %none = "torch.constant.none"() : () -> !torch.none
  %s = "torch.operator"() {name = "onnx.Constant", torch.onnx.value = dense<[0.5, 2.0]> : tensor<2xf32>} : () -> !torch.vtensor<[2],f32>
  %q = "torch.operator"(%x, %s, %none) {name = "onnx.QuantizeLinear", torch.onnx.axis = -2 : si64} : (!torch.vtensor<[2,3],f32>, !torch.vtensor<[2],f32>, !torch.none) -> !torch.vtensor<[2,3],si8>
  return %q : !torch.vtensor<[2,3],si8>
}

// -----

// Casts between converted nodes are gone, other users keep theirs.

// CHECK-LABEL: @quantize_dequantize_4
func.func @quantize_dequantize_4(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[1],f32>, %z: !torch.vtensor<[1],ui4>) -> !torch.vtensor<[4],f32> {
  // CHECK: %[[Q:.*]] = qdq.quantize {{.*}} -> tensor<4xui4>
  // CHECK-NOT: torch_c.from_builtin_tensor
  // CHECK: %[[D:.*]] = qdq.dequantize %[[Q]] scale {{.*}} -> tensor<4xf32>
  // CHECK-NEXT: %[[R:.*]] = "torch_c.from_builtin_tensor"(%[[D]])
  // CHECK-NEXT: "torch.aten.relu"(%[[R]])
  %q = "torch.operator"(%x, %s, %z) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<[4],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[1],ui4>) -> !torch.vtensor<[4],ui4>
  %d = "torch.operator"(%q, %s, %z) <{name = "onnx.DequantizeLinear"}> : (!torch.vtensor<[4],ui4>, !torch.vtensor<[1],f32>, !torch.vtensor<[1],ui4>) -> !torch.vtensor<[4],f32>
  %r = "torch.aten.relu"(%d) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return %r : !torch.vtensor<[4],f32>
}

// -----

// Attributes of every operator set, under their prefix.

// CHECK-LABEL: @quantize_block_attributes
func.func @quantize_block_attributes(%x: !torch.vtensor<[2,?],f32>, %s: !torch.vtensor<[2,?],f32>, %t: !torch.vtensor<[],f32>)
    -> (!torch.vtensor<[2,?],si4>, !torch.vtensor<[2,?],f8E4M3FN>) {
  // CHECK: block_shape [1, 32] semantics {{.*}} compute = f16
  %a = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> {torch.onnx.axis = 1 : si64, torch.onnx.block_size = 32 : si64, torch.onnx.output_dtype = 22 : si64, torch.onnx.precision = 10 : si64}
     : (!torch.vtensor<[2,?],f32>, !torch.vtensor<[2,?],f32>) -> !torch.vtensor<[2,?],si4>
  // CHECK: float_overflow = ieee
  %b = "torch.operator"(%x, %t) <{name = "onnx.QuantizeLinear"}> {torch.onnx.saturate = 0 : si64}
     : (!torch.vtensor<[2,?],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[2,?],f8E4M3FN>
  return %a, %b : !torch.vtensor<[2,?],si4>, !torch.vtensor<[2,?],f8E4M3FN>
}

// -----

// No rank, and a result that knows less than the input.

// CHECK-LABEL: @quantize_tensor_unranked
func.func @quantize_tensor_unranked(%x: !torch.vtensor<*,f32>, %y: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[],f32>) -> (!torch.vtensor<*,si8>, !torch.vtensor<[?],si8>) {
  // CHECK: qdq.quantize {{.*}} : (tensor<*xf32>, tensor<f32>) -> tensor<*xi8>
  %a = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<*,f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<*,si8>
  // CHECK: %[[Q:.*]] = qdq.quantize {{.*}} -> tensor<4xi8>
  // CHECK-NEXT: %[[C:.*]] = tensor.cast %[[Q]] : tensor<4xi8> to tensor<?xi8>
  // CHECK-NEXT: "torch_c.from_builtin_tensor"(%[[C]]) : (tensor<?xi8>) -> !torch.vtensor<[?],si8>
  %b = "torch.operator"(%y, %s) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[?],si8>
  return %a, %b : !torch.vtensor<*,si8>, !torch.vtensor<[?],si8>
}

// -----

// CHECK-LABEL: @dynamic_quantize_3x4
func.func @dynamic_quantize_3x4(%x: !torch.vtensor<[3,4],f32>) -> (!torch.vtensor<[3,4],ui8>, !torch.vtensor<[],f32>, !torch.vtensor<[],ui8>) {
  // CHECK: qdq.choose_params
  // CHECK: qdq.quantize
  // CHECK-COUNT-3: torch_c.from_builtin_tensor
  %q:3 = "torch.operator"(%x) <{name = "onnx.DynamicQuantizeLinear"}> : (!torch.vtensor<[3,4],f32>) -> (!torch.vtensor<[3,4],ui8>, !torch.vtensor<[],f32>, !torch.vtensor<[],ui8>)
  return %q#0, %q#1, %q#2 : !torch.vtensor<[3,4],ui8>, !torch.vtensor<[],f32>, !torch.vtensor<[],ui8>
}

// -----

// Other nodes stay, with the constants that they use.

// CHECK-LABEL: @other_node
func.func @other_node(%x: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  // CHECK: %[[C:.*]] = "torch.operator"() <{name = "onnx.Constant"}>
  // CHECK: "torch.operator"(%{{.*}}, %[[C]]) <{name = "onnx.Add"}>
  %c = "torch.operator"() <{name = "onnx.Constant"}> {torch.onnx.value_float = 1.0 : f32} : () -> !torch.vtensor<[],f32>
  %y = "torch.operator"(%x, %c) <{name = "onnx.Add"}> : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f32>
  return %y : !torch.vtensor<[4],f32>
}
