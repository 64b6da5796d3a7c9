// RUN: quant-opt %s --qdq-read-only-arguments | FileCheck %s

// Tensors of public functions; not scalars, and not where something else is said.
// CHECK-LABEL: func.func @public(
// CHECK-SAME: %{{.*}}: tensor<3xf32> {bufferization.writable = false},
// CHECK-SAME: %{{.*}}: tensor<*xf32> {bufferization.writable = false},
// CHECK-SAME: %{{.*}}: f32,
// CHECK-SAME: %{{.*}}: tensor<3xf32> {bufferization.writable = true})
func.func @public(%x: tensor<3xf32>, %u: tensor<*xf32>, %s: f32, %w: tensor<3xf32> {bufferization.writable = true}) {
  return
}

// CHECK-NOT: bufferization.writable
// CHECK: func.func private @private(
func.func private @private(%x: tensor<3xf32>) {
  return
}
// CHECK: func.func private @external(tensor<3xf32>)
func.func private @external(tensor<3xf32>)
