// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of quantized types as operands and attributes of qdq ops.
// RUN: quant-opt %s --convert-quant-to-qdq | FileCheck %s
// RUN: quant-opt %s --convert-quant-to-qdq="rounding=floor nan=highest" | FileCheck %s --check-prefix=OPTION
// RUN: quant-opt %s --convert-quant-to-qdq="profile=onnx" | FileCheck %s --check-prefix=PROFILE

// CHECK-LABEL: func @qcast_per_layer_4(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>) -> tensor<4xi8>
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 10 : i8
// CHECK: %[[Q:.*]] = qdq.quantize %[[X]] scale %[[SCALE]] zero_point %[[ZERO]]
// CHECK-SAME: semantics <rounding = nearest-even, order = add-then-round, division = exact, compute = f32, subtract = float, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
// CHECK-SAME: : (tensor<4xf32>, f32, i8) -> tensor<4xi8>
// CHECK: return %[[Q]] : tensor<4xi8>
// OPTION-LABEL: func @qcast_per_layer_4(
// OPTION: qdq.quantize {{.*}} semantics <rounding = floor, order = add-then-round, {{.*}} nan = highest
// PROFILE-LABEL: func @qcast_per_layer_4(
// PROFILE: qdq.quantize {{.*}} semantics <rounding = nearest-even, order = round-then-add, {{.*}} subtract = wide
func.func @qcast_per_layer_4(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:10>> {
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.5:10>>
  return %q : tensor<4x!quant.uniform<i8:f32, 0.5:10>>
}

// CHECK-LABEL: func @dcast_per_layer_dynamic(
// CHECK-SAME: %[[Q:.*]]: tensor<?xi8>) -> tensor<?xf16>
// CHECK: qdq.dequantize %[[Q]] scale %{{.*}} zero_point %{{.*}} semantics <{{.*}} compute = f16
// CHECK-SAME: : (tensor<?xi8>, f16, i8) -> tensor<?xf16>
func.func @dcast_per_layer_dynamic(%q: tensor<?x!quant.uniform<i8:f16, 0.5:10>>) -> tensor<?xf16> {
  %x = quant.dcast %q : tensor<?x!quant.uniform<i8:f16, 0.5:10>> to tensor<?xf16>
  return %x : tensor<?xf16>
}

// A zero point of zero is no operand.
// CHECK-LABEL: func @qcast_per_layer_scalar_symmetric(
// CHECK-SAME: %[[X:.*]]: bf16) -> i8
// CHECK: %[[SCALE:.*]] = arith.constant 2.000000e+00 : bf16
// CHECK-NEXT: qdq.quantize %[[X]] scale %[[SCALE]] semantics
func.func @qcast_per_layer_scalar_symmetric(%x: bf16) -> !quant.uniform<i8:bf16, 2.0> {
  %q = quant.qcast %x : bf16 to !quant.uniform<i8:bf16, 2.0>
  return %q : !quant.uniform<i8:bf16, 2.0>
}

// Rounding is exact, so 0.1 is one f32 and another f16.
// CHECK-LABEL: func @qcast_per_layer_scale_rounds_once(
// CHECK-DAG: arith.constant 1.000000e-01 : f32
// CHECK-DAG: arith.constant 9.997550e-02 : f16
// CHECK-DAG: arith.constant 1.000000e-01 : f64
func.func @qcast_per_layer_scale_rounds_once(%x: tensor<4xf32>, %y: tensor<4xf16>, %z: tensor<4xf64>) {
  %0 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.1>>
  %1 = quant.qcast %y : tensor<4xf16> to tensor<4x!quant.uniform<i8:f16, 0.1>>
  %2 = quant.qcast %z : tensor<4xf64> to tensor<4x!quant.uniform<i8:f64, 0.1>>
  return
}

// A scalar constant is signless, so a zero point that needs the top bit of unsigned storage takes twice the width.
// CHECK-LABEL: func @qcast_per_layer_unsigned(
// CHECK-DAG: %[[ZERO_U8:.*]] = arith.constant 200 : i16
// CHECK-DAG: %[[ZERO_U4:.*]] = arith.constant 15 : i8
// CHECK-DAG: %[[ZERO_U16:.*]] = arith.constant 65535 : i32
// CHECK-DAG: %[[ZERO_LOW:.*]] = arith.constant 127 : i8
// CHECK: qdq.quantize {{.*}} zero_point %[[ZERO_U8]] {{.*}} -> tensor<4xui8>
// CHECK: qdq.quantize {{.*}} zero_point %[[ZERO_U4]] {{.*}} -> tensor<4xui4>
// CHECK: qdq.quantize {{.*}} zero_point %[[ZERO_U16]] {{.*}} -> tensor<4xui16>
// CHECK: qdq.quantize {{.*}} zero_point %[[ZERO_LOW]] {{.*}} -> tensor<4xui8>
// CHECK: %[[BITS:.*]] = arith.constant -1 : i32
// CHECK: %[[ZERO_U32:.*]] = builtin.unrealized_conversion_cast %[[BITS]] : i32 to ui32
// CHECK: qdq.quantize {{.*}} zero_point %[[ZERO_U32]] {{.*}} -> tensor<4xui32>
func.func @qcast_per_layer_unsigned(%x: tensor<4xf32>) {
  %0 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<u8:f32, 2.0:200>>
  %1 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<u4:f32, 2.0:15>>
  %2 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<u16:f32, 2.0:65535>>
  %3 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<u8:f32, 2.0:127>>
  %4 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<u32:f32, 2.0:4294967295>>
  return
}

// CHECK-LABEL: func @qcast_per_layer_storage_widths(
// CHECK: qdq.quantize {{.*}} -> tensor<4xi2>
// CHECK: qdq.quantize {{.*}} -> tensor<4xi4>
// CHECK: qdq.quantize {{.*}} -> tensor<4xi16>
// CHECK: qdq.quantize {{.*}} -> tensor<4xi32>
// CHECK: qdq.quantize {{.*}} -> tensor<4xi8>
// CHECK: qdq.quantize {{.*}} -> tensor<4xui8>
func.func @qcast_per_layer_storage_widths(%x: tensor<4xf32>) {
  %0 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i2:f32, 2.0>>
  %1 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i4:f32, 2.0>>
  %2 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i16:f32, 2.0>>
  %3 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i32:f32, 2.0>>
  %4 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<si8:f32, 2.0>>
  %5 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<ui8:f32, 2.0>>
  return
}

// CHECK-LABEL: func @qcast_per_layer_narrowed(
// CHECK: qdq.quantize {{.*}} clamp [-127, 127] semantics
// CHECK: qdq.quantize {{.*}} clamp [3, 200] semantics
// CHECK-NOT: clamp
// CHECK: return
func.func @qcast_per_layer_narrowed(%x: tensor<4xf32>) {
  %0 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8<-127:127>:f32, 2.0>>
  %1 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<u8<3:200>:f32, 2.0>>
  %2 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<u8<0:255>:f32, 2.0>>
  return
}

// CHECK-LABEL: func @qcast_per_axis_4x2(
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[ZERO:.*]] = {{(arith.constant dense<\[10, 200\]> :|tensor.bitcast .* to)}} tensor<2xui8>
// CHECK: qdq.quantize %{{.*}} scale %[[SCALE]] zero_point %[[ZERO]] axis 1 semantics
// CHECK-SAME: : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xui8>) -> tensor<4x2xui8>
func.func @qcast_per_axis_4x2(%x: tensor<4x2xf32>) -> tensor<4x2x!quant.uniform<u8:f32:1, {2.0:10, 3.0:200}>> {
  %q = quant.qcast %x : tensor<4x2xf32> to tensor<4x2x!quant.uniform<u8:f32:1, {2.0:10, 3.0:200}>>
  return %q : tensor<4x2x!quant.uniform<u8:f32:1, {2.0:10, 3.0:200}>>
}

// CHECK-LABEL: func @dcast_per_axis_unranked(
// CHECK: qdq.dequantize %{{.*}} scale %{{.*}} axis 1 semantics
// CHECK-SAME: : (tensor<*xi8>, tensor<2xf32>) -> tensor<*xf32>
func.func @dcast_per_axis_unranked(%q: tensor<*x!quant.uniform<i8:f32:1, {2.0, 3.0}>>) -> tensor<*xf32> {
  %x = quant.dcast %q : tensor<*x!quant.uniform<i8:f32:1, {2.0, 3.0}>> to tensor<*xf32>
  return %x : tensor<*xf32>
}

// CHECK-LABEL: func @qcast_per_layer_unranked(
// CHECK: qdq.quantize {{.*}} : (tensor<*xf32>, f32, i8) -> tensor<*xi8>
func.func @qcast_per_layer_unranked(%x: tensor<*xf32>) -> tensor<*x!quant.uniform<i8:f32, 2.0:10>> {
  %q = quant.qcast %x : tensor<*xf32> to tensor<*x!quant.uniform<i8:f32, 2.0:10>>
  return %q : tensor<*x!quant.uniform<i8:f32, 2.0:10>>
}

// The type stores the zero point 200 as the bits of -56.
// CHECK-LABEL: func @qcast_sub_channel_2x4_unsigned(
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<{{\[}}[2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00]]> : tensor<2x2xf32>
// CHECK-DAG: %[[ZERO:.*]] = {{(arith.constant dense<\[\[200, 20\], \[0, 1\]\]> :|tensor.bitcast .* to)}} tensor<2x2xui8>
// CHECK: qdq.quantize %{{.*}} scale %[[SCALE]] zero_point %[[ZERO]] block_shape [1, 2] semantics
// CHECK-SAME: -> tensor<2x4xui8>
func.func @qcast_sub_channel_2x4_unsigned(%x: tensor<2x4xf32>) {
  %q = quant.qcast %x : tensor<2x4xf32> to tensor<2x4x!quant.uniform<u8:f32:{0:1, 1:2}, {{2.0:200, 3.0:20}, {4.0, 5.0:1}}>>
  return
}

// A dimension without a block size is one block.
// CHECK-LABEL: func @dcast_sub_channel_dynamic_unlisted_dimension(
// CHECK: qdq.dequantize %{{.*}} block_shape [0, 2, 0] semantics
// CHECK-SAME: : (tensor<?x4x?xi4>, tensor<1x2x1xf16>, tensor<1x2x1xi4>) -> tensor<?x4x?xf16>
func.func @dcast_sub_channel_dynamic_unlisted_dimension(
    %q: tensor<?x4x?x!quant.uniform<i4:f16:{1:2}, {{{2.0:3}, {3.0:-8}}}>>) -> tensor<?x4x?xf16> {
  %x = quant.dcast %q : tensor<?x4x?x!quant.uniform<i4:f16:{1:2}, {{{2.0:3}, {3.0:-8}}}>> to tensor<?x4x?xf16>
  return %x : tensor<?x4x?xf16>
}

// It is rounding, not identity.
// CHECK-LABEL: func @qcast_dcast_pair_survives(
// CHECK: %[[Q:.*]] = qdq.quantize
// CHECK: %[[Y:.*]] = qdq.dequantize %[[Q]]
// CHECK: return %[[Y]]
func.func @qcast_dcast_pair_survives(%x: tensor<4xf32>) -> tensor<4xf32> {
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 2.0>>
  %y = quant.dcast %q : tensor<4x!quant.uniform<i8:f32, 2.0>> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func @scast_signed(
// CHECK-SAME: %[[Q:.*]]: tensor<4xi8>) -> tensor<4xi8>
// CHECK-NEXT: return %[[Q]]
func.func @scast_signed(%q: tensor<4x!quant.uniform<i8:f32, 2.0>>) -> tensor<4xi8> {
  %i = quant.scast %q : tensor<4x!quant.uniform<i8:f32, 2.0>> to tensor<4xi8>
  return %i : tensor<4xi8>
}

// The integer side of the cast is signless.
// CHECK-LABEL: func @scast_unsigned(
// CHECK-SAME: %[[I:.*]]: tensor<*xi8>, %[[S:.*]]: ui8) -> (tensor<*xui8>, i8)
// CHECK: %[[Q:.*]] = tensor.bitcast %[[I]] : tensor<*xi8> to tensor<*xui8>
// CHECK: %[[J:.*]] = builtin.unrealized_conversion_cast %[[S]] : ui8 to i8
// CHECK: return %[[Q]], %[[J]]
func.func @scast_unsigned(%i: tensor<*xi8>, %s: !quant.uniform<u8:f32, 2.0>) -> (tensor<*x!quant.uniform<u8:f32, 2.0>>, i8) {
  %q = quant.scast %i : tensor<*xi8> to tensor<*x!quant.uniform<u8:f32, 2.0>>
  %j = quant.scast %s : !quant.uniform<u8:f32, 2.0> to i8
  return %q, %j : tensor<*x!quant.uniform<u8:f32, 2.0>>, i8
}

// One pair of constants for a type in a function, before all control flow.
// CHECK-LABEL: func @constants_once(
// CHECK-COUNT-1: arith.constant dense<[2.000000e+00, 3.000000e+00]>
// CHECK-NOT: arith.constant dense
// CHECK: return
func.func @constants_once(%c: i1, %x: tensor<2xf32>) -> tensor<2xf32> {
  %r = scf.if %c -> tensor<2xf32> {
    %q = quant.qcast %x : tensor<2xf32> to tensor<2x!quant.uniform<i8:f32:0, {2.0, 3.0}>>
    %y = quant.dcast %q : tensor<2x!quant.uniform<i8:f32:0, {2.0, 3.0}>> to tensor<2xf32>
    scf.yield %y : tensor<2xf32>
  } else {
    scf.yield %x : tensor<2xf32>
  }
  %q = quant.qcast %r : tensor<2xf32> to tensor<2x!quant.uniform<i8:f32:0, {2.0, 3.0}>>
  %y = quant.dcast %q : tensor<2x!quant.uniform<i8:f32:0, {2.0, 3.0}>> to tensor<2xf32>
  return %y : tensor<2xf32>
}

// Blocks in several dimensions, on dynamic sizes; u8 zero points beyond 127 are what the type says.
// CHECK-LABEL: func @qcast_sub_channel_two_axes_dynamic(
// CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<{{.*}}2.000000e+00, 3.000000e+00{{.*}}5.000000e-01, 2.500000e-01{{.*}}> : tensor<2x1x2xf32>
// CHECK-DAG: %[[ZERO:.*]] = {{(arith.constant dense<.*200, 100.*1, 255.*> :|tensor.bitcast .* to)}} tensor<2x1x2xui8>
// CHECK: qdq.quantize %{{.*}} scale %[[SCALE]] zero_point %[[ZERO]] block_shape [2, 0, 3]
func.func @qcast_sub_channel_two_axes_dynamic(%x: tensor<?x?x?xf32>) -> tensor<?x?x?x!quant.uniform<u8:f32:{0:2, 2:3}, {{{2.0:200, 3.0:100}}, {{0.5:1, 0.25:255}}}>> {
  %q = quant.qcast %x : tensor<?x?x?xf32> to tensor<?x?x?x!quant.uniform<u8:f32:{0:2, 2:3}, {{{2.0:200, 3.0:100}}, {{0.5:1, 0.25:255}}}>>
  return %q : tensor<?x?x?x!quant.uniform<u8:f32:{0:2, 2:3}, {{{2.0:200, 3.0:100}}, {{0.5:1, 0.25:255}}}>>
}
