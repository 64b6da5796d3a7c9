// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: quant-opt %s --convert-quant-to-qdq -split-input-file -verify-diagnostics

func.func @qcast_zero_point_out_of_range(%x: tensor<4xf32>) {
  // expected-error@+1 {{'quant.qcast' op zero point is 300, outside of the storage type 'i8', which holds -128 to 127}}
  %q = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 2.0:300>>
  return
}

// -----

func.func @dcast_zero_point_out_of_range_per_axis(%q: tensor<?x!quant.uniform<u8:f32:0, {2.0:255, 3.0:-1}>>) {
  // expected-error@+1 {{'quant.dcast' op zero point element 1 is -1, outside of the storage type 'ui8', which holds 0 to 255}}
  %x = quant.dcast %q : tensor<?x!quant.uniform<u8:f32:0, {2.0:255, 3.0:-1}>> to tensor<?xf32>
  return
}

// -----

// Every op in the way is reported.
func.func @qcast_unknown_types(%x: tensor<4xf32>, %y: tensor<4xf8E5M2>, %z: tensor<4xf80>) {
  // expected-error@+1 {{'quant.qcast' op has the type '!quant.any<i8:f32>', which gives no scale: expected a '!quant.uniform' type}}
  %0 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.any<i8:f32>>
  // expected-error@+1 {{'quant.qcast' op has the type '!quant.calibrated<f32<-9.000000e-01:9.000000e-01>>', which gives no scale}}
  %1 = quant.qcast %x : tensor<4xf32> to tensor<4x!quant.calibrated<f32<-0.9:0.9>>>
  // expected-error@+1 {{'quant.qcast' op has the type '!quant.uniform<i8:f8E5M2, 2.000000e+00>', which expresses 'f8E5M2': expected f16, bf16, f32 or f64}}
  %2 = quant.qcast %y : tensor<4xf8E5M2> to tensor<4x!quant.uniform<i8:f8E5M2, 2.0>>
  // expected-error@+1 {{which expresses 'f80': expected f16, bf16, f32 or f64}}
  %3 = quant.qcast %z : tensor<4xf80> to tensor<4x!quant.uniform<i8:f80, 2.0>>
  return
}

// -----

// expected-error@+1 {{'func.func' op has the type '!quant.any<i8:f32>', which gives no scale}}
func.func private @any_on_declaration(tensor<4x!quant.any<i8:f32>>)

// -----

func.func @tosa_add(%x: tensor<4x!quant.uniform<i8:f32, 2.0>>) -> tensor<4xf32> {
  // expected-error@+1 {{'tosa.add' op has the quantized type '!quant.uniform<i8:f32, 2.000000e+00>'; what it means by it is not known: put 'quant.dcast' and 'quant.qcast' around it, or lower it first}}
  %y = tosa.add %x, %x : (tensor<4x!quant.uniform<i8:f32, 2.0>>, tensor<4x!quant.uniform<i8:f32, 2.0>>) -> tensor<4x!quant.uniform<i8:f32, 2.0>>
  %z = quant.dcast %y : tensor<4x!quant.uniform<i8:f32, 2.0>> to tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// expected-error@+1 {{'foo.op' op has the quantized type '!quant.uniform<i8:f32, 2.000000e+00>'}}
"foo.op"() {types = [tensor<4x!quant.uniform<i8:f32, 2.0>>]} : () -> ()

// -----

// expected-error@+1 {{'foo.op' op has the quantized type '!quant.uniform<i8:f32, 2.000000e+00>'}}
"foo.op"() ({
^bb0(%a: !quant.uniform<i8:f32, 2.0>):
  "foo.yield"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{'func.func' op has the quantized type '!quant.uniform<i8:f32, 2.000000e+00>' where it cannot be replaced: inside a type of another dialect, or on a dense attribute of strings}}
func.func @type_of_another_dialect(%x: !async.value<!quant.uniform<i8:f32, 2.0>>) {
  return
}

// -----

// A text long enough to fill a page is cut.
func.func @foo_many_scales(%x: tensor<16x!quant.uniform<i8:f32:0, {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}>>) {
  // expected-error@+1 {{1.000000e+00,1.00...'; what it means}}
  "foo.op"(%x) : (tensor<16x!quant.uniform<i8:f32:0, {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}>>) -> ()
  return
}

// -----

// The verifier takes both sizes where they agree with the scales.
func.func @dcast_two_sizes_for_an_axis(%q: tensor<4x?x!quant.uniform<u8:f32:{0:2, 0:2}, {{2.0}, {3.0}}>>) -> tensor<4x?xf32> {
  // expected-error-re@+1 {{'quant.dcast' op type '!quant.uniform<u8:f32:{0:2, 0:2}, {{.*}}>' has two block sizes for axis 0: 2 and 2}}
  %x = quant.dcast %q : tensor<4x?x!quant.uniform<u8:f32:{0:2, 0:2}, {{2.0}, {3.0}}>> to tensor<4x?xf32>
  return %x : tensor<4x?xf32>
}

// -----

func.func @scast_any(%i: tensor<4xi8>) {
  // expected-error@+1 {{'quant.scast' op has the type '!quant.any<i8:f32>', which gives no scale: expected a '!quant.uniform' type}}
  %q = quant.scast %i : tensor<4xi8> to tensor<4x!quant.any<i8:f32>>
  return
}

// -----

func.func @calibrated_in_a_loop(%c: i1, %x: tensor<4x!quant.calibrated<f32<-0.9:0.9>>>) { // expected-error {{'func.func' op has the type '!quant.calibrated<f32<-9.000000e-01:9.000000e-01>>', which gives no scale}}
  // expected-error@+1 {{'scf.if' op has the type '!quant.calibrated<f32<-9.000000e-01:9.000000e-01>>', which gives no scale}}
  %y = scf.if %c -> tensor<4x!quant.calibrated<f32<-0.9:0.9>>> {
    scf.yield %x : tensor<4x!quant.calibrated<f32<-0.9:0.9>>> // expected-error {{'scf.yield' op has the type '!quant.calibrated<f32<-9.000000e-01:9.000000e-01>>', which gives no scale}}
  } else {
    scf.yield %x : tensor<4x!quant.calibrated<f32<-0.9:0.9>>> // expected-error {{'scf.yield' op has the type '!quant.calibrated<f32<-9.000000e-01:9.000000e-01>>', which gives no scale}}
  }
  return
}

// -----

func.func @attribute_of_a_cast(%x: tensor<4xf32>) {
  // expected-error@+1 {{'quant.qcast' op has the type '!quant.any<i8:f32>', which gives no scale}}
  %q = quant.qcast %x {note.type = !quant.any<i8:f32>} : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 2.0>>
  return
}

// -----

// Ops that read elements, whatever their interfaces: a cast is no shape op, and a generic no loop.
func.func @readers(%x: tensor<4x!quant.uniform<i8:f32, 2.0>>, %e: tensor<4xf32>) {
  // expected-error@+1 {{'linalg.generic' op has the quantized type}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4x!quant.uniform<i8:f32, 2.0>>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: !quant.uniform<i8:f32, 2.0>, %b: f32):
    linalg.yield %b : f32 // no value of a quantized type
  } -> tensor<4xf32>
  // expected-error@+1 {{'onnx.Relu' op has the quantized type}}
  %1 = "onnx.Relu"(%x) : (tensor<4x!quant.uniform<i8:f32, 2.0>>) -> tensor<4xf32>
  return
}
