// RUN: quant-opt %s --qdq-results-to-destinations --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'onnx.If' op is not registered and has a region, so that calls of public functions cannot be found: lower it first}}
  %0 = "onnx.If"(%x) ({
    "onnx.Yield"() : () -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
