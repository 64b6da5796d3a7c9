// RUN: quant-opt %s --quant-to-llvm --verify-diagnostics

func.func @region(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{is not registered and has a region, so that calls of public functions cannot be found}}
  %0 = "onnx.If"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    "onnx.Yield"(%a) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
