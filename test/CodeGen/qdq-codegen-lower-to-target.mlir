// RUN: quant-opt %s --qdq-codegen-lower-to-target | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=fma,bf16 | FileCheck %s --check-prefix=SOME
// RUN: not quant-opt %s --qdq-codegen-lower-to-target=rewrites=fma,bf32 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: rewrites: 'bf32' is not a rewrite: expected one of integer-casts, rounded-casts, fma, f32-fma, bf16, f16, arith, saturating-packs, lookup-tables, byte-tables, lookups, roundings, functions

// The fma becomes a cast from f64 to bf16 first, which arith expands.
// CHECK-LABEL: func.func @all(
// CHECK-NOT: math.fma
// CHECK-NOT: arith.truncf {{.*}} to bf16
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NOT: arith.truncf {{.*}} to bf16
// CHECK: llvm.intr.lrint
// CHECK-NOT: math.exp
// CHECK: return

// SOME-LABEL: func.func @all(
// SOME-NOT: math.fma
// SOME: arith.truncf %{{.*}} : f64 to bf16
// SOME: arith.addf %{{.*}}, %{{.*}} : f32
// SOME: arith.truncf %{{.*}} : f32 to bf16
// SOME: math.roundeven
// SOME: math.exp
func.func @all(%a: bf16, %b: bf16, %x: f32) -> (bf16, i32, f32) {
  %0 = math.fma %a, %b, %b : bf16
  %1 = arith.addf %0, %b : bf16
  %2 = math.roundeven %x : f32
  %3 = arith.fptosi %2 : f32 to i32
  %4 = math.exp %x : f32
  return %1, %3, %4 : bf16, i32, f32
}
