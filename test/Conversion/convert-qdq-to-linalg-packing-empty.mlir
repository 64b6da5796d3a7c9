// RUN: quant-opt %s --convert-qdq-to-linalg --split-input-file | FileCheck %s
// RUN: quant-opt %s --convert-qdq-to-linalg --canonicalize --split-input-file -o /dev/null

// Whole units and a rest, of which one may be empty: no slice begins at the end, also where folding makes sizes static.
// CHECK-LABEL: func @pack_dynamic
// CHECK: tensor.extract_slice %{{.*}}[7] [0] [1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[3] [0] [1]
func.func @pack_dynamic(%q: tensor<8xi4>) -> tensor<?xi8> {
  %d = tensor.cast %q : tensor<8xi4> to tensor<?xi4>
  %c = qdq.pack %d packing <onnx, axis = 0> : (tensor<?xi4>) -> tensor<?xi8>
  return %c : tensor<?xi8>
}

// -----

// CHECK-LABEL: func @pack_nothing
// CHECK-NOT: tensor.extract_slice
func.func @pack_nothing(%q: tensor<0x5xi4>) -> tensor<0x3xi8> {
  %c = qdq.pack %q packing <onnx, axis = 1> : (tensor<0x5xi4>) -> tensor<0x3xi8>
  return %c : tensor<0x3xi8>
}

// -----

// A size that only its producer knows.
// CHECK-LABEL: func @pack_dynamic_nothing
// CHECK-NOT: tensor.extract_slice
func.func @pack_dynamic_nothing(%q: tensor<0xi4>) -> tensor<?xi8> {
  %d = tensor.cast %q : tensor<0xi4> to tensor<?xi4>
  %c = qdq.pack %d packing <onnx, axis = 0> : (tensor<?xi4>) -> tensor<?xi8>
  return %c : tensor<?xi8>
}

// -----

// CHECK-LABEL: func @unpack_nothing
// CHECK-NOT: tensor.extract_slice
func.func @unpack_nothing(%c: tensor<3x0xi8>, %d: tensor<?x0xi8>, %n: index) -> (tensor<5x0xi4>, tensor<?x0xi3>) {
  %q = qdq.unpack %c packing <onnx, axis = 0> : (tensor<3x0xi8>) -> tensor<5x0xi4>
  %r = qdq.unpack %d packing <onnx, bits = 3, axis = 0> sizes(%n) : (tensor<?x0xi8>, index) -> tensor<?x0xi3>
  return %q, %r : tensor<5x0xi4>, tensor<?x0xi3>
}
