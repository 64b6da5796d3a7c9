// One input, one prefix per policy.
// RUN: quant-opt %s --convert-qdq-to-linalg | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: quant-opt %s --convert-qdq-to-linalg=rounding=nearest-away | FileCheck %s --check-prefixes=CHECK,AWAY
// RUN: quant-opt %s --convert-qdq-to-linalg=rounding=toward-zero | FileCheck %s --check-prefixes=CHECK,TRUNC
// RUN: quant-opt %s --convert-qdq-to-linalg=rounding=floor | FileCheck %s --check-prefixes=CHECK,FLOOR
// RUN: quant-opt %s --convert-qdq-to-linalg=rounding=ceil | FileCheck %s --check-prefixes=CHECK,CEIL
// RUN: quant-opt %s --convert-qdq-to-linalg=order=add-then-round | FileCheck %s --check-prefixes=CHECK,ADD
// RUN: quant-opt %s --convert-qdq-to-linalg=division=reciprocal | FileCheck %s --check-prefixes=CHECK,RECIPROCAL
// RUN: quant-opt %s --convert-qdq-to-linalg=compute=f64 | FileCheck %s --check-prefixes=CHECK,F64
// RUN: quant-opt %s --convert-qdq-to-linalg=overflow=wrap | FileCheck %s --check-prefixes=CHECK,WRAP
// RUN: quant-opt %s --convert-qdq-to-linalg=profile=mlir22 | FileCheck %s --check-prefixes=CHECK,MLIR22
// RUN: quant-opt %s --convert-qdq-to-linalg=profile=torch | FileCheck %s --check-prefixes=CHECK,TORCH
// RUN: quant-opt %s --convert-qdq-to-linalg="profile=torch rounding=floor" | FileCheck %s --check-prefixes=CHECK,FLOOR
// RUN: quant-opt %s --convert-qdq-to-linalg="rounding=floor override-semantics" | FileCheck %s --check-prefixes=CHECK,FLOOR,OVERRIDE

// CHECK-LABEL: func @open
func.func @open(%x: tensor<4xf32>, %s: f32, %z: i8) -> tensor<4xi8> {
  // DEFAULT: arith.divf
  // DEFAULT: math.roundeven
  // DEFAULT: arith.addi
  // AWAY: math.round %
  // TRUNC: math.trunc
  // FLOOR: math.floor
  // CEIL: math.ceil
  // ADD: arith.sitofp
  // ADD: arith.addf
  // ADD: math.roundeven
  // ADD-NOT: arith.addi
  // RECIPROCAL: %[[K:.*]] = arith.divf %cst
  // RECIPROCAL: arith.mulf %{{.*}}, %[[K]]
  // F64: arith.divf %{{.*}} : f64
  // WRAP-NOT: arith.maxsi
  // WRAP: math.trunc
  // MLIR22: arith.addf
  // MLIR22: math.trunc
  // MLIR22-NEXT: arith.fptosi %{{.*}} : f32 to i8
  // TORCH: math.fma
  // TORCH: math.roundeven
  // CHECK: linalg.yield
  %q = qdq.quantize %x scale %s zero_point %z : (tensor<4xf32>, f32, i8) -> tensor<4xi8>
  return %q : tensor<4xi8>
}

// What an op fixes changes only with override-semantics.
// CHECK-LABEL: func @fixed
func.func @fixed(%x: tensor<4xf32>, %s: f32) -> tensor<4xi8> {
  // DEFAULT: math.ceil
  // TRUNC: math.ceil
  // TORCH: math.ceil
  // OVERRIDE: math.floor
  // CHECK: linalg.yield
  %q = qdq.quantize %x scale %s semantics <rounding = ceil> : (tensor<4xf32>, f32) -> tensor<4xi8>
  return %q : tensor<4xi8>
}
