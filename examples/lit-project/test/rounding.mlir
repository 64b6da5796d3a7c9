// One input, one RUN line for each policy.
// RUN: quant-opt --lower-quant=rounding=floor %s | FileCheck %s --check-prefix=FLOOR
// RUN: quant-opt --lower-quant=rounding=nearest-away %s | FileCheck %s --check-prefix=AWAY

// FLOOR-LABEL: func.func @quantize
// FLOOR: arith.divf
// FLOOR: math.floor
// AWAY-LABEL: func.func @quantize
// AWAY: arith.divf
// AWAY: math.round
func.func @quantize(%x: tensor<?x8xf32>, %scale: tensor<f32>) -> tensor<?x8xi8> {
  %q = "onnx.QuantizeLinear"(%x, %scale) : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xi8>
  return %q : tensor<?x8xi8>
}
