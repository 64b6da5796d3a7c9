// RUN: quant-opt %s --qdq-codegen-split-stores | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-split-stores=vector-bits=256 | FileCheck %s --check-prefix=HALF
// RUN: not quant-opt %s --qdq-codegen-split-stores=vector-bits=-512 2>&1 | FileCheck %s --check-prefix=BITS
// BITS: error: vector-bits is -512: expected a power of two, at least 64

// CHECK-LABEL: func @two_registers
// CHECK-SAME: %[[V:.*]]: vector<32xf32>, %[[Y:.*]]: memref<4x1000xf32>, %[[I:.*]]: index)
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0], sizes = [16], strides = [1]}
// CHECK: vector.transfer_write %[[LOW]], %[[Y]][%[[C1]], %[[I]]] {in_bounds = [true]} : vector<16xf32>
// CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[V]] {offsets = [16], sizes = [16], strides = [1]}
// CHECK: %[[C16:.*]] = arith.constant 16 : index
// CHECK: %[[J:.*]] = arith.addi %[[I]], %[[C16]]
// CHECK: vector.transfer_write %[[HIGH]], %[[Y]][%[[C1]], %[[J]]] {in_bounds = [true]} : vector<16xf32>
// CHECK-NOT: vector.transfer_write
// HALF-LABEL: func @two_registers
// HALF-COUNT-4: vector.transfer_write {{.*}} : vector<8xf32>
func.func @two_registers(%v: vector<32xf32>, %y: memref<4x1000xf32>, %i: index) {
  %c1 = arith.constant 1 : index
  vector.transfer_write %v, %y[%c1, %i] {in_bounds = [true]} : vector<32xf32>, memref<4x1000xf32>
  return
}

// One register, parts of one, lanes that may not exist, and gaps stay.
// CHECK-LABEL: func @others
// CHECK: vector.transfer_write %{{.*}} : vector<64xi8>
// CHECK: vector.transfer_write %{{.*}} : vector<24xf32>
// CHECK: vector.transfer_write %{{.*}} : vector<32xf32>, memref<?xf32>
// CHECK: vector.transfer_write %{{.*}} : vector<32xf32>, memref<?xf32, strided<[2]>>
func.func @others(%a: vector<64xi8>, %b: vector<24xf32>, %c: vector<32xf32>, %x: memref<?xi8>, %y: memref<?xf32>, %z: memref<?xf32, strided<[2]>>) {
  %c0 = arith.constant 0 : index
  vector.transfer_write %a, %x[%c0] {in_bounds = [true]} : vector<64xi8>, memref<?xi8>
  vector.transfer_write %b, %y[%c0] {in_bounds = [true]} : vector<24xf32>, memref<?xf32>
  vector.transfer_write %c, %y[%c0] : vector<32xf32>, memref<?xf32>
  vector.transfer_write %c, %z[%c0] {in_bounds = [true]} : vector<32xf32>, memref<?xf32, strided<[2]>>
  return
}

// A mask is one of the whole store.
// CHECK-LABEL: func @masked
// CHECK: vector.mask {{.*}} { vector.transfer_write {{.*}} : vector<32xf32>
func.func @masked(%x: memref<64xf32>, %v: vector<32xf32>, %i: index, %m: vector<32xi1>) {
  vector.mask %m { vector.transfer_write %v, %x[%i] {in_bounds = [true]} : vector<32xf32>, memref<64xf32> } : vector<32xi1>
  return
}
