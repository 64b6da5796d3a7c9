// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file | FileCheck %s

// torch-mlir's importer writes operators of other domains without the domain: names and attributes that only one domain has tell it.

// CHECK-LABEL: @quark_axis_2x3
func.func @quark_axis_2x3(%x: !torch.vtensor<[2,3],f32>, %s: !torch.vtensor<[3],f32>, %z: !torch.vtensor<[3],ui16>) -> (!torch.vtensor<[2,3],ui16>, !torch.vtensor<[2,3],f32>) {
  // CHECK: qdq.quantize {{.*}} axis 1 semantics <{{.*}}compute = f32, subtract = wide{{.*}} -> tensor<2x3xui16>
  %q = "torch.operator"(%x, %s, %z) <{name = "onnx.ExtendedQuantizeLinear"}> {torch.onnx.axis = 1 : si64} : (!torch.vtensor<[2,3],f32>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],ui16>) -> !torch.vtensor<[2,3],ui16>
  // CHECK: qdq.dequantize {{.*}} axis 1 semantics {{.*}} : (tensor<2x3xui16>, tensor<3xf32>, tensor<3xui16>) -> tensor<2x3xf32>
  %d = "torch.operator"(%q, %s, %z) <{name = "onnx.VitisDequantizeLinear"}> {torch.onnx.axis = 1 : si64} : (!torch.vtensor<[2,3],ui16>, !torch.vtensor<[3],f32>, !torch.vtensor<[3],ui16>) -> !torch.vtensor<[2,3],f32>
  return %q, %d : !torch.vtensor<[2,3],ui16>, !torch.vtensor<[2,3],f32>
}

// -----

// The domain, where it is written.

// CHECK-LABEL: @domain_4
func.func @domain_4(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[],f32>, %z: !torch.vtensor<[],ui8>) -> (!torch.vtensor<[4],ui8>, !torch.vtensor<[4],ui8>) {
  // CHECK: qdq.quantize {{.*}} subtract = wrap32
  %a = "torch.operator"(%x, %s, %z) <{name = "onnx.com.microsoft.QuantizeLinear"}> : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],ui8>) -> !torch.vtensor<[4],ui8>
  // CHECK: qdq.quantize {{.*}} subtract = wide
  %b = "torch.operator"(%x, %s, %z) <{name = "onnx.com.amd.quark.ExtendedQuantizeLinear"}> : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],ui8>) -> !torch.vtensor<[4],ui8>
  return %a, %b : !torch.vtensor<[4],ui8>, !torch.vtensor<[4],ui8>
}

// -----

// An operator of an unknown domain is not ours.

// CHECK-LABEL: @other_domain_4
func.func @other_domain_4(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[],f32>) -> !torch.vtensor<[4],ui8> {
  // CHECK: "torch.operator"({{.*}}) <{name = "onnx.com.example.QuantizeLinear"}>
  %a = "torch.operator"(%x, %s) <{name = "onnx.com.example.QuantizeLinear"}> : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],ui8>
  return %a : !torch.vtensor<[4],ui8>
}

// -----

// pmx: the only DequantizeLinear with `quant_data_type`.

// CHECK-LABEL: @pmx_block_8x4
func.func @pmx_block_8x4(%x: !torch.vtensor<[2,4],si16>, %s: !torch.vtensor<[8,2],f16>) -> !torch.vtensor<[8,4],f16> {
  // CHECK: %[[C:.*]] = qdq.unpack %{{.*}} packing <pmx-int4x4> : (tensor<2x4xi16>) -> tensor<8x4xi4>
  // CHECK: qdq.dequantize %[[C]] scale %{{.*}} block_shape [1, 2]
  %y = "torch.operator"(%x, %s) <{name = "onnx.DequantizeLinear"}> {torch.onnx.quant_data_type = "int4", torch.onnx.group_size = 2 : si64} : (!torch.vtensor<[2,4],si16>, !torch.vtensor<[8,2],f16>) -> !torch.vtensor<[8,4],f16>
  return %y : !torch.vtensor<[8,4],f16>
}
