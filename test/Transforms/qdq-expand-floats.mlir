// RUN: quant-opt %s --qdq-expand-floats --canonicalize | FileCheck %s
// RUN: quant-opt %s --lower-quant=expand-floats --canonicalize | FileCheck %s
// RUN: quant-opt %s --qdq-expand-floats=include-f16 --canonicalize | FileCheck %s --check-prefix=F16
// RUN: quant-opt %s --qdq-expand-floats="include-f16 through-f16" --canonicalize | FileCheck %s --check-prefix=F16
// RUN: quant-opt %s --qdq-expand-floats=through-f16 --canonicalize | FileCheck %s --check-prefix=THROUGH
// RUN: quant-opt %s --qdq-expand-floats=tells-ranges --canonicalize | FileCheck %s --check-prefix=RANGES

// CHECK-LABEL: func @extf_f8E4M3FN
// CHECK-SAME: %[[X:.*]]: f8E4M3FN
// THROUGH-LABEL: func @extf_f8E4M3FN(
// THROUGH-DAG: %[[UNIT:.*]] = arith.constant 2.560000e+02 : f32
// THROUGH: %[[CODE:.*]] = arith.bitcast %{{.*}} : f8E4M3FN to i8
// THROUGH: arith.extsi %[[CODE]] : i8 to i16
// THROUGH: %[[HALF:.*]] = arith.bitcast %{{.*}} : i16 to f16
// THROUGH: %[[WIDE:.*]] = arith.extf %[[HALF]] : f16 to f32
// THROUGH: arith.mulf %[[WIDE]], %[[UNIT]]
func.func @extf_f8E4M3FN(%x: f8E4M3FN) -> f32 {
  // CHECK-DAG: %[[NAN:.*]] = arith.constant 2143289344 : i32
  // CHECK-DAG: %[[SMALLEST:.*]] = arith.constant 1.562500e-02 : f32
  // CHECK: %[[CODE:.*]] = arith.bitcast %[[X]] : f8E4M3FN to i8
  // CHECK: arith.extui %[[CODE]] : i8 to i32
  // CHECK: arith.subf %{{.*}}, %[[SMALLEST]]
  // CHECK: %[[FINITE:.*]] = arith.minui
  // CHECK: arith.select %{{.*}}, %[[NAN]], %[[FINITE]]
  // CHECK-NOT: arith.extf
  %y = arith.extf %x : f8E4M3FN to f32
  return %y : f32
}

// A power of two, or NaN: no selects.
// CHECK-LABEL: func @extf_scale
func.func @extf_scale(%x: vector<8xf8E8M0FNU>) -> vector<8xf32> {
  // CHECK-NOT: arith.select
  // CHECK: arith.maxui
  // CHECK-NOT: arith.select
  // CHECK: return
  %y = arith.extf %x : vector<8xf8E8M0FNU> to vector<8xf32>
  return %y : vector<8xf32>
}

// The upper half of f32, without rounding.
// CHECK-LABEL: func @extf_vector_to_bf16
func.func @extf_vector_to_bf16(%x: vector<4xf6E3M2FN>) -> vector<4xbf16> {
  // CHECK: arith.bitcast %{{.*}} : vector<4xf6E3M2FN> to vector<4xi6>
  // CHECK: %[[HALF:.*]] = arith.trunci %{{.*}} : vector<4xi32> to vector<4xi16>
  // CHECK: arith.bitcast %[[HALF]] : vector<4xi16> to vector<4xbf16>
  %y = arith.extf %x : vector<4xf6E3M2FN> to vector<4xbf16>
  return %y : vector<4xbf16>
}

// CHECK-LABEL: func @extf_between_small
func.func @extf_between_small(%x: f4E2M1FN) -> f8E5M2 {
  // CHECK: arith.bitcast %{{.*}} : f4E2M1FN to i4
  // CHECK: arith.bitcast %{{.*}} : i8 to f8E5M2
  %y = arith.extf %x : f4E2M1FN to f8E5M2
  return %y : f8E5M2
}

// CHECK-LABEL: func @truncf_f8E4M3FN
// RANGES-LABEL: func @truncf_f8E4M3FN
// RANGES: arith.trunci %{{.*}} overflow<nuw> : i32 to i8
func.func @truncf_f8E4M3FN(%x: f32) -> f8E4M3FN {
  // CHECK-DAG: %[[ALIGN:.*]] = arith.constant 1.638400e+04 : f32
  // CHECK-DAG: %[[LIMIT:.*]] = arith.constant 127 : i32
  // CHECK: arith.addf %{{.*}}, %[[ALIGN]]
  // CHECK: arith.minui %{{.*}}, %[[LIMIT]]
  // CHECK: arith.bitcast %{{.*}} : i8 to f8E4M3FN
  // CHECK-NOT: arith.truncf
  %y = arith.truncf %x : f32 to f8E4M3FN
  return %y : f8E4M3FN
}

// To f32 rounded to odd first: two roundings to nearest would differ from one.
// CHECK-LABEL: func @truncf_f64
func.func @truncf_f64(%x: f64) -> f8E5M2 {
  // CHECK: %[[F32:.*]] = arith.truncf %{{.*}} : f64 to f32
  // CHECK: arith.extf %[[F32]] : f32 to f64
  // CHECK-NOT: to f8E5M2{{$}}
  // CHECK: arith.bitcast %{{.*}} : i8 to f8E5M2
  %y = arith.truncf %x : f64 to f8E5M2
  return %y : f8E5M2
}

// A power of two scales to units of the last place, 2^23 rounds there.
// CHECK-LABEL: func @truncf_toward_zero
func.func @truncf_toward_zero(%x: vector<[4]xf16>) -> vector<[4]xf6E2M3FN> {
  // CHECK-DAG: %[[SHIFT:.*]] = arith.constant dense<0x4B000000> : vector<[4]xf32>
  // CHECK: arith.extf %{{.*}} : vector<[4]xf16> to vector<[4]xf32>
  // CHECK: %[[SCALED:.*]] = arith.mulf
  // CHECK: %[[UP:.*]] = arith.addf %[[SCALED]], %[[SHIFT]]
  // CHECK: arith.subf %[[UP]], %[[SHIFT]]
  // CHECK: arith.bitcast %{{.*}} : vector<[4]xi6> to vector<[4]xf6E2M3FN>
  %y = arith.truncf %x toward_zero : vector<[4]xf16> to vector<[4]xf6E2M3FN>
  return %y : vector<[4]xf6E2M3FN>
}

// CHECK-LABEL: func @scaling_extf
func.func @scaling_extf(%x: f4E2M1FN, %s: f8E8M0FNU) -> f32 {
  // CHECK-DAG: arith.bitcast %{{.*}} : f4E2M1FN to i4
  // CHECK-DAG: arith.bitcast %{{.*}} : f8E8M0FNU to i8
  // CHECK: arith.mulf
  // CHECK-NOT: arith.scaling_extf
  %y = arith.scaling_extf %x, %s : f4E2M1FN, f8E8M0FNU to f32
  return %y : f32
}

// CHECK-LABEL: func @scaling_truncf
func.func @scaling_truncf(%x: f32, %s: f8E8M0FNU) -> f8E5M2 {
  // CHECK: arith.divf
  // CHECK: arith.bitcast %{{.*}} : i8 to f8E5M2
  // CHECK-NOT: arith.scaling_truncf
  %y = arith.scaling_truncf %x, %s : f32, f8E8M0FNU to f8E5M2
  return %y : f8E5M2
}

// CHECK-LABEL: func @f16_stays
// F16-LABEL: func @f16_stays
func.func @f16_stays(%x: f16, %y: f64) -> (f64, f16) {
  // CHECK: arith.extf %{{.*}} : f16 to f64
  // CHECK: arith.truncf %{{.*}} : f64 to f16
  // F16-NOT: f16 to f
  // F16: arith.bitcast %{{.*}} : f16 to i16
  // F16: arith.bitcast %{{.*}} : i16 to f16
  // F16-NOT: to f16
  %a = arith.extf %x : f16 to f64
  %b = arith.truncf %y : f64 to f16
  return %a, %b : f64, f16
}

// CHECK-LABEL: func @tensors_stay
func.func @tensors_stay(%x: tensor<?xf32>) -> tensor<?xf8E5M2> {
  // CHECK: arith.truncf
  %y = arith.truncf %x : tensor<?xf32> to tensor<?xf8E5M2>
  return %y : tensor<?xf8E5M2>
}

// CHECK-LABEL: func @beyond_f64
func.func @beyond_f64(%x: f128, %y: f8E5M2, %z: tf32) -> (f8E5M2, f128, f8E5M2) {
  // CHECK: arith.truncf %{{.*}} upward : f128 to f8E5M2
  // CHECK: arith.extf %{{.*}} : f32 to f128
  // CHECK: arith.extf %{{.*}} : tf32 to f32
  // CHECK: arith.bitcast %{{.*}} : i8 to f8E5M2
  %a = arith.truncf %x upward : f128 to f8E5M2
  %b = arith.extf %y : f8E5M2 to f128
  %c = arith.truncf %z : tf32 to f8E5M2
  return %a, %b, %c : f8E5M2, f128, f8E5M2
}

// The upper byte of f16. Not f8E5M2FNUZ, whose highest exponent f16 has for infinity.
// THROUGH-LABEL: func @extf_through_f16(
// THROUGH-SAME: %[[X:.*]]: vector<4xf8E5M2>, %{{.*}}: f8E5M2FNUZ
// THROUGH: %[[CODE:.*]] = arith.bitcast %[[X]] : vector<4xf8E5M2> to vector<4xi8>
// THROUGH: %[[WORD:.*]] = arith.extsi %[[CODE]]
// THROUGH: %[[BITS:.*]] = arith.shli %[[WORD]], %{{.*}} : vector<4xi16>
// THROUGH: %[[HALF:.*]] = arith.bitcast %[[BITS]] : vector<4xi16> to vector<4xf16>
// THROUGH: %[[Y:.*]] = arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
// THROUGH-NOT: f16 to f32
// THROUGH: return %[[HALF]], %[[Y]]
func.func @extf_through_f16(%x: vector<4xf8E5M2>, %z: f8E5M2FNUZ) -> (vector<4xf16>, vector<4xf32>, f32) {
  %h = arith.extf %x : vector<4xf8E5M2> to vector<4xf16>
  %y = arith.extf %x : vector<4xf8E5M2> to vector<4xf32>
  %w = arith.extf %z : f8E5M2FNUZ to f32
  return %h, %y, %w : vector<4xf16>, vector<4xf32>, f32
}
