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

// An argument that another block uses, by way of memory: LLVM folds a cast.
// CHECK-LABEL: llvm.func @across_blocks(
// CHECK-SAME: %[[A:.*]]: bf16
// CHECK: %[[SLOT:.*]] = llvm.alloca %{{.*}} x i16
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[A]] : bf16 to i16
// CHECK: llvm.store volatile %[[BITS]], %[[SLOT]]
// CHECK: %[[HIDDEN:.*]] = llvm.load volatile %[[SLOT]] : !llvm.ptr -> i16
// CHECK: llvm.store %[[HIDDEN]], %{{.*}} : i16, !llvm.ptr
// CHECK: %[[BACK:.*]] = llvm.bitcast %[[HIDDEN]] : i16 to bf16
// CHECK: llvm.call @use(%[[BACK]])
llvm.func @use(bf16)
llvm.func @across_blocks(%a: bf16, %p: !llvm.ptr) {
  llvm.br ^bb1
^bb1:
  llvm.store %a, %p : bf16, !llvm.ptr
  llvm.call @use(%a) : (bf16) -> ()
  llvm.return
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

// LLVM would multiply in f16.
// CHECK-LABEL: llvm.func @to_f16(
// CHECK-SAME: %[[X:.*]]: vector<4xbf16>, %[[Y:.*]]: bf16
// CHECK: %[[I:.*]] = llvm.bitcast %[[X]] : vector<4xbf16> to vector<4xi16>
// CHECK: %[[W:.*]] = llvm.zext %[[I]] : vector<4xi16> to vector<4xi32>
// CHECK: %[[S:.*]] = llvm.shl %[[W]], %{{.*}} : vector<4xi32>
// CHECK: %[[F:.*]] = llvm.bitcast %[[S]] : vector<4xi32> to vector<4xf32>
// CHECK: llvm.fmul %[[F]], %[[F]] : vector<4xf32>
// CHECK: llvm.shl %{{.*}} : i32
// CHECK: llvm.fpext %{{.*}} : f32 to f64
llvm.func @to_f16(%x: vector<4xbf16>, %y: bf16) -> vector<4xf16> {
  %a = llvm.fpext %x : vector<4xbf16> to vector<4xf32>
  %b = llvm.fmul %a, %a : vector<4xf32>
  %c = llvm.fptrunc %b : vector<4xf32> to vector<4xf16>
  %d = llvm.fpext %y : bf16 to f64
  %e = llvm.fptrunc %d : f64 to f16
  %i = llvm.mlir.constant(0 : i32) : i32
  %r = llvm.insertelement %e, %c[%i : i32] : vector<4xf16>
  llvm.return %r : vector<4xf16>
}

// -----

// CHECK-LABEL: llvm.func @to_bf16(
// CHECK: llvm.fpext
llvm.func @to_bf16(%x: bf16) -> bf16 {
  %a = llvm.fpext %x : bf16 to f32
  %b = llvm.fmul %a, %a : f32
  %c = llvm.fptrunc %b : f32 to bf16
  llvm.return %c : bf16
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
