// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signed and unsigned types become signless on ops that only carry values; all others keep theirs behind casts.
// RUN: quant-opt %s --qdq-strip-signedness | FileCheck %s

// CHECK: memref.global "private" constant @bytes : memref<4xi8> = dense<[1, 2, -56, -1]>
memref.global "private" constant @bytes : memref<4xui8> = dense<[1, 2, 200, 255]>
// CHECK: ml_program.global private @splat(dense<-56> : tensor<4xi8>) : tensor<4xi8>
ml_program.global private @splat(dense<200> : tensor<4xui8>) : tensor<4xui8>
// CHECK: ml_program.global private @scalar(-56 : i8) : i8
ml_program.global private @scalar(200 : ui8) : ui8

// Attributes that somebody else hung on a function are theirs.
// CHECK: func private @declaration(tensor<?xi8> {note.max = 255 : ui8, note.type = ui8}) -> i16 attributes {note.type = ui8}
func.func private @declaration(tensor<?xui8> {note.type = ui8, note.max = 255 : ui8}) -> si16 attributes {note.type = ui8}

// CHECK-LABEL: func @calls(
// CHECK-SAME: %[[X:.*]]: tensor<?xi8>, %[[S:.*]]: i16) -> (tensor<?xi8>, i16)
func.func @calls(%x: tensor<?xui8>, %s: si16) -> (tensor<?xui8>, si16) {
  // CHECK: %{{.*}}:2 = call @calls(%[[X]], %[[S]]) : (tensor<?xi8>, i16) -> (tensor<?xi8>, i16)
  %y:2 = func.call @calls(%x, %s) : (tensor<?xui8>, si16) -> (tensor<?xui8>, si16)
  // CHECK: %[[F:.*]] = constant @declaration : (tensor<?xi8>) -> i16
  %f = func.constant @declaration : (tensor<?xui8>) -> si16
  // CHECK: call_indirect %[[F]](%{{.*}}) : (tensor<?xi8>) -> i16
  %z = func.call_indirect %f(%y#0) : (tensor<?xui8>) -> si16
  return %y#0, %z : tensor<?xui8>, si16
}

// CHECK-LABEL: func @control_flow(
// CHECK-NOT: ui8
// CHECK: scf.if %{{.*}} -> (tensor<4xi8>)
// CHECK: scf.for {{.*}} -> (tensor<4xi8>)
// CHECK: cf.cond_br %{{.*}}, ^[[BB:.*]](%{{.*}} : tensor<4xi8>), ^[[BB]](%{{.*}} : tensor<4xi8>)
// CHECK: ^[[BB]](%{{.*}}: tensor<4xi8>)
func.func @control_flow(%c: i1, %x: tensor<4xui8>, %n: index) -> tensor<4xui8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.if %c -> tensor<4xui8> {
    scf.yield %x : tensor<4xui8>
  } else {
    %p = ub.poison : tensor<4xui8>
    scf.yield %p : tensor<4xui8>
  }
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %r) -> tensor<4xui8> {
    %s = arith.select %c, %a, %x : tensor<4xui8>
    scf.yield %s : tensor<4xui8>
  }
  cf.cond_br %c, ^bb1(%l : tensor<4xui8>), ^bb1(%r : tensor<4xui8>)
^bb1(%z: tensor<4xui8>):
  return %z : tensor<4xui8>
}

// CHECK-LABEL: func @memrefs_and_vectors(
// CHECK-NOT: ui8
// CHECK: memref.get_global @bytes : memref<4xi8>
// CHECK: memref.load %{{.*}} : memref<4xi8>
// CHECK: vector.broadcast %{{.*}} : i8 to vector<4xi8>
// CHECK: return
func.func @memrefs_and_vectors(%i: index) -> (memref<4xui8>, vector<4xui8>) {
  %g = memref.get_global @bytes : memref<4xui8>
  %e = memref.load %g[%i] : memref<4xui8>
  %v = vector.broadcast %e : ui8 to vector<4xui8>
  return %g, %v : memref<4xui8>, vector<4xui8>
}

// A cast where a value is defined; between foreign ops there is none.
// CHECK-LABEL: func @foreign_ops(
// CHECK-SAME: %[[X:.*]]: tensor<4xi8>, %[[V:.*]]: vector<4xi8>, %[[U:.*]]: tensor<*xi4>)
// CHECK-DAG: %[[XU:.*]] = tensor.bitcast %[[X]] : tensor<4xi8> to tensor<4xui8>
// CHECK-DAG: %[[VU:.*]] = builtin.unrealized_conversion_cast %[[V]] : vector<4xi8> to vector<4xsi8>
// CHECK-DAG: %[[UU:.*]] = tensor.bitcast %[[U]] : tensor<*xi4> to tensor<*xui4>
// CHECK-NEXT: %[[Y:.*]] = "onnx.MatMulInteger"(%[[XU]], %[[XU]]) : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
// CHECK-NEXT: %[[Z:.*]] = "onnx.Relu"(%[[Y]]) : (tensor<4xui8>) -> tensor<4xui8>
// CHECK-NEXT: %[[ZI:.*]] = tensor.bitcast %[[Z]] : tensor<4xui8> to tensor<4xi8>
// CHECK-NEXT: %[[ZJ:.*]] = tensor.bitcast %[[Z]] : tensor<4xui8> to tensor<4xi8>
// CHECK-NEXT: "foo.use"(%[[VU]], %[[UU]]) : (vector<4xsi8>, tensor<*xui4>) -> ()
// CHECK-NEXT: return %[[ZJ]], %[[ZI]] : tensor<4xi8>, tensor<4xi8>
func.func @foreign_ops(%x: tensor<4xui8>, %v: vector<4xsi8>, %u: tensor<*xui4>) -> (tensor<4xui8>, tensor<4xui8>) {
  %y = "onnx.MatMulInteger"(%x, %x) : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %z = "onnx.Relu"(%y) : (tensor<4xui8>) -> tensor<4xui8>
  "foo.use"(%v, %u) : (vector<4xsi8>, tensor<*xui4>) -> ()
  return %z, %z : tensor<4xui8>, tensor<4xui8>
}

// The regions of a foreign op keep the types of their arguments and of what they yield.
// CHECK-LABEL: func @foreign_region(
// CHECK-SAME: %[[C:.*]]: i1, %[[X:.*]]: tensor<4xi8>)
// CHECK: %[[R:.*]] = "onnx.Loop"(%{{.*}}) ({
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4xui8>):
// CHECK-NEXT: %[[AI:.*]] = tensor.bitcast %[[A]] : tensor<4xui8> to tensor<4xi8>
// CHECK-NEXT: %[[T:.*]] = arith.select %[[C]], %[[AI]], %[[X]] : tensor<4xi8>
// CHECK-NEXT: %[[TU:.*]] = tensor.bitcast %[[T]] : tensor<4xi8> to tensor<4xui8>
// CHECK-NEXT: "onnx.Yield"(%[[TU]])
func.func @foreign_region(%c: i1, %x: tensor<4xui8>) -> tensor<4xui8> {
  %r = "onnx.Loop"(%x) ({
  ^bb0(%a: tensor<4xui8>):
    %t = arith.select %c, %a, %x : tensor<4xui8>
    "onnx.Yield"(%t) : (tensor<4xui8>) -> ()
  }) : (tensor<4xui8>) -> tensor<4xui8>
  "onnx.Return"(%r) : (tensor<4xui8>) -> ()
}

// CHECK-LABEL: func @identity_casts_disappear(
// CHECK-SAME: %[[X:.*]]: tensor<4xi8>, %[[S:.*]]: i8)
// CHECK-NEXT: %[[F:.*]] = tensor.bitcast %[[X]] : tensor<4xi8> to tensor<4xf8E5M2>
// CHECK-NEXT: return %[[X]], %[[X]], %[[F]], %[[S]]
func.func @identity_casts_disappear(%x: tensor<4xui8>, %s: ui8) -> (tensor<4xi8>, tensor<4xui8>, tensor<4xf8E5M2>, i8) {
  %i = tensor.bitcast %x : tensor<4xui8> to tensor<4xi8>
  %j = tensor.bitcast %i : tensor<4xi8> to tensor<4xui8>
  %f = tensor.bitcast %j : tensor<4xui8> to tensor<4xf8E5M2>
  %t = builtin.unrealized_conversion_cast %s : ui8 to i8
  return %i, %j, %f, %t : tensor<4xi8>, tensor<4xui8>, tensor<4xf8E5M2>, i8
}

// A function of a dialect that reads the signedness stays.
// CHECK: emitc.func @emitc(%{{.*}}: ui8) -> ui8
emitc.func @emitc(%x: ui8) -> ui8 {
  emitc.return %x : ui8
}

// CHECK-LABEL: module @nested
module @nested {
  // CHECK: func @signless_untouched(%{{.*}}: tensor<4xi8>, %{{.*}}: index) -> tensor<4xi8>
  func.func @signless_untouched(%x: tensor<4xi8>, %i: index) -> tensor<4xi8> {
    return %x : tensor<4xi8>
  }
}

// CHECK-LABEL: func @unreachable(
// CHECK-NEXT: return %{{.*}} : tensor<4xi8>
// CHECK-NEXT: }
func.func @unreachable(%x: tensor<4xui8>) -> tensor<4xui8> {
  return %x : tensor<4xui8>
^bb1(%y: tensor<4xui8>):
  cf.br ^bb1(%y : tensor<4xui8>)
}
