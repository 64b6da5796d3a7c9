// RUN: quant-opt %s --qdq-codegen-lower-to-target=rewrites=arith | FileCheck %s

// LLVM has intrinsics for these; a select would give the second of two zeros.
// CHECK-LABEL: func.func @maxima(
// CHECK: arith.maximumf
// CHECK: arith.minimumf
// CHECK: arith.maxsi
// CHECK: arith.minui
// CHECK-NOT: arith.select
// CHECK: return
func.func @maxima(%x: vector<4xf32>, %y: vector<4xf32>, %i: i32, %j: i32) -> (vector<4xf32>, i32) {
  %0 = arith.maximumf %x, %y : vector<4xf32>
  %1 = arith.minimumf %0, %y : vector<4xf32>
  %2 = arith.maxsi %i, %j : i32
  %3 = arith.minui %2, %j : i32
  return %1, %3 : vector<4xf32>, i32
}

// CHECK-LABEL: func.func @others(
// CHECK-NOT: floordivsi
// CHECK-NOT: maxnumf
// CHECK: return
func.func @others(%x: f32, %y: f32, %i: index, %j: index) -> (f32, index) {
  %0 = arith.maxnumf %x, %y : f32
  %1 = arith.floordivsi %i, %j : index
  return %0, %1 : f32, index
}

// CHECK-LABEL: func.func @bf16(
// CHECK-NOT: arith.truncf
// CHECK: %[[X:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK-NOT: arith.truncf
// CHECK: return %[[X]]
func.func @bf16(%x: bf16, %y: f32) -> (f32, bf16) {
  %0 = arith.extf %x : bf16 to f32
  %1 = arith.truncf %y : f32 to bf16
  return %0, %1 : f32, bf16
}

// The sign of a scalar bf16 is that of an f32. Vectors have no FGETSIGN.
// CHECK-LABEL: func.func @bits(
// CHECK-SAME: %[[X:.*]]: bf16, %[[V:.*]]: vector<4xbf16>)
// CHECK: %[[F:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK: %[[B:.*]] = arith.bitcast %[[F]] : f32 to i32
// CHECK: %[[H:.*]] = arith.shrui %[[B]], %{{.*}} : i32
// CHECK: %[[R:.*]] = arith.trunci %[[H]] : i32 to i16
// CHECK: %[[W:.*]] = arith.bitcast %[[V]] : vector<4xbf16> to vector<4xi16>
// CHECK: return %[[R]], %[[W]]
func.func @bits(%x: bf16, %v: vector<4xbf16>) -> (i16, vector<4xi16>) {
  %0 = arith.bitcast %x : bf16 to i16
  %1 = arith.bitcast %v : vector<4xbf16> to vector<4xi16>
  return %0, %1 : i16, vector<4xi16>
}
