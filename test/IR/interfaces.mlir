// RUN: quant-opt %s --resolve-shaped-type-result-dims --canonicalize | FileCheck %s
// RUN: quant-opt %s --loop-invariant-code-motion | FileCheck %s --check-prefix=LICM

// CHECK-DAG: #[[CEIL:.*]] = affine_map<()[s0] -> (s0 ceildiv 32)>
// CHECK-DAG: #[[ELEMENTS:.*]] = affine_map<()[s0] -> ((s0 * 32) floordiv 3)>
// CHECK-DAG: #[[CONTAINERS:.*]] = affine_map<()[s0] -> ((s0 * 3) ceildiv 32)>
// CHECK-LABEL: func @dims
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>
func.func @dims(%x: tensor<?x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-DAG: %[[D1:.*]] = tensor.dim %[[X]], %c1
  // CHECK-DAG: %[[BLOCKS:.*]] = affine.apply #[[CEIL]]()[%[[D1]]]
  // CHECK-DAG: %[[D0:.*]] = tensor.dim %[[X]], %c0
  // CHECK: return %[[D0]], %[[BLOCKS]]
  %s, %z = qdq.choose_params %x block_shape [1, 32] : (tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xi8>)
  %q = qdq.quantize %x scale %s zero_point %z block_shape [1, 32]
     : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi8>) -> tensor<?x?xi8>
  %a = tensor.dim %q, %c0 : tensor<?x?xi8>
  %b = tensor.dim %s, %c1 : tensor<?x?xf32>
  return %a, %b : index, index
}

// Static shapes may be hoisted over a loop that may not run, dynamic ones may not.
// LICM-LABEL: func @speculation
func.func @speculation(%x: tensor<4xf32>, %d: tensor<?xf32>, %s: tensor<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // LICM: qdq.quantize %{{.*}} : (tensor<4xf32>
  // LICM: scf.for
  // LICM: qdq.quantize %{{.*}} : (tensor<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %a = qdq.quantize %x scale %s axis 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
    %b = qdq.quantize %d scale %s axis 0 : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xi8>
    "test.use"(%a, %b) : (tensor<4xi8>, tensor<?xi8>) -> ()
  }
  return
}

// CHECK-LABEL: func @packing_dims
// CHECK-SAME: %[[C:.*]]: tensor<?x6xi32>, %[[Q:.*]]: tensor<?x?xui3>
func.func @packing_dims(%c: tensor<?x6xi32>, %q: tensor<?x?xui3>, %flat: tensor<?xi8>, %size: index) -> (index, index, index) {
  // CHECK-DAG: %[[ROWS:.*]] = tensor.dim %[[C]]
  // CHECK-DAG: %[[FIT:.*]] = affine.apply #[[ELEMENTS]]()[%[[ROWS]]]
  // CHECK-DAG: %[[SIZE:.*]] = tensor.dim %[[Q]]
  // CHECK-DAG: %[[NEED:.*]] = affine.apply #[[CONTAINERS]]()[%[[SIZE]]]
  // CHECK: return %[[FIT]], %[[NEED]], %arg3
  %c0 = arith.constant 0 : index
  %e = qdq.unpack %c packing <gptq-v2> : (tensor<?x6xi32>) -> tensor<?x6xui3>
  %p = qdq.pack %q packing <gptq-v2> : (tensor<?x?xui3>) -> tensor<?x?xi32>
  %f = qdq.unpack %flat packing <onnx> sizes(%size) : (tensor<?xi8>, index) -> tensor<?x3xi4>
  %0 = tensor.dim %e, %c0 : tensor<?x6xui3>
  %1 = tensor.dim %p, %c0 : tensor<?x?xi32>
  %2 = tensor.dim %f, %c0 : tensor<?x3xi4>
  return %0, %1, %2 : index, index, index
}

// Shapes that cannot disagree may be dynamic.
// LICM-LABEL: func @speculation_dynamic
// LICM: qdq.quantize %{{.*}} {per_tensor}
// LICM: qdq.dequantize %{{.*}} {shared_dimension}
// LICM: qdq.dequantize %{{.*}} {same_size}
// LICM: qdq.choose_params %{{.*}} {chosen}
// LICM: qdq.pack %{{.*}} {computed}
// LICM: qdq.unpack %{{.*}} {computed}
// LICM: scf.for
// LICM: qdq.quantize %{{.*}} {narrowed}
// LICM: qdq.dequantize %{{.*}} {any_size}
// LICM: qdq.choose_params %{{.*}} {narrowed}
// LICM: qdq.unpack %{{.*}} {given}
// LICM: qdq.unpack %{{.*}} {narrowed}
func.func @speculation_dynamic(%x: tensor<?x64xf32>, %q: tensor<?x64xui4>, %s: f32, %one: tensor<1x2xf32>, %any: tensor<?xf32>, %n: index, %size: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %q, %c0 : tensor<?x64xui4>
  %scales = tensor.empty(%rows) : tensor<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %a = qdq.quantize %x scale %s {per_tensor} : (tensor<?x64xf32>, f32) -> tensor<?x64xui4>
    %b = qdq.dequantize %q scale %one block_shape [0, 32] {shared_dimension} : (tensor<?x64xui4>, tensor<1x2xf32>) -> tensor<?x64xf32>
    %c = qdq.dequantize %q scale %scales axis 0 {same_size} : (tensor<?x64xui4>, tensor<?xf32>) -> tensor<?x64xf32>
    %d = qdq.choose_params %x mode <symmetric> storage i8 block_shape [1, 32] {chosen} : (tensor<?x64xf32>) -> tensor<?x2xf32>
    %e = qdq.pack %q packing <onnx> {computed} : (tensor<?x64xui4>) -> tensor<?xi8>
    %f = qdq.unpack %e packing <onnx> {computed} : (tensor<?xi8>) -> tensor<?xui4>
    %g = qdq.quantize %x scale %s {narrowed} : (tensor<?x64xf32>, f32) -> tensor<8x64xui4>
    %h = qdq.dequantize %q scale %any axis 0 {any_size} : (tensor<?x64xui4>, tensor<?xf32>) -> tensor<?x64xf32>
    %j = qdq.choose_params %x mode <symmetric> storage i8 block_shape [1, 32] {narrowed} : (tensor<?x64xf32>) -> tensor<4x2xf32>
    %k = qdq.unpack %e packing <onnx> sizes(%size) {given} : (tensor<?xi8>, index) -> tensor<?xui4>
    %l = qdq.unpack %e packing <onnx> {narrowed} : (tensor<?xi8>) -> tensor<4xui4>
    "test.use"(%a, %b, %c, %d, %f, %g, %h, %j, %k, %l) : (tensor<?x64xui4>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x2xf32>, tensor<?xui4>, tensor<8x64xui4>, tensor<?x64xf32>, tensor<4x2xf32>, tensor<?xui4>, tensor<4xui4>) -> ()
  }
  return
}

// Sizes are known through the ops that make them: parameters that were chosen for a value fit it.
// LICM-LABEL: func @speculation_chosen
// LICM: qdq.choose_params
// LICM: qdq.quantize %{{.*}} {chosen}
// LICM: qdq.dequantize %{{.*}} {chosen}
// LICM: qdq.pack %{{.*}} {chosen}
// LICM: qdq.unpack %{{.*}} {chosen}
// LICM: qdq.dequantize %{{.*}} {unpacked}
// LICM: scf.for
// LICM: qdq.quantize %{{.*}} {of_another_value}
func.func @speculation_chosen(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %s, %z = qdq.choose_params %x block_shape [1, 32] : (tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xui8>)
    %q = qdq.quantize %x scale %s zero_point %z block_shape [1, 32] {chosen} : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xui8>) -> tensor<?x?xui8>
    %d = qdq.dequantize %q scale %s zero_point %z block_shape [1, 32] {chosen} : (tensor<?x?xui8>, tensor<?x?xf32>, tensor<?x?xui8>) -> tensor<?x?xf32>
    %p = qdq.pack %q packing <bits = 8, container = i8, axis = 1> {chosen} : (tensor<?x?xui8>) -> tensor<?x?xi8>
    %u = qdq.unpack %p packing <bits = 8, container = i8, axis = 1> {chosen} : (tensor<?x?xi8>) -> tensor<?x?xui8>
    %e = qdq.dequantize %u scale %s zero_point %z block_shape [1, 32] {unpacked} : (tensor<?x?xui8>, tensor<?x?xf32>, tensor<?x?xui8>) -> tensor<?x?xf32>
    %o = qdq.quantize %y scale %s zero_point %z block_shape [1, 32] {of_another_value} : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xui8>) -> tensor<?x?xui8>
    "test.use"(%d, %e, %o) : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xui8>) -> ()
  }
  return
}

// LICM-LABEL: func @speculation_requantize
// LICM: qdq.requantize %{{.*}} {static}
// LICM: qdq.requantize %{{.*}} {per_tensor}
// LICM: scf.for
// LICM: qdq.requantize %{{.*}} {any_size}
// LICM: qdq.requantize %{{.*}} {narrowed}
// LICM: qdq.requantize %{{.*}} {unranked}
func.func @speculation_requantize(%x: tensor<4xi32>, %d: tensor<?xi32>, %u: tensor<*xi32>, %s: f32, %m: tensor<4xf32>, %any: tensor<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = qdq.requantize %x rescale <f32> multiplier %m axis 0 {static} : (tensor<4xi32>, tensor<4xf32>) -> tensor<4xi8>
    %b = qdq.requantize %d rescale <f32> multiplier %s {per_tensor} : (tensor<?xi32>, f32) -> tensor<?xi8>
    %c = qdq.requantize %d rescale <f32> multiplier %any axis 0 {any_size} : (tensor<?xi32>, tensor<?xf32>) -> tensor<?xi8>
    %e = qdq.requantize %d rescale <f32> multiplier %s {narrowed} : (tensor<?xi32>, f32) -> tensor<4xi8>
    %f = qdq.requantize %u rescale <f32> multiplier %any axis 0 {unranked} : (tensor<*xi32>, tensor<?xf32>) -> tensor<*xi8>
    "test.use"(%a, %b, %c, %e, %f) : (tensor<4xi8>, tensor<?xi8>, tensor<?xi8>, tensor<4xi8>, tensor<*xi8>) -> ()
  }
  return
}

// The same through other ops: codes have the sizes of what they are made of, and packed codes of their containers.
// LICM-LABEL: func @speculation_through
// LICM: qdq.choose_params %{{.*}} {unranked}
// LICM: qdq.quantize %{{.*}} {of_reals}
// LICM: qdq.dequantize %{{.*}} {of_sums}
// LICM: qdq.dequantize %{{.*}} {of_elements}
// LICM: qdq.dequantize %{{.*}} {of_containers}
// LICM: scf.for
// LICM: qdq.dequantize %{{.*}} {of_two_sizes}
func.func @speculation_through(%x: tensor<?x?xf32>, %u: tensor<*xf32>, %acc: tensor<?xi32>, %flat: tensor<?xi8>, %q: tensor<?x64xui4>, %w: tensor<?x?xui4>, %m: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = tensor.dim %acc, %c0 : tensor<?xi32>
  %of_size = tensor.empty(%size) : tensor<?xf32>
  %elements = qdq.unpack %flat packing <onnx> sizes(%size) : (tensor<?xi8>, index) -> tensor<?xi4>
  %rows = tensor.dim %q, %c0 : tensor<?x64xui4>
  %bytes = affine.apply affine_map<()[s0] -> (s0 * 32)>()[%rows]
  %of_bytes = tensor.empty(%bytes) : tensor<?xf32>
  %containers = qdq.pack %q packing <onnx> : (tensor<?x64xui4>) -> tensor<?xi8>
  %others = qdq.pack %w packing <onnx> : (tensor<?x?xui4>) -> tensor<?xi8>
  scf.for %i = %c0 to %n step %c1 {
    %c = qdq.choose_params %u mode <symmetric> storage i8 {unranked} : (tensor<*xf32>) -> tensor<f32>
    %s, %z = qdq.choose_params %x block_shape [1, 32] : (tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xui8>)
    %codes = qdq.quantize %x scale %s zero_point %z block_shape [1, 32] : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xui8>) -> tensor<?x?xui8>
    %reals = qdq.dequantize %codes scale %s zero_point %z block_shape [1, 32] : (tensor<?x?xui8>, tensor<?x?xf32>, tensor<?x?xui8>) -> tensor<?x?xf32>
    %0 = qdq.quantize %reals scale %s zero_point %z block_shape [1, 32] {of_reals} : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xui8>) -> tensor<?x?xui8>
    %sums = qdq.requantize %acc rescale <f32> multiplier %m : (tensor<?xi32>, f32) -> tensor<?xi8>
    %1 = qdq.dequantize %sums scale %of_size axis 0 {of_sums} : (tensor<?xi8>, tensor<?xf32>) -> tensor<?xf32>
    %2 = qdq.dequantize %elements scale %of_size axis 0 {of_elements} : (tensor<?xi4>, tensor<?xf32>) -> tensor<?xf32>
    %3 = qdq.dequantize %containers scale %of_bytes axis 0 {of_containers} : (tensor<?xi8>, tensor<?xf32>) -> tensor<?xf32>
    %4 = qdq.dequantize %others scale %of_bytes axis 0 {of_two_sizes} : (tensor<?xi8>, tensor<?xf32>) -> tensor<?xf32>
    "test.use"(%c, %0, %1, %2, %3, %4) : (tensor<f32>, tensor<?x?xui8>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> ()
  }
  return
}
