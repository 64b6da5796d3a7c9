// Codes that stand between two loops are stored in bytes, which vectors move.
// RUN: quant-opt %s --convert-qdq-to-linalg=element-ops --qdq-strip-signedness --qdq-codegen-vectorize --convert-qdq-to-arith --canonicalize | FileCheck %s

// An odd row begins inside a byte.
// CHECK-LABEL: func @unpack_dequantize_odd_rows
// CHECK-NOT: tensor<{{.*}}xi4>
// CHECK: vector.transfer_write %{{.*}} : vector<{{.*}}xi8>
// CHECK: tensor.expand_shape %{{.*}} : tensor<2002xi8> into tensor<14x143xi8>
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
// CHECK-NOT: tensor<{{.*}}xi4>
func.func @unpack_dequantize_odd_rows(%w: tensor<1001xui8>, %s: tensor<14x5xf32>) -> tensor<14x143xf32> {
  %q = qdq.unpack %w packing <onnx> : (tensor<1001xui8>) -> tensor<14x143xi4>
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<14x143xi4>, tensor<14x5xf32>) -> tensor<14x143xf32>
  return %x : tensor<14x143xf32>
}

// Whole containers in vectors, and the container behind them.
// CHECK-LABEL: func @quantize_pack_dynamic
// CHECK: arith.divf %{{.*}} : vector<16xf32>
// CHECK: %[[BYTES:.*]] = arith.ori %{{.*}} : vector<{{.*}}xi8>
// CHECK: vector.transfer_write %[[BYTES]]
func.func @quantize_pack_dynamic(%x: tensor<?xf32>, %s: f32) -> tensor<?xui8> {
  %q = qdq.quantize %x scale %s : (tensor<?xf32>, f32) -> tensor<?xi4>
  %w = qdq.pack %q packing <onnx> : (tensor<?xi4>) -> tensor<?xui8>
  return %w : tensor<?xui8>
}

// What another op reads stays as it is.
// CHECK-LABEL: func @returned_codes
// CHECK: return %{{.*}} : tensor<64xi4>
func.func @returned_codes(%x: tensor<64xf32>, %s: f32) -> tensor<64xi4> {
  %q = qdq.quantize %x scale %s : (tensor<64xf32>, f32) -> tensor<64xi4>
  return %q : tensor<64xi4>
}

// So are those that lose their rank on the way, and get it back.
// CHECK-LABEL: func @quantize_dequantize_unranked
// CHECK-NOT: tensor<{{.*}}xi4>
// CHECK: tensor.reshape {{.*}} -> tensor<*xi8>
// CHECK: tensor.rank %{{.*}} : tensor<*xi8>
// CHECK-NOT: tensor<{{.*}}xi4>
func.func @quantize_dequantize_unranked(%x: tensor<*xf32>, %s: f32) -> tensor<*xf32> {
  %q = qdq.quantize %x scale %s : (tensor<*xf32>, f32) -> tensor<*xi4>
  %y = qdq.dequantize %q scale %s : (tensor<*xi4>, f32) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
