// RUN: quant-opt %s --convert-qdq-to-linalg --split-input-file | FileCheck %s

// The containers are an operand, and the slot a loop: no load in the body.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func @unpack_pmx
// CHECK-SAME: %[[C:.*]]: tensor<4x8xi16>
func.func @unpack_pmx(%c: tensor<4x8xi16>) -> tensor<16x8xi4> {
  // CHECK: %[[Q:.*]] = linalg.generic {indexing_maps = [#[[ROW]], #[[ID]]], {{.*}} ins(%[[C]] : tensor<4x8xi16>)
  // CHECK: linalg.index 1
  // CHECK: arith.shrui
  // CHECK: arith.trunci %{{.*}} : i16 to i4
  // CHECK: arith.subi %{{.*}}, %c-8_i4
  // CHECK: tensor.collapse_shape %[[Q]] {{\[\[}}0, 1], [2]] : tensor<4x4x8xi4> into tensor<16x8xi4>
  %q = qdq.unpack %c packing <pmx-int4x4> : (tensor<4x8xi16>) -> tensor<16x8xi4>
  return %q : tensor<16x8xi4>
}

// -----

// Rows that fill whole bytes keep their shape.
// CHECK-LABEL: func @unpack_onnx_rows
func.func @unpack_onnx_rows(%c: tensor<32xi8>) -> tensor<4x16xi4> {
  // CHECK: tensor.expand_shape %{{.*}} output_shape [4, 8] : tensor<32xi8> into tensor<4x8xi8>
  // CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x8xi8>) outs(%{{.*}} : tensor<4x8x2xi4>)
  %q = qdq.unpack %c packing <onnx> : (tensor<32xi8>) -> tensor<4x16xi4>
  return %q : tensor<4x16xi4>
}

// -----

// CHECK-DAG: #[[BYTES:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-LABEL: func @unpack_ggml
// CHECK-SAME: %[[C:.*]]: tensor<?x36xi8>
func.func @unpack_ggml(%c: tensor<?x36xi8>) -> tensor<?x64xi4> {
  // CHECK: %[[RECORDS:.*]] = tensor.expand_shape %[[C]] {{.*}} : tensor<?x36xi8> into tensor<?x2x18xi8>
  // CHECK: %[[CODES:.*]] = tensor.extract_slice %[[RECORDS]][0, 0, 2] [%{{.*}}, 2, 16] [1, 1, 1]
  // CHECK: linalg.generic {indexing_maps = [#[[BYTES]], #{{.*}}], {{.*}} ins(%[[CODES]] : tensor<?x2x16xi8>) outs(%{{.*}} : tensor<?x2x2x16xi4>)
  %q = qdq.unpack %c packing <ggml-q4_0> : (tensor<?x36xi8>) -> tensor<?x64xi4>
  return %q : tensor<?x64xi4>
}

// -----

// Whole words of elements that cross bytes, and the elements behind them.
// CHECK-LABEL: func @unpack_partial_word
func.func @unpack_partial_word(%c: tensor<?xi8>, %n: index) -> tensor<?xf6E3M2FN> {
  // CHECK: %[[REST:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?xf6E3M2FN>)
  // CHECK-COUNT-2: tensor.extract %
  // CHECK: %[[ALL:.*]] = tensor.insert_slice %[[REST]] into
  // CHECK-NOT: tensor.pad
  // CHECK: %[[WORDS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x4xf6E3M2FN>)
  // CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[WORDS]]
  // CHECK: tensor.insert_slice %[[FLAT]] into %[[ALL]][0]
  %q = qdq.unpack %c packing <onnx> sizes(%n) : (tensor<?xi8>, index) -> tensor<?xf6E3M2FN>
  return %q : tensor<?xf6E3M2FN>
}

// -----

// An element that crosses containers is cut out of two of them.
// CHECK-LABEL: func @unpack_three_bits
func.func @unpack_three_bits(%c: tensor<3x5xi32>) -> tensor<32x5xui3> {
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<32x5xi3>)
  // CHECK-COUNT-2: tensor.extract
  // CHECK-NOT: tensor.extract
  // CHECK: arith.trunci %{{.*}} : i64 to i3
  %q = qdq.unpack %c packing <gptq-v2> : (tensor<3x5xi32>) -> tensor<32x5xui3>
  return %q : tensor<32x5xui3>
}

// -----

// The slots of a container are reduced.
// CHECK-DAG: #[[CODE:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[BYTE:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func @pack_onnx
func.func @pack_onnx(%q: tensor<4x16xi4>) -> tensor<32xi8> {
  // CHECK: %[[BYTES:.*]] = linalg.fill ins(%c0_i8 : i8)
  // CHECK: %[[E:.*]] = tensor.expand_shape %{{.*}} : tensor<4x16xi4> into tensor<4x8x2xi4>
  // CHECK: linalg.generic {indexing_maps = [#[[CODE]], #[[BYTE]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[E]] : {{.*}}) outs(%[[BYTES]] : tensor<4x8xi8>)
  // CHECK: arith.extui
  // CHECK: linalg.index 2
  // CHECK: arith.shli
  // CHECK: arith.ori
  // CHECK: tensor.collapse_shape
  %c = qdq.pack %q packing <onnx> : (tensor<4x16xi4>) -> tensor<32xi8>
  return %c : tensor<32xi8>
}

// -----

// CHECK-LABEL: func @pack_ggml
func.func @pack_ggml(%q: tensor<4x64xi4>) -> tensor<4x36xi8> {
  // CHECK: tensor.pad %{{.*}} low[0, 0, 2] high[0, 0, 0]
  // CHECK: tensor.collapse_shape %{{.*}} : tensor<4x2x18xi8> into tensor<4x36xi8>
  %c = qdq.pack %q packing <ggml-q4_0> : (tensor<4x64xi4>) -> tensor<4x36xi8>
  return %c : tensor<4x36xi8>
}

// -----

// Sizes that contradict each other are an error of the program, which the
// conversion keeps valid.
// CHECK-LABEL: func @contradicting_sizes
func.func @contradicting_sizes(%q: tensor<9xi4>, %c: tensor<3xi8>) -> (tensor<4xi8>, tensor<7xi4>) {
  // CHECK: tensor.cast %{{.*}} : tensor<?xi8> to tensor<4xi8>
  %d = tensor.cast %q : tensor<9xi4> to tensor<?xi4>
  %p = qdq.pack %d packing <onnx> : (tensor<?xi4>) -> tensor<4xi8>
  %e = tensor.cast %c : tensor<3xi8> to tensor<?xi8>
  %u = qdq.unpack %e packing <onnx> : (tensor<?xi8>) -> tensor<7xi4>
  return %p, %u : tensor<4xi8>, tensor<7xi4>
}

// CHECK-LABEL: func @unpack_one
func.func @unpack_one(%c: tensor<1xi8>) -> tensor<i4> {
  // CHECK: tensor.collapse_shape %{{.*}} [] : tensor<1xi4> into tensor<i4>
  %q = qdq.unpack %c packing <bits = 4> : (tensor<1xi8>) -> tensor<i4>
  return %q : tensor<i4>
}

// 8 is -0.0, and 0 is +0.0. Nothing is checked that no option asks for.
// CHECK-LABEL: func @unpack_positive_zero
func.func @unpack_positive_zero(%c: tensor<?xi8>, %n: index) -> tensor<?xf4E2M1FN> {
  // CHECK-NOT: cf.assert
  // CHECK: %[[NEGATIVE:.*]] = arith.constant -8 : i4
  // CHECK: %[[IS:.*]] = arith.cmpi eq, %[[BITS:.*]], %[[NEGATIVE]] : i4
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i4
  // CHECK: arith.select %[[IS]], %[[ZERO]], %[[BITS]] : i4
  %q = qdq.unpack %c packing <bits = 4, positive_zero> sizes(%n) : (tensor<?xi8>, index) -> tensor<?xf4E2M1FN>
  return %q : tensor<?xf4E2M1FN>
}

// -----

// A field of two bytes: both are operands, slices of the records, which reshapes and fusion understand.
// CHECK-DAG: #[[MAP:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @unpack_halves_of_records
func.func @unpack_halves_of_records(%c: tensor<?x36xi8>) -> tensor<?x2xf16> {
  // CHECK: %[[LOW:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0] [%{{.*}}, 2, 1] [1, 1, 1] : tensor<?x2x18xi8> to tensor<?x2xi8>
  // CHECK: %[[HIGH:.*]] = tensor.extract_slice %{{.*}}[0, 0, 1] [%{{.*}}, 2, 1] [1, 1, 1] : tensor<?x2x18xi8> to tensor<?x2xi8>
  // CHECK: linalg.generic {indexing_maps = [#[[MAP]], #[[MAP]], #[[MAP]]], {{.*}} ins(%[[LOW]], %[[HIGH]] : tensor<?x2xi8>, tensor<?x2xi8>)
  // CHECK: arith.shli %{{.*}}, %c8_i16
  // CHECK: arith.bitcast %{{.*}} : i16 to f16
  %s = qdq.unpack %c packing <bits = 16, axis = 1, block = 1, record = 18> : (tensor<?x36xi8>) -> tensor<?x2xf16>
  return %s : tensor<?x2xf16>
}

// -----

// One record in a row: no loop for the axis.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func @unpack_half_of_record
func.func @unpack_half_of_record(%c: tensor<?x18xi8>) -> tensor<?x1xf16> {
  // CHECK: %[[S:.*]] = linalg.generic {indexing_maps = [#[[ROW]], #[[ROW]], #[[ROW]]], {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?xi8>, tensor<?xi8>)
  // CHECK: tensor.expand_shape %[[S]] {{.*}} : tensor<?xf16> into tensor<?x1xf16>
  %s = qdq.unpack %c packing <bits = 16, axis = 1, block = 1, record = 18> : (tensor<?x18xi8>) -> tensor<?x1xf16>
  return %s : tensor<?x1xf16>
}

// -----

// The first axis.
// CHECK-LABEL: func @unpack_half_of_first_axis
func.func @unpack_half_of_first_axis(%c: tensor<18x5x7xi8>) -> tensor<1x5x7xf16> {
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<5x7xi8>, tensor<5x7xi8>)
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [1, 5, 7]
  %s = qdq.unpack %c packing <bits = 16, axis = 0, block = 1, record = 18> : (tensor<18x5x7xi8>) -> tensor<1x5x7xf16>
  return %s : tensor<1x5x7xf16>
}
