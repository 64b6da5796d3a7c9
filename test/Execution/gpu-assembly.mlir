// Kernels by upstream's GPU pipelines, from what lower-quant leaves by default: nothing is called, products and sums are not rounded together.

// DEFINE: %{kernels} = quant-opt %s --qdq-pack-boundaries --lower-quant=expand-floats --qdq-fuse-contractions --qdq-codegen-fuse-elementwise \
// DEFINE:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// DEFINE:   --convert-linalg-to-parallel-loops --gpu-map-parallel-loops --convert-parallel-loops-to-gpu --lower-affine --gpu-kernel-outlining \
// DEFINE:   --qdq-math-to-intrinsics
// DEFINE: %{text} = sed -e 's/\\0A/\n/g' -e 's/\\09/ /g'

// RUN: %{kernels} --gpu-lower-to-nvvm-pipeline="cubin-chip=sm_80 cubin-features=+ptx76 cubin-format=isa" | %{text} \
// RUN:   | FileCheck %s --check-prefix=PTX --implicit-check-not=.extern --implicit-check-not="call." --implicit-check-not="mul.f32" \
// RUN:     --implicit-check-not="add.f32" --implicit-check-not=".ftz" --implicit-check-not=".approx" --implicit-check-not="fma."

// RUN: %{kernels} | quant-opt --pass-pipeline='builtin.module(rocdl-attach-target{chip=gfx942},expand-strided-metadata,lower-affine,convert-scf-to-cf,gpu.module(convert-gpu-to-rocdl{chipset=gfx942}),reconcile-unrealized-casts,gpu-module-to-binary{format=isa})' | %{text} \
// RUN:   | FileCheck %s --check-prefix=AMD --implicit-check-not=s_swappc --implicit-check-not=s_getpc --implicit-check-not=denorm_mode_32{{[[:space:]]}}0

// PTX: .visible .entry nearest_even_kernel(
// PTX: div.rn.f32
// PTX: cvt.rni.f32.f32
// PTX: cvt.rzi.s32.f32
// AMD: {{^}}nearest_even_kernel:
// AMD: v_div_fixup_f32
// AMD: v_rndne_f32
func.func @nearest_even(%x: tensor<?x64xf32>, %s: tensor<64xf32>, %z: tensor<64xi8>) -> tensor<?x64xi8> {
  %q = qdq.quantize %x scale %s zero_point %z axis 1 : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xi8>) -> tensor<?x64xi8>
  return %q : tensor<?x64xi8>
}

// PTX: .visible .entry floor_kernel(
// PTX: cvt.rmi.f32.f32
// AMD: {{^}}floor_kernel:
// AMD: v_floor_f32
func.func @floor(%x: tensor<4096xf32>, %s: f32) -> tensor<4096xui8> {
  %q = qdq.quantize %x scale %s semantics <rounding = floor> : (tensor<4096xf32>, f32) -> tensor<4096xui8>
  return %q : tensor<4096xui8>
}

// PTX: .visible .entry away_kernel(
// PTX: cvt.rzi.f32.f32
// AMD: {{^}}away_kernel:
// AMD: v_trunc_f32
func.func @away(%x: tensor<4096xf32>, %s: f32) -> tensor<4096xi8> {
  %q = qdq.quantize %x scale %s semantics <rounding = nearest-away> : (tensor<4096xf32>, f32) -> tensor<4096xi8>
  return %q : tensor<4096xi8>
}

// PTX: .visible .entry float8_kernel(
// PTX: div.rn.f32
// AMD: {{^}}float8_kernel:
// AMD: v_div_fixup_f32
func.func @float8(%x: tensor<4096xf32>, %s: f32) -> tensor<4096xf8E4M3FN> {
  %q = qdq.quantize %x scale %s : (tensor<4096xf32>, f32) -> tensor<4096xf8E4M3FN>
  return %q : tensor<4096xf8E4M3FN>
}

// PTX: .visible .entry dequantize_kernel(
// PTX: cvt.rn.f32.s
// PTX: mul.rn.f32
// AMD: {{^}}dequantize_kernel:
// AMD: v_mul_f32
func.func @dequantize(%q: tensor<4096xi8>, %s: f32) -> tensor<4096xf32> {
  %x = qdq.dequantize %q scale %s : (tensor<4096xi8>, f32) -> tensor<4096xf32>
  return %x : tensor<4096xf32>
}

// Weights of int4 are read as bytes, and multiplied as they are dequantized.
// PTX: .visible .entry matvec_kernel(
// PTX: .visible .entry matvec_kernel(
// PTX: ld.global.{{s|u|b}}8
// PTX: mul.rn.f32
// PTX: mul.rn.f32
// PTX: add.rn.f32
// AMD: {{^}}matvec_kernel:
// AMD: {{^}}matvec_kernel:
// AMD: v_add_f32
func.func @matvec(%w: tensor<256x512xi4>, %scale: tensor<256x16xf32>, %x: tensor<512xf32>) -> tensor<256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256xf32>) -> tensor<256xf32>
  %weights = qdq.dequantize %w scale %scale block_shape [1, 32] : (tensor<256x512xi4>, tensor<256x16xf32>) -> tensor<256x512xf32>
  %y = linalg.matvec ins(%weights, %x : tensor<256x512xf32>, tensor<512xf32>) outs(%init : tensor<256xf32>) -> tensor<256xf32>
  return %y : tensor<256xf32>
}

// PTX: .visible .entry matmul_kernel(
// PTX: .visible .entry matmul_kernel(
// PTX: add.rn.f32
// PTX: div.rn.f32
// PTX: cvt.rni.f32.f32
// AMD: {{^}}matmul_kernel:
// AMD: v_rndne_f32
func.func @matmul(%x: tensor<64x128xf32>, %w: tensor<128x32xi8>, %sw: tensor<32xf32>, %sy: f32) -> tensor<64x32xi8> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x32xf32>) -> tensor<64x32xf32>
  %weights = qdq.dequantize %w scale %sw axis 1 : (tensor<128x32xi8>, tensor<32xf32>) -> tensor<128x32xf32>
  %y = linalg.matmul ins(%x, %weights : tensor<64x128xf32>, tensor<128x32xf32>) outs(%init : tensor<64x32xf32>) -> tensor<64x32xf32>
  %q = qdq.quantize %y scale %sy : (tensor<64x32xf32>, f32) -> tensor<64x32xi8>
  return %q : tensor<64x32xi8>
}
