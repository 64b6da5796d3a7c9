// RUN: quant-opt %s --lower-quant="target=vector vector-bits=256" --canonicalize | FileCheck %s

// CHECK-LABEL: func @quantize_per_axis_4x100
func.func @quantize_per_axis_4x100(%x: tensor<4x100xf32>, %s: tensor<4xf32>) -> tensor<4x100xi8> {
  // CHECK: scf.for
  // CHECK: scf.for %{{.*}} to %c96 step %c8
  // CHECK: vector.transfer_read %{{.*}} {in_bounds = [true]} : tensor<1x8xf32>, vector<8xf32>
  // CHECK: math.roundeven %{{.*}} : vector<8xf32>
  // CHECK: vector.transfer_write %{{.*}} : vector<8xi8>, tensor<1x8xi8>
  // What does not fill a vector is a smaller one.
  // CHECK: vector.transfer_write %{{.*}} : vector<4xi8>, tensor<1x4xi8>
  // CHECK-NOT: linalg.generic
  %q = qdq.quantize %x scale %s axis 0 : (tensor<4x100xf32>, tensor<4xf32>) -> tensor<4x100xi8>
  return %q : tensor<4x100xi8>
}

// CHECK-LABEL: func @dequantize_blocked_dynx64
func.func @dequantize_blocked_dynx64(%q: tensor<?x64xi8>, %s: tensor<?x2xf32>) -> tensor<?x64xf32> {
  // CHECK: vector.transfer_read %{{.*}} : tensor<1x1x8xi8>, vector<8xi8>
  // CHECK: vector.transfer_read {{.*}} tensor<1x1xf32>, vector<8xf32>
  // CHECK: arith.mulf %{{.*}} : vector<8xf32>
  // CHECK-NOT: linalg.generic
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<?x64xi8>, tensor<?x2xf32>) -> tensor<?x64xf32>
  return %x : tensor<?x64xf32>
}

// LLVM packs vectors of i4 and gives scalars a byte each: not vectorized.
// CHECK-LABEL: func @dequantize_sub_byte
func.func @dequantize_sub_byte(%q: tensor<64xi4>, %s: f32) -> tensor<64xf32> {
  // CHECK: linalg.generic
  // CHECK-NOT: vector.
  %x = qdq.dequantize %q scale %s : (tensor<64xi4>, f32) -> tensor<64xf32>
  return %x : tensor<64xf32>
}

// CHECK-LABEL: func @foreign_body
func.func @foreign_body(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: linalg.generic
  // CHECK: "foreign.op"
  %e = tensor.empty() : tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = "foreign.op"(%in) : (f32) -> f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}
