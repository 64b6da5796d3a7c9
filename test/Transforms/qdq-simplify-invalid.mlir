// RUN: quant-opt %s --qdq-simplify=max-code-diff=-1 --verify-diagnostics

// expected-error @+1 {{max-code-diff is -1: expected 0 or more}}
module {}
