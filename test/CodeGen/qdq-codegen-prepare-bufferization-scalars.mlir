// RUN: quant-opt %s --qdq-codegen-prepare-bufferization | FileCheck %s
// RUN: quant-opt %s --quant-to-llvm | FileCheck %s --check-prefix=LLVM
// LLVM: llvm.mlir.global private constant @{{.*}}(5.000000e-01 : f32)

// Upstream's conversion to LLVM aborts on a resource of rank 0.
// CHECK: memref.global "private" constant @{{.*}} : memref<f32> = dense<5.000000e-01>
// CHECK: arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK: arith.constant dense_resource<one> : tensor<1xf32>
func.func @scalar_resource() -> (tensor<f32>, tensor<1xf32>) {
  %s = arith.constant dense_resource<scalar> : tensor<f32>
  %t = arith.constant dense_resource<one> : tensor<1xf32>
  return %s, %t : tensor<f32>, tensor<1xf32>
}

{-#
  dialect_resources: { builtin: { scalar: "0x040000000000003F", one: "0x040000000000003F" } }
#-}
