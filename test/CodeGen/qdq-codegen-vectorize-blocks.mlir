// Blocks that do not divide: a vector lies in one block, and its scale is loaded once.
// RUN: quant-opt %s --convert-qdq-to-linalg=element-ops --qdq-strip-signedness --qdq-codegen-vectorize --convert-qdq-to-arith --canonicalize | FileCheck %s

// CHECK-LABEL: func @dequantize_blocked_short_tail
// CHECK-SAME: %{{.*}}: tensor<4x100xi8>, %[[S:.*]]: tensor<4x4xf32>
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c4
// CHECK: scf.for %[[COL:.*]] = %c0 to %c96 step %c32
// CHECK: %[[BLOCK:.*]] = arith.divui %[[COL]], %c32
// CHECK: %[[SCALE:.*]] = tensor.extract %[[S]][%[[ROW]], %[[BLOCK]]]
// CHECK: vector.broadcast %[[SCALE]] : f32 to vector<16xf32>
// CHECK: %[[LAST:.*]] = tensor.extract %[[S]][%[[ROW]], %c3]
// CHECK: vector.broadcast %[[LAST]] : f32 to vector<4xf32>
// CHECK-NOT: linalg.generic
func.func @dequantize_blocked_short_tail(%q: tensor<4x100xi8>, %s: tensor<4x4xf32>) -> tensor<4x100xf32> {
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<4x100xi8>, tensor<4x4xf32>) -> tensor<4x100xf32>
  return %x : tensor<4x100xf32>
}

// The scales of blocks of rows are a row.
// CHECK-LABEL: func @quantize_blocked_rows_dynamic
// CHECK-SAME: %{{.*}}: tensor<?x64xf32>, %[[S:.*]]: tensor<?x64xf32>
// CHECK: scf.for %[[ROW:.*]] = %c0 to %{{.*}} step %c16
// CHECK: %[[BLOCK:.*]] = arith.divui %[[ROW]], %c16
// CHECK: tensor.extract_slice %[[S]][%[[BLOCK]], 0] [1, 64] [1, 1] : tensor<?x64xf32> to tensor<64xf32>
// CHECK: arith.divf %{{.*}} : vector<16xf32>
func.func @quantize_blocked_rows_dynamic(%x: tensor<?x64xf32>, %s: tensor<?x64xf32>) -> tensor<?x64xi8> {
  %q = qdq.quantize %x scale %s block_shape [16, 1] : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x64xi8>
  return %q : tensor<?x64xi8>
}

// Containers and their slots; what is left over of 96 elements is 32 wide.
// CHECK-LABEL: func @unpack_dequantize_blocked_short_tail
// CHECK: vector.transfer_read %{{.*}} : tensor<1x16xi8>, vector<16xi8>
// CHECK: vector.transfer_read %{{.*}} : tensor<1x16xi8>, vector<16xi8>
// CHECK-NOT: linalg.generic
func.func @unpack_dequantize_blocked_short_tail(%w: tensor<8x48xui8>, %s: tensor<8x2xf32>) -> tensor<8x96xf32> {
  %q = qdq.unpack %w packing <onnx, axis = 1> : (tensor<8x48xui8>) -> tensor<8x96xi4>
  %x = qdq.dequantize %q scale %s block_shape [1, 64] : (tensor<8x96xi4>, tensor<8x2xf32>) -> tensor<8x96xf32>
  return %x : tensor<8x96xf32>
}

// Each tile packs into words of its own, which start from zero.
// CHECK-LABEL: func @quantize_pack_blocked_short_tail
// CHECK-NOT: linalg.fill
// CHECK: vector.transfer_write %{{.*}} : vector<8x3xi8>
// CHECK-NOT: linalg.generic
func.func @quantize_pack_blocked_short_tail(%x: tensor<8x96xf32>, %s: tensor<8x2xf32>) -> tensor<8x72xui8> {
  %q = qdq.quantize %x scale %s block_shape [1, 64] : (tensor<8x96xf32>, tensor<8x2xf32>) -> tensor<8x96xf6E3M2FN>
  %w = qdq.pack %q packing <onnx, axis = 1> : (tensor<8x96xf6E3M2FN>) -> tensor<8x72xui8>
  return %w : tensor<8x72xui8>
}

// Rows that are packed together have a scale each, of the tile's block.
// CHECK-LABEL: func @quantize_pack_rows_blocked_short_tail
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0, 0] [1, 4, 1] [1, 1, 1] : tensor<2x4x2xf32> to tensor<4xf32>
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0, 1] [1, 4, 1] [1, 1, 1] : tensor<2x4x2xf32> to tensor<4xf32>
func.func @quantize_pack_rows_blocked_short_tail(%x: tensor<8x96xf32>, %s: tensor<8x2xf32>) -> tensor<6x96xui8> {
  %q = qdq.quantize %x scale %s block_shape [1, 64] : (tensor<8x96xf32>, tensor<8x2xf32>) -> tensor<8x96xf6E3M2FN>
  %w = qdq.pack %q packing <onnx, axis = 0> : (tensor<8x96xf6E3M2FN>) -> tensor<6x96xui8>
  return %w : tensor<6x96xui8>
}

// Sizes that are not known: whole blocks in vectors, and a loop over less than
// one.
// CHECK-LABEL: func @unpack_dequantize_blocked_dynamic
// CHECK: vector.interleave
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
// CHECK-NOT: arith.mulf %{{.*}} : vector
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x?xf32>)
func.func @unpack_dequantize_blocked_dynamic(%w: tensor<?x?xui8>, %s: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %q = qdq.unpack %w packing <onnx, axis = 1> : (tensor<?x?xui8>) -> tensor<?x?xi4>
  %x = qdq.dequantize %q scale %s block_shape [1, 64] : (tensor<?x?xi4>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %x : tensor<?x?xf32>
}

// Rows may be none, and then nobody reads the parameter that all of them share: at an index of which nothing is known.
// CHECK-LABEL: func @shared_by_rows
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic
// CHECK: tensor.extract
#rows = affine_map<(i, j) -> (i, j)>
func.func @shared_by_rows(%x: tensor<?x32xf32>, %s: tensor<?xf32>, %first: index, %e: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %c32 = arith.constant 32 : index
  %r = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%a: f32, %out: f32):
    %j = linalg.index 1 : index
    %at = arith.muli %first, %c32 : index
    %sum = arith.addi %j, %at : index
    %block = arith.divui %sum, %c32 : index
    %scale = tensor.extract %s[%block] : tensor<?xf32>
    %y = arith.mulf %a, %scale : f32
    linalg.yield %y : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// Without loops there are no tiles.
// CHECK-LABEL: func @no_loops
// CHECK: linalg.generic
func.func @no_loops(%s: tensor<?xf32>, %e: tensor<f32>) -> tensor<f32> {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%e : tensor<f32>) {
  ^bb0(%out: f32):
    %block = arith.divui %c64, %c32 : index
    %scale = tensor.extract %s[%block] : tensor<?xf32>
    linalg.yield %scale : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// Every second scale: no loop counts them, so no tile has one.
// CHECK-LABEL: func @every_second_scale
// CHECK-NOT: scf.for
// CHECK: linalg.generic
func.func @every_second_scale(%x: tensor<8x100xf32>, %s: tensor<16x4xf32>) -> tensor<8x100xf32> {
  %e = tensor.empty() : tensor<8x100xf32>
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %c2 : index
    %block = arith.divui %j, %c32 : index
    %scale = tensor.extract %s[%row, %block] : tensor<16x4xf32>
    %b = arith.mulf %a, %scale : f32
    linalg.yield %b : f32
  } -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}

// The columns that a tile counts are those of the scales, too: a row without columns reads none.
// CHECK-LABEL: func @blocks_of_rows_dynamic(
// CHECK: arith.divf %{{.*}} : vector<16xf32>
func.func @blocks_of_rows_dynamic(%x: tensor<?x?xf32>, %s: tensor<?x?xf32>) -> tensor<?x?xi8> {
  %q = qdq.quantize %x scale %s block_shape [16, 1] : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xi8>
  return %q : tensor<?x?xi8>
}

// The lowest index is a multiple of each block: a vector has one scale.
// CHECK-LABEL: func @lowest_index(
// CHECK: tensor.extract
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
func.func @lowest_index(%x: tensor<64xf32>, %s: tensor<?xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  %c32 = arith.constant 32 : index
  %lowest = arith.constant -9223372036854775808 : index
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.addi %i, %lowest : index
    %block = arith.divui %j, %c32 : index
    %scale = tensor.extract %s[%block] : tensor<?xf32>
    %b = arith.mulf %a, %scale : f32
    linalg.yield %b : f32
  } -> tensor<64xf32>
  return %y : tensor<64xf32>
}

// The remainders of three loops are peeled: 8 forms of a tile, not 32.
// CHECK-LABEL: func @five_open_sizes(
// CHECK-COUNT-8: tensor.insert_slice %{{.*}} : tensor<{{.*}}xi8> into tensor<?x?x?x?x?xi8>
// CHECK-NOT: into tensor<?x?x?x?x?xi8>
// CHECK: return
func.func @five_open_sizes(%x: tensor<?x?x?x?x?xf32>, %s: tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xi8> {
  %q = qdq.quantize %x scale %s block_shape [8, 32, 4, 3, 32] : (tensor<?x?x?x?x?xf32>, tensor<?x?x?x?x?xf32>) -> tensor<?x?x?x?x?xi8>
  return %q : tensor<?x?x?x?x?xi8>
}
