// RUN: quant-opt %s --qdq-results-to-destinations --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @static_and_scalar(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[S:.*]]: f32, %[[OUT0:.*]]: memref<4xf32>, %[[OUT1:.*]]: memref<f32>)
// CHECK-SAME: qdq.results = ["destination", "destination"]
// CHECK-SAME: qdq.tensor_type = (tensor<4xf32>, f32) -> (tensor<4xf32>, f32)
// CHECK-NOT: shape_function
// CHECK: bufferization.materialize_in_destination %[[X]] in restrict writable %[[OUT0]]
// CHECK: memref.store %[[S]], %[[OUT1]][] : memref<f32>
// CHECK: return{{$}}
func.func @static_and_scalar(%x: tensor<4xf32>, %s: f32) -> (tensor<4xf32>, f32) {
  return %x, %s : tensor<4xf32>, f32
}

// -----

// The companion tells the sizes, through the ops between; an index that it tells is not a result any more.
// CHECK-LABEL: func.func @dynamic.shapes(
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32>, %[[N:.*]]: index, %[[LIST:.*]]: memref<3xindex>) attributes {qdq.assertions = []}
// CHECK-DAG: %[[DIM:.*]] = tensor.dim %[[X]]
// CHECK-DAG: %[[SUM:.*]] = arith.addi %[[N]], %[[N]]
// CHECK-DAG: memref.store %{{c0.*}}, %[[LIST]][%{{c0.*}}]
// CHECK-DAG: memref.store %[[DIM]], %[[LIST]][%{{c1.*}}]
// CHECK-DAG: memref.store %[[SUM]], %[[LIST]][%{{c2.*}}]
// CHECK: return{{$}}

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32>, %{{.*}}: index, %[[OUT:.*]]: memref<?x3xf32>)
// CHECK-SAME: qdq.results = ["destination", "shape"], qdq.shape_function = @dynamic.shapes
// CHECK: %[[Y:.*]] = linalg.exp
// CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable %[[OUT]]
// CHECK: return{{$}}
func.func @dynamic(%x: tensor<?x3xf32>, %n: index) -> (tensor<?x3xf32>, index) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%d) : tensor<?x3xf32>
  %y = linalg.exp ins(%x : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %m = arith.addi %n, %n : index
  return %y, %m : tensor<?x3xf32>, index
}

// -----

// Reshapes at the end move to the destination.
// CHECK-LABEL: func.func @reshaped(
// CHECK-SAME: %[[OUT:[^ ]*]]: memref<2x6xf32>)
// CHECK: %[[E:.*]] = memref.expand_shape %[[OUT]] {{\[}}[0], [1, 2]] output_shape [2, 2, 3]
// CHECK: %[[Y:.*]] = linalg.exp
// CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable %[[E]]
func.func @reshaped(%x: tensor<2x2x3xf32>) -> tensor<2x6xf32> {
  %e = tensor.empty() : tensor<2x2x3xf32>
  %y = linalg.exp ins(%x : tensor<2x2x3xf32>) outs(%e : tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  %r = tensor.collapse_shape %y [[0], [1, 2]] : tensor<2x2x3xf32> into tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}

// -----

// Assertions on shapes are the companion's. Its first entry is 1 + the first that does not hold.
// CHECK-LABEL: func.func @asserts.shapes(
// CHECK-SAME: attributes {qdq.assertions = ["the first", "the second"]}
// CHECK: %[[SECOND:.*]] = arith.select %{{.*}}, %{{c0.*}}, %{{c2.*}} : index
// CHECK: %[[FIRST:.*]] = arith.select %{{.*}}, %[[SECOND]], %{{c1.*}} : index
// CHECK: memref.store %[[FIRST]]
// CHECK-LABEL: func.func @asserts(
// CHECK-NOT: cf.assert
// CHECK: return{{$}}
func.func @asserts(%x: tensor<?xf32>, %y: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %m, %n : index
  cf.assert %same, "the first"
  %four = arith.cmpi eq, %m, %c4 : index
  cf.assert %four, "the second"
  return
}

// -----

// What only the data tell stays: the assertion in the function, the tensor as its result.
// CHECK-NOT: .shapes
// CHECK-LABEL: func.func @data(
// CHECK-SAME: -> tensor<?xf32> attributes {qdq.results = ["returned"]
// CHECK: cf.assert
// CHECK: return %{{.*}} : tensor<?xf32>
func.func @data(%sizes: tensor<1xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.extract %sizes[%c0] : tensor<1xindex>
  %c = arith.cmpi sge, %n, %c0 : index
  cf.assert %c, "negative"
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// A division is not safe without the assertion before it: the companion, which would run it first, does not have it.
// CHECK-LABEL: func.func @guarded.shapes(
// CHECK-SAME: attributes {qdq.assertions = ["division by zero"]}
// CHECK-NOT: {{div|rem|affine}}
// CHECK: arith.divui %{{.*}}, %c8
// CHECK-NOT: {{div|rem|affine}}
// CHECK-LABEL: func.func @guarded(
// CHECK-SAME: -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
// CHECK-SAME: qdq.results = ["returned", "returned", "returned", "returned", "destination"]
func.func @guarded(%n: index, %d: index) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %ok = arith.cmpi ne, %d, %c0 : index
  cf.assert %ok, "division by zero"
  %q = arith.divui %n, %d : index
  %r = arith.remsi %n, %d : index
  %f = arith.floordivsi %n, %d : index
  %a = affine.apply affine_map<()[s0, s1] -> (s0 floordiv s1)>()[%n, %d]
  %safe = arith.divui %n, %c8 : index
  %0 = tensor.empty(%q) : tensor<?xf32>
  %1 = tensor.empty(%r) : tensor<?xf32>
  %2 = tensor.empty(%f) : tensor<?xf32>
  %3 = tensor.empty(%a) : tensor<?xf32>
  %4 = tensor.empty(%safe) : tensor<?xf32>
  return %0, %1, %2, %3, %4 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// Two returns cannot both be told before; unranked tensors have no descriptor that a caller could make.
// CHECK-LABEL: func.func @two_returns(
// CHECK-SAME: -> (tensor<?xf32>, tensor<*xf32>)
// CHECK-SAME: qdq.results = ["returned", "returned"]
func.func @two_returns(%c: i1, %x: tensor<?xf32>, %y: tensor<?xf32>, %u: tensor<*xf32>) -> (tensor<?xf32>, tensor<*xf32>) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  return %x, %u : tensor<?xf32>, tensor<*xf32>
^bb2:
  return %y, %u : tensor<?xf32>, tensor<*xf32>
}

// -----

// A function that the module calls goes on under a private name, with its signature; the public one calls it.
// CHECK-LABEL: func.func @callee(
// CHECK-SAME: tensor<4xf32>, %[[OUT:.*]]: memref<4xf32>)
// CHECK: %[[Y:.*]] = call @callee_0
// CHECK: bufferization.materialize_in_destination %[[Y]] in restrict writable %[[OUT]]
// CHECK-LABEL: func.func private @callee_0(
// CHECK-SAME: tensor<4xf32>) -> tensor<4xf32>
// CHECK-LABEL: func.func @caller(
// CHECK: call @callee_0
func.func @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
// CHECK: func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func private @external(tensor<4xf32>) -> tensor<4xf32>

// -----

// A reshape to sizes that are listed one by one, as packed elements get their shape.
// CHECK-LABEL: func.func @reshaped.shapes(
// CHECK-SAME: %[[M:[^:]*]]: index, %[[N:[^:]*]]: index, %[[SIZES:[^:]*]]: memref<3xindex>
// CHECK: memref.store %[[M]], %[[SIZES]]
// CHECK: memref.store %[[N]], %[[SIZES]]
// CHECK-LABEL: func.func @reshaped(
// CHECK-SAME: qdq.results = ["destination"]
func.func @reshaped(%x: tensor<?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %s = tensor.from_elements %m, %n : tensor<2xindex>
  %r = tensor.reshape %x(%s) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.exp ins(%r : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Attributes from outside do not stay: the function has no companion, and its type is its own.
// CHECK-LABEL: func.func @marked(
// CHECK-SAME: attributes {qdq.results = ["destination"], qdq.tensor_type = (tensor<4xf32>) -> tensor<4xf32>} {
func.func @marked(%x: tensor<4xf32>) -> tensor<4xf32> attributes {qdq.shape_function = @marked, qdq.results = [7], qdq.tensor_type = i8} {
  return %x : tensor<4xf32>
}

// -----

// A tensor without elements is not written.
// CHECK-LABEL: func.func @no_elements(
// CHECK-SAME: memref<?x?x?xf32>)
// CHECK-NOT: memref.collapse_shape
// CHECK-NOT: materialize_in_destination
// CHECK: return
func.func @no_elements(%x: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?x?xf32> {
  %y = tensor.expand_shape %x [[0, 1], [2]] output_shape [%m, 0, %n] : tensor<?x?xf32> into tensor<?x0x?xf32>
  %z = tensor.cast %y : tensor<?x0x?xf32> to tensor<?x?x?xf32>
  return %z : tensor<?x?x?xf32>
}

// -----

// A loop that inserts elements keeps the sizes of what it carries.
// CHECK-LABEL: func.func @inserts.shapes(
// CHECK: %[[SIZE:.*]] = tensor.dim %arg0, %c0
// CHECK: memref.store %[[SIZE]]
// CHECK-LABEL: func.func @inserts(
// CHECK-SAME: %arg3: memref<?x4xf32>) attributes
// CHECK: bufferization.materialize_in_destination
func.func @inserts(%x: tensor<?x4xf32>, %v: f32, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?x4xf32>) {
    %row = scf.for %j = %c0 to %c4 step %c1 iter_args(%b = %a) -> (tensor<?x4xf32>) {
      %next = tensor.insert %v into %b[%i, %j] : tensor<?x4xf32>
      scf.yield %next : tensor<?x4xf32>
    }
    scf.yield %row : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// A loop that changes sizes says nothing before it ran.
// CHECK-LABEL: func.func @grows(
// CHECK-SAME: -> tensor<?xf32>
func.func @grows(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %next = tensor.pad %a low[0] high[1] {
    ^bb0(%j: index):
      tensor.yield %zero : f32
    } : tensor<?xf32> to tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
