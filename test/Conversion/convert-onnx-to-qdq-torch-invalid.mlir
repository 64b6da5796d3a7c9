// RUN: quant-opt %s --convert-onnx-to-qdq --split-input-file --verify-diagnostics

// What torch-mlir's spelling can say and qdq cannot.

func.func @no_element_type(%x: !torch.vtensor<[4],unk>, %s: !torch.vtensor<[],f32>) {
  // expected-error @below {{input has type '!torch.vtensor<[4],unk>': expected a '!torch.vtensor' with an element type}}
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<[4],unk>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @no_parameters(%x: !torch.vtensor, %s: !torch.vtensor<[],f32>) {
  // expected-error @below {{input has type '!torch.vtensor': expected a '!torch.vtensor' with an element type}}
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @result_without_element_type(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[],f32>) {
  // expected-error @below {{result 0 has type '!torch.vtensor': expected a '!torch.vtensor' with an element type}}
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor
  return
}

// -----

func.func @no_value_semantics(%x: !torch.tensor<[4],f32>, %s: !torch.vtensor<[],f32>) {
  // expected-error @below {{input has type '!torch.tensor<[4],f32>': expected a tensor with value semantics, '!torch.vtensor'}}
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> : (!torch.tensor<[4],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @torch_element_type(%x: !torch.vtensor<[4],!torch.qint8>, %s: !torch.vtensor<[],f32>) {
  // expected-error @below {{input has type '!torch.vtensor<[4],!torch.qint8>': expected an integer or float element type and no encoding}}
  %d = "torch.operator"(%x, %s) <{name = "onnx.DequantizeLinear"}> : (!torch.vtensor<[4],!torch.qint8>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],f32>
  return
}

// -----

func.func @encoding(%x: !torch.vtensor<[4],f32,#sparse>, %s: !torch.vtensor<[],f32>) {
  // expected-error @below {{expected an integer or float element type and no encoding}}
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<[4],f32,#sparse>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @no_sizes(%x: !torch.vtensor<[four],f32>, %s: !torch.vtensor<[],f32>) {
  // expected-error @below {{expected sizes that are integers or '?'}}
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<[four],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @malformed(%x: !torch.vtensor<f32>, %s: !torch.vtensor<[],f32>) {
  // expected-error @below {{expected sizes or '*'}}
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @no_tensor(%x: !torch.float, %s: !torch.vtensor<[],f32>) {
  // expected-error @below {{input has type '!torch.float': expected a tensor}}
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> : (!torch.float, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @scale_of_unknown_rank(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<*,f32>) {
  // expected-error @below {{scale has type 'tensor<*xf32>': expected a ranked tensor}}
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<[4],f32>, !torch.vtensor<*,f32>) -> !torch.vtensor<[4],si8>
  return
}

// -----

func.func @blocks_of_unknown_rank(%x: !torch.vtensor<*,f32>, %s: !torch.vtensor<[2,2],f32>) {
  // expected-error @below {{has a blocked scale}}
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> {torch.onnx.block_size = 2 : si64} : (!torch.vtensor<*,f32>, !torch.vtensor<[2,2],f32>) -> !torch.vtensor<*,si8>
  return
}

// -----

func.func @attribute_kind(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[],f32>) {
  // expected-error @below {{attribute 'axis' is "last": expected an integer of 64 bits}}
  %q = "torch.operator"(%x, %s) <{name = "onnx.QuantizeLinear"}> {torch.onnx.axis = "last"} : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[4],si8>
  return
}

// -----

// torch-mlir's tensor holds i8 for both, but the node says which.

func.func @signedness(%x: !torch.vtensor<[4],f32>, %s: !torch.vtensor<[],f32>, %z: !torch.vtensor<[],ui8>) {
  // expected-error @below {{zero point has element type 'ui8': expected 'i8', the quantized type}}
  %q = "torch.operator"(%x, %s, %z) <{name = "onnx.QuantizeLinear"}> : (!torch.vtensor<[4],f32>, !torch.vtensor<[],f32>, !torch.vtensor<[],ui8>) -> !torch.vtensor<[4],si8>
  return
}
