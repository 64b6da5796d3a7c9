// RUN: quant-opt --qdq-codegen-prepare-bufferization --split-input-file %s | FileCheck %s

// CHECK-LABEL: @one_result
// CHECK: %[[OUT:.*]] = bufferization.to_tensor %{{.*}} restrict writable
// CHECK: linalg.fill {{.*}} outs(%[[OUT]]
func.func @one_result(%x: tensor<3x5xi8>, %y: tensor<5x4xi8>, %out: memref<3x4xi32>) {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3x4xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<3x4xi32>) -> tensor<3x4xi32>
  %r = linalg.matmul ins(%x, %y : tensor<3x5xi8>, tensor<5x4xi8>) outs(%f : tensor<3x4xi32>) -> tensor<3x4xi32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<3x4xi32>, memref<3x4xi32>) -> ()
  return
}

// -----

// Two sums begin in one tensor of zeros, which is in neither destination.
// CHECK-LABEL: @two_results
// CHECK: %[[EMPTY:.*]] = tensor.empty
// CHECK: linalg.fill {{.*}} outs(%[[EMPTY]]
// CHECK-COUNT-2: materialize_in_destination {{.*}} in restrict writable
func.func @two_results(%x: tensor<3x5xi8>, %y: tensor<5x4xi8>, %z: tensor<5x4xi8>, %out: memref<3x4xi32>, %other: memref<3x4xi32>) {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3x4xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<3x4xi32>) -> tensor<3x4xi32>
  %r = linalg.matmul ins(%x, %y : tensor<3x5xi8>, tensor<5x4xi8>) outs(%f : tensor<3x4xi32>) -> tensor<3x4xi32>
  %s = linalg.matmul ins(%x, %z : tensor<3x5xi8>, tensor<5x4xi8>) outs(%f : tensor<3x4xi32>) -> tensor<3x4xi32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<3x4xi32>, memref<3x4xi32>) -> ()
  bufferization.materialize_in_destination %s in restrict writable %other : (tensor<3x4xi32>, memref<3x4xi32>) -> ()
  return
}

// -----

// A remainder does not go past the assertion that its divisor is not 0; a sum does.
// CHECK-LABEL: @offsets
// CHECK: tensor.empty
// CHECK: linalg.exp
// CHECK: cf.assert
// CHECK: arith.remui
// CHECK: %[[SUM:.*]] = arith.addi
// CHECK: tensor.extract_slice %{{.*}}[%[[SUM]]]
// CHECK: linalg.exp
// CHECK: cf.assert
func.func @offsets(%x: tensor<8xf32>, %y: tensor<64xf32>, %a: index, %b: index, %ok: i1) -> (tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  cf.assert %ok, "b is 0"
  %r = arith.remui %a, %b : index
  %1 = tensor.insert_slice %0 into %y[%r] [8] [1] : tensor<8xf32> into tensor<64xf32>
  %f = tensor.empty() : tensor<8xf32>
  %2 = linalg.exp ins(%x : tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  cf.assert %ok, "b is 0"
  %s = arith.addi %a, %b : index
  %3 = tensor.insert_slice %2 into %y[%s] [8] [1] : tensor<8xf32> into tensor<64xf32>
  return %1, %3 : tensor<64xf32>, tensor<64xf32>
}

// What a cast tells late has no elements. An empty tensor may be unused.
// CHECK-LABEL: func.func @empty_slices(
// CHECK-NOT: tensor.extract_slice
// CHECK: return %{{.*}} : tensor<?xf32>
func.func @empty_slices(%x: tensor<0x?xf32>, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<0x?xf32> into tensor<?xf32>
  %b = tensor.extract_slice %a[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %b : tensor<?xf32>
}

// -----

// Lines of a tensor that are no whole one, and columns, keep the rest of it; the third write is whole.
// CHECK-LABEL: @partial_writes(
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x4x4xf32>, %[[Y:[^:]*]]: tensor<8x4xf32>,
// CHECK: %[[OPEN:.*]] = tensor.cast %[[X]] : tensor<1x4x4xf32> to tensor<?x4x4xf32>
// CHECK: %[[LINE:.*]] = vector.transfer_write %{{.*}}, %[[OPEN]]
// CHECK: %[[RESULT:.*]] = tensor.cast %[[LINE]] : tensor<?x4x4xf32> to tensor<1x4x4xf32>
// CHECK: tensor.cast %[[Y]] : tensor<8x4xf32> to tensor<?x4xf32>
// CHECK: %[[WHOLE:.*]] = vector.transfer_write %{{.*}} : vector<4x4xf32>, tensor<1x4x4xf32>
// CHECK: return %[[RESULT]], %{{.*}}, %[[WHOLE]]
func.func @partial_writes(%x: tensor<1x4x4xf32>, %y: tensor<8x4xf32>, %line: vector<4xf32>, %columns: vector<8x4xf32>, %all: vector<4x4xf32>) -> (tensor<1x4x4xf32>, tensor<8x4xf32>, tensor<1x4x4xf32>) {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_write %line, %x[%c0, %c0, %c0] {in_bounds = [true]} : vector<4xf32>, tensor<1x4x4xf32>
  %1 = vector.transfer_write %columns, %y[%c0, %c0] {permutation_map = affine_map<(i, j) -> (j, i)>, in_bounds = [false, true]} : vector<8x4xf32>, tensor<8x4xf32>
  %2 = vector.transfer_write %all, %x[%c0, %c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, tensor<1x4x4xf32>
  return %0, %1, %2 : tensor<1x4x4xf32>, tensor<8x4xf32>, tensor<1x4x4xf32>
}

// The tensor reaches the destination in one branch only, and may be of another size.
// CHECK-LABEL: func.func @one_branch(
// CHECK-SAME: %{{.*}}: tensor<3xf32>, %[[N:.*]]: index,
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[N]])
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[EMPTY]] : tensor<?xf32>)
func.func @one_branch(%x: tensor<3xf32>, %n: index, %c: i1, %out: memref<3xf32>) {
  %f = arith.constant 1.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = scf.if %c -> tensor<3xf32> {
    scf.yield %x : tensor<3xf32>
  } else {
    %cast = tensor.cast %a : tensor<?xf32> to tensor<3xf32>
    scf.yield %cast : tensor<3xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<3xf32>, memref<3xf32>) -> ()
  return
}

// -----

// The parts of a result that another op reads go to the buffer of the caller at once.
// CHECK-LABEL: func.func @read_result(
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<4x8xf32>)
// CHECK: %[[WHOLE:.*]] = bufferization.to_tensor %[[OUT]] restrict writable
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[WHOLE]][0, 0] [2, 8] [1, 1]
// CHECK: linalg.negf ins({{.*}}) outs(%[[PART]]
func.func @read_result(%x: tensor<2x8xf32>, %i: index, %out: memref<4x8xf32>) -> f32 {
  %e = tensor.empty() : tensor<2x8xf32>
  %y = linalg.negf ins(%x : tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
  %w = tensor.empty() : tensor<4x8xf32>
  %a = tensor.insert_slice %y into %w[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
  %b = tensor.insert_slice %x into %a[2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
  bufferization.materialize_in_destination %b in restrict writable %out : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
  %r = tensor.extract %b[%i, %i] : tensor<4x8xf32>
  return %r : f32
}

// -----

// Another op writes to the result.
// CHECK-LABEL: func.func @written_result(
// CHECK-NOT: bufferization.to_tensor
// CHECK: return
func.func @written_result(%x: tensor<4x8xf32>, %i: index, %v: f32, %out: memref<4x8xf32>) -> f32 {
  %e = tensor.empty() : tensor<4x8xf32>
  %y = linalg.negf ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  bufferization.materialize_in_destination %y in restrict writable %out : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
  %c = tensor.cast %y : tensor<4x8xf32> to tensor<?x8xf32>
  %z = tensor.insert %v into %c[%i, %i] : tensor<?x8xf32>
  %r = tensor.extract %z[%i, %i] : tensor<?x8xf32>
  return %r : f32
}
