// RUN: quant-opt %s --qdq-codegen-bf16-to-integers | FileCheck %s

// CHECK-LABEL: llvm.func @branch(
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(16256 : i16) : i16
// CHECK: %[[V:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK: llvm.cond_br %{{.*}}, ^bb1(%[[V]] : i16), ^bb1(%[[ONE]] : i16)
// CHECK: ^bb1(%[[R:.*]]: i16):
// CHECK: llvm.store %[[R]], %{{.*}} : i16, !llvm.ptr
llvm.func @branch(%p: !llvm.ptr, %q: !llvm.ptr, %c: i1) {
  %one = llvm.mlir.constant(1.0 : bf16) : bf16
  %v = llvm.load %p {alignment = 2 : i64} : !llvm.ptr -> bf16
  llvm.cond_br %c, ^bb1(%v : bf16), ^bb1(%one : bf16)
^bb1(%r: bf16):
  llvm.store %r, %q : bf16, !llvm.ptr
  llvm.return
}

// Signatures stay.
// CHECK-LABEL: llvm.func @signature(
// CHECK-SAME: %[[A:.*]]: bf16, %[[B:.*]]: bf16, %[[C:.*]]: i1) -> bf16
// CHECK-DAG: %[[AI:.*]] = llvm.bitcast %[[A]] : bf16 to i16
// CHECK-DAG: %[[BI:.*]] = llvm.bitcast %[[B]] : bf16 to i16
// CHECK: %[[S:.*]] = llvm.select %[[C]], %[[AI]], %[[BI]] : i1, i16
// CHECK: %[[R:.*]] = llvm.bitcast %[[S]] : i16 to bf16
// CHECK: llvm.call @signature(%[[R]], %[[B]], %[[C]]) : (bf16, bf16, i1) -> bf16
llvm.func @signature(%a: bf16, %b: bf16, %c: i1) -> bf16 {
  %s = llvm.select %c, %a, %b : i1, bf16
  %r = llvm.call @signature(%s, %b, %c) : (bf16, bf16, i1) -> bf16
  llvm.return %r : bf16
}

// Bits that are read as integers anyway need no cast.
// CHECK-LABEL: llvm.func @lanes(
// CHECK: llvm.mlir.constant(dense<[16256, 16384]> : vector<2xi16>) : vector<2xi16>
// CHECK: %[[V:.*]] = llvm.shufflevector %{{.*}}, %{{.*}} [0, 3] : vector<2xi16>
// CHECK-NOT: bitcast
// CHECK: llvm.zext %[[V]] : vector<2xi16> to vector<2xi32>
llvm.func @lanes(%p: !llvm.ptr) -> vector<2xi32> {
  %k = llvm.mlir.constant(dense<[1.0, 2.0]> : vector<2xbf16>) : vector<2xbf16>
  %v = llvm.load %p : !llvm.ptr -> vector<2xbf16>
  %s = llvm.shufflevector %v, %k [0, 3] : vector<2xbf16>
  %i = llvm.bitcast %s : vector<2xbf16> to vector<2xi16>
  %w = llvm.zext %i : vector<2xi16> to vector<2xi32>
  llvm.return %w : vector<2xi32>
}

// Structures keep their members.
// CHECK-LABEL: llvm.func @structure(
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK: %[[F:.*]] = llvm.bitcast %[[V]] : i16 to bf16
// CHECK: llvm.insertvalue %[[F]], %{{.*}}[0] : !llvm.struct<(bf16, i32)>
llvm.func @structure(%p: !llvm.ptr) -> !llvm.struct<(bf16, i32)> {
  %v = llvm.load %p : !llvm.ptr -> bf16
  %s = llvm.mlir.undef : !llvm.struct<(bf16, i32)>
  %r = llvm.insertvalue %v, %s[0] : !llvm.struct<(bf16, i32)>
  llvm.return %r : !llvm.struct<(bf16, i32)>
}
