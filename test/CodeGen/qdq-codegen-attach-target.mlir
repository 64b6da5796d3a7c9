// RUN: quant-opt %s --qdq-codegen-attach-target="triple=x86_64-linux-gnu cpu=znver4 features=-avx512vnni,+avxvnni" --split-input-file | FileCheck %s
// RUN: quant-opt %s --qdq-codegen-attach-target --split-input-file | FileCheck %s --check-prefix=KEPT
// RUN: quant-opt %s --qdq-codegen-attach-target="triple=riscv64-linux-gnu without=stream-stores,byte-dots" --split-input-file | FileCheck %s --check-prefix=RISCV

// CHECK: llvm.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "znver4", features = <["-avx512vnni", "+avxvnni"]>>
// KEPT: module {
// RISCV: llvm.target = #llvm.target<triple = "riscv64-unknown-linux-gnu", chip = "", features = <["+m", "+a", "+f", "+d", "+c"]>>, qdq.without = ["stream-stores", "byte-dots"]
module {
}

// -----

// CHECK: llvm.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "znver4",
// KEPT: module attributes {llvm.target = #llvm.target<triple = "aarch64-linux-gnu", chip = "cortex-a72">}
module attributes {llvm.target = #llvm.target<triple = "aarch64-linux-gnu", chip = "cortex-a72">} {
}
