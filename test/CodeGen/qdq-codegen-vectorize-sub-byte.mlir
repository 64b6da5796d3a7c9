// RUN: quant-opt %s --convert-qdq-to-linalg=element-ops --qdq-strip-signedness --qdq-codegen-vectorize --convert-qdq-to-arith --canonicalize | FileCheck %s
// RUN: quant-opt %s --convert-qdq-to-linalg=element-ops --qdq-strip-signedness --qdq-codegen-vectorize="vector-bits=256" --convert-qdq-to-arith --canonicalize | FileCheck %s --check-prefix=NARROW
// RUN: quant-opt %s --convert-qdq-to-linalg=element-ops --qdq-strip-signedness --qdq-codegen-vectorize="vector-bits=64" --convert-qdq-to-arith --canonicalize | FileCheck %s --check-prefix=SHORT

// Sixteen codes fit one vector of f32 at 512 bits: a table for each block.
// CHECK-LABEL: func @unpack_dequantize
// CHECK: %[[BYTES:.*]] = vector.transfer_read %{{.*}} : tensor<1x1x16xi8>, vector<16xi8>
// CHECK: %[[HIGH:.*]] = arith.shrui %[[BYTES]]
// CHECK: vector.interleave %{{.*}}, %{{.*}} : vector<16xi8> -> vector<32xi8>
// CHECK: %[[TABLE:.*]] = arith.mulf %{{.*}} : vector<16xf32>
// CHECK: %[[BITS:.*]] = arith.bitcast %[[TABLE]] : vector<16xf32> to vector<16xi32>
// CHECK: vector.extract %[[BITS]][%{{.*}}]
// CHECK: vector.transfer_write %{{.*}} : vector<16x2xf32>, tensor<1x1x16x2xf32>
// CHECK-NOT: linalg.generic
// At 256 bits they do not: the slots are interleaved as bytes, and widened.
// NARROW-LABEL: func @unpack_dequantize
// NARROW: %[[SLOTS:.*]] = vector.interleave %{{.*}}, %{{.*}} : vector<8xi8> -> vector<16xi8>
// NARROW: arith.{{extsi|sitofp}} %[[SLOTS]] : vector<16xi8> to vector<16x{{[if]}}32>
// NARROW: arith.mulf %{{.*}} : vector<16xf32>
// NARROW-LABEL: func @quantize_pack
func.func @unpack_dequantize(%w: tensor<8x32xui8>, %s: tensor<8x2xf32>) -> tensor<8x64xf32> {
  %q = qdq.unpack %w packing <onnx, axis = 1> : (tensor<8x32xui8>) -> tensor<8x64xi4>
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<8x64xi4>, tensor<8x2xf32>) -> tensor<8x64xf32>
  return %x : tensor<8x64xf32>
}

// Containers start from zero in registers: nothing fills or reads them.
// CHECK-LABEL: func @quantize_pack
// CHECK-NOT: linalg.fill
// CHECK: arith.divf %{{.*}} : vector<32xf32>
// CHECK: %[[CODES:.*]] = arith.andi %{{.*}} : vector<32xi8>
// CHECK: %[[EVEN:.*]] = vector.shuffle %[[CODES]], %{{.*}} [0, 2, 4
// CHECK: %[[ODD:.*]] = vector.shuffle %[[CODES]], %{{.*}} [1, 3, 5
// CHECK: %[[SHIFTED:.*]] = arith.shli %[[ODD]]
// CHECK: %[[PACKED:.*]] = arith.ori %[[EVEN]], %[[SHIFTED]] : vector<16xi8>
// CHECK: vector.transfer_write %[[PACKED]]
// CHECK-NOT: linalg.generic
func.func @quantize_pack(%x: tensor<8x64xf32>, %s: tensor<8x2xf32>) -> tensor<8x32xui8> {
  %q = qdq.quantize %x scale %s block_shape [1, 32] : (tensor<8x64xf32>, tensor<8x2xf32>) -> tensor<8x64xi4>
  %w = qdq.pack %q packing <onnx, axis = 1> : (tensor<8x64xi4>) -> tensor<8x32xui8>
  return %w : tensor<8x32xui8>
}

// Elements of 6 bits cross bytes: three bytes and a zero make a word for each
// lane, in one permutation, which is shifted.
// CHECK-LABEL: func @unpack_words
// CHECK: %[[BYTES:.*]] = vector.transfer_read %{{.*}} : tensor<1x1x8x3xi8>, vector<8x3xi8>
// CHECK: %[[FLAT:.*]] = vector.shape_cast %[[BYTES]]
// CHECK: %[[PADDED:.*]] = vector.shuffle %[[FLAT]], %{{.*}} [0, 1, 2, 24, 0, 1, 2, 24, 0, 1, 2, 24, 0, 1, 2, 24, 3, 4, 5, 24,
// CHECK: vector.bitcast %[[PADDED]] : vector<128xi8> to vector<32xi32>
// CHECK: arith.shrui %{{.*}}, %{{.*}} : vector<32xi32>
// CHECK: vector.transfer_write %{{.*}} : vector<8x4xf32>
// CHECK-NOT: linalg.generic
func.func @unpack_words(%w: tensor<8x48xui8>, %s: tensor<8x2xf32>) -> tensor<8x64xf32> {
  %q = qdq.unpack %w packing <onnx, axis = 1> : (tensor<8x48xui8>) -> tensor<8x64xf6E3M2FN>
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<8x64xf6E3M2FN>, tensor<8x2xf32>) -> tensor<8x64xf32>
  return %x : tensor<8x64xf32>
}

// Words are made of their elements, and then cut into bytes.
// CHECK-LABEL: func @pack_words
// CHECK-NOT: linalg.fill
// CHECK: %[[WORD:.*]] = arith.ori %{{.*}} : vector<8xi32>
// CHECK: vector.transfer_write %{{.*}} : vector<8xi32>
// CHECK: arith.trunci %{{.*}} : vector<{{.*}}xi32> to vector<{{.*}}xi8>
// CHECK-NOT: linalg.generic
func.func @pack_words(%x: tensor<8x64xf32>, %s: tensor<8x2xf32>) -> tensor<8x48xui8> {
  %q = qdq.quantize %x scale %s block_shape [1, 32] : (tensor<8x64xf32>, tensor<8x2xf32>) -> tensor<8x64xf6E3M2FN>
  %w = qdq.pack %q packing <onnx, axis = 1> : (tensor<8x64xf6E3M2FN>) -> tensor<8x48xui8>
  return %w : tensor<8x48xui8>
}

// The codes of rows that may begin inside a byte are bytes of a tensor.
// CHECK-LABEL: func @codes_as_bytes
// CHECK: vector.bitcast %{{.*}} : vector<128xi8> to vector<32xi32>
// CHECK: arith.trunci %{{.*}} : vector<32xi32> to vector<32xi8>
// CHECK: vector.transfer_write %{{.*}} : vector<8x4xi8>
func.func @codes_as_bytes(%w: tensor<?xui8>, %d: index, %s: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %q = qdq.unpack %w packing <onnx> sizes(%d, %d) : (tensor<?xui8>, index, index) -> tensor<?x?xf6E3M2FN>
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<?x?xf6E3M2FN>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %x : tensor<?x?xf32>
}

// A packed zero point is shifted by the loop over the blocks of a container,
// in the body that uses it.
// CHECK-LABEL: func @packed_zero_point
// CHECK-NOT: tensor<{{.*}}xi4>
// CHECK: tensor.extract %{{.*}} : tensor<1x1xi8>
// CHECK: vector.transfer_write
func.func @packed_zero_point(%w: tensor<8x32xui8>, %s: tensor<8x2xf32>, %p: tensor<8x1xui8>) -> tensor<8x64xf32> {
  %q = qdq.unpack %w packing <onnx, axis = 1> : (tensor<8x32xui8>) -> tensor<8x64xi4>
  %z = qdq.unpack %p packing <onnx, axis = 1> : (tensor<8x1xui8>) -> tensor<8x2xi4>
  %x = qdq.dequantize %q scale %s zero_point %z block_shape [1, 32] : (tensor<8x64xi4>, tensor<8x2xf32>, tensor<8x2xi4>) -> tensor<8x64xf32>
  return %x : tensor<8x64xf32>
}

// What does not fill a tile packs in loops, from containers that it fills.
// CHECK-LABEL: func @remainder
// CHECK: vector.transfer_write %{{.*}} : vector<16xi8>
// CHECK: linalg.fill
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
func.func @remainder(%x: tensor<8x134xf32>, %s: tensor<f32>) -> tensor<8x67xui8> {
  %q = qdq.quantize %x scale %s : (tensor<8x134xf32>, tensor<f32>) -> tensor<8x134xi4>
  %w = qdq.pack %q packing <onnx, axis = 1> : (tensor<8x134xi4>) -> tensor<8x67xui8>
  return %w : tensor<8x67xui8>
}

// Halves of a block in the two slots of its bytes lie one behind the other.
// CHECK-LABEL: func @ggml
// CHECK: vector.transfer_read %{{.*}} : tensor<1x1x16xi8>, vector<16xi8>
// CHECK: vector.shuffle %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
// CHECK: vector.transfer_write %{{.*}} : vector<2x16xf32>, tensor<1x1x2x16xf32>
func.func @ggml(%c: tensor<8x36xui8>, %s: tensor<8x2xf32>) -> tensor<8x64xf32> {
  %q = qdq.unpack %c packing <ggml-q4_0> : (tensor<8x36xui8>) -> tensor<8x64xi4>
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<8x64xi4>, tensor<8x2xf32>) -> tensor<8x64xf32>
  return %x : tensor<8x64xf32>
}

// Floats that share bytes are codes of a table.
// CHECK-LABEL: func @float4
// CHECK-NOT: f4E2M1FN
// CHECK: vector.interleave
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
func.func @float4(%w: tensor<8x16xui8>, %s: tensor<8x1xf32>) -> tensor<8x32xf32> {
  %q = qdq.unpack %w packing <onnx, axis = 1> : (tensor<8x16xui8>) -> tensor<8x32xf4E2M1FN>
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<8x32xf4E2M1FN>, tensor<8x1xf32>) -> tensor<8x32xf32>
  return %x : tensor<8x32xf32>
}

// No element, no lane.
// CHECK-LABEL: func @empty
func.func @empty(%w: tensor<0x16xui8>, %s: tensor<0x1xf32>) -> tensor<0x32xf32> {
  %q = qdq.unpack %w packing <onnx, axis = 1> : (tensor<0x16xui8>) -> tensor<0x32xi4>
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<0x32xi4>, tensor<0x1xf32>) -> tensor<0x32xf32>
  return %x : tensor<0x32xf32>
}

// Slots alone can fill the lanes of a container that is a scalar.
// CHECK-LABEL: func @one_container
// CHECK: tensor.extract %{{.*}} : tensor<1xi64>
// CHECK: vector.transfer_write %{{.*}} : vector<16xf32>, tensor<1x16xf32>
func.func @one_container(%c: tensor<40xi64>, %s: f32) -> tensor<640xf32> {
  %q = qdq.unpack %c packing <bits = 4, container = i64, axis = 0> : (tensor<40xi64>) -> tensor<640xi4>
  %x = qdq.dequantize %q scale %s : (tensor<640xi4>, f32) -> tensor<640xf32>
  return %x : tensor<640xf32>
}

#bytes = affine_map<(d0, d1) -> (d0)>
#codes = affine_map<(d0, d1) -> (d0, d1)>

// A table has entries for codes that no element has, so that it divides by
// nothing that comes from a code.
// CHECK-LABEL: func @division
// CHECK: arith.remui %{{.*}} : vector<64xi16>
// CHECK-LABEL: func @whole_bytes
func.func @division(%x: tensor<64xi8>, %d: i16) -> tensor<64x2xi16> {
  %e = tensor.empty() : tensor<64x2xi16>
  %y = linalg.generic {indexing_maps = [#bytes, #codes], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64xi8>) outs(%e : tensor<64x2xi16>) {
  ^bb0(%in: i8, %out: i16):
    %i = linalg.index 1 : index
    %t = qdq.extract_field %in slots(%i) strides [4] : (i8, index) -> i4
    %z = arith.extui %t : i4 to i16
    %q = arith.remui %d, %z : i16
    linalg.yield %q : i16
  } -> tensor<64x2xi16>
  return %y : tensor<64x2xi16>
}

// Memory holds i24 in four bytes, a vector in three.
// CHECK: linalg.generic
func.func @whole_bytes(%x: tensor<64xi8>) -> tensor<64x2xi24> {
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<64x2xi24>
  %y = linalg.generic {indexing_maps = [#bytes, #codes], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64xi8>) outs(%e : tensor<64x2xi24>) {
  ^bb0(%in: i8, %out: i24):
    %i = linalg.index 1 : index
    %m = arith.muli %i, %c4 : index
    %s = arith.index_cast %m : index to i8
    %h = arith.shrui %in, %s : i8
    %z = arith.extsi %h : i8 to i24
    linalg.yield %z : i24
  } -> tensor<64x2xi24>
  return %y : tensor<64x2xi24>
}

// A conversion to a float of 4 bits, and a result that has no slots, stay.
// CHECK-LABEL: func @small_float
// CHECK: linalg.generic
// CHECK-LABEL: func @no_slots
// CHECK: linalg.generic
func.func @small_float(%x: tensor<64xi8>) -> tensor<64x2xf32> {
  %e = tensor.empty() : tensor<64x2xf32>
  %y = linalg.generic {indexing_maps = [#bytes, #codes], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64xi8>) outs(%e : tensor<64x2xf32>) {
  ^bb0(%in: i8, %out: f32):
    %i = linalg.index 1 : index
    %t = qdq.extract_field %in slots(%i) strides [4] : (i8, index) -> i4
    %w = arith.sitofp %t : i4 to f4E2M1FN
    %c = arith.bitcast %w : f4E2M1FN to i4
    %z = arith.uitofp %c : i4 to f32
    linalg.yield %z : f32
  } -> tensor<64x2xf32>
  return %y : tensor<64x2xf32>
}
func.func @no_slots(%x: tensor<64xi8>) -> (tensor<64x2xi8>, tensor<64xi8>) {
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<64x2xi8>
  %f = tensor.empty() : tensor<64xi8>
  %y:2 = linalg.generic {indexing_maps = [#bytes, #codes, #bytes], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64xi8>) outs(%e, %f : tensor<64x2xi8>, tensor<64xi8>) {
  ^bb0(%in: i8, %out: i8, %other: i8):
    %i = linalg.index 1 : index
    %m = arith.muli %i, %c4 : index
    %s = arith.index_cast %m : index to i8
    %h = arith.shrui %in, %s : i8
    linalg.yield %h, %in : i8, i8
  } -> (tensor<64x2xi8>, tensor<64xi8>)
  return %y#0, %y#1 : tensor<64x2xi8>, tensor<64xi8>
}

// The first of many bytes is no part of a word.
// CHECK-LABEL: func.func @no_word(
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @no_word(%x: tensor<?x?xi8>, %y: tensor<?x100xi8>, %z: tensor<?x8xi8>) -> (tensor<?x8xi8>, tensor<?x8xi8>) {
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xi8>) outs(%z : tensor<?x8xi8>) {
  ^bb0(%in: i8, %out: i8):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i8
    %m = arith.shrui %in, %k : i8
    linalg.yield %m : i8
  } -> tensor<?x8xi8>
  %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<?x100xi8>) outs(%z : tensor<?x8xi8>) {
  ^bb0(%in: i8, %out: i8):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i8
    %m = arith.shrui %in, %k : i8
    linalg.yield %m : i8
  } -> tensor<?x8xi8>
  return %a, %b : tensor<?x8xi8>, tensor<?x8xi8>
}

// A vector of 64 bits holds no table of 16 bytes: codes are extended within their bytes.
// SHORT-LABEL: func @unpack_extend
// SHORT: %[[BYTES:.*]] = vector.transfer_read
// SHORT: %[[HIGH:.*]] = arith.shrui %[[BYTES]], %[[FOUR:.*]] : vector<8xi8>
// SHORT: %[[LOW:.*]] = arith.shli %[[BYTES]], %[[FOUR]] : vector<8xi8>
// SHORT: arith.shrsi %[[LOW]], %[[FOUR]] : vector<8xi8>
// SHORT: %[[HIGHEST:.*]] = arith.shli %[[HIGH]], %[[FOUR]] : vector<8xi8>
// SHORT: arith.shrsi %[[HIGHEST]], %[[FOUR]] : vector<8xi8>
// SHORT-NEXT: vector.interleave
#w = affine_map<(row, byte, slot) -> (row, byte)>
#y = affine_map<(row, byte, slot) -> (row, byte, slot)>
func.func @unpack_extend(%w: tensor<8x32xi8>) -> tensor<8x32x2xi8> {
  %e = tensor.empty() : tensor<8x32x2xi8>
  %r = linalg.generic {indexing_maps = [#w, #y], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<8x32xi8>) outs(%e : tensor<8x32x2xi8>) {
  ^bb0(%bytes: i8, %out: i8):
    %slot = linalg.index 2 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %wide = arith.extsi %code : i4 to i8
    linalg.yield %wide : i8
  } -> tensor<8x32x2xi8>
  return %r : tensor<8x32x2xi8>
}

// -----

// All bits of bytes, in their order, are a vector of bits.
// CHECK-LABEL: func @bits
// CHECK: vector.bitcast %{{.*}} : vector<[[BYTES:.*]]xi8> to vector<{{.*}}xi1>
// CHECK-NOT: vector.interleave
func.func @bits(%bytes: tensor<64x8xi8>, %e: tensor<64x8x8xi8>) -> tensor<64x8x8xi8> {
  %r = linalg.generic {indexing_maps = [affine_map<(n, byte, bit) -> (n, byte)>, affine_map<(n, byte, bit) -> (n, byte, bit)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%bytes : tensor<64x8xi8>) outs(%e : tensor<64x8x8xi8>) {
  ^bb0(%in: i8, %out: i8):
    %slot = linalg.index 2 : index
    %bit = qdq.extract_field %in slots(%slot) strides [1] : (i8, index) -> i1
    %wide = arith.extui %bit : i1 to i8
    linalg.yield %wide : i8
  } -> tensor<64x8x8xi8>
  return %r : tensor<64x8x8xi8>
}
