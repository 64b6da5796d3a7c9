// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=roundings | FileCheck %s
// RUN: quant-opt %s --quant-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @vector(
// CHECK-SAME: %[[X:.*]]: vector<16xf32>
// CHECK-NEXT: %[[I:.*]] = llvm.intr.lrint(%[[X]]) : (vector<16xf32>) -> vector<16xi32>
// CHECK-NEXT: return %[[I]]
func.func @vector(%x: vector<16xf32>) -> vector<16xi32> {
  %r = math.roundeven %x : vector<16xf32>
  %i = arith.fptosi %r : vector<16xf32> to vector<16xi32>
  return %i : vector<16xi32>
}

// CHECK-LABEL: func.func @scalar(
// CHECK: llvm.intr.lrint(%{{.*}}) : (f32) -> i32
func.func @scalar(%x: f32) -> i32 {
  %r = math.roundeven %x : f32
  %i = arith.fptosi %r : f32 to i32
  return %i : i32
}

// Unsigned, wider, rounded otherwise, read twice: as they are.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: lrint
func.func @others(%x: f32, %w: f64) -> (i32, i64, i32, f32, i32, i32) {
  %r = math.roundeven %x : f32
  %u = arith.fptoui %r : f32 to i32
  %l = arith.fptosi %r : f32 to i64
  %f = math.floor %x : f32
  %i = arith.fptosi %f : f32 to i32
  %t = math.roundeven %x : f32
  %j = arith.fptosi %t : f32 to i32
  %d = math.roundeven %w : f64
  %k = arith.fptosi %d : f64 to i32
  return %u, %l, %i, %t, %j, %k : i32, i64, i32, f32, i32, i32
}

// The clamp stands before the rounding, so that f16 is f32 there, whatever LLVM makes of casts.
// LLVM-LABEL: llvm.func @quantize(
// LLVM: llvm.fpext %{{.*}} : vector<16xf16> to vector<16xf32>
// LLVM: llvm.fcmp "ogt"
// LLVM: llvm.fcmp "olt"
// LLVM: llvm.intr.lrint(%{{.*}}) : (vector<16xf32>) -> vector<16xi32>
// LLVM-NOT: roundeven
// LLVM: llvm.return
func.func @quantize(%x: tensor<64xf16>, %s: f16) -> tensor<64xi8> {
  %q = qdq.quantize %x scale %s : (tensor<64xf16>, f16) -> tensor<64xi8>
  return %q : tensor<64xi8>
}
