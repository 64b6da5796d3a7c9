// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --qdq-codegen-vectorize="vector-bits=256 byte-dots=x86-vnni lookup-tables=false" --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-vectorize="vector-bits=512 byte-dots=x86-vnni" --split-input-file | FileCheck %s --check-prefix=SCALAR

// SCALAR-NOT: qdq.lookup

// 46 bytes are 32, 8 and 6, of which four are lanes.
// CHECK-LABEL: func.func @row(
// CHECK-SAME: %[[X:.*]]: tensor<3x46xi8>, %[[TABLE:.*]]: tensor<256xi8>
// CHECK: %[[ENTRIES:.*]] = vector.transfer_read %[[TABLE]]{{.*}} vector<256xi8>
// CHECK: %[[CODES:.*]] = vector.transfer_read %{{.*}} vector<32xi8>
// CHECK: %[[FOUND:.*]] = qdq.lookup %[[ENTRIES]][%[[CODES]]] : (vector<256xi8>, vector<32xi8>) -> vector<32xi8>
// CHECK: vector.transfer_write %[[FOUND]]
// CHECK: qdq.lookup {{.*}} -> vector<8xi8>
// CHECK: qdq.lookup {{.*}} -> vector<4xi8>
// CHECK: linalg.generic
func.func @row(%x: tensor<3x46xi8>, %table: tensor<256xi8>) -> tensor<3x46xi8> {
  %e = tensor.empty() : tensor<3x46xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x46xi8>) outs(%e : tensor<3x46xi8>) {
  ^bb0(%code: i8, %out: i8):
    %index = arith.index_castui %code : i8 to index
    %found = tensor.extract %table[%index] : tensor<256xi8>
    linalg.yield %found : i8
  } -> tensor<3x46xi8>
  return %y : tensor<3x46xi8>
}

// -----

// Other tables, indices and orders stay loops.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: qdq.lookup
// CHECK: return
func.func @others(%x: tensor<64xi8>, %y: tensor<64x64xi8>, %half: tensor<128xi8>, %floats: tensor<256xf32>, %table: tensor<256xi8>) -> (tensor<64xi8>, tensor<64xf32>, tensor<64xi8>, tensor<64x64xi8>) {
  %e = tensor.empty() : tensor<64xi8>
  %f = tensor.empty() : tensor<64xf32>
  %g = tensor.empty() : tensor<64x64xi8>
  %a = linalg.map ins(%x : tensor<64xi8>) outs(%e : tensor<64xi8>) (%code: i8, %out: i8) {
    %index = arith.index_castui %code : i8 to index
    %found = tensor.extract %half[%index] : tensor<128xi8>
    linalg.yield %found : i8
  }
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<64xi8>) outs(%f : tensor<64xf32>) {
  ^bb0(%code: i8, %out: f32):
    %index = arith.index_castui %code : i8 to index
    %found = tensor.extract %floats[%index] : tensor<256xf32>
    linalg.yield %found : f32
  } -> tensor<64xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<64xi8>) outs(%e : tensor<64xi8>) {
  ^bb0(%code: i8, %out: i8):
    %index = arith.index_cast %code : i8 to index
    %found = tensor.extract %table[%index] : tensor<256xi8>
    linalg.yield %found : i8
  } -> tensor<64xi8>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<64x64xi8>) outs(%g : tensor<64x64xi8>) {
  ^bb0(%code: i8, %out: i8):
    %index = arith.index_castui %code : i8 to index
    %found = tensor.extract %table[%index] : tensor<256xi8>
    linalg.yield %found : i8
  } -> tensor<64x64xi8>
  return %a, %b, %c, %d : tensor<64xi8>, tensor<64xf32>, tensor<64xi8>, tensor<64x64xi8>
}
