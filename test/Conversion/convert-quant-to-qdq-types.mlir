// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantized types on ops that only carry values become storage types.
// RUN: quant-opt %s --convert-quant-to-qdq | FileCheck %s
// RUN: quant-opt %s --convert-quant-to-qdq | FileCheck %s --check-prefix=NONE

// NONE-NOT: quant.
!q = !quant.uniform<i8:f32, 2.0:10>
!u = !quant.uniform<u8:f32, 0.5:200>

// CHECK: func private @declaration(tensor<4xui8> {note.type = ui8}, vector<4xf32>) -> (i8 {note.n = 1 : i32})
func.func private @declaration(tensor<4x!u> {note.type = !u}, vector<4xf32>) -> (!q {note.n = 1 : i32})

// CHECK: ml_program.global private @weights(dense_resource<blob> : tensor<4xi8>) : tensor<4xi8>
ml_program.global private @weights(dense_resource<blob> : tensor<4x!q>) : tensor<4x!q>
// CHECK: ml_program.global private mutable @state : tensor<?xui8>
ml_program.global private mutable @state : tensor<?x!u>

// CHECK-LABEL: module @nested attributes {note.type = tensor<4xi8>}
module @nested attributes {note.type = tensor<4x!q>} {
  // CHECK: func @dcast_in_nested_module(%{{.*}}: tensor<4xi8>)
  func.func @dcast_in_nested_module(%x: tensor<4x!q>) -> tensor<4xf32> {
    // CHECK: arith.constant 2.000000e+00
    // CHECK: qdq.dequantize
    %y = quant.dcast %x : tensor<4x!q> to tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// CHECK-LABEL: func @calls(
// CHECK-SAME: %[[X:.*]]: tensor<4xi8>) -> tensor<4xi8>
func.func @calls(%x: tensor<4x!q>) -> tensor<4x!q> {
  // CHECK: call @calls(%[[X]]) : (tensor<4xi8>) -> tensor<4xi8>
  %y = func.call @calls(%x) : (tensor<4x!q>) -> tensor<4x!q>
  // CHECK: %[[F:.*]] = constant @calls : (tensor<4xi8>) -> tensor<4xi8>
  %f = func.constant @calls : (tensor<4x!q>) -> tensor<4x!q>
  // CHECK: call_indirect %[[F]](%{{.*}}) : (tensor<4xi8>) -> tensor<4xi8>
  %z = func.call_indirect %f(%y) : (tensor<4x!q>) -> tensor<4x!q>
  return %z : tensor<4x!q>
}

// CHECK-LABEL: func @branches(
// CHECK: cf.cond_br %{{.*}}, ^[[BB:.*]](%{{.*}} : tensor<4xi8>), ^[[BB]](%{{.*}} : tensor<4xi8>)
// CHECK: ^[[BB]](%[[Z:.*]]: tensor<4xi8>)
// CHECK: %[[W:.*]] = arith.select %{{.*}}, %[[Z]], %{{.*}} : tensor<4xi8>
// CHECK: return %[[W]] : tensor<4xi8>
func.func @branches(%c: i1, %x: tensor<4x!q>, %y: tensor<4x!q>) -> tensor<4x!q> {
  cf.cond_br %c, ^bb1(%x : tensor<4x!q>), ^bb1(%y : tensor<4x!q>)
^bb1(%z: tensor<4x!q>):
  %w = arith.select %c, %z, %x : tensor<4x!q>
  return %w : tensor<4x!q>
}

// CHECK-LABEL: func @loops(
// CHECK: scf.if %{{.*}} -> (tensor<4xui8>) {
// CHECK: ub.poison : tensor<4xui8>
// CHECK: scf.yield %{{.*}} : tensor<4xui8>
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (tensor<4xui8>)
// CHECK: qdq.dequantize %[[A]]
// CHECK: %[[G:.*]] = qdq.quantize
// CHECK: scf.yield %[[G]] : tensor<4xui8>
// CHECK: scf.while ({{.*}}) : (tensor<4xui8>) -> tensor<4xui8>
// CHECK: scf.condition(%{{.*}}) %{{.*}} : tensor<4xui8>
// CHECK: ^bb0(%{{.*}}: tensor<4xui8>)
func.func @loops(%c: i1, %x: tensor<4x!u>, %n: index) -> tensor<4x!u> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.if %c -> tensor<4x!u> {
    scf.yield %x : tensor<4x!u>
  } else {
    %p = ub.poison : tensor<4x!u>
    scf.yield %p : tensor<4x!u>
  }
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %r) -> tensor<4x!u> {
    %f = quant.dcast %a : tensor<4x!u> to tensor<4xf32>
    %g = quant.qcast %f : tensor<4xf32> to tensor<4x!u>
    scf.yield %g : tensor<4x!u>
  }
  %w = scf.while (%a = %l) : (tensor<4x!u>) -> tensor<4x!u> {
    scf.condition(%c) %a : tensor<4x!u>
  } do {
  ^bb0(%a: tensor<4x!u>):
    scf.yield %a : tensor<4x!u>
  }
  return %w : tensor<4x!u>
}

// CHECK-LABEL: func @shapes(
// CHECK: tensor.empty(%{{.*}}) : tensor<?xi8>
// CHECK: tensor.insert_slice {{.*}} : tensor<4xi8> into tensor<?xi8>
// CHECK: %[[E:.*]] = tensor.extract {{.*}} : tensor<?xi8>
// CHECK: %[[F:.*]] = tensor.from_elements %[[E]], %[[E]] : tensor<2xi8>
// CHECK: tensor.expand_shape %[[F]] {{.*}} : tensor<2xi8> into tensor<2x1xi8>
// CHECK: tensor.generate
// CHECK: tensor.yield %{{.*}} : i8
// CHECK: } : tensor<?xi8>
func.func @shapes(%x: tensor<4x!q>, %n: index) -> (tensor<2x1x!q>, tensor<?x!q>) {
  %e = tensor.empty(%n) : tensor<?x!q>
  %s = tensor.insert_slice %x into %e[0] [4] [1] : tensor<4x!q> into tensor<?x!q>
  %el = tensor.extract %s[%n] : tensor<?x!q>
  %f = tensor.from_elements %el, %el : tensor<2x!q>
  %ex = tensor.expand_shape %f [[0, 1]] output_shape [2, 1] : tensor<2x!q> into tensor<2x1x!q>
  %p = tensor.generate %n {
  ^bb0(%i: index):
    %a = tensor.extract %x[%i] : tensor<4x!q>
    tensor.yield %a : !q
  } : tensor<?x!q>
  return %ex, %p : tensor<2x1x!q>, tensor<?x!q>
}

// CHECK-LABEL: func @globals(
// CHECK: ml_program.global_load @weights : tensor<4xi8>
// CHECK: arith.constant dense_resource<blob> : tensor<4xi8>
// CHECK: ml_program.global_store @state = %{{.*}} : tensor<?xui8>
func.func @globals(%x: tensor<?x!u>) -> (tensor<4x!q>, tensor<4x!q>) {
  %w = ml_program.global_load @weights : tensor<4x!q>
  %k = arith.constant dense_resource<blob> : tensor<4x!q>
  ml_program.global_store @state = %x : tensor<?x!u>
  return %w, %k : tensor<4x!q>, tensor<4x!q>
}

// A cast that has become the identity is gone; one to the type of another system stays.
// CHECK-LABEL: func @unrealized_casts(
// CHECK-SAME: %[[X:.*]]: tensor<4xi8>)
// CHECK-NEXT: %[[T:.*]] = builtin.unrealized_conversion_cast %[[X]] : tensor<4xi8> to !torch.vtensor<[4],si8>
// CHECK-NEXT: return %[[X]], %[[T]]
func.func @unrealized_casts(%x: tensor<4x!q>) -> (tensor<4xi8>, !torch.vtensor<[4],si8>) {
  %i = builtin.unrealized_conversion_cast %x : tensor<4x!q> to tensor<4xi8>
  %t = builtin.unrealized_conversion_cast %x : tensor<4x!q> to !torch.vtensor<[4],si8>
  return %i, %t : tensor<4xi8>, !torch.vtensor<[4],si8>
}

// A terminator hands its values to its parent, whatever it is called.
// CHECK-LABEL: func @unregistered_return(
// CHECK: "onnx.Return"(%{{.*}}) : (tensor<4xi8>) -> ()
func.func @unregistered_return(%x: tensor<4x!q>) -> tensor<4x!q> {
  "onnx.Return"(%x) : (tensor<4x!q>) -> ()
}

// CHECK-LABEL: func @regions(
// CHECK: scf.index_switch %{{.*}} -> tensor<4xi8>
// CHECK: scf.execute_region -> tensor<4xi8>
// CHECK: cf.switch
// CHECK: default: ^[[A:.*]](%{{.*}} : tensor<4xi8>)
// CHECK: ^[[A]](%{{.*}}: tensor<4xi8>)
// CHECK: scf.forall {{.*}} shared_outs({{.*}}) -> (tensor<4xi8>)
// CHECK: tensor.parallel_insert_slice {{.*}} : tensor<1xi8> into tensor<4xi8>
func.func @regions(%i: index, %f: i32, %x: tensor<4x!q>, %y: tensor<4x!q>) -> (tensor<4x!q>, tensor<4x!q>) {
  %r = scf.index_switch %i -> tensor<4x!q>
  case 2 {
    scf.yield %x : tensor<4x!q>
  }
  default {
    scf.yield %y : tensor<4x!q>
  }
  %e = scf.execute_region -> tensor<4x!q> {
    cf.switch %f : i32, [
      default: ^a(%x : tensor<4x!q>),
      1: ^b(%r : tensor<4x!q>)
    ]
  ^a(%p: tensor<4x!q>):
    scf.yield %p : tensor<4x!q>
  ^b(%o: tensor<4x!q>):
    cf.br ^a(%o : tensor<4x!q>)
  }
  %z = scf.forall (%k) in (4) shared_outs(%o = %e) -> tensor<4x!q> {
    %s = tensor.extract_slice %x[%k] [1] [1] : tensor<4x!q> to tensor<1x!q>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%k] [1] [1] : tensor<1x!q> into tensor<4x!q>
    }
  }
  return %e, %z : tensor<4x!q>, tensor<4x!q>
}

// What an op's interfaces say is enough, whatever its dialect.
// CHECK-LABEL: func @interfaces(
// CHECK: shape.assuming %{{.*}} -> (tensor<4xui8>) {
// CHECK-NEXT: shape.assuming_yield %{{.*}} : tensor<4xui8>
func.func @interfaces(%w: !shape.witness, %x: tensor<4x!u>) -> tensor<4x!u> {
  %r = shape.assuming %w -> tensor<4x!u> {
    shape.assuming_yield %x : tensor<4x!u>
  }
  return %r : tensor<4x!u>
}

// Types inside function types, tuples and attributes.
// CHECK-LABEL: func private @nested_types(i8, tuple<tensor<4xi8>, i32>, (tensor<4xui8>) -> i8) attributes {note.types = [tensor<4xi8>, ui8], note.words = {type = i8}}
func.func private @nested_types(!q, tuple<tensor<4x!q>, i32>, (tensor<4x!u>) -> !q) attributes {note.types = [tensor<4x!q>, !u], note.words = {type = !q}}

// Ops of linalg that move elements without reading them.
// CHECK-LABEL: func @moves(
// CHECK: linalg.transpose ins(%{{.*}} : tensor<4x2xui8>) outs(%{{.*}} : tensor<2x4xui8>)
// CHECK: linalg.broadcast ins(%{{.*}} : tensor<2x4xui8>) outs(%{{.*}} : tensor<2x4x3xui8>)
// CHECK: linalg.pack {{.*}} : tensor<2x4xui8> -> tensor<1x2x2x2xui8>
func.func @moves(%x: tensor<4x2x!u>, %i: tensor<2x4x!u>, %b: tensor<2x4x3x!u>, %p: tensor<1x2x2x2x!u>) -> (tensor<2x4x3x!u>, tensor<1x2x2x2x!u>) {
  %t = linalg.transpose ins(%x : tensor<4x2x!u>) outs(%i : tensor<2x4x!u>) permutation = [1, 0]
  %c = linalg.broadcast ins(%t : tensor<2x4x!u>) outs(%b : tensor<2x4x3x!u>) dimensions = [2]
  %k = linalg.pack %t inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %p : tensor<2x4x!u> -> tensor<1x2x2x2x!u>
  return %c, %k : tensor<2x4x3x!u>, tensor<1x2x2x2x!u>
}

// Unreachable blocks hold no quantized types either.
// CHECK-LABEL: func @unreachable(
// CHECK-NEXT: return %{{.*}} : tensor<4xui8>
// CHECK-NEXT: }
func.func @unreachable(%x: tensor<4x!u>) -> tensor<4x!u> {
  return %x : tensor<4x!u>
^bb1(%y: tensor<4x!u>):
  cf.br ^bb1(%y : tensor<4x!u>)
}

// Constants of one value are one constant, at the start of the function.
// CHECK-LABEL: func @constants(
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 200 : i16
// CHECK-NEXT: scf.if
// CHECK-NEXT: qdq.dequantize %{{.*}} scale %[[SCALE]] zero_point %[[ZERO]]
// CHECK-NEXT: qdq.quantize %{{.*}} scale %[[SCALE]] zero_point %[[ZERO]]
func.func @constants(%c: i1, %x: tensor<4x!u>) -> tensor<4x!u> {
  %r = scf.if %c -> tensor<4x!u> {
    %y = quant.dcast %x : tensor<4x!u> to tensor<4xf32>
    %q = quant.qcast %y : tensor<4xf32> to tensor<4x!u>
    scf.yield %q : tensor<4x!u>
  } else {
    scf.yield %x : tensor<4x!u>
  }
  return %r : tensor<4x!u>
}
