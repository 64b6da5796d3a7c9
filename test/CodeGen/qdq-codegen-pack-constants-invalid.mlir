// RUN: quant-opt %s --qdq-codegen-pack-constants --split-input-file --verify-diagnostics

func.func @short() -> tensor<4xi4> {
  // expected-error @+1 {{has no data of 4 bytes, one for each element, in resource 'three'}}
  %a = arith.constant dense_resource<three> : tensor<4xi4>
  return %a : tensor<4xi4>
}

{-#
  dialect_resources: {
    builtin: {
      three: "0x01000000010203"
    }
  }
#-}

// -----

func.func @missing() -> tensor<4xi4> {
  // expected-error @+1 {{has no data of 4 bytes, one for each element, in resource 'absent'}}
  %a = arith.constant dense_resource<absent> : tensor<4xi4>
  return %a : tensor<4xi4>
}
