// RUN: quant-opt %s --qdq-native-casts=target=sm_89 --canonicalize | FileCheck %s --check-prefixes=NV,SM89
// RUN: quant-opt %s --qdq-native-casts=target=sm_100a --canonicalize | FileCheck %s --check-prefixes=NV,SM100
// RUN: quant-opt %s --qdq-native-casts=target=avx10.2 --canonicalize | FileCheck %s --check-prefix=X86
// RUN: quant-opt %s --qdq-native-casts=target=fp8 --canonicalize | FileCheck %s --check-prefix=ARM
// RUN: quant-opt %s --qdq-native-casts=target=zvfofp8min --canonicalize | FileCheck %s --check-prefix=RISCV
// RUN: quant-opt %s --qdq-native-casts | FileCheck %s --check-prefix=NONE
// RUN: quant-opt %s --lower-quant=target-casts=sm_89 --canonicalize | FileCheck %s --check-prefix=NV
// RUN: quant-opt %s --qdq-native-casts=target=sm_89 --remarks-filter=qdq-native-casts --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// NONE-NOT: nvvm
// NONE-NOT: call_intrinsic

// Pairs, the last one filled up.
// NV-LABEL: func @extf_f8E4M3FN_odd
// NV: %[[CODES:.*]] = arith.bitcast %{{.*}} : vector<3xf8E4M3FN> to vector<3xi8>
// NV: %[[PAIR:.*]] = vector.extract_strided_slice %[[CODES]] {offsets = [0], sizes = [2]
// NV: %[[REALS:.*]] = nvvm.convert.f8x2.to.f16x2 %[[PAIR]] : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// NV: arith.extf %[[REALS]] : vector<2xf16> to vector<2xf32>
// NV: nvvm.convert.f8x2.to.f16x2
// NV-NOT: f8x2
// X86-LABEL: func @extf_f8E4M3FN_odd
// X86: vector.insert_strided_slice %{{.*}} {offsets = [0], strides = [1]} : vector<3xi8> into vector<8xi8>
// X86: llvm.call_intrinsic "llvm.x86.avx10.mask.vcvthf82ph128"(%{{.*}}, %{{.*}}, %c-1_i8) : (vector<16xi8>, vector<8xf16>, i8) -> vector<8xf16>
// ARM-LABEL: func @extf_f8E4M3FN_odd
// ARM: %[[E4M3:.*]] = arith.constant 1 : i64
// ARM: llvm.call_intrinsic "llvm.aarch64.set.fpmr"(%[[E4M3]])
// ARM: llvm.call_intrinsic "llvm.aarch64.neon.fp8.cvtl1"
// RISCV-LABEL: func @extf_f8E4M3FN_odd
// RISCV: %[[UPPER:.*]] = arith.constant dense<16> : vector<4xi32>
// RISCV: %[[BF16:.*]] = llvm.call_intrinsic "llvm.riscv.vfwcvt.f.f.v"({{.*}}) : (vector<[2]xbf16>, vector<[2]xi8>, i64)
// RISCV: arith.shli %{{.*}}, %[[UPPER]]
func.func @extf_f8E4M3FN_odd(%q: vector<3xf8E4M3FN>) -> vector<3xf32> {
  %x = arith.extf %q : vector<3xf8E4M3FN> to vector<3xf32>
  return %x : vector<3xf32>
}

// NV-LABEL: func @extf_f8E5M2_scalar
// NV: nvvm.convert.f8x2.to.f16x2 %{{.*}} : vector<2xi8>(f8E5M2) -> vector<2xf16>
// X86-LABEL: func @extf_f8E5M2_scalar
// X86: %[[BYTE:.*]] = arith.constant dense<8> : vector<8xi16>
// X86: arith.shli %{{.*}}, %[[BYTE]]
// X86-NOT: call_intrinsic
// ARM-LABEL: func @extf_f8E5M2_scalar
// ARM: %[[E5M2:.*]] = arith.constant 0 : i64
// ARM: llvm.call_intrinsic "llvm.aarch64.set.fpmr"(%[[E5M2]])
// RISCV-LABEL: func @extf_f8E5M2_scalar
// RISCV: llvm.riscv.vfwcvt.f.f.v.alt
func.func @extf_f8E5M2_scalar(%q: f8E5M2) -> f32 {
  %x = arith.extf %q : f8E5M2 to f32
  return %x : f32
}

// The low 4 bits are the first element.
// SM89-LABEL: func @extf_f4E2M1FN
// SM89: arith.extf %{{.*}} : vector<2xf4E2M1FN> to vector<2xf16>
// SM100-LABEL: func @extf_f4E2M1FN
// SM100: %[[FIRST:.*]] = vector.extract %[[BYTES:.*]][0] : i8 from vector<2xi8>
// SM100: %[[BYTE:.*]] = arith.ori %[[FIRST]],
// SM100: nvvm.convert.f4x2.to.f16x2 %[[BYTE]] : i8(f4E2M1FN) -> vector<2xf16>
// REMARK: remark: [Missed] no-instruction | Category:qdq-native-casts | Function=extf_f4E2M1FN |
// REMARK-SAME: arith.extf from vector<2xf4E2M1FN> to vector<2xf16> has no instruction: the format is of sm_100a and later
func.func @extf_f4E2M1FN(%q: vector<2xf4E2M1FN>) -> vector<2xf16> {
  %x = arith.extf %q : vector<2xf4E2M1FN> to vector<2xf16>
  return %x : vector<2xf16>
}

// SM100-LABEL: func @extf_f6E3M2FN
// SM100: nvvm.convert.f6x2.to.f16x2 %{{.*}} : vector<2xi8>(f6E3M2FN) -> vector<2xf16>
func.func @extf_f6E3M2FN(%q: vector<2xf6E3M2FN>) -> vector<2xf16> {
  %x = arith.extf %q : vector<2xf6E3M2FN> to vector<2xf16>
  return %x : vector<2xf16>
}

// SM100-LABEL: func @extf_f8E8M0FNU
// SM100: nvvm.convert.f8x2.to.bf16x2 %{{.*}} : vector<2xi8>(f8E8M0FNU) -> vector<2xbf16>
func.func @extf_f8E8M0FNU(%s: vector<2xf8E8M0FNU>) -> vector<2xf32> {
  %x = arith.extf %s : vector<2xf8E8M0FNU> to vector<2xf32>
  return %x : vector<2xf32>
}

// The instruction saturates: no comparison is left. The second element is the first operand.
// NV-LABEL: func @truncf_saturating
// NV-SAME: %[[X:.*]]: vector<2xf32>
// NV-NOT: arith.cmpf
// NV-DAG: %[[SECOND:.*]] = vector.extract %[[X]][1]
// NV-DAG: %[[FIRST:.*]] = vector.extract %[[X]][0]
// NV: nvvm.convert.f32x2.to.f8x2 %[[SECOND]], %[[FIRST]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>(f8E4M3FN)
// X86-LABEL: func @truncf_saturating
// X86: %[[F16:.*]] = arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
// X86: arith.cmpf one
// X86: llvm.call_intrinsic "llvm.x86.avx10.mask.vcvtph2hf8s128"
// ARM-LABEL: func @truncf_saturating
// ARM-NOT: arith.cmpf
// ARM: %[[MODE:.*]] = arith.constant 32832 : i64
// ARM: llvm.call_intrinsic "llvm.aarch64.set.fpmr"(%[[MODE]])
// ARM: llvm.call_intrinsic "llvm.aarch64.neon.fp8.fcvtn"(%{{.*}}, %{{.*}}) : (vector<4xf32>, vector<4xf32>) -> vector<8xi8>
// RISCV-LABEL: func @truncf_saturating
// RISCV-NOT: arith.cmpf
// RISCV: llvm.call_intrinsic "llvm.riscv.vfncvt.sat.f.f.q"
func.func @truncf_saturating(%x: vector<2xf32>) -> vector<2xf8E4M3FN> {
  %high = arith.constant dense<448.0> : vector<2xf32>
  %low = arith.constant dense<-448.0> : vector<2xf32>
  %0 = arith.cmpf ogt, %x, %high : vector<2xf32>
  %1 = arith.select %0, %high, %x : vector<2xi1>, vector<2xf32>
  %2 = arith.cmpf olt, %1, %low : vector<2xf32>
  %3 = arith.select %2, %low, %1 : vector<2xi1>, vector<2xf32>
  %q = arith.truncf %3 : vector<2xf32> to vector<2xf8E4M3FN>
  return %q : vector<2xf8E4M3FN>
}

// Here a NaN becomes -448, which no instruction does: the clamp stays.
// NV-LABEL: func @truncf_clamped_nan
// NV: arith.cmpf
// NV: nvvm.convert.f32x2.to.f8x2
func.func @truncf_clamped_nan(%x: vector<2xf32>) -> vector<2xf8E4M3FN> {
  %high = arith.constant dense<448.0> : vector<2xf32>
  %low = arith.constant dense<-448.0> : vector<2xf32>
  %0 = arith.cmpf ogt, %x, %low : vector<2xf32>
  %1 = arith.select %0, %x, %low : vector<2xi1>, vector<2xf32>
  %2 = arith.cmpf olt, %1, %high : vector<2xf32>
  %3 = arith.select %2, %1, %high : vector<2xi1>, vector<2xf32>
  %q = arith.truncf %3 : vector<2xf32> to vector<2xf8E4M3FN>
  return %q : vector<2xf8E4M3FN>
}

// One bound is not enough.
// NV-LABEL: func @truncf_half_bounded
// NV: arith.truncf
func.func @truncf_half_bounded(%x: f32) -> f8E4M3FN {
  %high = arith.constant 448.0 : f32
  %0 = arith.cmpf ogt, %x, %high : f32
  %1 = arith.select %0, %high, %x : f32
  %q = arith.truncf %1 : f32 to f8E4M3FN
  return %q : f8E4M3FN
}

// float_overflow = ieee: what is beyond becomes infinity.
// NV-LABEL: func @truncf_overflowing
// NV: arith.truncf
// REMARK: Function=truncf_overflowing
// REMARK-SAME: it saturates, and no clamp stands before it
// X86-LABEL: func @truncf_overflowing
// X86: llvm.call_intrinsic "llvm.x86.avx10.mask.vcvtph2bf8512"(%{{.*}}, %{{.*}}, %c-1_i32) : (vector<32xf16>, vector<32xi8>, i32) -> vector<32xi8>
// ARM-LABEL: func @truncf_overflowing
// ARM: %[[MODE:.*]] = arith.constant 0 : i64
// ARM-COUNT-4: llvm.aarch64.neon.fp8.fcvtn
// RISCV-LABEL: func @truncf_overflowing
// RISCV: arith.truncf
func.func @truncf_overflowing(%x: vector<4x8xf16>) -> vector<4x8xf8E5M2> {
  %q = arith.truncf %x : vector<4x8xf16> to vector<4x8xf8E5M2>
  return %q : vector<4x8xf8E5M2>
}

// A NaN becomes the largest value, by definition and by the instruction.
// SM100-LABEL: func @truncf_f4E2M1FN
// SM100-NOT: arith.cmpf
// SM100: %[[BYTE:.*]] = nvvm.convert.f32x2.to.f4x2 %{{.*}}, %{{.*}} : i8(f4E2M1FN)
// SM100: arith.shrui %[[BYTE]]
func.func @truncf_f4E2M1FN(%x: vector<2xbf16>) -> vector<2xf4E2M1FN> {
  %q = arith.truncf %x : vector<2xbf16> to vector<2xf4E2M1FN>
  return %q : vector<2xf4E2M1FN>
}

// SM100-LABEL: func @truncf_f6E2M3FN
// SM100: nvvm.convert.f32x2.to.f6x2 %{{.*}}, %{{.*}} : vector<2xi8>(f6E2M3FN)
func.func @truncf_f6E2M3FN(%x: vector<2xf32>) -> vector<2xf6E2M3FN> {
  %q = arith.truncf %x : vector<2xf32> to vector<2xf6E2M3FN>
  return %q : vector<2xf6E2M3FN>
}

// What stays, with the reason.
// NV-LABEL: func @others
// NV: arith.truncf %{{.*}} toward_zero
// NV: arith.truncf %{{.*}} : f64 to f8E4M3FN
// NV: arith.truncf %{{.*}} : f8E5M2 to f4E2M1FN
// NV: arith.extf %{{.*}} : vector<[4]xf8E4M3FN>
// NV: arith.extf %{{.*}} : f8E4M3FNUZ
// REMARK: Function=others {{.*}}it does not round to nearest even
// REMARK: Function=others {{.*}}it is neither from f16, bf16 nor f32
// REMARK: Function=others {{.*}}it is neither from f16, bf16 nor f32
// REMARK: Function=others {{.*}}it is on a scalable vector
// REMARK: Function=others {{.*}}the target does not have the format
func.func @others(%x: f32, %y: f64, %q: f8E5M2, %v: vector<[4]xf8E4M3FN>, %z: f8E4M3FNUZ) -> (f8E4M3FN, f8E4M3FN, f4E2M1FN, vector<[4]xf32>, f32) {
  %0 = arith.truncf %x toward_zero : f32 to f8E4M3FN
  %1 = arith.truncf %y : f64 to f8E4M3FN
  %2 = arith.truncf %q : f8E5M2 to f4E2M1FN
  %3 = arith.extf %v : vector<[4]xf8E4M3FN> to vector<[4]xf32>
  %4 = arith.extf %z : f8E4M3FNUZ to f32
  return %0, %1, %2, %3, %4 : f8E4M3FN, f8E4M3FN, f4E2M1FN, vector<[4]xf32>, f32
}

// Bounds that are no constants, and a select of something else, are no clamp.
// NV-LABEL: func @truncf_no_clamp
// NV-COUNT-2: arith.truncf
// NV-NOT: nvvm
func.func @truncf_no_clamp(%x: f32, %h: f32, %l: f32) -> (f8E4M3FN, f8E4M3FN) {
  %0 = arith.cmpf ogt, %x, %h : f32
  %1 = arith.select %0, %h, %x : f32
  %2 = arith.cmpf olt, %1, %l : f32
  %3 = arith.select %2, %l, %1 : f32
  %p = arith.truncf %3 : f32 to f8E4M3FN
  %high = arith.constant 448.0 : f32
  %low = arith.constant -448.0 : f32
  %one = arith.constant 1.0 : f32
  %4 = arith.cmpf olt, %x, %high : f32
  %5 = arith.select %4, %x, %one : f32
  %6 = arith.cmpf olt, %5, %low : f32
  %7 = arith.select %6, %low, %5 : f32
  %q = arith.truncf %7 : f32 to f8E4M3FN
  return %p, %q : f8E4M3FN, f8E4M3FN
}

// One value is within the range.
// NV-LABEL: func @truncf_of_one_value
// NV: nvvm.convert.f32x2.to.f8x2
func.func @truncf_of_one_value(%x: f32) -> f8E4M3FN {
  %one = arith.constant 1.0 : f32
  %0 = arith.cmpf ogt, %x, %one : f32
  %1 = arith.select %0, %one, %x : f32
  %2 = arith.cmpf olt, %1, %one : f32
  %3 = arith.select %2, %one, %1 : f32
  %q = arith.truncf %3 : f32 to f8E4M3FN
  return %q : f8E4M3FN
}

// NV-LABEL: func @extf_to_small
// NV: arith.extf %{{.*}} : f4E2M1FN to f8E4M3FN
func.func @extf_to_small(%q: f4E2M1FN) -> f8E4M3FN {
  %x = arith.extf %q : f4E2M1FN to f8E4M3FN
  return %x : f8E4M3FN
}
