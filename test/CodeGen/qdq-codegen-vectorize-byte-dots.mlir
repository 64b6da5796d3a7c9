// RUN: quant-opt %s --qdq-codegen-lay-out-contractions=byte-dots=x86-vnni --qdq-codegen-vectorize=byte-dots=x86-vnni --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-vectorize --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: quant-opt %s --qdq-codegen-lay-out-contractions=byte-dots=x86-vnni --qdq-codegen-vectorize="byte-dots=x86-vnni vector-bits=64" --split-input-file | FileCheck %s --check-prefix=OFF

// A panel of 64 columns, its rows interleaved, before the loop over six rows
// that share it; and the elementwise op that uses the sums, in the same loops.
// OFF-NOT: vector.contract
// CHECK-LABEL: func.func @unsigned_signed(
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c64
// CHECK: %[[PANEL:.*]] = scf.for {{.*}} -> (tensor<5x4x64xi8>)
// CHECK-COUNT-4: vector.transfer_read {{.*}} vector<64xi8>
// CHECK-COUNT-3: vector.interleave
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c6
// CHECK: %[[SUMS:.*]]:24 = scf.for
// CHECK: vector.transfer_read %[[PANEL]]{{.*}} vector<4x64xi8>
// CHECK: vector.transfer_read {{.*}} vector<4xi8>
// CHECK: %[[U:.*]] = arith.extui {{.*}} vector<16x4xi8>
// CHECK: %[[S:.*]] = arith.extsi {{.*}} vector<16x4xi8>
// CHECK: vector.contract {{.*}} %[[U]], %[[S]], %{{.*}} : vector<16x4xi32>, vector<16x4xi32> into vector<16xi32>
// CHECK-NOT: linalg.generic
// CHECK: arith.maxsi
func.func @unsigned_signed(%a: tensor<12x20xi8>, %b: tensor<20x128xi8>) -> tensor<12x128xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<12x128xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<12x128xi32>) -> tensor<12x128xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<12x20xi8>, tensor<20x128xi8>) outs(%f : tensor<12x128xi32>) {
  ^bb0(%x: i8, %y: i8, %sum: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %t = arith.muli %p, %q : i32
    %u = arith.addi %sum, %t : i32
    linalg.yield %u : i32
  } -> tensor<12x128xi32>
  %relu = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<12x128xi32>) outs(%e : tensor<12x128xi32>) {
  ^bb0(%x: i32, %out: i32):
    %y = arith.maxsi %x, %zero : i32
    linalg.yield %y : i32
  } -> tensor<12x128xi32>
  return %relu : tensor<12x128xi32>
}

// -----

// Signed bytes of both: the row is moved by 128, and 128 times the sums of the
// columns are taken off. One row reads its columns once, without a panel.
// CHECK-LABEL: func.func @signed_signed_row(
// CHECK-NOT: tensor<2x2x64xi8>
// CHECK: scf.for {{.*}} -> (vector<16xi32>, vector<16xi32>, vector<16xi32>, vector<16xi32>)
// CHECK: %[[MOVED:.*]] = arith.xori %{{.*}}, %{{.*}} : vector<64xi8>
// CHECK: %[[BYTES:.*]] = vector.shape_cast %[[MOVED]]
// CHECK: arith.extui %[[BYTES]]
// CHECK: %[[TIMES:.*]] = arith.shli %{{.*}} : vector<16xi32>
// CHECK: arith.subi %{{.*}}, %[[TIMES]]
func.func @signed_signed_row(%a: tensor<1x8xi8>, %b: tensor<8x32xi8>, %c: tensor<1x32xi32>) -> tensor<1x32xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<1x8xi8>, tensor<8x32xi8>) outs(%c : tensor<1x32xi32>) -> tensor<1x32xi32>
  return %r : tensor<1x32xi32>
}

// -----

// Constant columns are laid out here and now: columns 0 and 1 in fours.
// CHECK-LABEL: func.func @constant(
// CHECK-DAG: arith.constant dense<{{.*}}16, 20, 0, 0
// CHECK-DAG: arith.constant dense<{{.*}}1, 3, 5, 7, 2, 4, 6, 8, 0, 0
// CHECK-NOT: vector.interleave
// CHECK: return
func.func @constant(%a: tensor<2x4xi8>, %c: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %b = arith.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi8>
  %r = linalg.matmul ins(%a, %b : tensor<2x4xi8>, tensor<4x2xi8>) outs(%c : tensor<2x2xi32>) -> tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}

// -----

// Transposed columns: 16 of them are turned in four rounds.
// CHECK-LABEL: func.func @transposed(
// CHECK: %[[PANEL:[0-9]+]]:{{[0-9]+}} = scf.for
// CHECK-COUNT-64: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK: vector.transfer_read %[[PANEL]]#0
func.func @transposed(%a: tensor<6x64xi8>, %b: tensor<16x64xi8>, %c: tensor<6x16xi32>) -> tensor<6x16xi32> {
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<6x64xi8>, tensor<16x64xi8>) outs(%c : tensor<6x16xi32>) -> tensor<6x16xi32>
  return %r : tensor<6x16xi32>
}

// -----

// A wider panel is the same 16 columns in a loop. One op writes all fours of a
// step: bufferization compares each write with every other one.
// CHECK-LABEL: func.func @transposed_loop(
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<20x4x64xi8>
// CHECK: scf.for %[[COLUMN:.*]] = %c0 to %c64 step %c16 iter_args({{.*}} = %[[EMPTY]],
// CHECK-NOT: vector.transfer_write
// CHECK: vector.transfer_write {{.*}} vector<16x1x64xi8>, tensor<20x4x64xi8>
// CHECK-NOT: vector.transfer_write
// CHECK: vector.transfer_write {{.*}} vector<4x1x64xi8>, tensor<20x4x64xi8>
// CHECK-NOT: vector.transfer_write
// CHECK: vector.transfer_write {{.*}} vector<16xi32>, tensor<4x16xi32>
// CHECK-NOT: vector.transfer_write
// CHECK: vector.transfer_read {{.*}} vector<4x64xi8>
// CHECK-COUNT-2: vector.transfer_write {{.*}} vector<64xi32>, tensor<2x64xi32>
// CHECK-NOT: vector.transfer_write
func.func @transposed_loop(%a: tensor<2x80xi8>, %b: tensor<64x80xi8>, %c: tensor<2x64xi32>) -> tensor<2x64xi32> {
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<2x80xi8>, tensor<64x80xi8>) outs(%c : tensor<2x64xi32>) -> tensor<2x64xi32>
  return %r : tensor<2x64xi32>
}

// -----

// Tiles of six rows and of what is left over share a panel of an unknown depth:
// one for 64 columns, one for fewer.
// CHECK-LABEL: func.func @transposed_dynamic(
// CHECK-COUNT-2: tensor.empty({{.*}}) : tensor<?x4x64xi8>
// CHECK-NOT: tensor.empty({{.*}}) : tensor<?x4x64xi8>
// CHECK: return
func.func @transposed_dynamic(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %zero = arith.constant 0 : i32
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  %relu = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<?x?xi32>) outs(%c : tensor<?x?xi32>) {
  ^bb0(%x: i32, %out: i32):
    %y = arith.maxsi %x, %zero : i32
    linalg.yield %y : i32
  } -> tensor<?x?xi32>
  return %relu : tensor<?x?xi32>
}

// -----

// A convolution whose channels are innermost: rows are neighbors in a line, and
// the window is two loops around that over the channels.
// CHECK-LABEL: func.func @convolution(
// CHECK: %[[PANEL:[0-9]+]]:{{[0-9]+}} = scf.for {{.*}} -> (tensor<3x3x2x1x64xi8>
// CHECK: %[[SUMS:.*]]:6 = scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.transfer_read %[[PANEL]]#0
func.func @convolution(%a: tensor<1x8x8x8xi8>, %w: tensor<3x3x8x16xi8>, %c: tensor<1x6x6x16xi32>) -> tensor<1x6x6x16xi32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%a, %w : tensor<1x8x8x8xi8>, tensor<3x3x8x16xi8>) outs(%c : tensor<1x6x6x16xi32>) -> tensor<1x6x6x16xi32>
  return %r : tensor<1x6x6x16xi32>
}

// -----

// Rows are those of a loop of more than one iteration: the picture is one column.
// CHECK-LABEL: func.func @convolution_of_column(
// CHECK: scf.for {{.*}} step %c6
// CHECK: %[[SUMS:.*]]:6 = scf.for
func.func @convolution_of_column(%a: tensor<1x14x1x8xi8>, %w: tensor<3x1x8x16xi8>, %c: tensor<1x12x1x16xi32>) -> tensor<1x12x1x16xi32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%a, %w : tensor<1x14x1x8xi8>, tensor<3x1x8x16xi8>) outs(%c : tensor<1x12x1x16xi32>) -> tensor<1x12x1x16xi32>
  return %r : tensor<1x12x1x16xi32>
}

// -----

// What does not fit is transposed: squares of 16, and what is left over.
// CHECK-LABEL: func.func @transposed_rows(
// CHECK-COUNT-64: vector.shuffle {{.*}} vector<16xi8>, vector<16xi8>
// CHECK: linalg.transpose
// CHECK: vector.contract
// CHECK-NOT: linalg.generic
func.func @transposed_rows(%a: tensor<20x18xi8>, %b: tensor<20x32xi8>, %c: tensor<18x32xi32>) -> tensor<18x32xi32> {
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<20x18xi8>, tensor<20x32xi8>) outs(%c : tensor<18x32xi32>) -> tensor<18x32xi32>
  return %r : tensor<18x32xi32>
}

// -----

// Sums in i64 and products of an empty size stay loops.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: vector.contract
func.func @others(%a: tensor<4x8xi8>, %b: tensor<8x4xi8>, %c: tensor<4x4xi64>, %none: tensor<0x8xi8>, %e: tensor<0x4xi32>)
    -> (tensor<4x4xi64>, tensor<0x4xi32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xi8>, tensor<8x4xi8>) outs(%c : tensor<4x4xi64>) -> tensor<4x4xi64>
  %1 = linalg.matmul ins(%none, %b : tensor<0x8xi8>, tensor<8x4xi8>) outs(%e : tensor<0x4xi32>) -> tensor<0x4xi32>
  return %0, %1 : tensor<4x4xi64>, tensor<0x4xi32>
}
