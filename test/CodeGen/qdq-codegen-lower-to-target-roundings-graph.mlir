// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=roundings | FileCheck %s

// A graph region has its ops in any order: the rounding is next to what reads it, and goes with it.
// CHECK-LABEL: module {
// CHECK-NEXT: %[[X:.*]] = arith.constant
// CHECK-NEXT: %{{.*}} = llvm.intr.lrint(%[[X]])
// CHECK-NEXT: }
module {
  %x = arith.constant 1.5 : f32
  %i = arith.fptosi %r : f32 to i32
  %r = math.roundeven %x : f32
}
