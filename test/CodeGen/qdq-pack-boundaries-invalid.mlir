// RUN: quant-opt %s --qdq-pack-boundaries --split-input-file --verify-diagnostics

// expected-error @+1 {{argument 1 of type 'tensor<*xi4>' cannot be packed into bytes: its rank is not known}}
func.func @argument(%x: tensor<4xi4>, %y: tensor<*xi4>) {
  return
}

// -----

// expected-error @+1 {{result 0 of type 'tensor<*xui2>' cannot be packed into bytes: its rank is not known}}
func.func @result(%x: tensor<4xi8>) -> tensor<*xui2> {
  %y = "onnx.Op"(%x) : (tensor<4xi8>) -> tensor<*xui2>
  return %y : tensor<*xui2>
}

// -----

func.func @region(%x: tensor<4xi4>) -> tensor<4xi4> {
  // expected-error @+1 {{'onnx.If' op is not registered and has a region, so that calls of public functions cannot be found: lower it first}}
  %0 = "onnx.If"(%x) ({
    "onnx.Yield"() : () -> ()
  }) : (tensor<4xi4>) -> tensor<4xi4>
  return %0 : tensor<4xi4>
}
