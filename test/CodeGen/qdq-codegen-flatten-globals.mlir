// RUN: quant-opt %s --qdq-codegen-flatten-globals | FileCheck %s

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
