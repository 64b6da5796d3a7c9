// RUN: quant-opt --qdq-codegen-vectorize=vector-bits=512 %s | FileCheck %s
// RUN: quant-opt --qdq-codegen-parallelize=min-part=4096 %s | FileCheck %s --check-prefix=PARTS

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// A row goes from its greatest element to its quotients in one loop, in a
// buffer of a row.
// CHECK-LABEL: func.func @any_order
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<64x512xf32>
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c64{{.*}} step %c1{{.*}} iter_args(%{{.*}} = %[[EMPTY]])
// CHECK: vector.reduction
// CHECK: tensor.empty() : tensor<1x512xf32>
// CHECK: math.exp %{{.*}} : vector<16xf32>
// CHECK: arith.addf
// CHECK: arith.divf %{{.*}} : vector<16xf32>
// CHECK: tensor.insert_slice %{{.*}} tensor<1x512xf32> into tensor<64x512xf32>
// CHECK: return

// All threads' parts are whole rows, too.
// PARTS-LABEL: func.func @any_order
// PARTS: scf.forall
// PARTS: arith.maximumf
// PARTS: math.exp
// PARTS: arith.addf
// PARTS: arith.divf
// PARTS: scf.forall.in_parallel
// PARTS-NOT: scf.forall
// PARTS: return
func.func @any_order(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<64xf32>
  %empty = tensor.empty() : tensor<64x512xf32>
  %start = linalg.fill ins(%least : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %most = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x512xf32>) outs(%start : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %powers = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %most : tensor<64x512xf32>, tensor<64xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %top: f32, %out: f32):
    %0 = arith.subf %in, %top : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x512xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<64xf32>) -> tensor<64xf32>
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%powers : tensor<64x512xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out fastmath<reassoc,contract> : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%powers, %sums : tensor<64x512xf32>, tensor<64xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %0 = arith.divf %in, %sum : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}

// 16 rows are lanes of sums in the written order.
// CHECK-LABEL: func.func @written_order
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c64{{.*}} step %c16
// CHECK: return
func.func @written_order(%x: tensor<64x512xf32>, %zeros: tensor<64xf32>) -> tensor<64x512xf32> {
  %empty = tensor.empty() : tensor<64x512xf32>
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x512xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : tensor<64x512xf32>, tensor<64xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %0 = arith.divf %in, %sum : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}

// A sum that is a result, too, is computed before the quotients.
// PARTS-LABEL: func.func @used_sums
// PARTS: %[[SUMS:.*]] = scf.forall
// PARTS: scf.forall.in_parallel
// PARTS: scf.forall
// PARTS: return %{{.*}}, %[[SUMS]]
func.func @used_sums(%x: tensor<64x512xf32>, %zeros: tensor<64xf32>) -> (tensor<64x512xf32>, tensor<64xf32>) {
  %empty = tensor.empty() : tensor<64x512xf32>
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x512xf32>) outs(%zeros : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out fastmath<reassoc,contract> : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : tensor<64x512xf32>, tensor<64xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %0 = arith.divf %in, %sum : f32
    linalg.yield %0 : f32
  } -> tensor<64x512xf32>
  return %y, %sums : tensor<64x512xf32>, tensor<64xf32>
}
