// RUN: quant-opt %s --qdq-codegen-pack-constants=min-elements=4 | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-pack-constants | FileCheck %s --check-prefix=LARGE

// CHECK-LABEL: func.func @codes(
// LARGE-LABEL: func.func @codes(
func.func @codes() -> (tensor<2x2xi4>, tensor<5xi3>, tensor<4xf6E2M3FN>) {
  // The first element in the lowest bits: 1 | -2 << 4 = 0xE1 = -31.
  // CHECK: %[[BYTES:.*]] = arith.constant dense<[-31, 115]> : tensor<2xi8>
  // CHECK: qdq.unpack %[[BYTES]] packing <onnx> : (tensor<2xi8>) -> tensor<2x2xi4>
  // LARGE: arith.constant dense<{{.*}}> : tensor<2x2xi4>
  %a = arith.constant dense<[[1, -2], [3, 7]]> : tensor<2x2xi4>
  // 15 bits: 1 | 2 << 3 | 3 << 6 | 4 << 9 | 7 << 12 = 0x78D1.
  // CHECK: arith.constant dense<[-47, 120]> : tensor<2xi8>
  // CHECK: qdq.unpack {{.*}} -> tensor<5xi3>
  %b = arith.constant dense<[1, 2, 3, 4, 7]> : tensor<5xi3>
  // 1.0 is 0x08, 7.5 is 0x1F, -0.0 is 0x20, 0.125 is 0x01: 0x0607C8 in 24 bits.
  // CHECK: arith.constant dense<[-56, 7, 6]> : tensor<3xi8>
  // CHECK: qdq.unpack {{.*}} -> tensor<4xf6E2M3FN>
  %c = arith.constant dense<[1.0, 7.5, -0.0, 0.125]> : tensor<4xf6E2M3FN>
  return %a, %b, %c : tensor<2x2xi4>, tensor<5xi3>, tensor<4xf6E2M3FN>
}

// Equal elements, few elements, i1 and whole bytes stay.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: qdq.unpack
func.func @others() -> (tensor<64xi4>, tensor<3xi4>, tensor<4xi1>, tensor<4xi8>) {
  %a = arith.constant dense<3> : tensor<64xi4>
  %b = arith.constant dense<[1, 2, 3]> : tensor<3xi4>
  %c = arith.constant dense<[true, false, true, false]> : tensor<4xi1>
  %d = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
  return %a, %b, %c, %d : tensor<64xi4>, tensor<3xi4>, tensor<4xi1>, tensor<4xi8>
}

// A resource has a byte for each element, and is packed whatever its size: LLVM IR has no other form for it.
// CHECK-LABEL: func.func @resource(
// CHECK: arith.constant dense<[33, 3]> : tensor<2xi8>
// LARGE-LABEL: func.func @resource(
// LARGE: arith.constant dense<[33, 3]> : tensor<2xi8>
func.func @resource() -> tensor<3xi4> {
  %a = arith.constant dense_resource<codes> : tensor<3xi4>
  return %a : tensor<3xi4>
}

{-#
  dialect_resources: {
    builtin: {
      codes: "0x01000000010203"
    }
  }
#-}
