// RUN: quant-opt %s --convert-onnx-to-linalg --cse --canonicalize --split-input-file | FileCheck %s

// The sizes that exporters compute of Shape are sizes of the tensor again: no list is made.
// CHECK-LABEL: func.func @heads(
// CHECK-SAME: %[[X:.*]]: tensor<?x?x32xf32>)
// CHECK-NOT: from_elements
// CHECK-DAG: %[[B:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[S:.*]] = tensor.dim %[[X]], %c1
// CHECK: %[[HEADS:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1], [2, 3]] output_shape [%[[B]], %[[S]], 4, 8] : tensor<?x?x32xf32> into tensor<?x?x4x8xf32>
// CHECK: linalg.transpose ins(%[[HEADS]]
func.func @heads(%x: tensor<?x?x32xf32>) -> tensor<?x?x?x8xf32> {
  %zero = "onnx.Constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "onnx.Constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %axes = "onnx.Constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %rest = "onnx.Constant"() {value = dense<[-1, 8]> : tensor<2xi64>} : () -> tensor<2xi64>
  %s = "onnx.Shape"(%x) : (tensor<?x?x32xf32>) -> tensor<3xi64>
  %b = "onnx.Gather"(%s, %zero) : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %n = "onnx.Gather"(%s, %one) : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %b1 = "onnx.Unsqueeze"(%b, %axes) : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %n1 = "onnx.Unsqueeze"(%n, %axes) : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %sizes = "onnx.Concat"(%b1, %n1, %rest) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<2xi64>) -> tensor<4xi64>
  %h = "onnx.Reshape"(%x, %sizes) : (tensor<?x?x32xf32>, tensor<4xi64>) -> tensor<?x?x?x8xf32>
  %t = "onnx.Transpose"(%h) {perm = [0, 2, 1, 3]} : (tensor<?x?x?x8xf32>) -> tensor<?x?x?x8xf32>
  return %t : tensor<?x?x?x8xf32>
}

// -----

// Dimensions of one name are one size: nothing is repeated.
// CHECK-LABEL: func.func @same_names(
// CHECK-NOT: scf.if
// CHECK: linalg.generic
func.func @same_names(%x: tensor<?x?xf32> {onnx.dim_params = "0:batch,1:length"},
                      %y: tensor<?xf32> {onnx.dim_params = "0:length"}) -> tensor<?x?xf32> {
  %z = "onnx.Add"(%x, %y) : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// -----

// Positions up to 64 and a length broadcast only where they are the same size.
// CHECK-LABEL: func.func @positions(
// CHECK-NOT: scf.if
// CHECK: linalg.generic
func.func @positions(%x: tensor<?x8xf32>, %table: tensor<64x8xf32>) -> tensor<?x8xf32> {
  %zero = "onnx.Constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %s = "onnx.Shape"(%x) {end = 1 : si64} : (tensor<?x8xf32>) -> tensor<1xi64>
  %p = "onnx.Slice"(%table, %zero, %s, %zero) : (tensor<64x8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x8xf32>
  %z = "onnx.Add"(%x, %p) : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// -----

// (4 b) / 4 is b, and no size is -1.
// CHECK-LABEL: func.func @arithmetic(
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32>)
// CHECK: %[[B:.*]] = tensor.dim %[[X]], %c0
// CHECK: %[[CAST:.*]] = arith.index_cast %[[B]] : index to i64
// CHECK: %[[LIST:.*]] = tensor.from_elements %[[CAST]] : tensor<1xi64>
// CHECK: return %[[LIST]]
func.func @arithmetic(%x: tensor<?x3xf32>) -> tensor<1xi64> {
  %four = "onnx.Constant"() {value = dense<4> : tensor<1xi64>} : () -> tensor<1xi64>
  %any = "onnx.Constant"() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %s = "onnx.Shape"(%x) {end = 1 : si64} : (tensor<?x3xf32>) -> tensor<1xi64>
  %m = "onnx.Mul"(%s, %four) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %d = "onnx.Div"(%m, %four) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %is = "onnx.Equal"(%d, %any) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %r = "onnx.Where"(%is, %four, %d) : (tensor<1xi1>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  return %r : tensor<1xi64>
}

// -----

// Nodes that quantize pass on the sizes that the type of the file forgets.
// CHECK-LABEL: func.func @codes_keep_sizes(
// CHECK: %[[Q:.*]] = "onnx.QuantizeLinear"({{.*}} : (tensor<?x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<?x4x4xui8>
// CHECK: %[[D:.*]] = "onnx.DequantizeLinear"(%[[Q]], {{.*}} : (tensor<?x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<?x4x4xf32>
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<4xi64>)
func.func @codes_keep_sizes(%x: tensor<?x4x4xf32>, %s: tensor<f32>, %z: tensor<ui8>) -> (tensor<?x?x?xf32>, tensor<?xi64>) {
  %pads = "onnx.Constant"() {value = dense<0> : tensor<6xi64>} : () -> tensor<6xi64>
  %none = "onnx.NoValue"() {value} : () -> none
  %zero = "onnx.Constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "onnx.Constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %p = "onnx.Pad"(%x, %pads, %none) {mode = "constant"} : (tensor<?x4x4xf32>, tensor<6xi64>, none) -> tensor<?x?x?xf32>
  %q = "onnx.QuantizeLinear"(%p, %s, %z) {axis = 1 : si64} : (tensor<?x?x?xf32>, tensor<f32>, tensor<ui8>) -> tensor<?x?x?xui8>
  %d = "onnx.DequantizeLinear"(%q, %s, %z) {axis = 1 : si64} : (tensor<?x?x?xui8>, tensor<f32>, tensor<ui8>) -> tensor<?x?x?xf32>
  %shape = "onnx.Shape"(%d) : (tensor<?x?x?xf32>) -> tensor<3xi64>
  %n = "onnx.Gather"(%shape, %one) : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %r = "onnx.Range"(%zero, %n, %one) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %d, %r : tensor<?x?x?xf32>, tensor<?xi64>
}

// -----

// The rows of a product of codes are those of its left operand: nothing is repeated.
// CHECK-LABEL: func.func @products_keep_rows(
// CHECK-NOT: scf.if
// CHECK: linalg.generic
// CHECK-NOT: scf.if
// CHECK: return
func.func @products_keep_rows(%x: tensor<?x?x8xui8> {onnx.dim_params = "0:batch,1:length"},
                              %w: tensor<8x4xui8>,
                              %y: tensor<?x?x4xf32> {onnx.dim_params = "0:batch,1:length"}) -> tensor<?x?x4xf32> {
  %p = "onnx.MatMulInteger"(%x, %w) : (tensor<?x?x8xui8>, tensor<8x4xui8>) -> tensor<?x?x4xi32>
  %f = "onnx.Cast"(%p) {to = f32} : (tensor<?x?x4xi32>) -> tensor<?x?x4xf32>
  %z = "onnx.Add"(%f, %y) : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  return %z : tensor<?x?x4xf32>
}

// -----

// An i16 of pmx may hold four codes: the result is longer than the operand.
// CHECK-LABEL: func.func @packed_codes(
// CHECK: "onnx.Custom"({{.*}}) {domain_name = "pmx"{{.*}} -> tensor<?x3xf32>
func.func @packed_codes(%c: tensor<2x3xi16>, %s: tensor<f32>) -> tensor<?x3xf32> {
  %x = "onnx.Identity"(%c) : (tensor<2x3xi16>) -> tensor<?x3xi16>
  %y = "onnx.Custom"(%x, %s) {domain_name = "pmx", function_name = "DequantizeLinear", num_of_bits = 4 : si64} : (tensor<?x3xi16>, tensor<f32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// One number of an argument beside sizes is a scalar, too.
// CHECK-LABEL: func.func @number_of_an_argument(
// CHECK: %[[TOTAL:.*]] = tensor.extract %{{.*}}[%{{.*}}] : tensor<1xi64>
// CHECK: %[[MORE:.*]] = arith.subi %[[TOTAL]], %{{.*}} : i64
// CHECK: %[[PAD:.*]] = arith.maxsi %[[MORE]], %{{.*}} : i64
// CHECK: %[[HIGH:.*]] = arith.index_cast %[[PAD]] : i64 to index
// CHECK-NOT: tensor.extract_slice
// CHECK: tensor.pad %{{.*}} low[0, 0] high[%[[HIGH]], 0]
func.func @number_of_an_argument(%x: tensor<?x4xf32>, %total: tensor<1xi64>) -> tensor<?x4xf32> {
  %zero = "onnx.Constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %shape = "onnx.Shape"(%x) {start = 0 : si64, end = 1 : si64} : (tensor<?x4xf32>) -> tensor<1xi64>
  %more = "onnx.Sub"(%total, %shape) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %pad = "onnx.Max"(%more, %zero) : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %pads = "onnx.Concat"(%zero, %zero, %pad, %zero) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %none = "onnx.NoValue"() {value} : () -> none
  %y = "onnx.Pad"(%x, %pads, %none, %none) {mode = "constant"} : (tensor<?x4xf32>, tensor<4xi64>, none, none) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Places and weights of open sizes are vectors, computed once. The batch keeps its size.
// CHECK-LABEL: func.func @resize(
// CHECK: %[[NEW:.*]] = arith.minsi
// CHECK: tensor.empty(%[[NEW]]) : tensor<?xi64>
// CHECK: %[[TAPS:.*]]:4 = linalg.generic
// CHECK: -> (tensor<?xi64>, tensor<?xi64>, tensor<?xf32>, tensor<?xf32>)
// CHECK-NOT: linalg.yield {{.*}} : i64, i64, f32, f32
// CHECK: tensor.extract %[[TAPS]]#0
// CHECK: tensor.extract %[[TAPS]]#1
// CHECK: arith.mulf
func.func @resize(%x: tensor<?x?x8xf32>, %like: tensor<?xf32>) -> tensor<?x?x8xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  %one = "onnx.Constant"() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %start = "onnx.Constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %shape = "onnx.Shape"(%x) : (tensor<?x?x8xf32>) -> tensor<3xi64>
  %batch = "onnx.Slice"(%shape, %start, %one) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %width = "onnx.Shape"(%like) : (tensor<?xf32>) -> tensor<1xi64>
  %last = "onnx.Constant"() {value = dense<8> : tensor<1xi64>} : () -> tensor<1xi64>
  %sizes = "onnx.Concat"(%batch, %width, %last) {axis = 0 : si64} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %y = "onnx.Resize"(%x, %none, %none, %sizes) {mode = "linear"} : (tensor<?x?x8xf32>, none, none, tensor<3xi64>) -> tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}
