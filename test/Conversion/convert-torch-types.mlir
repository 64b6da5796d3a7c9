// RUN: quant-opt %s --convert-torch-types --split-input-file | FileCheck %s
// RUN: quant-opt %s --split-input-file --lower-quant | FileCheck %s --check-prefix=LOWER

// CHECK-LABEL: @casts
// CHECK-SAME: %[[X:.*]]: tensor<2x?xf32>, %[[Z:.*]]: tensor<ui8>) -> (tensor<2x?xf32>, tensor<ui8>)
func.func @casts(%x: !torch.vtensor<[2,?],f32>, %z: !torch.vtensor<[],ui8>) -> (!torch.vtensor<[2,?],f32>, !torch.vtensor<[],ui8>) {
  // CHECK-NEXT: %[[Y:.*]] = arith.negf %[[X]] : tensor<2x?xf32>
  // CHECK-NEXT: %[[S:.*]] = tensor.bitcast %[[Z]] : tensor<ui8> to tensor<i8>
  // CHECK-NEXT: %[[U:.*]] = tensor.bitcast %[[S]] : tensor<i8> to tensor<ui8>
  // CHECK-NEXT: return %[[Y]], %[[U]]
  %t = "torch_c.to_builtin_tensor"(%x) : (!torch.vtensor<[2,?],f32>) -> tensor<2x?xf32>
  %n = arith.negf %t : tensor<2x?xf32>
  %y = "torch_c.from_builtin_tensor"(%n) : (tensor<2x?xf32>) -> !torch.vtensor<[2,?],f32>
  %s = "torch_c.to_builtin_tensor"(%z) : (!torch.vtensor<[],ui8>) -> tensor<i8>
  %u = "torch_c.from_builtin_tensor"(%s) : (tensor<i8>) -> !torch.vtensor<[],ui8>
  return %y, %u : !torch.vtensor<[2,?],f32>, !torch.vtensor<[],ui8>
}

// CHECK-LABEL: @call
// CHECK-SAME: tensor<4xi8>) -> tensor<4xi8>
func.func @call(%x: !torch.vtensor<[4],si8>) -> !torch.vtensor<[4],si8> {
  // CHECK: call @other(%{{.*}}) : (tensor<4xi8>) -> tensor<4xi8>
  %y = func.call @other(%x) : (!torch.vtensor<[4],si8>) -> !torch.vtensor<[4],si8>
  cf.br ^bb1(%y : !torch.vtensor<[4],si8>)
// CHECK: ^bb1(%{{.*}}: tensor<4xi8>):
^bb1(%z: !torch.vtensor<[4],si8>):
  return %z : !torch.vtensor<[4],si8>
}

// CHECK: func.func private @other(tensor<4xi8>) -> tensor<4xi8>
func.func private @other(!torch.vtensor<[4],si8>) -> !torch.vtensor<[4],si8>

// -----

// A model of converted nodes loses all of its torch types.

// LOWER-LABEL: @model
// LOWER-SAME: tensor<4xf32>, %{{.*}}: tensor<f32>) -> tensor<4xi8>
// LOWER-NOT: torch
// LOWER: linalg.generic
func.func @model(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[],f32>) -> !torch.vtensor<[4],ui8> {
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],ui8>
  return %q : !torch.vtensor<[4],ui8>
}

// -----

// Others are torch-mlir's to finish.

// CHECK-LABEL: @others
// LOWER-LABEL: @others
func.func @others(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f32> {
  // LOWER: "torch_c.to_builtin_tensor"
  // LOWER: %[[Q:.*]] = linalg.generic
  // LOWER: %[[D:.*]] = linalg.generic
  // LOWER: %[[T:.*]] = "torch_c.from_builtin_tensor"(%[[D]]) : (tensor<4xf32>) -> !torch.vtensor<[4],f32>
  // LOWER: "torch.aten.relu"(%[[T]])
  // CHECK: "torch.aten.relu"(%{{.*}}) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],ui8>
  %d = "torch.operator"(%q, %s) <{name = "onnx.DequantizeLinear"}> : (!torch.vtensor<[4],ui8>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f32>
  %r = "torch.aten.relu"(%d) : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
  return %r : !torch.vtensor<[4],f32>
}

// -----

// So is a type that says no element type.

// CHECK-LABEL: @no_element_type(%{{.*}}: !torch.vtensor) -> !torch.vtensor
func.func @no_element_type(%x: !torch.vtensor) -> !torch.vtensor {
  // CHECK: "torch_c.to_builtin_tensor"
  %t = "torch_c.to_builtin_tensor"(%x) : (!torch.vtensor) -> tensor<4xf32>
  return %x : !torch.vtensor
}
