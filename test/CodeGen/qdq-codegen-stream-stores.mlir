// RUN: quant-opt %s --qdq-codegen-stream-stores=min-bytes=65536 --canonicalize | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-stream-stores=min-bytes=65536 --convert-vector-to-llvm | FileCheck %s --check-prefix=LLVM
// RUN: quant-opt %s --qdq-codegen-stream-stores | FileCheck %s --check-prefix=DEFAULT

// DEFAULT-NOT: nontemporal
// DEFAULT-LABEL: func.func @dynamic(
// DEFAULT: arith.constant 33554432 : index
// DEFAULT: nontemporal

// What is known to be large has no second copy.
// CHECK-LABEL: func.func @static(
// CHECK: scf.for
// CHECK: %[[P:.*]] = memref.extract_aligned_pointer_as_index %{{.*}}
// CHECK: %[[REST:.*]] = arith.andi
// CHECK: %[[LINE:.*]] = arith.cmpi eq, %[[REST]]
// CHECK: scf.if %[[LINE]] {
// CHECK-NEXT: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<64x256xf32>, vector<16xf32>
// CHECK: %[[PART:.*]] = arith.cmpi eq
// CHECK: scf.if %[[PART]] {
// CHECK-NEXT: vector.store %{{.*}} {alignment = 16 : i64, nontemporal = true} : memref<64x256xf32>, vector<16xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: vector.transfer_write %{{.*}} {in_bounds = [true]} : vector<16xf32>, memref<64x256xf32>
// CHECK: llvm.fence seq_cst
// CHECK-NOT: scf.for
// CHECK: return
func.func @static(%v: vector<16xf32>, %y: memref<64x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %j = %c0 to %c256 step %c16 {
      vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<64x256xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @static_small(
// CHECK-NOT: nontemporal
// CHECK: return
func.func @static_small(%v: vector<16xf32>, %y: memref<64x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<16xf32>, memref<64x128xf32>
  }
  return
}

// Two copies: the bytes that are read count, too.
// CHECK-LABEL: func.func @dynamic(
// CHECK-DAG: %[[MIN:.*]] = arith.constant 65536 : index
// CHECK: %[[IN:.*]] = arith.muli %{{.*}}, %c4 : index
// CHECK: %[[OUT:.*]] = memref.dim %{{.*}} : memref<?xi8>
// CHECK: %[[BYTES:.*]] = arith.addi %[[IN]], %[[OUT]]
// CHECK: %[[MOVED:.*]] = arith.cmpi uge, %[[BYTES]], %[[MIN]]
// CHECK: %[[SHARE:.*]] = arith.divui %[[BYTES]], %c16
// CHECK: %[[STORED:.*]] = arith.cmpi uge, %{{.*}}, %[[SHARE]]
// CHECK: %[[LARGE:.*]] = arith.andi %[[MOVED]], %[[STORED]]
// CHECK: scf.if %[[LARGE]] {
// CHECK: memref.prefetch %{{.*}}, read, locality<3>, data : memref<?xf32>
// CHECK: vector.bitcast %{{.*}} : vector<16xi8> to vector<4xf32>
// CHECK: llvm.call_intrinsic "llvm.arithmetic.fence"
// CHECK: vector.store %{{.*}} {alignment = 16 : i64, nontemporal = true} : memref<?xi8>, vector<16xi8>
// CHECK: llvm.fence seq_cst
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.for
// CHECK-NOT: {{nontemporal|prefetch}}
// CHECK: return
func.func @dynamic(%x: memref<?xf32>, %y: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %p = ub.poison : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c16 {
    %v = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<?xf32>, vector<16xf32>
    %w = arith.fptosi %v : vector<16xf32> to vector<16xi32>
    %b = arith.trunci %w : vector<16xi32> to vector<16xi8>
    vector.transfer_write %b, %y[%i] {in_bounds = [true]} : vector<16xi8>, memref<?xi8>
  }
  return
}

// What no two iterations read is prefetched, line by line, 1024 elements ahead: not the scales, which each row reads
// again, nor codes of which a vector is no whole line.
// CHECK-LABEL: func.func @reads(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<64x1024xf32>, %[[S:[a-z0-9]+]]: memref<1024xf32>, %[[C:[a-z0-9]+]]: memref<64x1024xi8>
// CHECK-DAG: %[[AHEAD:.*]] = arith.constant 1024 : index
// CHECK-DAG: %[[NEXT:.*]] = arith.constant 1040 : index
// CHECK: scf.for %[[I:.*]] =
// CHECK:   scf.for %[[J:.*]] =
// CHECK:     %[[FIRST:.*]] = arith.addi %[[J]], %[[AHEAD]]
// CHECK:     memref.prefetch %[[X]][%[[I]], %[[FIRST]]], read, locality<3>, data
// CHECK:     %[[SECOND:.*]] = arith.addi %[[J]], %[[NEXT]]
// CHECK:     memref.prefetch %[[X]][%[[I]], %[[SECOND]]], read, locality<3>, data
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @reads(%x: memref<64x1024xf32>, %s: memref<1024xf32>, %c: memref<64x1024xi8>, %y: memref<64x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %p = ub.poison : f32
  %q = ub.poison : i8
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.transfer_read %x[%i, %j], %p {in_bounds = [true]} : memref<64x1024xf32>, vector<32xf32>
      %w = vector.transfer_read %s[%j], %p {in_bounds = [true]} : memref<1024xf32>, vector<32xf32>
      %b = vector.transfer_read %c[%i, %j], %q {in_bounds = [true]} : memref<64x1024xi8>, vector<32xi8>
      %f = arith.sitofp %b : vector<32xi8> to vector<32xf32>
      %0 = arith.mulf %v, %w : vector<32xf32>
      %1 = arith.addf %0, %f : vector<32xf32>
      vector.transfer_write %1, %y[%i, %j] {in_bounds = [true]} : vector<32xf32>, memref<64x1024xf32>
    }
  }
  return
}

// Of 8 bytes, beyond the bounds, to a buffer of the loop: ordinary stores.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: nontemporal
// CHECK: return
func.func @others(%v: vector<8xi8>, %w: vector<16xi8>, %x: memref<?xi8>, %y: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %x, %c0 : memref<?xi8>
  scf.for %i = %c0 to %n step %c16 {
    %a = memref.alloc() : memref<65536xi8>
    vector.transfer_write %v, %x[%i] {in_bounds = [true]} : vector<8xi8>, memref<?xi8>
    vector.transfer_write %w, %y[%i] : vector<16xi8>, memref<?xi8>
    vector.transfer_write %w, %a[%c0] {in_bounds = [true]} : vector<16xi8>, memref<65536xi8>
    memref.dealloc %a : memref<65536xi8>
  }
  return
}

// The fence is of the thread that stores.
// CHECK-LABEL: func.func @threads(
// CHECK: scf.forall
// CHECK: nontemporal
// CHECK: llvm.fence seq_cst
// CHECK-NEXT: }
// CHECK-NOT: llvm.fence
// CHECK: return
func.func @threads(%v: vector<16xf32>, %y: memref<64x4096xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c4096 = arith.constant 4096 : index
  scf.for %t = %c0 to %n step %c1 {
    scf.forall (%i) in (64) {
      scf.for %j = %c0 to %c4096 step %c16 {
        vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<64x4096xf32>
      }
    }
  }
  return
}

// Codes in bytes, which the loops read again, stay in the caches.
// CHECK-LABEL: func.func @own_buffer(
// CHECK: %[[OWN:.*]] = memref.alloc
// CHECK-NOT: nontemporal
// CHECK: vector.transfer_write %{{.*}}, %[[OWN]]
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<4096x16xf32>
func.func @own_buffer(%codes: vector<16xi8>, %y: memref<4096x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %p = ub.poison : i8
  %own = memref.alloc() : memref<16xi8>
  scf.for %i = %c0 to %c4096 step %c1 {
    vector.transfer_write %codes, %own[%c0] {in_bounds = [true]} : vector<16xi8>, memref<16xi8>
    %q = vector.transfer_read %own[%c0], %p {in_bounds = [true]} : memref<16xi8>, vector<16xi8>
    %x = arith.sitofp %q : vector<16xi8> to vector<16xf32>
    vector.transfer_write %x, %y[%i, %c0] {in_bounds = [true]} : vector<16xf32>, memref<4096x16xf32>
  }
  memref.dealloc %own : memref<16xi8>
  return
}

// The sums of a product are few beside its factors.
// CHECK-LABEL: func.func @sums(
// CHECK-NOT: nontemporal
// CHECK: return
func.func @sums(%w: memref<4096x16xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %p = ub.poison : f32
  scf.for %i = %c0 to %c4096 step %c1 {
    %a = vector.transfer_read %w[%i, %c0], %p {in_bounds = [true]} : memref<4096x16xf32>, vector<16xf32>
    %b = vector.transfer_read %y[%c0], %p {in_bounds = [true]} : memref<16xf32>, vector<16xf32>
    %s = arith.addf %a, %b : vector<16xf32>
    vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  }
  return
}

// LLVM-LABEL: func.func @static(
// LLVM: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
// LLVM: llvm.store %{{.*}} {alignment = 16 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
