// Compile time: each size is that of the argument, and found in one step.
// RUN: %chains %s | timeout 60 quant-opt --convert-qdq-to-linalg=runtime-checks=true | FileCheck %s

// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[S:.*]]: tensor<?xf32>
// CHECK-NOT: tensor.dim %{{[0-9]}}
// CHECK-COUNT-5000: cf.assert
func.func @chain(%x0: tensor<?x?xf32>, %s: tensor<?xf32>) -> tensor<?x?xf32> {
  // CHAIN 2500
  %q#0 = qdq.quantize %x#0 scale %s axis 1 : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xi8>
  %x#1 = qdq.dequantize %q#0 scale %s axis 1 : (tensor<?x?xi8>, tensor<?xf32>) -> tensor<?x?xf32>
  // END
  return %x2500 : tensor<?x?xf32>
}
