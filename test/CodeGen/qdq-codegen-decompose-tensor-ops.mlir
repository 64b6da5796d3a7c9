// RUN: quant-opt %s --qdq-codegen-decompose-tensor-ops | FileCheck %s --implicit-check-not=tensor.concat --implicit-check-not=tensor.bitcast \
// RUN:   --implicit-check-not=linalg.softmax --implicit-check-not=linalg.pack --implicit-check-not=linalg.unpack --implicit-check-not=winograd
// RUN: quant-opt %s --qdq-codegen-decompose-tensor-ops --convert-elementwise-to-linalg --one-shot-bufferize=bufferize-function-boundaries | FileCheck %s --check-prefix=BUFFERS --implicit-check-not=tensor.

// BUFFERS-LABEL: func.func @concat

// CHECK-LABEL: func.func @concat(
// CHECK-COUNT-2: tensor.insert_slice
func.func @concat(%x: tensor<2x3xf32>, %y: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %r = tensor.concat dim(1) %x, %y : (tensor<2x3xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  return %r : tensor<2x?xf32>
}

// CHECK-LABEL: func.func @bitcast(
// CHECK: arith.bitcast %{{.*}} : tensor<4xf32> to tensor<4xi32>
func.func @bitcast(%x: tensor<4xf32>) -> tensor<4xi32> {
  %r = tensor.bitcast %x : tensor<4xf32> to tensor<4xi32>
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @softmax(
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.divf
func.func @softmax(%x: tensor<5x9xf32>) -> tensor<5x9xf32> {
  %o = tensor.empty() : tensor<5x9xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<5x9xf32>) outs(%o : tensor<5x9xf32>) -> tensor<5x9xf32>
  return %r : tensor<5x9xf32>
}

// CHECK-LABEL: func.func @pack_and_unpack(
// CHECK: tensor.pad
// CHECK: tensor.expand_shape
// CHECK: linalg.transpose
// CHECK: tensor.collapse_shape
// CHECK: tensor.extract_slice
func.func @pack_and_unpack(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %p = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2x2x4xf32>
  %k = linalg.pack %x padding_value(%p : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %e : tensor<5x7xf32> -> tensor<3x2x2x4xf32>
  %n = math.absf %k : tensor<3x2x2x4xf32>
  %o = tensor.empty() : tensor<5x7xf32>
  %r = linalg.unpack %n inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %o : tensor<3x2x2x4xf32> -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// CHECK-LABEL: func.func @winograd(
// CHECK: linalg.matmul
func.func @winograd(%y: tensor<3x3x3x2xf32>) -> tensor<6x6x2x3xf32> {
  %e = tensor.empty() : tensor<6x6x2x3xf32>
  %f = linalg.winograd_filter_transform fmr(F_4_3) ins(%y : tensor<3x3x3x2xf32>) outs(%e : tensor<6x6x2x3xf32>) -> tensor<6x6x2x3xf32>
  return %f : tensor<6x6x2x3xf32>
}

// There is nothing to insert, and the offset would be the end.
// CHECK-LABEL: func.func @pad_of_empty(
// CHECK-SAME: %{{.*}}, %[[N:.*]]: index)
// CHECK: tensor.generate %{{.*}} {
// CHECK: tensor.yield
// CHECK-NOT: tensor.pad
func.func @pad_of_empty(%x: tensor<0x?xi8>, %n: index) -> tensor<2x?xi8> {
  %c7 = arith.constant 7 : i8
  %r = tensor.pad %x low[2, %n] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c7 : i8
  } : tensor<0x?xi8> to tensor<2x?xi8>
  return %r : tensor<2x?xi8>
}

// Upstream refuses buffers and indices of such groups.
// CHECK-LABEL: func.func @collapse_of_empty(
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?x4xf32>
// CHECK: return %[[E]]
func.func @collapse_of_empty(%x: tensor<?x0x4xf32>) -> tensor<?x4xf32> {
  %r = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x0x4xf32> into tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @expand_to_empty(
// CHECK-SAME: %{{.*}}, %[[N:.*]]: index)
// CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x0xf32>
// CHECK: return %[[E]]
func.func @expand_to_empty(%x: tensor<?xf32>, %n: index) -> tensor<?x0xf32> {
  %r = tensor.expand_shape %x [[0, 1]] output_shape [%n, 0] : tensor<?xf32> into tensor<?x0xf32>
  return %r : tensor<?x0xf32>
}

// No slice of a buffer may begin at its end.
// CHECK-LABEL: func.func @slices_of_empty(
// CHECK-SAME: %[[X:.*]]: tensor<0x?xf32>, %{{.*}}: tensor<?xf32>, %[[N:.*]]: index
// CHECK-NOT: tensor.extract_slice
// CHECK: %[[R:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK-NOT: tensor.insert_slice
// CHECK: return %[[R]], %[[X]]
func.func @slices_of_empty(%x: tensor<0x?xf32>, %y: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<0x?xf32>) {
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<0x?xf32> into tensor<?xf32>
  %b = tensor.extract_slice %a[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %c = tensor.insert_slice %y into %x[%n, 0] [1, %n] [1, 1] : tensor<?xf32> into tensor<0x?xf32>
  return %b, %c : tensor<?xf32>, tensor<0x?xf32>
}

// A body that ignores the initial value has no iteration.
// CHECK-LABEL: func.func @no_iteration(
// CHECK-SAME: %[[INIT:[a-z0-9]*]]: tensor<2xi32>
// CHECK-NEXT: return %[[INIT]]
func.func @no_iteration(%x: tensor<0xi8>, %init: tensor<2xi32>) -> tensor<2xi32> {
  %zero = arith.constant 0 : i32
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<0xi8>) outs(%init : tensor<2xi32>) {
  ^bb0(%a: i8, %b: i32):
    %r = arith.andi %b, %zero : i32
    linalg.yield %r : i32
  } -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: func.func @perhaps_no_iteration(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?xf32>, %[[INIT:[a-z0-9]*]]: tensor<f32>
// CHECK: %[[SIZE:.*]] = tensor.dim %[[X]]
// CHECK: %[[RUNS:.*]] = arith.cmpi ne, %[[SIZE]],
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<f32>
// CHECK: %[[LAST:.*]] = linalg.generic {{.*}} outs(%[[EMPTY]] : tensor<f32>)
// CHECK: %[[R:.*]] = arith.select %[[RUNS]], %[[LAST]], %[[INIT]] : tensor<f32>
// CHECK: return %[[R]]
func.func @perhaps_no_iteration(%x: tensor<?xf32>, %init: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// The op that computes the source writes it into the result.
// CHECK-LABEL: func.func @pad_of_one_dim(
// CHECK-SAME: %[[X:.*]]: tensor<3x?xi8>, %[[N:.*]]: index, %[[V:.*]]: i8)
// CHECK-NOT: tensor.pad
// CHECK: %[[TAIL:.*]] = linalg.fill ins(%[[V]]
// CHECK: %[[LEFT:.*]] = tensor.insert_slice %[[X]] into
// CHECK: tensor.insert_slice %[[TAIL]] into %[[LEFT]]
func.func @pad_of_one_dim(%x: tensor<3x?xi8>, %n: index, %v: i8) -> tensor<3x?xi8> {
  %r = tensor.pad %x low[0, 0] high[0, %n] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : i8
  } : tensor<3x?xi8> to tensor<3x?xi8>
  return %r : tensor<3x?xi8>
}

// -----

// A convolution reads a border around all rows: one fill of all is faster.
// CHECK-LABEL: func.func @pad_of_two_dims(
// CHECK: tensor.pad
func.func @pad_of_two_dims(%x: tensor<3x5xi8>, %v: i8) -> tensor<5x7xi8> {
  %r = tensor.pad %x low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : i8
  } : tensor<3x5xi8> to tensor<5x7xi8>
  return %r : tensor<5x7xi8>
}
