// RUN: quant-opt %s --qdq-codegen-attach-target --split-input-file --verify-diagnostics

// expected-error@+1 {{target cpu: 'znver99' is not a processor of 'x86_64-linux-gnu': see llc -mtriple=x86_64-linux-gnu -mcpu=help}}
module attributes {llvm.target = #llvm.target<triple = "x86_64-linux-gnu", chip = "znver99">} {
}

// -----

// expected-error@+1 {{target feature: '+neon' is not + or - and a feature of 'x86_64-linux-gnu'}}
module attributes {llvm.target = #llvm.target<triple = "x86_64-linux-gnu", chip = "", features = <["+neon"]>>} {
}

// -----

// expected-error@+1 {{target triple: }}
module attributes {llvm.target = #llvm.target<triple = "pdp11-dec-unix", chip = "">} {
}

// -----

// expected-error@+1 {{llvm.target is "x86_64": expected #llvm.target<triple = "...", chip = "...">}}
module attributes {llvm.target = "x86_64"} {
}

// -----

// expected-error@+1 {{qdq.without is "byte-dots": expected an array of strings, each one of }}
module attributes {llvm.target = #llvm.target<triple = "x86_64-linux-gnu", chip = "znver4">, qdq.without = "byte-dots"} {
}

// -----

// expected-error@+1 {{qdq.without is ["byte-dots", 7]: expected an array of strings, each one of }}
module attributes {llvm.target = #llvm.target<triple = "x86_64-linux-gnu", chip = "znver4">, qdq.without = ["byte-dots", 7]} {
}
