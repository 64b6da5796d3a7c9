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
