// RUN: quant-opt %s --transform-interpreter --canonicalize --mlir-print-debuginfo | FileCheck %s

// A tile has the location and the discardable attributes of its op.
module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func @f
  func.func @f(%x: tensor<64xf32>, %s: f32) -> tensor<32xi8> {
    // CHECK: qdq.quantize {{.*}} {keep = "q"} : {{.*}} loc(#[[Q:.*]])
    %q = qdq.quantize %x scale %s semantics <rounding = floor> {keep = "q"} : (tensor<64xf32>, f32) -> tensor<64xi4> loc("quantize")
    // CHECK: qdq.dequantize {{.*}} {keep = "d"} : {{.*}} loc(#[[D:.*]])
    %y = qdq.dequantize %q scale %s {keep = "d"} : (tensor<64xi4>, f32) -> tensor<64xf32> loc("dequantize")
    // CHECK: qdq.quantize {{.*}} {keep = "r"} : {{.*}} loc(#[[R:.*]])
    %r = qdq.quantize %y scale %s semantics <rounding = floor> {keep = "r"} : (tensor<64xf32>, f32) -> tensor<64xui4> loc("again")
    // CHECK: qdq.pack {{.*}} {keep = "p"} : {{.*}} loc(#[[P:.*]])
    %p = qdq.pack %r packing <onnx> {keep = "p"} : (tensor<64xui4>) -> tensor<32xi8> loc("pack")
    return %p : tensor<32xi8>
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["qdq.pack"]} in %module : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.fuse %op tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
// CHECK-DAG: #[[Q]] = loc("quantize")
// CHECK-DAG: #[[D]] = loc("dequantize")
// CHECK-DAG: #[[R]] = loc("again")
// CHECK-DAG: #[[P]] = loc("pack")
