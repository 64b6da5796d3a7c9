// RUN: quant-opt %s --qdq-codegen-parallelize=min-part=64 --allow-unregistered-dialect --split-input-file | FileCheck %s
// RUN: not quant-opt %s --qdq-codegen-parallelize=min-part=0 --split-input-file 2>&1 | FileCheck %s --check-prefix=MIN
// MIN: error: min-part is 0: expected 1 to 1099511627776
// RUN: not quant-opt %s --qdq-codegen-parallelize=min-part=4611686018427387904 --split-input-file 2>&1 | FileCheck %s --check-prefix=MOST
// MOST: error: min-part is 4611686018427387904: expected 1 to 1099511627776

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Whole rows, as many as make a part and divide the whole.
// CHECK-LABEL: @static(
// CHECK: scf.forall ({{.*}}) = (0) to (32) step (4)
// CHECK: linalg.negf ins({{.*}} : tensor<4x16xf32>)
func.func @static(%x: tensor<32x16xf32>, %out: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %y = linalg.negf ins(%x : tensor<32x16xf32>) outs(%out : tensor<32x16xf32>) -> tensor<32x16xf32>
  return %y : tensor<32x16xf32>
}

// CHECK-LABEL: @one_row_is_divided(
// CHECK: scf.forall ({{.*}}) = (0, 0) to (3, 256) step (1, 64)
func.func @one_row_is_divided(%x: tensor<3x256xf32>, %out: tensor<3x256xf32>) -> tensor<3x256xf32> {
  %y = linalg.negf ins(%x : tensor<3x256xf32>) outs(%out : tensor<3x256xf32>) -> tensor<3x256xf32>
  return %y : tensor<3x256xf32>
}

// CHECK-LABEL: @too_little(
// CHECK-NOT: scf.forall
// CHECK: return
func.func @too_little(%x: tensor<127xf32>, %out: tensor<127xf32>) -> tensor<127xf32> {
  %y = linalg.negf ins(%x : tensor<127xf32>) outs(%out : tensor<127xf32>) -> tensor<127xf32>
  return %y : tensor<127xf32>
}

// The work of a row counts, and is not divided.
// CHECK-LABEL: @reduction(
// CHECK: scf.forall ({{.*}}) = (0) to (8) step (2)
// CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<2x32xf32>) outs({{.*}} : tensor<2xf32>)
func.func @reduction(%x: tensor<8x32xf32>, %out: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x32xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// What a reduction starts from is filled part by part.
// CHECK-LABEL: @filled(
// CHECK-NOT: linalg.fill
// CHECK: scf.forall ({{.*}}) = (0) to (256) step (64)
// CHECK: %[[FILL:.*]] = linalg.fill {{.*}} -> tensor<64xf32>
// CHECK: linalg.generic {{.*}} outs(%[[FILL]] : tensor<64xf32>)
func.func @filled(%x: tensor<256x1xf32>, %out: tensor<256xf32>) -> tensor<256xf32> {
  %zero = arith.constant 0.0 : f32
  %fill = linalg.fill ins(%zero : f32) outs(%out : tensor<256xf32>) -> tensor<256xf32>
  %y = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<256x1xf32>) outs(%fill : tensor<256xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<256xf32>
  return %y : tensor<256xf32>
}

// What takes longer is worth more parts: a function, a look-up, a sum in its order.
// CHECK-LABEL: @work(
// CHECK: scf.forall ({{.*}}) = (0) to (64) step (8)
// CHECK: linalg.exp
// CHECK: scf.forall ({{.*}}) = (0) to (64) step (8)
// CHECK: tensor.extract
// CHECK: scf.forall ({{.*}}) = (0) to (64) step (8)
// CHECK: linalg.reduce
func.func @work(%x: tensor<64xf32>, %i: tensor<64xindex>, %m: tensor<64x1xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %out = tensor.empty() : tensor<64xf32>
  %y = linalg.exp ins(%x : tensor<64xf32>) outs(%out : tensor<64xf32>) -> tensor<64xf32>
  %z = linalg.map ins(%i : tensor<64xindex>) outs(%out : tensor<64xf32>) (%a: index, %b: f32) {
    %c = tensor.extract %x[%a] : tensor<64xf32>
    %d = arith.addf %c, %c : f32
    linalg.yield %d : f32
  }
  %s = linalg.reduce {arith.addf} ins(%m : tensor<64x1xf32>) outs(%x : tensor<64xf32>) dimensions = [1]
  return %y, %z, %s : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// All iterations of d1 write the same elements of the second result.
// CHECK-LABEL: @shared_result(
// CHECK: scf.forall ({{.*}}) in (2)
func.func @shared_result(%x: tensor<2x512xf32>, %a: tensor<2x512xf32>, %b: tensor<2xf32>) -> (tensor<2x512xf32>, tensor<2xf32>) {
  %y:2 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x512xf32>) outs(%a, %b : tensor<2x512xf32>, tensor<2xf32>) {
  ^bb0(%e: f32, %f: f32, %g: f32):
    %c = arith.constant 0.0 : f32
    linalg.yield %e, %c : f32, f32
  } -> (tensor<2x512xf32>, tensor<2xf32>)
  return %y#0, %y#1 : tensor<2x512xf32>, tensor<2xf32>
}

// Too little work is one part, chosen at run time.
// CHECK-LABEL: @dynamic(
// CHECK: %[[SMALL:.*]] = arith.cmpi ult, %{{.*}}, %c128
// CHECK: %[[STEP:.*]] = arith.select %[[SMALL]]
// CHECK: scf.forall ({{.*}}) = (0) to (%{{.*}}) step (%[[STEP]])
func.func @dynamic(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.negf ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: @inside(
// CHECK-COUNT-1: scf.forall (
// CHECK-NOT: scf.forall (
// CHECK: return
func.func @inside(%x: tensor<4x512xf32>, %out: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %out) -> tensor<4x512xf32> {
    %s = tensor.extract_slice %x[%i, 0] [1, 512] [1, 1] : tensor<4x512xf32> to tensor<512xf32>
    %t = tensor.extract_slice %o[%i, 0] [1, 512] [1, 1] : tensor<4x512xf32> to tensor<512xf32>
    %y = linalg.negf ins(%s : tensor<512xf32>) outs(%t : tensor<512xf32>) -> tensor<512xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i, 0] [1, 512] [1, 1] : tensor<512xf32> into tensor<4x512xf32>
    }
  }
  return %r : tensor<4x512xf32>
}

// -----

// What has no result writes nothing that parts could share.
// CHECK-LABEL: func.func @reads(
// CHECK-NOT: scf.forall
func.func @reads(%x: tensor<1024x64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1024x64xi32>) {
  ^bb0(%b: i32):
    linalg.yield
  }
  return
}

// -----

// Parts begin where an index of a quotient, of a remainder or of a falling number does not.
// CHECK-LABEL: func.func @quotients(
// CHECK-NOT: scf.forall
// CHECK: return
func.func @quotients(%x: tensor<171xf32>, %y: tensor<3xf32>, %z: tensor<512xf32>, %out: tensor<512xf32>) -> tensor<512xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 3)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<171xf32>) outs(%out : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<512xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i mod 3)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y : tensor<3xf32>) outs(%r : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.addf %a, %o : f32
    linalg.yield %n : f32
  } -> tensor<512xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (511 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%z : tensor<512xf32>) outs(%s : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.addf %a, %o : f32
    linalg.yield %n : f32
  } -> tensor<512xf32>
  return %t : tensor<512xf32>
}

// A sum is divided without the user that does not follow it.
// CHECK-LABEL: func.func @user(
// CHECK: scf.forall (
// CHECK: linalg.matmul
// CHECK-NOT: scf.forall (
// CHECK: return
func.func @user(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>, %half: tensor<32xf32>, %out: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %p = linalg.matmul ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%out : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i floordiv 2)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %half : tensor<64x64xf32>, tensor<32xf32>) outs(%out : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// Threads would change the order of effects.
// CHECK-LABEL: func.func @effects(
// CHECK-NOT: scf.forall
// CHECK: "foreign.op"
func.func @effects(%x: tensor<512xf32>, %out: tensor<512xf32>) -> tensor<512xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<512xf32>) outs(%out : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = "foreign.op"(%a) : (f32) -> f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  return %r : tensor<512xf32>
}
