// RUN: quant-opt %s --qdq-check-sizes --split-input-file | FileCheck %s

// The first operand with the size names it. The caller is told before the function begins.
// CHECK-LABEL: func.func @contraction(
// CHECK-SAME: %[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?x4xf32>, %[[C:.*]]: tensor<?x4xf32>)
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[A]], %c0
// CHECK-DAG: %[[K:.*]] = tensor.dim %[[A]], %c1
// CHECK-DAG: %[[OTHER_K:.*]] = tensor.dim %[[B]], %c0
// CHECK-DAG: %[[OTHER_M:.*]] = tensor.dim %[[C]], %c0
// CHECK-DAG: %[[SAME_K:.*]] = arith.cmpi eq, %[[OTHER_K]], %[[K]]
// CHECK-DAG: cf.assert %[[SAME_K]], "sizes do not fit together: dimension 0 of argument 1 is not dimension 1 of argument 0"
// CHECK-DAG: %[[SAME_M:.*]] = arith.cmpi eq, %[[OTHER_M]], %[[M]]
// CHECK-DAG: cf.assert %[[SAME_M]], "sizes do not fit together: dimension 0 of argument 2 is not dimension 0 of argument 0"
// CHECK: linalg.matmul
func.func @contraction(%a: tensor<?x?xf32>, %b: tensor<?x4xf32>, %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x4xf32>)
                     outs(%c : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// One of 5 elements at index 4 is read; no element of an empty result is.
// CHECK: #[[NEXT:.*]] = affine_map<()[s0] -> (s0 + 1)>
// CHECK-LABEL: func.func @window(
// CHECK-DAG: %[[SIZE:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[RESULT:.*]] = tensor.dim %arg2, %c0
// CHECK-DAG: %[[LAST:.*]] = affine.apply #[[NEXT]]()[%[[RESULT]]]
// CHECK-DAG: %[[INSIDE:.*]] = arith.cmpi slt, %[[LAST]], %[[SIZE]]
// CHECK-DAG: %[[EMPTY:.*]] = arith.cmpi eq, %[[RESULT]], %c0
// CHECK-DAG: %[[FITS:.*]] = arith.ori %[[INSIDE]], %[[EMPTY]]
// CHECK: cf.assert %[[FITS]], "an element that is read lies outside of dimension 0 of argument 0"
func.func @window(%arg0: tensor<?xf32>, %arg1: tensor<3xf32>, %arg2: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.conv_1d ins(%arg0, %arg1 : tensor<?xf32>, tensor<3xf32>)
                      outs(%arg2 : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Of scf.if the size is one of two.
// CHECK-LABEL: func.func @branch(
// CHECK-DAG: %[[X:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG: %[[Y:.*]] = tensor.dim %arg1, %c0
// CHECK-DAG: %[[SIZE:.*]] = arith.select %arg2, %[[X]], %[[Y]]
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[X]], %[[SIZE]]
// CHECK-NEXT: cf.assert %[[FITS]], "sizes do not fit together: dimension 0 of argument 0 is not the size from argument 2 and dimension 0 of argument 0 and dimension 0 of argument 1"
// CHECK: scf.if
func.func @branch(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>, %arg2: i1) -> tensor<?xf32> {
  %s = scf.if %arg2 -> tensor<?xf32> {
    scf.yield %arg0 : tensor<?xf32>
  } else {
    scf.yield %arg1 : tensor<?xf32>
  }
  %r = linalg.exp ins(%s : tensor<?xf32>) outs(%arg0 : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @moves(
// CHECK-DAG: cf.assert %{{.*}}, "sizes do not fit together: dimension 0 of argument 0 is not 4"
// CHECK-DAG: cf.assert %{{.*}}, "sizes do not fit together: dimension 0 of argument 0 is not the size from dimension 0 of argument 1"
// CHECK-DAG: cf.assert %{{.*}}, "sizes do not fit together: dimension 1 of argument 3 is not dimension 1 of argument 2"
// CHECK-DAG: cf.assert %{{.*}}, "a slice has a negative size"
// CHECK-DAG: cf.assert %{{.*}}, "an element that is read lies outside of dimension 0 of argument 1"
// CHECK: tensor.cast
func.func @moves(%x: tensor<?xf32>, %y: tensor<?xf32>, %a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %arg4: index)
    -> (tensor<4xf32>, tensor<?x3xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %y, %c0 : tensor<?xf32>
  %cast = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  %expanded = tensor.expand_shape %x [[0, 1]] output_shape [%d, 3] : tensor<?xf32> into tensor<?x3xf32>
  %concat = tensor.concat dim(0) %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %slice = tensor.extract_slice %y[1] [%arg4] [1] : tensor<?xf32> to tensor<?xf32>
  return %cast, %expanded, %concat, %slice : tensor<4xf32>, tensor<?x3xf32>, tensor<?x?xf32>, tensor<?xf32>
}

// -----

// A size that an element determines is known before the op alone.
// CHECK-LABEL: func.func @data(
// CHECK-NOT: cf.assert
// CHECK: %[[N:.*]] = tensor.extract
// CHECK: %[[E:.*]] = tensor.empty(%[[N]])
// CHECK: cf.assert %{{.*}}, "sizes do not fit together: argument 1 is not dimension 0 of argument 0"
// CHECK-NEXT: linalg.exp
func.func @data(%x: tensor<?xf32>, %sizes: tensor<1xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.extract %sizes[%c0] : tensor<1xindex>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Known to fit.
// CHECK-LABEL: func.func @same(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @same(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%d) : tensor<?x3xf32>
  %r = linalg.exp ins(%x : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// -----

// A branch that may not run is checked where it runs, and hides no later check.
// CHECK-LABEL: func.func @nested(
// CHECK-COUNT-1: cf.assert %{{.*}}, "sizes do not fit together: dimension 0 of argument 1 is not dimension 0 of argument 0"
// CHECK: scf.if
// CHECK:   cf.assert %{{.*}}, "sizes do not fit together: dimension 0 of argument 1 is not dimension 0 of argument 0"
// CHECK-NEXT: linalg.exp
func.func @nested(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1) -> (tensor<?xf32>, tensor<?xf32>) {
  %r = scf.if %c -> tensor<?xf32> {
    %a = linalg.exp ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  %s = linalg.exp ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r, %s : tensor<?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @padded(
// CHECK: cf.assert %{{.*}}, "a padding is negative"
// CHECK: cf.assert %{{.*}}, "sizes do not fit together: the size from dimension 0 of argument 0 and argument 1 is not 8"
func.func @padded(%x: tensor<?xf32>, %low: index) -> tensor<8xf32> {
  %c0 = arith.constant 0.0 : f32
  %r = tensor.pad %x low[%low] high[0] {
  ^bb0(%i: index):
    tensor.yield %c0 : f32
  } : tensor<?xf32> to tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @reshaped(
// CHECK: cf.assert %{{.*}}, "sizes do not fit together: the size from argument 1 is not 4"
// CHECK: cf.assert %{{.*}}, "sizes do not fit together: the size from dimension 0 of argument 0 is not the size from argument 1 and argument 2"
func.func @reshaped(%x: tensor<?x3xf32>, %n: index, %m: index) -> tensor<4x?xf32> {
  %shape = tensor.from_elements %n, %m : tensor<2xindex>
  %r = tensor.reshape %x(%shape) : (tensor<?x3xf32>, tensor<2xindex>) -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}

// -----

// The shape is data.
// CHECK-LABEL: func.func @reshaped_by_data(
// CHECK: tensor.extract %{{.*}} : tensor<1xi64>
// CHECK: cf.assert %{{.*}}, "sizes do not fit together: 6 is not the size from argument 1"
func.func @reshaped_by_data(%x: tensor<2x3xf32>, %shape: tensor<1xi64>) -> tensor<?xf32> {
  %r = tensor.reshape %x(%shape) : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @inserted(
// CHECK: cf.assert %{{.*}}, "sizes do not fit together: dimension 0 of argument 0 is not the size from argument 3"
// CHECK: cf.assert %{{.*}}, "a slice has a negative size"
// CHECK: cf.assert %{{.*}}, "an element that is read lies outside of dimension 0 of argument 1"
// CHECK: cf.assert %{{.*}}, "a slice has a negative offset"
// CHECK: cf.assert %{{.*}}, "an element that is read lies outside of 4"
// CHECK: tensor.insert_slice
func.func @inserted(%arg0: tensor<?xf32>, %arg1: tensor<?x4xf32>, %arg2: index, %arg3: index) -> tensor<?x4xf32> {
  %r = tensor.insert_slice %arg0 into %arg1[0, %arg2] [%arg3, 1] [1, 1] : tensor<?xf32> into tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// The whole of a dimension, and constants in a known one, fit.
// CHECK-LABEL: func.func @whole(
// CHECK-NOT: cf.assert
// CHECK: return
func.func private @external(tensor<?xf32>)
func.func @whole(%x: tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<*xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %r = tensor.extract_slice %x[0, 1] [%d, 2] [1, 1] : tensor<?x4xf32> to tensor<?x2xf32>
  %u = tensor.cast %x : tensor<?x4xf32> to tensor<*xf32>
  return %r, %u : tensor<?x2xf32>, tensor<*xf32>
}

// -----

// The last index is the largest where no term falls: not so where one is subtracted, or a remainder is taken.
// CHECK: #[[LAST:.*]] = affine_map<()[s0] -> (s0 * 2 - 1)>
// CHECK-LABEL: func.func @maps(
// CHECK-DAG: %[[N:.*]] = tensor.dim %arg4, %c0
// CHECK-DAG: affine.apply #[[LAST]]()[%[[N]]]
// CHECK: cf.assert %{{.*}}, "an element that is read lies outside of dimension 0 of argument 0"
// CHECK: cf.assert %{{.*}}, "an element that is read lies outside of dimension 0 of argument 1"
// CHECK-NOT: cf.assert
// CHECK: linalg.generic
func.func @maps(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>, %arg2: tensor<?xf32>, %arg3: tensor<?xf32>, %arg4: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 2 + 1)>, affine_map<(d0) -> (3)>, affine_map<(d0) -> (9 - d0)>,
                                        affine_map<(d0) -> (d0 mod 4)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%arg0, %arg1, %arg2, %arg3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%arg4 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
