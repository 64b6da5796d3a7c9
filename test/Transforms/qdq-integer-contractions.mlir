// RUN: quant-opt %s --qdq-integer-contractions --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-integer-contractions=rescale=f32 --split-input-file | FileCheck %s --check-prefix=F32
// RUN: quant-opt %s --qdq-integer-contractions=profile=ort --split-input-file | FileCheck %s --check-prefix=F32
// RUN: quant-opt %s --qdq-integer-contractions=rescale=exact --split-input-file | FileCheck %s --check-prefix=EXACT
// RUN: quant-opt %s --qdq-integer-contractions=rescale=f64 --split-input-file | FileCheck %s --check-prefix=F64

// The named op stays, on the codes. The sums over the columns of w are constant, and so is their product with the zero point.
// CHECK-LABEL: func @matmul_per_column
// CHECK-SAME:    %[[X:.*]]: tensor<3x2xi8>
func.func @matmul_per_column(%x: tensor<3x2xi8>) -> tensor<3x2xf32> {
  // CHECK-DAG: %[[W:.*]] = arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi8>
  // CHECK: %[[SUM:.*]] = linalg.matmul ins(%[[X]], %[[W]] : tensor<3x2xi8>, tensor<2x2xi8>) outs(%{{.*}} : tensor<3x2xi32>)
  // CHECK: %[[SHARE:.*]] = arith.constant dense<[-40, -60]> : tensor<2xi32>
  // CHECK: %[[ACC:.*]] = linalg.generic {{.*}} ins(%[[SUM]], %[[SHARE]]
  // CHECK: arith.addi
  // CHECK: %[[SCALE:.*]] = arith.constant dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32>
  // CHECK: qdq.dequantize %[[ACC]] scale %[[SCALE]] axis 1 semantics <compute = f32> : (tensor<3x2xi32>, tensor<2xf32>) -> tensor<3x2xf32>
  // CHECK-NOT: qdq.dequantize
  %sx = arith.constant 0.5 : f32
  %zx = arith.constant dense<10> : tensor<i8>
  %w = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %sw = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %sx zero_point %zx : (tensor<3x2xi8>, f32, tensor<i8>) -> tensor<3x2xf32>
  %wd = qdq.dequantize %w scale %sw axis 1 : (tensor<2x2xi8>, tensor<2xf32>) -> tensor<2x2xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<3x2xf32>, tensor<2x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

// Unsigned operands have a named op where it has a form for them; a mix has none.
// CHECK-LABEL: func @matmul_unsigned
func.func @matmul_unsigned(%x: tensor<?x64xui8>, %w: tensor<64x8xui8>, %v: tensor<64x8xi4>, %s: f32, %init: tensor<?x8xf32>)
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %xd = qdq.dequantize %x scale %s : (tensor<?x64xui8>, f32) -> tensor<?x64xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<64x8xui8>, f32) -> tensor<64x8xf32>
  %vd = qdq.dequantize %v scale %s : (tensor<64x8xi4>, f32) -> tensor<64x8xf32>
  // CHECK: linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%{{.*}}, %{{.*}} : tensor<?x64xi8>, tensor<64x8xi8>) outs(%{{.*}} : tensor<?x8xi32>)
  // CHECK: %[[REAL:.*]] = qdq.dequantize
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[REAL]] : tensor<?x8xf32>, tensor<?x8xf32>)
  // CHECK: arith.addf
  %r = linalg.matmul ins(%xd, %wd : tensor<?x64xf32>, tensor<64x8xf32>) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32>
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x64xi8>, tensor<64x8xi4>)
  // CHECK: arith.extui
  // CHECK: arith.extsi
  %q = linalg.matmul ins(%xd, %vd : tensor<?x64xf32>, tensor<64x8xf32>) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r, %q : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// Dynamic lengths of sums need 64 bits.
// CHECK-LABEL: func @dot_dynamic
func.func @dot_dynamic(%x: tensor<?xi8>, %s: f32, %init: tensor<f32>) -> tensor<f32> {
  // CHECK: linalg.dot {{.*}} outs(%{{.*}} : tensor<i64>)
  // CHECK: qdq.dequantize {{.*}} : (tensor<i64>, f32) -> tensor<f32>
  %d = qdq.dequantize %x scale %s : (tensor<?xi8>, f32) -> tensor<?xf32>
  %r = linalg.dot ins(%d, %d : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Padding with 0 is padding with the zero point.
// CHECK-LABEL: func @conv_padded
func.func @conv_padded(%x: tensor<1x2x8x8xi8>, %w: tensor<4x2x3x3xi8>, %sw: tensor<4xf32>, %init: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %f0 = arith.constant 0.0 : f32
  %s = arith.constant 0.5 : f32
  %z = arith.constant dense<-7> : tensor<i8>
  %xd = qdq.dequantize %x scale %s zero_point %z : (tensor<1x2x8x8xi8>, f32, tensor<i8>) -> tensor<1x2x8x8xf32>
  // CHECK: %[[Z:.*]] = arith.constant -7 : i8
  // CHECK: %[[PADDED:.*]] = tensor.pad
  // CHECK: tensor.yield %[[Z]] : i8
  // CHECK: linalg.conv_2d_nchw_fchw {dilations = dense<2> : vector<2xi64>} ins(%[[PADDED]], %{{.*}} : tensor<1x2x12x12xi8>, tensor<4x2x3x3xi8>) outs(%{{.*}} : tensor<1x4x8x8xi32>)
  %p = tensor.pad %xd low[0, 0, 2, 2] high[0, 0, 2, 2] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %f0 : f32
  } : tensor<1x2x8x8xf32> to tensor<1x2x12x12xf32>
  %wd = qdq.dequantize %w scale %sw axis 0 : (tensor<4x2x3x3xi8>, tensor<4xf32>) -> tensor<4x2x3x3xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<2> : vector<2xi64>} ins(%p, %wd : tensor<1x2x12x12xf32>, tensor<4x2x3x3xf32>) outs(%init : tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// -----

// A sum for each block, in a loop; the last block is short.
// CHECK-LABEL: func @matmul_blocked
func.func @matmul_blocked(%x: tensor<3x80xi8>, %w: tensor<80x4xi4>, %sw: tensor<3x4xf32>, %init: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %s = arith.constant 0.5 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<3x80xi8>, f32) -> tensor<3x80xf32>
  %wd = qdq.dequantize %w scale %sw block_shape [32, 1] : (tensor<80x4xi4>, tensor<3x4xf32>) -> tensor<80x4xf32>
  // CHECK: scf.for
  // CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<3x32xi8>, tensor<32x4xi4>) outs(%{{.*}} : tensor<3x4xi32>)
  // CHECK: qdq.dequantize {{.*}} axis 1
  // CHECK: arith.addf
  // CHECK: scf.yield
  // CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<3x16xi8>, tensor<16x4xi4>) outs(%{{.*}} : tensor<3x4xi32>)
  %r = linalg.matmul ins(%xd, %wd : tensor<3x80xf32>, tensor<80x4xf32>) outs(%init : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

#same = affine_map<(m, n) -> (m, n)>
#columns = affine_map<(m, n) -> (n)>
// Bias, relu and the quantize are one op. The bias is added to the sums, relu bounds the codes at the zero point.
// CHECK-LABEL: func @linear
// F32-LABEL: func @linear
// EXACT-LABEL: func @linear
func.func @linear(%x: tensor<3x4xui8>, %w: tensor<4x2xi8>) -> tensor<3x2xui8> {
  // CHECK: %[[ACC:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3x2xi32>)
  // CHECK: qdq.requantize %{{.*}} rescale <qdq> multiplier %{{.*}}, %{{.*}} zero_point %{{.*}} axis 1 clamp [3, 255] {{.*}} : (tensor<3x2xi32>, tensor<2xf32>, f32, tensor<ui8>) -> tensor<3x2xui8>
  // CHECK-NOT: xf32>
  // CHECK: return
  // F32: %[[M:.*]] = arith.constant dense<[2.500000e-01, 5.000000e-01]> : tensor<2xf32>
  // F32: qdq.requantize %{{.*}} rescale <f32> multiplier %[[M]] zero_point
  // EXACT-NOT: f32
  // EXACT: qdq.requantize %{{.*}} rescale <exact> multiplier %{{.*}} shift %{{.*}} zero_point
  // EXACT-NOT: f32
  // EXACT: return
  %sx = arith.constant 0.5 : f32
  %zx_bits = arith.constant dense<10> : tensor<i8>
  %zx = tensor.bitcast %zx_bits : tensor<i8> to tensor<ui8>
  %sw = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = arith.constant dense<[100, -100]> : tensor<2xi32>
  %sc = arith.constant dense<[0.5, 1.0]> : tensor<2xf32>
  %sy = arith.constant 2.0 : f32
  %zy_bits = arith.constant dense<3> : tensor<i8>
  %zy = tensor.bitcast %zy_bits : tensor<i8> to tensor<ui8>
  %f0 = arith.constant 0.0 : f32
  %xd = qdq.dequantize %x scale %sx zero_point %zx : (tensor<3x4xui8>, f32, tensor<ui8>) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %sw axis 1 : (tensor<4x2xi8>, tensor<2xf32>) -> tensor<4x2xf32>
  %cd = qdq.dequantize %c scale %sc axis 0 : (tensor<2xi32>, tensor<2xf32>) -> tensor<2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %init = linalg.broadcast ins(%cd : tensor<2xf32>) outs(%e : tensor<3x2xf32>) dimensions = [0]
  %r = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%init : tensor<3x2xf32>) -> tensor<3x2xf32>
  %relu = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %f0 : f32
    linalg.yield %m : f32
  } -> tensor<3x2xf32>
  %y = qdq.quantize %relu scale %sy zero_point %zy : (tensor<3x2xf32>, f32, tensor<ui8>) -> tensor<3x2xui8>
  return %y : tensor<3x2xui8>
}

// -----

// Scales of rows and columns that are known at run time: each stays as small as it is.
// F32-LABEL: func @rows_columns
func.func @rows_columns(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>, %sx: tensor<3xf32>, %sw: tensor<2xf32>, %sy: tensor<f32>) -> tensor<3x2xi8> {
  // F32: %[[ROWS:.*]] = tensor.expand_shape %{{.*}} : tensor<3xf32> into tensor<3x1xf32>
  // F32: %[[COLUMNS:.*]] = tensor.expand_shape %{{.*}} : tensor<2xf32> into tensor<1x2xf32>
  // F32: qdq.requantize %{{.*}} rescale <f32> multiplier %[[ROWS]], %[[COLUMNS]], %{{.*}} block_shape [1, 1] : (tensor<3x2xi32>, tensor<3x1xf32>, tensor<1x2xf32>, tensor<f32>)
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %sx axis 0 : (tensor<3x4xi8>, tensor<3xf32>) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %sw axis 1 : (tensor<4x2xi8>, tensor<2xf32>) -> tensor<4x2xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %y = qdq.quantize %r scale %sy : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xi8>
  return %y : tensor<3x2xi8>
}

// -----

// Who else reads the result gets the sums, dequantized.
// F32-LABEL: func @two_uses
func.func @two_uses(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>, %s: f32) -> (tensor<3x2xi8>, tensor<3x2xf32>) {
  // F32-DAG: qdq.requantize {{.*}} rescale <f32>
  // F32-DAG: qdq.dequantize {{.*}} : (tensor<3x2xi32>, f32) -> tensor<3x2xf32>
  // F32-NOT: linalg.matmul {{.*}}f32
  // F32: return
  %zero = arith.constant dense<0.0> : tensor<3x2xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%zero : tensor<3x2xf32>) -> tensor<3x2xf32>
  %y = qdq.quantize %r scale %s : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %y, %r : tensor<3x2xi8>, tensor<3x2xf32>
}

// -----

// Nothing that the real sums were put in is left, not even to ask for its size: it is that of the first codes.
// CHECK-LABEL: func @dynamic_rows
// CHECK-SAME:    %[[X:.*]]: tensor<?x64xi8>
func.func @dynamic_rows(%x: tensor<?x64xi8>, %w: tensor<64x8xi8>, %v: tensor<8x4xi8>, %s: f32) -> tensor<?x4xi8> {
  // CHECK-NOT: tensor<{{.*}}xf32>
  // CHECK: %[[ROWS:.*]] = tensor.dim %[[X]]
  // CHECK-NOT: tensor<{{.*}}xf32>
  // CHECK: tensor.empty(%[[ROWS]]) : tensor<?x8xi32>
  // CHECK-NOT: tensor<{{.*}}xf32>
  // CHECK: %[[MIDDLE:.*]] = qdq.requantize
  // CHECK-NOT: tensor<{{.*}}xf32>
  // CHECK: qdq.requantize
  // CHECK-NOT: tensor<{{.*}}xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<?x64xi8>, f32) -> tensor<?x64xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<64x8xi8>, f32) -> tensor<64x8xf32>
  %rows = tensor.dim %xd, %c0 : tensor<?x64xf32>
  %empty = tensor.empty(%rows) : tensor<?x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<?x64xf32>, tensor<64x8xf32>) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = qdq.quantize %r scale %s : (tensor<?x8xf32>, f32) -> tensor<?x8xi8>
  %yd = qdq.dequantize %y scale %s : (tensor<?x8xi8>, f32) -> tensor<?x8xf32>
  %vd = qdq.dequantize %v scale %s : (tensor<8x4xi8>, f32) -> tensor<8x4xf32>
  %again = tensor.dim %yd, %c0 : tensor<?x8xf32>
  %empty2 = tensor.empty(%again) : tensor<?x4xf32>
  %init2 = linalg.fill ins(%zero : f32) outs(%empty2 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r2 = linalg.matmul ins(%yd, %vd : tensor<?x8xf32>, tensor<8x4xf32>) outs(%init2 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %z = qdq.quantize %r2 scale %s : (tensor<?x4xf32>, f32) -> tensor<?x4xi8>
  return %z : tensor<?x4xi8>
}

// -----

// Attributes of others stay at what the ops become.
// CHECK-LABEL: func @attributes
// CHECK: linalg.matmul {my.product} {{.*}} outs(%{{.*}} : tensor<16x8xi32>)
// CHECK: qdq.requantize {{.*}}my.quantize
// CHECK: linalg.generic {{.*}} attrs = {my.mixed}
func.func @attributes(%x: tensor<16x64xi8>, %w: tensor<64x8xi8>, %u: tensor<16x64xui8>) -> (tensor<16x8xi8>, tensor<16x8xf32>) {
  %s = arith.constant 0.5 : f32
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %xd = qdq.dequantize %x scale %s : (tensor<16x64xi8>, f32) -> tensor<16x64xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<64x8xi8>, f32) -> tensor<64x8xf32>
  %r = linalg.matmul {my.product} ins(%xd, %wd : tensor<16x64xf32>, tensor<64x8xf32>) outs(%zero : tensor<16x8xf32>) -> tensor<16x8xf32>
  %y = qdq.quantize %r scale %s {my.quantize} : (tensor<16x8xf32>, f32) -> tensor<16x8xi8>
  %ud = qdq.dequantize %u scale %s : (tensor<16x64xui8>, f32) -> tensor<16x64xf32>
  %m = linalg.matmul {my.mixed} ins(%ud, %wd : tensor<16x64xf32>, tensor<64x8xf32>) outs(%zero : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %y, %m : tensor<16x8xi8>, tensor<16x8xf32>
}

// -----

#same = affine_map<(m, n) -> (m, n)>
// Relu before a result with a scale for each channel bounds all codes at their one zero point.
// F32-LABEL: func @relu_of_channels
// F32: qdq.requantize %{{.*}} rescale <f32> multiplier %{{.*}} zero_point %{{.*}} axis 1 clamp [3, 127]
func.func @relu_of_channels(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>) -> tensor<3x2xi8> {
  %s = arith.constant 0.5 : f32
  %sy = arith.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %zy = arith.constant dense<3> : tensor<2xi8>
  %f0 = arith.constant 0.0 : f32
  %xd = qdq.dequantize %x scale %s : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %init = linalg.fill ins(%f0 : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%init : tensor<3x2xf32>) -> tensor<3x2xf32>
  %relu = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %f0 : f32
    linalg.yield %m : f32
  } -> tensor<3x2xf32>
  %y = qdq.quantize %relu scale %sy zero_point %zy axis 1 : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xi8>) -> tensor<3x2xi8>
  return %y : tensor<3x2xi8>
}

// -----

// The elements of a reshaped constant are known: their sum with the products fits i32.
// F32-LABEL: func @reshaped_bias
// F32-NOT: i64>
// F32: qdq.requantize {{.*}} : (tensor<3x2xi32>,
func.func @reshaped_bias(%x: tensor<3x4xi8>, %w: tensor<4x2xi8>) -> tensor<3x2xi8> {
  %s = arith.constant 0.5 : f32
  %sb = arith.constant 0.25 : f32
  %c = arith.constant dense<[100, -100]> : tensor<2xi32>
  %f0 = arith.constant 0.0 : f32
  %c1 = tensor.expand_shape %c [[0, 1]] output_shape [2, 1] : tensor<2xi32> into tensor<2x1xi32>
  %c2 = tensor.collapse_shape %c1 [[0, 1]] : tensor<2x1xi32> into tensor<2xi32>
  %xd = qdq.dequantize %x scale %s : (tensor<3x4xi8>, f32) -> tensor<3x4xf32>
  %wd = qdq.dequantize %w scale %s : (tensor<4x2xi8>, f32) -> tensor<4x2xf32>
  %cd = qdq.dequantize %c2 scale %sb : (tensor<2xi32>, f32) -> tensor<2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %init = linalg.broadcast ins(%cd : tensor<2xf32>) outs(%e : tensor<3x2xf32>) dimensions = [0]
  %r = linalg.matmul ins(%xd, %wd : tensor<3x4xf32>, tensor<4x2xf32>) outs(%init : tensor<3x2xf32>) -> tensor<3x2xf32>
  %y = qdq.quantize %r scale %s : (tensor<3x2xf32>, f32) -> tensor<3x2xi8>
  return %y : tensor<3x2xi8>
}

// -----

// The three scales are f16, and so is their multiplier: np.float16(0.1) * np.float16(0.3) / np.float16(0.7).
// F64-LABEL: func @f16_scales
// F64: %[[M:.*]] = arith.constant 4.284670e-02 : f16
// F64: qdq.requantize %{{.*}} rescale <f64> multiplier %[[M]]
func.func @f16_scales(%x: tensor<4xi8>) -> tensor<i8> {
  %a = arith.constant 0.1 : f16
  %c = arith.constant 0.3 : f16
  %y = arith.constant 0.7 : f16
  %zero = arith.constant dense<0.0> : tensor<f16>
  %xd = qdq.dequantize %x scale %a : (tensor<4xi8>, f16) -> tensor<4xf16>
  %wd = qdq.dequantize %x scale %c : (tensor<4xi8>, f16) -> tensor<4xf16>
  %r = linalg.dot ins(%xd, %wd : tensor<4xf16>, tensor<4xf16>) outs(%zero : tensor<f16>) -> tensor<f16>
  %q = qdq.quantize %r scale %y : (tensor<f16>, f16) -> tensor<i8>
  return %q : tensor<i8>
}

// A weight that is a transposed constant of floats: its codes and their sums
// are constants.
// CHECK-LABEL: func.func @float_weight(
// CHECK-NOT: linalg.transpose
// CHECK: arith.constant dense<{{\[\[}}2, 127], [-4, 0]]> : tensor<2x2xi8>
// CHECK-NOT: linalg.transpose
func.func @float_weight(%x: tensor<4x2xi8>) -> tensor<4x2xf32> {
  %s = arith.constant 0.5 : f32
  %z = arith.constant 3 : i8
  %w = arith.constant dense<[[1.0, -2.0], [100.0, 0.2]]> : tensor<2x2xf32>
  %q = qdq.quantize %w scale %s semantics <rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wrap32, overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate> : (tensor<2x2xf32>, f32) -> tensor<2x2xi8>
  %e = tensor.empty() : tensor<2x2xi8>
  %t = linalg.transpose ins(%q : tensor<2x2xi8>) outs(%e : tensor<2x2xi8>) permutation = [1, 0]
  %wd = qdq.dequantize %t scale %s : (tensor<2x2xi8>, f32) -> tensor<2x2xf32>
  %xd = qdq.dequantize %x scale %s zero_point %z : (tensor<4x2xi8>, f32, i8) -> tensor<4x2xf32>
  %zero = arith.constant dense<0.0> : tensor<4x2xf32>
  %r = linalg.matmul ins(%xd, %wd : tensor<4x2xf32>, tensor<2x2xf32>) outs(%zero : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}
