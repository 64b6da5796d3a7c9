// RUN: quant-opt --convert-onnx-to-linalg --split-input-file %s | FileCheck %s

// The product of all inputs, then a loop over the steps.
// CHECK-LABEL: func.func @rnn_forward
// CHECK-SAME: %[[X:.*]]: tensor<5x2x3xf32>
// CHECK: linalg.contract {{.*}} ins(%[[X]], %{{.*}} : tensor<5x2x3xf32>, tensor<4x3xf32>)
// CHECK: scf.for
// CHECK: linalg.contract {{.*}} tensor<2x4xf32>, tensor<4x4xf32>
// CHECK: math.tanh
// CHECK: tensor.insert_slice
func.func @rnn_forward(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<5x1x2x4xf32> {
  %y, %h = "onnx.RNN"(%x, %w, %r) {hidden_size = 4 : si64}
    : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

// Each sequence is reversed within its length. Behind its end the hidden state
// is 0, and the last state stays.
// CHECK-LABEL: func.func @gru_reverse_lengths
// CHECK: %[[LONGEST:.*]] = arith.index_cast {{.*}} : i32 to index
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0] [%[[LONGEST]], 2, 3] [1, 1, 1]
// CHECK: tensor.extract {{.*}} : tensor<?x2x3xf32>
// CHECK: scf.for {{.*}} to %[[LONGEST]]
// CHECK: arith.select {{.*}} : f32
// CHECK: arith.select {{.*}} : f32
// CHECK: scf.yield
// CHECK: tensor.extract {{.*}} : tensor<5x2x4xf32>
func.func @gru_reverse_lengths(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %lens: tensor<2xi32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>) {
  %none = "onnx.NoValue"() {value} : () -> none
  %y, %h = "onnx.GRU"(%x, %w, %r, %none, %lens) {direction = "reverse", hidden_size = 4 : si64}
    : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>, none, tensor<2xi32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return %y, %h : tensor<5x1x2x4xf32>, tensor<1x2x4xf32>
}

// -----

// A peephole, a bias and clip before the activation.
// CHECK-LABEL: func.func @lstm_peepholes_clip
// CHECK: scf.for
// CHECK: linalg.generic
// CHECK: arith.mulf
// CHECK: arith.minimumf
// CHECK: arith.maximumf
// CHECK: math.exp
func.func @lstm_peepholes_clip(%x: tensor<?x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %b: tensor<1x32xf32>, %p: tensor<1x12xf32>) -> tensor<?x1x2x4xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  %y, %h, %c = "onnx.LSTM"(%x, %w, %r, %b, %none, %none, %none, %p) {clip = 3.0 : f32, hidden_size = 4 : si64}
    : (tensor<?x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>, none, none, none, tensor<1x12xf32>) -> (tensor<?x1x2x4xf32>, none, none)
  return %y : tensor<?x1x2x4xf32>
}

// -----

// The products are nodes that `convert-onnx-to-qdq` lowers.
// CHECK-LABEL: func.func @dynamic_quantize_lstm
// CHECK: "onnx.Custom"(%arg0, {{.*}}"DynamicQuantizeMatMul"{{.*}} : (tensor<5x2x3xf32>, tensor<3x16xi8>, tensor<f32>, tensor<i8>) -> tensor<5x2x16xf32>
// CHECK: scf.for
// CHECK: "onnx.Custom"{{.*}}"DynamicQuantizeMatMul"{{.*}} : (tensor<2x4xf32>, tensor<4x16xi8>, tensor<16xf32>, tensor<16xi8>) -> tensor<2x16xf32>
func.func @dynamic_quantize_lstm(%x: tensor<5x2x3xf32>, %w: tensor<1x3x16xi8>, %r: tensor<1x4x16xi8>, %ws: tensor<1xf32>, %wz: tensor<1xi8>, %rs: tensor<1x16xf32>, %rz: tensor<1x16xi8>) -> tensor<5x1x2x4xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  %y, %h, %c = "onnx.Custom"(%x, %w, %r, %none, %none, %none, %none, %none, %ws, %wz, %rs, %rz)
    {domain_name = "com.microsoft", function_name = "DynamicQuantizeLSTM", hidden_size = 4 : si64}
    : (tensor<5x2x3xf32>, tensor<1x3x16xi8>, tensor<1x4x16xi8>, none, none, none, none, none, tensor<1xf32>, tensor<1xi8>, tensor<1x16xf32>, tensor<1x16xi8>) -> (tensor<5x1x2x4xf32>, none, none)
  return %y : tensor<5x1x2x4xf32>
}
