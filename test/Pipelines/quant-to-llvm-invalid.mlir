// RUN: quant-opt %s --quant-to-llvm --split-input-file --verify-diagnostics

func.func @region(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{is not registered and has a region, so that calls of public functions cannot be found}}
  %0 = "test.if"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    "test.yield"(%a) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Known before any pass runs: what it makes has no shape, and Relu no reason.
func.func @unknown(%x: tensor<4xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{not lowered: 2 onnx.Unique, 1 com.example.Op}}
  %0 = "onnx.Unique"(%x) : (tensor<4xf32>) -> tensor<*xf32>
  %1 = "onnx.Relu"(%0) : (tensor<*xf32>) -> tensor<*xf32>
  %2 = "onnx.Unique"(%1) : (tensor<*xf32>) -> tensor<*xf32>
  %3 = "onnx.Custom"(%2) {domain_name = "com.example", function_name = "Op"} : (tensor<*xf32>) -> tensor<*xf32>
  return %3 : tensor<*xf32>
}

// -----

// Ops on tensors cannot be bufferized; one on scalars stays.
func.func @foreign(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  %0 = "foo.scalar"(%s) : (f32) -> f32
  // expected-error @+1 {{not lowered: 2 foo.bar}}
  %1 = "foo.bar"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "foo.bar"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Upstream's passes crash at it.
// expected-error @+1 {{'foo.bar' op reaches the stage 'target' of quant-to-llvm: ops are of registered dialects there}}
%0 = "foo.bar"() : () -> vector<4xi1>
