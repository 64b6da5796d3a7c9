// RUN: quant-opt %s --qdq-codegen-pack-constants --cse --split-input-file | FileCheck %s

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// The nibbles 1, 2, 3, 4 are the elements 0, 2, 1, 3; 0x3C00 is 1 in f16.
// CHECK-LABEL: func @record
// CHECK-DAG: %[[BYTES:.*]] = arith.constant dense_resource<unpacked> : tensor<2xi8>
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<1.000000e+00> : tensor<1x1xf16>
// CHECK-DAG: %[[CODES:.*]] = qdq.unpack %[[BYTES]] packing <onnx> : (tensor<2xi8>) -> tensor<1x4xui4>
// CHECK: qdq.dequantize %[[CODES]] scale %[[SCALE]]
// CHECK: unpacked: "0x080000003142"
func.func @record(%x: tensor<1x4xf32>, %init: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %record = arith.constant dense<[[0, 60, 33, 67]]> : tensor<1x4xi8>
  %codes = qdq.unpack %record packing <bits = 4, axis = 1, block = 4, record = 4, at = 2, order = [0, 2, 1, 3]> : (tensor<1x4xi8>) -> tensor<1x4xui4>
  %scale = qdq.unpack %record packing <bits = 16, axis = 1, block = 1, record = 4, at = 0> : (tensor<1x4xi8>) -> tensor<1x1xf16>
  %d = qdq.dequantize %codes scale %scale block_shape [1, 4] : (tensor<1x4xui4>, tensor<1x1xf16>) -> tensor<1x4xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %d : tensor<1x4xf32>, tensor<1x4xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// Bits joined and slices put together: 0x35 and 0x21 give 5 | 3 << 4 and 1 | 2 << 4
// with the nibbles apart, behind them the bytes 7 and 8; then the sign of a
// float, whose 2.5 has the bits 0x4100 in f16.
// CHECK-LABEL: func @bits
// CHECK-NOT: tensor.extract_slice
// CHECK: qdq.dequantize %{{.*}} scale %{{.*}} zero_point
// CHECK-DAG: unpacked: "0x08000000050103020708"
// CHECK-DAG: unpacked_1: "0x0800000000C100C100C1"
func.func @bits(%x: tensor<1x6xf32>, %init: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %bytes = arith.constant dense<[[53, 33, 7, 8, 0, 65, 0, 65, 0, 65]]> : tensor<1x10xi8>
  %four = arith.constant dense<4> : tensor<1x2xi8>
  %fifteen = arith.constant dense<15> : tensor<1x2xi8>
  %first = tensor.extract_slice %bytes[0, 0] [1, 2] [1, 1] : tensor<1x10xi8> to tensor<1x2xi8>
  %last = tensor.extract_slice %bytes[0, 2] [1, 2] [1, 1] : tensor<1x10xi8> to tensor<1x2xi8>
  %low = arith.andi %first, %fifteen : tensor<1x2xi8>
  %high = arith.shrui %first, %four : tensor<1x2xi8>
  %e = tensor.empty() : tensor<1x6xi8>
  %0 = tensor.insert_slice %low into %e[0, 0] [1, 2] [1, 1] : tensor<1x2xi8> into tensor<1x6xi8>
  %1 = tensor.insert_slice %high into %0[0, 2] [1, 2] [1, 1] : tensor<1x2xi8> into tensor<1x6xi8>
  %codes = tensor.insert_slice %last into %1[0, 4] [1, 2] [1, 1] : tensor<1x2xi8> into tensor<1x6xi8>
  %halves = qdq.unpack %bytes packing <bits = 16, axis = 1, block = 3, record = 10, at = 4> : (tensor<1x10xi8>) -> tensor<1x3xf16>
  %negated = arith.negf %halves : tensor<1x3xf16>
  %scale = arith.constant dense<2.0> : tensor<1x3xf16>
  %d = qdq.dequantize %codes scale %scale zero_point %negated in <expressed> block_shape [1, 2] : (tensor<1x6xi8>, tensor<1x3xf16>, tensor<1x3xf16>) -> tensor<1x6xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %d : tensor<1x6xf32>, tensor<1x6xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// A scale looked up by a byte; 1 and 4 have the bits 0x3F800000 and 0x40800000.
// CHECK-LABEL: func @looked_up
// CHECK-NOT: tensor.extract
// CHECK: qdq.dequantize
// CHECK: unpacked: "0x080000000000803F00008040"
func.func @looked_up(%codes: tensor<1x4xi8>, %x: tensor<1x4xf32>, %init: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %bytes = arith.constant dense<[[9, 0, 2]]> : tensor<1x3xi8>
  %table = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %indices = tensor.extract_slice %bytes[0, 1] [1, 2] [1, 1] : tensor<1x3xi8> to tensor<1x2xi8>
  %e = tensor.empty() : tensor<1x2xf32>
  %scale = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%indices : tensor<1x2xi8>) outs(%e : tensor<1x2xf32>) {
  ^bb0(%in: i8, %out: f32):
    %i = arith.index_castui %in : i8 to index
    %value = tensor.extract %table[%i] : tensor<3xf32>
    linalg.yield %value : f32
  } -> tensor<1x2xf32>
  %d = qdq.dequantize %codes scale %scale block_shape [1, 2] : (tensor<1x4xi8>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %d : tensor<1x4xf32>, tensor<1x4xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// -----

// No contraction reads these.
// CHECK-LABEL: func @dequantized
// CHECK-COUNT-2: qdq.unpack {{.*}} : (tensor<1x4xi8>)
func.func @dequantized() -> tensor<1x4xf32> {
  %record = arith.constant dense<[[0, 60, 33, 67]]> : tensor<1x4xi8>
  %codes = qdq.unpack %record packing <bits = 4, axis = 1, block = 4, record = 4, at = 2> : (tensor<1x4xi8>) -> tensor<1x4xui4>
  %scale = qdq.unpack %record packing <bits = 16, axis = 1, block = 1, record = 4, at = 0> : (tensor<1x4xi8>) -> tensor<1x1xf16>
  %d = qdq.dequantize %codes scale %scale block_shape [1, 4] : (tensor<1x4xui4>, tensor<1x1xf16>) -> tensor<1x4xf32>
  return %d : tensor<1x4xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// Codes in their order without gaps stay, and so do records that are arguments.
// CHECK-LABEL: func @plain
// CHECK-COUNT-2: qdq.unpack {{.*}} : (tensor<1x2xi8>)
func.func @plain(%x: tensor<1x4xf32>, %given: tensor<1x2xi8>, %scale: tensor<f32>, %init: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %bytes = arith.constant dense<[[33, 67]]> : tensor<1x2xi8>
  %codes = qdq.unpack %bytes packing <bits = 4, axis = 1, block = 4> : (tensor<1x2xi8>) -> tensor<1x4xui4>
  %d = qdq.dequantize %codes scale %scale : (tensor<1x4xui4>, tensor<f32>) -> tensor<1x4xf32>
  %0 = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %d : tensor<1x4xf32>, tensor<1x4xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  %more = qdq.unpack %given packing <bits = 4, axis = 1, block = 4, order = [0, 2, 1, 3]> : (tensor<1x2xi8>) -> tensor<1x4xui4>
  %e = qdq.dequantize %more scale %scale : (tensor<1x4xui4>, tensor<f32>) -> tensor<1x4xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %e : tensor<1x4xf32>, tensor<1x4xf32>) outs(%0 : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// A weight stays as small as its bytes, 0 and 2.
// CHECK-LABEL: func @wide
// CHECK-NOT: tensor.extract_slice
// CHECK: linalg.generic
// CHECK: arith.sitofp
// CHECK: unpacked: "0x080000000002"
func.func @wide(%x: tensor<1x2xf32>, %init: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %bytes = arith.constant dense<[[9, 0, 2]]> : tensor<1x3xi8>
  %codes = tensor.extract_slice %bytes[0, 1] [1, 2] [1, 1] : tensor<1x3xi8> to tensor<1x2xi8>
  %e = tensor.empty() : tensor<1x2xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%codes : tensor<1x2xi8>) outs(%e : tensor<1x2xf32>) {
  ^bb0(%in: i8, %out: f32):
    %value = arith.sitofp %in : i8 to f32
    linalg.yield %value : f32
  } -> tensor<1x2xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<1x2xf32>, tensor<1x2xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// So do codes of 4 bits that arithmetic decodes: 1, 2, 3, 4. Fields that are
// joined become one code each: 5 and 1, 6 and 2 are 0x15 and 0x26.
// CHECK-LABEL: func @decoded
// CHECK: %[[CODES:.*]] = qdq.unpack %{{.*}} packing <onnx> : (tensor<2xi8>) -> tensor<1x4xi4>
// CHECK: %[[WIDE:.*]] = arith.extui %[[CODES]]
// CHECK: arith.andi %[[WIDE]]
// CHECK: arith.minui
// CHECK-NOT: arith.ori
// CHECK: qdq.dequantize
// CHECK-DAG: "0x080000003142"
// CHECK-DAG: "0x080000001526"
func.func @decoded(%x: tensor<1x4xf32>, %scale: tensor<1x1xf32>, %init: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %record = arith.constant dense<[[33, 67, 101, 33]]> : tensor<1x4xi8>
  %seven = arith.constant dense<7> : tensor<1x4xi8>
  %four = arith.constant dense<4> : tensor<1x2xi8>
  %codes = qdq.unpack %record packing <bits = 4, axis = 1, block = 4, record = 4, at = 0, order = [0, 2, 1, 3]> : (tensor<1x4xi8>) -> tensor<1x4xi4>
  %wide = arith.extui %codes : tensor<1x4xi4> to tensor<1x4xi8>
  %magnitude = arith.andi %wide, %seven : tensor<1x4xi8>
  %decoded = arith.minui %magnitude, %wide : tensor<1x4xi8>
  %low = qdq.unpack %record packing <bits = 4, axis = 1, block = 2, record = 4, at = 2> : (tensor<1x4xi8>) -> tensor<1x2xi4>
  %high = qdq.unpack %record packing <bits = 4, axis = 1, block = 2, record = 4, at = 3> : (tensor<1x4xi8>) -> tensor<1x2xi4>
  %e0 = arith.extui %low : tensor<1x2xi4> to tensor<1x2xi8>
  %e1 = arith.extui %high : tensor<1x2xi4> to tensor<1x2xi8>
  %shifted = arith.shli %e1, %four : tensor<1x2xi8>
  %joined = arith.ori %e0, %shifted : tensor<1x2xi8>
  %scales = qdq.dequantize %joined scale %scale block_shape [1, 2] : (tensor<1x2xi8>, tensor<1x1xf32>) -> tensor<1x2xf32>
  %d = qdq.dequantize %decoded scale %scales block_shape [1, 2] : (tensor<1x4xi8>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %d : tensor<1x4xf32>, tensor<1x4xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// Scales that are arithmetic of a byte: 2^(2 - 127) for 2, a subnormal for 0,
// the bits 0x01000000 and 0x00400000.
// CHECK-LABEL: func @exponents
// CHECK-NOT: arith.select
// CHECK: qdq.dequantize
// CHECK: unpacked: "0x080000000000000100004000"
func.func @exponents(%codes: tensor<1x4xi8>, %x: tensor<1x4xf32>, %init: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %bytes = arith.constant dense<[[9, 2, 0]]> : tensor<1x3xi8>
  %smallest = arith.constant dense<4194304> : tensor<1x2xi32>
  %zero = arith.constant dense<0> : tensor<1x2xi32>
  %place = arith.constant dense<23> : tensor<1x2xi32>
  %exponents = tensor.extract_slice %bytes[0, 1] [1, 2] [1, 1] : tensor<1x3xi8> to tensor<1x2xi8>
  %wide = arith.extui %exponents : tensor<1x2xi8> to tensor<1x2xi32>
  %normal = arith.shli %wide, %place : tensor<1x2xi32>
  %is_zero = arith.cmpi eq, %wide, %zero : tensor<1x2xi32>
  %bits = arith.select %is_zero, %smallest, %normal : tensor<1x2xi1>, tensor<1x2xi32>
  %scale = arith.bitcast %bits : tensor<1x2xi32> to tensor<1x2xf32>
  %d = qdq.dequantize %codes scale %scale block_shape [1, 2] : (tensor<1x4xi8>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %d : tensor<1x4xf32>, tensor<1x4xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// Constants are transposed before they are dequantized: codes 1, 3, 5, 8
// and 2, 4, 6, 2, a scale for each two of them and its zero point.
// CHECK-LABEL: func @transposed
// CHECK-NOT: linalg.transpose
// CHECK: qdq.dequantize %{{.*}} scale %{{.*}} zero_point %{{.*}} block_shape [1, 2] : (tensor<2x4xui4>, tensor<2x2xf16>, tensor<2x2xi8>) -> tensor<2x4xf32>
// CHECK-NOT: linalg.transpose
// CHECK-DAG: "0x0800000031854226"
// CHECK-DAG: "0x08000000003C004200400044"
// CHECK-DAG: "0x0800000009070806"
func.func @transposed(%x: tensor<1x4xf32>, %init: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %bytes = arith.constant dense<[[33], [67], [101], [40]]> : tensor<4x1xi8>
  %codes = qdq.unpack %bytes packing <bits = 4, axis = 1, block = 2> : (tensor<4x1xi8>) -> tensor<4x2xui4>
  %scale = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16>
  %zero = arith.constant dense<[[9, 8], [7, 6]]> : tensor<2x2xi8>
  %d = qdq.dequantize %codes scale %scale zero_point %zero block_shape [2, 1] : (tensor<4x2xui4>, tensor<2x2xf16>, tensor<2x2xi8>) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<2x4xf32>
  %t = linalg.transpose ins(%d : tensor<4x2xf32>) outs(%e : tensor<2x4xf32>) permutation = [1, 0]
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %t : tensor<1x4xf32>, tensor<2x4xf32>) outs(%init : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// f8E4M3FNUZ has one zero: 0x80 is NaN. -1, 0, -2, NaN.
// CHECK-LABEL: func @negated_without_negative_zero
// CHECK: unpacked: "0x08000000C000C880"
func.func @negated_without_negative_zero(%x: tensor<1x4xf32>, %init: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %c = arith.constant dense<[[0.0, 1.0, 0.0, 2.0, 0x80, 0.5]]> : tensor<1x6xf8E4M3FNUZ>
  %s = tensor.extract_slice %c[0, 1] [1, 4] [1, 1] : tensor<1x6xf8E4M3FNUZ> to tensor<1x4xf8E4M3FNUZ>
  %n = arith.negf %s : tensor<1x4xf8E4M3FNUZ>
  %scale = arith.constant dense<1.0> : tensor<f32>
  %d = qdq.dequantize %n scale %scale : (tensor<1x4xf8E4M3FNUZ>, tensor<f32>) -> tensor<1x4xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %d : tensor<1x4xf32>, tensor<1x4xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// 10^14 equal codes are no bytes of ours.
// CHECK-LABEL: func @slice_of_large_splat
// CHECK: tensor.extract_slice
func.func @slice_of_large_splat(%x: tensor<1x4xf32>, %init: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %c = arith.constant dense<3> : tensor<1000000x100000000xi8>
  %s = tensor.extract_slice %c[0, 1] [1, 4] [1, 1] : tensor<1000000x100000000xi8> to tensor<1x4xi8>
  %scale = arith.constant dense<1.0> : tensor<f32>
  %d = qdq.dequantize %s scale %scale : (tensor<1x4xi8>, tensor<f32>) -> tensor<1x4xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %d : tensor<1x4xf32>, tensor<1x4xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// Two insertions into one value do not see each other.
// CHECK-LABEL: func @insertions
// CHECK: unpacked: "0x080000000102070801020506"
func.func @insertions(%x: tensor<1x4xf32>, %init: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %c = arith.constant dense<[[1, 2], [5, 6], [7, 8]]> : tensor<3x2xi8>
  %a = tensor.extract_slice %c[0, 0] [1, 2] [1, 1] : tensor<3x2xi8> to tensor<1x2xi8>
  %b = tensor.extract_slice %c[1, 0] [1, 2] [1, 1] : tensor<3x2xi8> to tensor<1x2xi8>
  %d = tensor.extract_slice %c[2, 0] [1, 2] [1, 1] : tensor<3x2xi8> to tensor<1x2xi8>
  %e = tensor.empty() : tensor<1x4xi8>
  %0 = tensor.insert_slice %a into %e[0, 0] [1, 2] [1, 1] : tensor<1x2xi8> into tensor<1x4xi8>
  %1 = tensor.insert_slice %b into %0[0, 2] [1, 2] [1, 1] : tensor<1x2xi8> into tensor<1x4xi8>
  %2 = tensor.insert_slice %d into %0[0, 2] [1, 2] [1, 1] : tensor<1x2xi8> into tensor<1x4xi8>
  %e2 = tensor.empty() : tensor<2x4xi8>
  %3 = tensor.insert_slice %2 into %e2[0, 0] [1, 4] [1, 1] : tensor<1x4xi8> into tensor<2x4xi8>
  %4 = tensor.insert_slice %1 into %3[1, 0] [1, 4] [1, 1] : tensor<1x4xi8> into tensor<2x4xi8>
  %scale = arith.constant dense<1.0> : tensor<f32>
  %q = qdq.dequantize %4 scale %scale : (tensor<2x4xi8>, tensor<f32>) -> tensor<2x4xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %q : tensor<1x4xf32>, tensor<2x4xf32>) outs(%init : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
#same = affine_map<(n, k) -> (n, k)>

// Bytes that a body looks up; it is erased, once with what it holds.
// CHECK-LABEL: func @bytes_by_a_table
// CHECK-NOT: linalg.generic
// CHECK: qdq.dequantize
// CHECK-LABEL: unpacked: "0x0800000028141E0A0A1E14280A140A141E281E28"
func.func @bytes_by_a_table(%x: tensor<1x8xf32>, %out: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %codes = arith.constant dense<[[3, 1, 2, 0, 0, 2, 1, 3], [0, 1, 0, 1, 2, 3, 2, 3]]> : tensor<2x8xi8>
  %table = arith.constant dense<[10, 20, 30, 40]> : tensor<4xi8>
  %scale = arith.constant dense<0.5> : tensor<2xf32>
  %empty = tensor.empty() : tensor<2x8xi8>
  %numbers = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%codes : tensor<2x8xi8>) outs(%empty : tensor<2x8xi8>) {
  ^bb0(%code: i8, %_: i8):
    %i = arith.index_castui %code : i8 to index
    %number = tensor.extract %table[%i] : tensor<4xi8>
    linalg.yield %number : i8
  } -> tensor<2x8xi8>
  %w = qdq.dequantize %numbers scale %scale axis 0 : (tensor<2x8xi8>, tensor<2xf32>) -> tensor<2x8xf32>
  %y = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<1x8xf32>, tensor<2x8xf32>) outs(%out : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

// -----

#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>

// Constant zero points of a product in a byte each, with their sign: 0x9F holds -1 and -7, or 15 and 9. Elsewhere they share bytes.
// CHECK-LABEL: func @zero_points
// CHECK: %[[PACKED:.*]] = qdq.unpack %{{.*}} packing <bits = 4, axis = 1> : (tensor<1x1xi8>) -> tensor<1x2xi4>
// CHECK: %[[SIGNED:.*]] = arith.constant dense_resource<[[NAME:unpacked[_0-9]*]]> : tensor<1x2xi8>
// CHECK: %[[Z:.*]] = arith.trunci %[[SIGNED]] overflow<nsw> : tensor<1x2xi8> to tensor<1x2xi4>
// CHECK: qdq.dequantize %{{.*}} zero_point %[[Z]]
// CHECK: %[[UNSIGNED:.*]] = arith.constant dense_resource<[[OTHER:unpacked[_0-9]*]]> : tensor<1x2xi8>
// CHECK: %[[U:.*]] = arith.trunci %[[UNSIGNED]] overflow<nuw> : tensor<1x2xi8> to tensor<1x2xi4>
// CHECK: %[[UI:.*]] = tensor.bitcast %[[U]] : tensor<1x2xi4> to tensor<1x2xui4>
// CHECK: qdq.dequantize %{{.*}} zero_point %[[UI]]
// CHECK: qdq.dequantize %{{.*}} zero_point %[[PACKED]]
// CHECK-DAG: [[NAME]]: "0x08000000FFF9"
// CHECK-DAG: [[OTHER]]: "0x080000000F09"
func.func @zero_points(%x: tensor<1x4xf32>, %c: tensor<1x4xi4>, %u: tensor<1x4xui4>, %s: tensor<1x2xf32>, %init: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x4xf32>) {
  %bytes = arith.constant dense<-97> : tensor<1x1xi8>
  %z = qdq.unpack %bytes packing <bits = 4, axis = 1> : (tensor<1x1xi8>) -> tensor<1x2xi4>
  %v = qdq.unpack %bytes packing <bits = 4, axis = 1> : (tensor<1x1xi8>) -> tensor<1x2xui4>
  %d = qdq.dequantize %c scale %s zero_point %z block_shape [1, 2] : (tensor<1x4xi4>, tensor<1x2xf32>, tensor<1x2xi4>) -> tensor<1x4xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %d : tensor<1x4xf32>, tensor<1x4xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  %e = qdq.dequantize %u scale %s zero_point %v block_shape [1, 2] : (tensor<1x4xui4>, tensor<1x2xf32>, tensor<1x2xui4>) -> tensor<1x4xf32>
  %q = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %e : tensor<1x4xf32>, tensor<1x4xf32>) outs(%init : tensor<1x1xf32>) -> tensor<1x1xf32>
  %f = qdq.dequantize %c scale %s zero_point %z block_shape [1, 2] : (tensor<1x4xi4>, tensor<1x2xf32>, tensor<1x2xi4>) -> tensor<1x4xf32>
  return %r, %q, %f : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x4xf32>
}
