// RUN: quant-opt %s --qdq-codegen-vectorize=lookup-tables=false --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-vectorize --split-input-file | FileCheck %s --check-prefix=TABLES
#x = affine_map<(m, n, b, byte, slot) -> (m, b, byte, slot)>
#w = affine_map<(m, n, b, byte, slot) -> (n, b, byte)>
#p = affine_map<(m, n, b, byte, slot) -> (n, b)>
#y = affine_map<(m, n, b, byte, slot) -> (m, n)>

// 16 rows share codes with a zero point: 32 columns of the factor at a time,
// 2^16 numbers, and their sums. A register with a table decodes as quickly.
// CHECK-LABEL: func @decoded
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c32
// CHECK:   scf.for {{.*}} -> (tensor<32x64x16x2xf32>)
// CHECK:     arith.sitofp
// CHECK:   scf.for {{.*}} -> (tensor<16x32xf32>)
// CHECK-NOT: arith.sitofp
// CHECK:     vector.reduction <add>
// TABLES-LABEL: func @decoded
// TABLES-NOT: tensor<32x64x16x2xf32>
// TABLES: return
func.func @decoded(%x: tensor<16x64x16x2xf32>, %w: tensor<64x64x16xi8>, %s: tensor<64x64xf32>, %z: tensor<64x64xi32>, %y: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #p, #p, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %s, %z : tensor<16x64x16x2xf32>, tensor<64x64x16xi8>, tensor<64x64xf32>, tensor<64x64xi32>) outs(%y : tensor<16x64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %zero: i32, %out: f32):
    %slot = linalg.index 4 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %wide = arith.extui %code : i4 to i32
    %moved = arith.subi %wide, %zero : i32
    %real = arith.sitofp %moved : i32 to f32
    %weight = arith.mulf %real, %scale : f32
    %term = arith.mulf %in, %weight fastmath<reassoc,contract> : f32
    %sum = arith.addf %out, %term fastmath<reassoc,contract> : f32
    linalg.yield %sum : f32
  } -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// -----

#x = affine_map<(m, g, n, k, slot) -> (m, g, k, slot)>
#w = affine_map<(m, g, n, k, slot) -> (g, n, k)>
#s = affine_map<(m, g, n, k, slot) -> (g, n)>
#y = affine_map<(m, g, n, k, slot) -> (m, g, n)>

// Four of 40 groups at a time, all of their columns: 2^16 numbers as well.
// CHECK-LABEL: func @groups
// CHECK: scf.for %{{.*}} = %c0 to %c40 step %c4
// CHECK:   scf.for {{.*}} -> (tensor<4x64x128x2xf32>)
// CHECK-NOT: tensor<40x64x128x2xf32>
func.func @groups(%x: tensor<16x40x128x2xf32>, %w: tensor<40x64x128xi8>, %s: tensor<40x64xf32>, %y: tensor<16x40x64xf32>) -> tensor<16x40x64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<16x40x128x2xf32>, tensor<40x64x128xi8>, tensor<40x64xf32>) outs(%y : tensor<16x40x64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 4 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %real = arith.sitofp %code : i4 to f32
    %weight = arith.mulf %real, %scale : f32
    %term = arith.mulf %in, %weight fastmath<reassoc> : f32
    %sum = arith.addf %out, %term fastmath<reassoc> : f32
    linalg.yield %sum : f32
  } -> tensor<16x40x64xf32>
  return %r : tensor<16x40x64xf32>
}

// -----

#x = affine_map<(m, n, k, slot) -> (m, k, slot)>
#w = affine_map<(m, n, k, slot) -> (n, k)>
#s = affine_map<(m, n, k, slot) -> (n)>
#y = affine_map<(m, n, k, slot) -> (m, n)>

// A region uses a value that is no operand of its op: the factor stays.
// CHECK-LABEL: func @region
// CHECK: arith.negf
// CHECK: scf.if
// CHECK-NOT: tensor<64x128x2xf32>
// CHECK: return
func.func @region(%x: tensor<16x128x2xf32>, %w: tensor<64x128xi8>, %s: tensor<64xf32>, %y: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<16x128x2xf32>, tensor<64x128xi8>, tensor<64xf32>) outs(%y : tensor<16x64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %zero = arith.constant 0 : i4
    %is_positive = arith.cmpi sgt, %code, %zero : i4
    %negative = arith.negf %scale : f32
    %sign = scf.if %is_positive -> f32 {
      scf.yield %scale : f32
    } else {
      scf.yield %negative : f32
    }
    %real = arith.sitofp %code : i4 to f32
    %scaled = arith.mulf %real, %scale : f32
    %weight = arith.mulf %scaled, %sign : f32
    %term = arith.mulf %in, %weight fastmath<reassoc> : f32
    %sum = arith.addf %out, %term fastmath<reassoc> : f32
    linalg.yield %sum : f32
  } -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// -----

#x = affine_map<(m, n, k, slot) -> (m, k, slot)>
#w = affine_map<(m, n, k, slot) -> (n, k)>
#s = affine_map<(m, n, k, slot) -> (n)>
#y = affine_map<(m, n, k, slot) -> (m, n)>

// A body that does more than sum stays as it is.
// CHECK-LABEL: func @effects
// CHECK: linalg.generic
// CHECK: cf.assert
// CHECK: return
func.func @effects(%x: tensor<16x128x2xf32>, %w: tensor<64x128xi8>, %s: tensor<64xf32>, %y: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w, %s : tensor<16x128x2xf32>, tensor<64x128xi8>, tensor<64xf32>) outs(%y : tensor<16x64xf32>) {
  ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
    %slot = linalg.index 3 : index
    %code = qdq.extract_field %bytes slots(%slot) strides [4] : (i8, index) -> i4
    %zero = arith.constant 0 : i4
    %is_positive = arith.cmpi sgt, %code, %zero : i4
    cf.assert %is_positive, "a code is negative"
    %real = arith.sitofp %code : i4 to f32
    %weight = arith.mulf %real, %scale : f32
    %term = arith.mulf %in, %weight fastmath<reassoc> : f32
    %sum = arith.addf %out, %term fastmath<reassoc> : f32
    linalg.yield %sum : f32
  } -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}
