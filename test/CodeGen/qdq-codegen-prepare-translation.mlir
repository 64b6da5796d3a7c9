// RUN: quant-opt %s --qdq-codegen-prepare-translation --split-input-file | FileCheck %s

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

// -----

// CHECK: llvm.mlir.global private constant @rows(dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi8>)
// CHECK-SAME: : !llvm.array<6 x i8>
llvm.mlir.global private constant @rows(dense<[[[1, 2]], [[3, 4]], [[5, 6]]]> : tensor<3x1x2xi8>)
  {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<3 x array<1 x array<2 x i8>>>

// CHECK: llvm.mlir.global private constant @resource(dense_resource<r> : tensor<4xi16>)
// CHECK-SAME: : !llvm.array<4 x i16>
llvm.mlir.global private constant @resource(dense_resource<r> : tensor<2x2xi16>)
  {addr_space = 0 : i32} : !llvm.array<2 x array<2 x i16>>

// Equal rows are one constant, and without an initial value there is none.
// CHECK: @equal(dense<7> : tensor<2x2xi8>)
// CHECK-SAME: : !llvm.array<2 x array<2 x i8>>
llvm.mlir.global private constant @equal(dense<7> : tensor<2x2xi8>) {addr_space = 0 : i32}
  : !llvm.array<2 x array<2 x i8>>
// CHECK: llvm.mlir.global external @none()
// CHECK-SAME: : !llvm.array<2 x array<2 x i8>>
llvm.mlir.global external @none() {addr_space = 0 : i32} : !llvm.array<2 x array<2 x i8>>

// CHECK: llvm.getelementptr %{{.*}}[0, 2, 0, 1] : (!llvm.ptr) -> !llvm.ptr,
// CHECK-SAME: !llvm.array<3 x array<1 x array<2 x i8>>>
llvm.func @address() -> !llvm.ptr {
  %a = llvm.mlir.addressof @rows : !llvm.ptr
  %p = llvm.getelementptr %a[0, 2, 0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<3 x array<1 x array<2 x i8>>>
  llvm.return %p : !llvm.ptr
}

{-#
  dialect_resources: {
    builtin: {
      r: "0x020000000100020003000400"
    }
  }
#-}
