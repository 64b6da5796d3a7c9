// RUN: quant-opt %s --qdq-native-casts=target=gfx950 | FileCheck %s
// RUN: quant-opt %s --qdq-native-casts=target=gfx942 | FileCheck %s --check-prefix=GFX942 --implicit-check-not=arith.scaling
// RUN: quant-opt %s --qdq-native-casts=target=gfx950 --convert-arith-to-amdgpu=chipset=gfx950 | FileCheck %s --check-prefix=AMDGPU
// RUN: quant-opt %s --qdq-native-casts=target=gfx950 --remarks-filter=qdq-native-casts --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func @dequantize_f4
// CHECK-SAME: %[[Q:.*]]: vector<8xf4E2M1FN>, %[[S:.*]]: f8E8M0FNU
// CHECK-NEXT: %[[SCALE:.*]] = vector.broadcast %[[S]]
// CHECK-NEXT: %[[X:.*]] = arith.scaling_extf %[[Q]], %[[SCALE]] : vector<8xf4E2M1FN>, vector<8xf8E8M0FNU> to vector<8xf32>
// CHECK-NEXT: return %[[X]]
// AMDGPU-LABEL: func @dequantize_f4
// AMDGPU-COUNT-4: amdgpu.scaled_ext_packed
// AMDGPU-NOT: scaled_ext
// AMDGPU: return
func.func @dequantize_f4(%q: vector<8xf4E2M1FN>, %s: f8E8M0FNU) -> vector<8xf32> {
  %scale = vector.broadcast %s : f8E8M0FNU to vector<8xf8E8M0FNU>
  %x = arith.extf %q : vector<8xf4E2M1FN> to vector<8xf32>
  %e = arith.extf %scale : vector<8xf8E8M0FNU> to vector<8xf32>
  %y = arith.mulf %x, %e : vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func @dequantize_f8_to_bf16
// CHECK: arith.scaling_extf %{{.*}}, %{{.*}} : f8E5M2, f8E8M0FNU to bf16
// CHECK-NOT: truncf
func.func @dequantize_f8_to_bf16(%q: f8E5M2, %s: f8E8M0FNU) -> bf16 {
  %x = arith.extf %q : f8E5M2 to f32
  %e = arith.extf %s : f8E8M0FNU to f32
  %y = arith.mulf %e, %x : f32
  %z = arith.truncf %y : f32 to bf16
  return %z : bf16
}

// As qdq-codegen-vectorize reads the scale of a block.
// CHECK-LABEL: func @dequantize_f8_read
// CHECK: %[[S:.*]] = tensor.extract %{{.*}}[%{{.*}}] : tensor<4xf8E8M0FNU>
// CHECK: %[[SCALE:.*]] = vector.broadcast %[[S]] : f8E8M0FNU to vector<8xf8E8M0FNU>
// CHECK: arith.scaling_extf %{{.*}}, %[[SCALE]]
// AMDGPU-LABEL: func @dequantize_f8_read
// AMDGPU-COUNT-4: amdgpu.scaled_ext_packed
// AMDGPU-NOT: scaled_ext
// AMDGPU: return
func.func @dequantize_f8_read(%q: vector<8xf8E4M3FN>, %t: tensor<4xf8E8M0FNU>, %i: index) -> vector<8xf32> {
  %pad = ub.poison : f8E8M0FNU
  %scale = vector.transfer_read %t[%i], %pad {in_bounds = [true], permutation_map = affine_map<(d0) -> (0)>} : tensor<4xf8E8M0FNU>, vector<8xf8E8M0FNU>
  %x = arith.extf %q : vector<8xf8E4M3FN> to vector<8xf32>
  %e = arith.extf %scale : vector<8xf8E8M0FNU> to vector<8xf32>
  %y = arith.mulf %x, %e : vector<8xf32>
  return %y : vector<8xf32>
}

// As upstream's vectorization reads the scales of several blocks.
// CHECK-LABEL: func @dequantize_f4_blocks
// CHECK: %[[S:.*]] = vector.transfer_read %{{.*}}[%{{.*}}], %{{.*}} {in_bounds = [true]} : tensor<4xf8E8M0FNU>, vector<2xf8E8M0FNU>
// CHECK: %[[COLUMN:.*]] = vector.shape_cast %[[S]] : vector<2xf8E8M0FNU> to vector<2x1xf8E8M0FNU>
// CHECK: %[[SCALE:.*]] = vector.broadcast %[[COLUMN]] : vector<2x1xf8E8M0FNU> to vector<2x8xf8E8M0FNU>
// CHECK: arith.scaling_extf %{{.*}}, %[[SCALE]]
// AMDGPU-LABEL: func @dequantize_f4_blocks
// AMDGPU-COUNT-8: amdgpu.scaled_ext_packed
// AMDGPU-NOT: scaled_ext
// AMDGPU: return
func.func @dequantize_f4_blocks(%q: vector<2x8xf4E2M1FN>, %t: tensor<4xf8E8M0FNU>, %i: index) -> vector<2x8xf32> {
  %pad = ub.poison : f8E8M0FNU
  %scale = vector.transfer_read %t[%i], %pad {in_bounds = [true, true], permutation_map = affine_map<(d0) -> (d0, 0)>} : tensor<4xf8E8M0FNU>, vector<2x8xf8E8M0FNU>
  %x = arith.extf %q : vector<2x8xf4E2M1FN> to vector<2x8xf32>
  %e = arith.extf %scale : vector<2x8xf8E8M0FNU> to vector<2x8xf32>
  %y = arith.mulf %x, %e : vector<2x8xf32>
  return %y : vector<2x8xf32>
}

// In f16 the scale would overflow: the product is in f32.
// CHECK-LABEL: func @dequantize_f4_to_f16
// CHECK: %[[Y:.*]] = arith.scaling_extf %{{.*}}, %{{.*}} : f4E2M1FN, f8E8M0FNU to f32
// CHECK: arith.truncf %[[Y]] : f32 to f16
func.func @dequantize_f4_to_f16(%q: f4E2M1FN, %s: f8E8M0FNU) -> f16 {
  %x = arith.extf %q : f4E2M1FN to f32
  %e = arith.extf %s : f8E8M0FNU to f32
  %y = arith.mulf %x, %e : f32
  %z = arith.truncf %y : f32 to f16
  return %z : f16
}

// NVFP4: no instruction takes a scale of f8E4M3FN. The codes are scaled by 1.
// CHECK-LABEL: func @dequantize_f4_by_f8E4M3FN
// CHECK: %[[ONE:.*]] = arith.constant 127 : i8
// CHECK: %[[UNIT:.*]] = arith.bitcast %[[ONE]] : i8 to f8E8M0FNU
// CHECK: %[[X:.*]] = arith.scaling_extf %{{.*}}, %[[UNIT]] : f4E2M1FN, f8E8M0FNU to f32
// CHECK: %[[S:.*]] = arith.extf %{{.*}} : f8E4M3FN to f32
// CHECK: arith.mulf %[[X]], %[[S]]
// AMDGPU-LABEL: func @dequantize_f4_by_f8E4M3FN
// AMDGPU: amdgpu.ext_packed_fp8
func.func @dequantize_f4_by_f8E4M3FN(%q: f4E2M1FN, %s: f8E4M3FN) -> f32 {
  %x = arith.extf %q : f4E2M1FN to f32
  %e = arith.extf %s : f8E4M3FN to f32
  %y = arith.mulf %x, %e : f32
  return %y : f32
}

// The clamp goes into the instruction, but for NaN.
// CHECK-LABEL: func @quantize_f4
// CHECK-SAME: %[[X:.*]]: vector<8xf32>, %[[S:.*]]: f8E8M0FNU
// CHECK: %[[CODE:.*]] = arith.bitcast %[[S]] : f8E8M0FNU to i8
// CHECK: %[[IS_NAN:.*]] = arith.cmpi eq, %[[CODE]], %c-1_i8
// CHECK: %[[LIMITED:.*]] = arith.minui %[[CODE]], %c-2_i8
// CHECK: %[[FINITE:.*]] = arith.bitcast %[[LIMITED]] : i8 to f8E8M0FNU
// CHECK: arith.cmpf uno, %[[X]], %[[X]]
// CHECK: vector.broadcast %[[IS_NAN]]
// CHECK: %[[SCALE:.*]] = vector.broadcast %[[FINITE]] : f8E8M0FNU to vector<8xf8E8M0FNU>
// CHECK: %[[GUARDED:.*]] = arith.select %{{.*}}, %{{.*}}, %[[X]]
// CHECK: arith.scaling_truncf %[[GUARDED]], %[[SCALE]] : vector<8xf32>, vector<8xf8E8M0FNU> to vector<8xf4E2M1FN>
// CHECK-NOT: arith.truncf
// AMDGPU-LABEL: func @quantize_f4
// AMDGPU-COUNT-4: amdgpu.packed_scaled_trunc
// AMDGPU-NOT: packed_scaled_trunc
// AMDGPU: return
func.func @quantize_f4(%x: vector<8xf32>, %s: f8E8M0FNU) -> vector<8xf4E2M1FN> {
  %scale = vector.broadcast %s : f8E8M0FNU to vector<8xf8E8M0FNU>
  %e = arith.extf %scale : vector<8xf8E8M0FNU> to vector<8xf32>
  %y = arith.divf %x, %e : vector<8xf32>
  %high = arith.constant dense<6.0> : vector<8xf32>
  %low = arith.constant dense<-6.0> : vector<8xf32>
  %0 = arith.cmpf olt, %y, %high : vector<8xf32>
  %1 = arith.select %0, %y, %high : vector<8xi1>, vector<8xf32>
  %2 = arith.cmpf ogt, %1, %low : vector<8xf32>
  %3 = arith.select %2, %1, %low : vector<8xi1>, vector<8xf32>
  %q = arith.truncf %3 : vector<8xf32> to vector<8xf4E2M1FN>
  return %q : vector<8xf4E2M1FN>
}

// A narrower clamp is not what the format does.
// CHECK-LABEL: func @quantize_f4_narrow
// CHECK: arith.divf
// CHECK: arith.select
// CHECK: arith.scaling_truncf
func.func @quantize_f4_narrow(%x: f32, %s: f8E8M0FNU) -> f4E2M1FN {
  %e = arith.extf %s : f8E8M0FNU to f32
  %y = arith.divf %x, %e : f32
  %high = arith.constant 4.0 : f32
  %low = arith.constant -4.0 : f32
  %0 = arith.cmpf olt, %y, %high : f32
  %1 = arith.select %0, %y, %high : f32
  %2 = arith.cmpf ogt, %1, %low : f32
  %3 = arith.select %2, %1, %low : f32
  %q = arith.truncf %3 : f32 to f4E2M1FN
  return %q : f4E2M1FN
}

// float_overflow = ieee. With a clamp, which belongs between quotient and cast, the cast has no scale.
// CHECK-LABEL: func @quantize_f8
// CHECK: arith.scaling_truncf %{{.*}}, %{{.*}} : f32, f8E8M0FNU to f8E4M3FN
func.func @quantize_f8(%x: f32, %s: f8E8M0FNU) -> f8E4M3FN {
  %e = arith.extf %s : f8E8M0FNU to f32
  %y = arith.divf %x, %e : f32
  %q = arith.truncf %y : f32 to f8E4M3FN
  return %q : f8E4M3FN
}

// The scaled cast rounds to nearest even.
// CHECK-LABEL: func @quantize_f8_downward
// CHECK: arith.truncf %{{.*}} downward : f32 to f8E4M3FN
func.func @quantize_f8_downward(%x: f32, %s: f8E8M0FNU) -> f8E4M3FN {
  %e = arith.extf %s : f8E8M0FNU to f32
  %y = arith.divf %x, %e : f32
  %q = arith.truncf %y downward : f32 to f8E4M3FN
  return %q : f8E4M3FN
}

// Upstream goes through f32 and rounds twice.
// CHECK-LABEL: func @truncf_f64
// CHECK: %[[ODD:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK: arith.truncf %[[ODD]] : f32 to f8E4M3FN
// GFX942-LABEL: func @truncf_f64
// GFX942: arith.truncf %{{.*}} : f64 to f8E4M3FN
func.func @truncf_f64(%x: f64) -> f8E4M3FN {
  %q = arith.truncf %x : f64 to f8E4M3FN
  return %q : f8E4M3FN
}

// 6 bits, and scales in each lane.
// CHECK-LABEL: func @others
// CHECK-NOT: arith.scaling
// AMDGPU-LABEL: func @others
// AMDGPU: arith.extf %{{.*}} : f6E2M3FN to f32
// REMARK: Function=others {{.*}}f6E2M3FN to f32 has no instruction: the target does not have the format
// REMARK: Function=others {{.*}}no instruction takes its scale
// REMARK: Function=others {{.*}}it names a rounding mode
func.func @others(%q: f6E2M3FN, %s: f8E8M0FNU, %v: vector<4xf8E4M3FN>, %t: vector<4xf8E8M0FNU>, %x: f32) -> (f32, vector<4xf32>, f8E4M3FN) {
  %0 = arith.scaling_extf %q, %s : f6E2M3FN, f8E8M0FNU to f32
  %1 = arith.scaling_extf %v, %t : vector<4xf8E4M3FN>, vector<4xf8E8M0FNU> to vector<4xf32>
  %2 = arith.truncf %x downward : f32 to f8E4M3FN
  return %0, %1, %2 : f32, vector<4xf32>, f8E4M3FN
}

// A scale of another type is rounded to a power of two first, which the instruction would not do.
// CHECK-LABEL: func @f32_scale
// CHECK: %[[S:.*]] = arith.truncf %{{.*}} : f32 to f8E8M0FNU
// CHECK: arith.scaling_extf %{{.*}}, %[[S]] : f8E4M3FN, f8E8M0FNU to f32
func.func @f32_scale(%q: f8E4M3FN, %s: f32) -> f32 {
  %0 = arith.scaling_extf %q, %s : f8E4M3FN, f32 to f32
  return %0 : f32
}
