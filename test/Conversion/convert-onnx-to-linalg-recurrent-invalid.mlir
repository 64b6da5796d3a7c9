// RUN: quant-opt --convert-onnx-to-linalg --split-input-file --verify-diagnostics %s

func.func @activation(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<5x1x2x4xf32> {
  // expected-error @below {{'onnx.RNN' op has the unknown activation Gelu}}
  %y, %h = "onnx.RNN"(%x, %w, %r) {activations = ["Gelu"]}
    : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

func.func @batch(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %l: tensor<3xi32>) -> tensor<5x1x2x4xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{sequence_lens has type 'tensor<3xi32>': expected 'tensor<2xi32>'}}
  %y, %h = "onnx.RNN"(%x, %w, %r, %none, %l)
    : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, none, tensor<3xi32>) -> (tensor<5x1x2x4xf32>, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

func.func @scales(%x: tensor<5x2x3xf32>, %w: tensor<1x3x16xi8>, %r: tensor<1x4x16xi8>, %s: tensor<1x4xf32>, %z: tensor<1xi8>) -> tensor<5x1x2x4xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{W_scale has type 'tensor<1x4xf32>': expected 'tensor<1x16xf32>'}}
  %y, %h, %c = "onnx.Custom"(%x, %w, %r, %none, %none, %none, %none, %none, %s, %z, %s, %z)
    {domain_name = "com.microsoft", function_name = "DynamicQuantizeLSTM"}
    : (tensor<5x2x3xf32>, tensor<1x3x16xi8>, tensor<1x4x16xi8>, none, none, none, none, none, tensor<1x4xf32>, tensor<1xi8>, tensor<1x4xf32>, tensor<1xi8>) -> (tensor<5x1x2x4xf32>, none, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

func.func @names(%x: tensor<5x2x3xf32>, %w: tensor<2x4x3xf32>, %r: tensor<2x4x4xf32>) -> tensor<5x2x2x4xf32> {
  // expected-error @below {{'onnx.RNN' op activations is ["Tanh"]: expected 2 names}}
  %y, %h = "onnx.RNN"(%x, %w, %r) {activations = ["Tanh"], direction = "bidirectional"}
    : (tensor<5x2x3xf32>, tensor<2x4x3xf32>, tensor<2x4x4xf32>) -> (tensor<5x2x2x4xf32>, none)
  return %y : tensor<5x2x2x4xf32>
}

// -----

func.func @hidden(%x: tensor<5x2x3xf32>, %w: tensor<1x3x16xi8>, %r: tensor<1x?x16xi8>, %s: tensor<1x16xf32>, %z: tensor<1x16xi8>) -> tensor<5x1x2x4xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{R has type 'tensor<1x?x16xi8>': expected 3 dimensions, the second of a known size}}
  %y, %h, %c = "onnx.Custom"(%x, %w, %r, %none, %none, %none, %none, %none, %s, %z, %s, %z)
    {domain_name = "com.microsoft", function_name = "DynamicQuantizeLSTM"}
    : (tensor<5x2x3xf32>, tensor<1x3x16xi8>, tensor<1x?x16xi8>, none, none, none, none, none, tensor<1x16xf32>, tensor<1x16xi8>, tensor<1x16xf32>, tensor<1x16xi8>) -> (tensor<5x1x2x4xf32>, none, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

func.func @codes(%x: tensor<5x2x3xf32>, %w: tensor<1x3x16xi16>, %r: tensor<1x4x16xi8>, %s: tensor<1x16xf32>, %z: tensor<1x16xi8>) -> tensor<5x1x2x4xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{W has type 'tensor<1x3x16xi16>': expected codes of 8 bits}}
  %y, %h, %c = "onnx.Custom"(%x, %w, %r, %none, %none, %none, %none, %none, %s, %z, %s, %z)
    {domain_name = "com.microsoft", function_name = "DynamicQuantizeLSTM"}
    : (tensor<5x2x3xf32>, tensor<1x3x16xi16>, tensor<1x4x16xi8>, none, none, none, none, none, tensor<1x16xf32>, tensor<1x16xi8>, tensor<1x16xf32>, tensor<1x16xi8>) -> (tensor<5x1x2x4xf32>, none, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

func.func @no_weights(%x: tensor<5x2x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<5x1x2x4xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.RNN' op has no W, which is operand 1}}
  %y, %h = "onnx.RNN"(%x, %none, %r) : (tensor<5x2x3xf32>, none, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

// Gates are parts of a dimension of known size.
func.func @open_weights(%x: tensor<5x2x3xf32>, %w: tensor<1x?x3xf32>, %r: tensor<1x12x4xf32>) -> tensor<5x1x2x4xf32> {
  // expected-error @below {{'onnx.GRU' op W has type 'tensor<1x?x3xf32>': expected a static dimension 1}}
  %y, %h = "onnx.GRU"(%x, %w, %r) : (tensor<5x2x3xf32>, tensor<1x?x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

func.func @open_states(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x?x4xf32>) -> tensor<5x1x2x4xf32> {
  // expected-error @below {{'onnx.LSTM' op R has type 'tensor<1x?x4xf32>': expected a static dimension 1}}
  %y, %h, %c = "onnx.LSTM"(%x, %w, %r) : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x?x4xf32>) -> (tensor<5x1x2x4xf32>, none, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

func.func @open_bias(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %b: tensor<1x?xf32>) -> tensor<5x1x2x4xf32> {
  // expected-error @below {{'onnx.RNN' op B has type 'tensor<1x?xf32>': expected a static dimension 1}}
  %y, %h = "onnx.RNN"(%x, %w, %r, %b) : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x?xf32>) -> (tensor<5x1x2x4xf32>, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

func.func @open_peepholes(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %p: tensor<1x?xf32>) -> tensor<5x1x2x4xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{'onnx.LSTM' op P has type 'tensor<1x?xf32>': expected a static dimension 1}}
  %y, %h, %c = "onnx.LSTM"(%x, %w, %r, %none, %none, %none, %none, %p) : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, none, none, none, none, tensor<1x?xf32>) -> (tensor<5x1x2x4xf32>, none, none)
  return %y : tensor<5x1x2x4xf32>
}

// -----

func.func @open_codes(%x: tensor<5x2x3xf32>, %w: tensor<1x3x?xi8>, %r: tensor<1x4x16xi8>, %s: tensor<1xf32>, %z: tensor<1xi8>) -> tensor<5x1x2x4xf32> {
  %none = "onnx.NoValue"() {value} : () -> none
  // expected-error @below {{W has type 'tensor<1x3x?xi8>': expected a static dimension 2}}
  %y, %h, %c = "onnx.Custom"(%x, %w, %r, %none, %none, %none, %none, %none, %s, %z, %s, %z)
    {domain_name = "com.microsoft", function_name = "DynamicQuantizeLSTM"}
    : (tensor<5x2x3xf32>, tensor<1x3x?xi8>, tensor<1x4x16xi8>, none, none, none, none, none, tensor<1xf32>, tensor<1xi8>, tensor<1xf32>, tensor<1xi8>) -> (tensor<5x1x2x4xf32>, none, none)
  return %y : tensor<5x1x2x4xf32>
}
