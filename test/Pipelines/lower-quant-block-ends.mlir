// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verifier takes an unregistered op at the end of a block for a terminator.
// No conversion may take it away.
//
// RUN: quant-opt %s --lower-quant --split-input-file --verify-diagnostics | FileCheck %s

func.func @function(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>) {
  // expected-error@+1 {{'onnx.QuantizeLinear' op ends its block: expected a terminator after it}}
  %q = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<i8>) -> tensor<4xi8>
}

// -----

"test.region"() ({
^bb0(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>):
  // expected-error@+1 {{'onnx.QuantizeLinear' op ends its block: expected a terminator after it}}
  %q = "onnx.QuantizeLinear"(%x, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<i8>) -> tensor<4xi8>
}) : () -> ()

// -----

"test.region"() ({
^bb0(%x: tensor<4xi8>, %s: tensor<f32>, %z: tensor<i8>):
  // expected-error@+1 {{'onnx.DequantizeLinear' op ends its block: expected a terminator after it}}
  %y = "onnx.DequantizeLinear"(%x, %s, %z) : (tensor<4xi8>, tensor<f32>, tensor<i8>) -> tensor<4xf32>
^bb1(%t: tensor<4xf32>):
  // expected-error@+1 {{'onnx.QuantizeLinear' op ends its block: expected a terminator after it}}
  %q = "onnx.QuantizeLinear"(%t, %s, %z) : (tensor<4xf32>, tensor<f32>, tensor<i8>) -> tensor<4xi8>
}) : () -> ()

// -----

// CHECK-NOT: onnx
// The body of a module needs no terminator.
%x, %s = "test.values"() : () -> (tensor<4xi8>, tensor<f32>)
%y = "onnx.DequantizeLinear"(%x, %s) : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
