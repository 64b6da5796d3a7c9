// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of the stages: what one leaves is what the next one begins with.
// RUN: quant-opt %s --quant-to-llvm > %t.whole
// RUN: quant-opt %s --quant-to-llvm=stop-after=vectors | quant-opt --quant-to-llvm=start-at=buffers > %t.parts
// RUN: diff %t.whole %t.parts
// RUN: quant-opt %s --quant-to-llvm=stop-after=linalg | FileCheck %s --check-prefix=LINALG
// RUN: quant-opt %s --quant-to-llvm=stop-after=buffers | FileCheck %s --check-prefix=BUFFERS --implicit-check-not=tensor.
// RUN: not quant-opt %s --quant-to-llvm=stop-after=none 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not quant-opt %s --quant-to-llvm="start-at=memory stop-after=fused" 2>&1 | FileCheck %s --check-prefix=ORDER

// NAME: {{^}}quant-opt: error: 'none' is not a value of 'stop-after': expected one of sources, qdq, linalg, fused, boundary, planned, vectors, buffers, memory, target, llvm{{$}}
// ORDER: {{^}}quant-opt: error: start-at is 'memory': expected no stage behind stop-after, 'fused'{{$}}

// LINALG-LABEL: func.func @f(
// LINALG: linalg.generic
// LINALG: qdq.encode
// BUFFERS-LABEL: func.func @f(
// BUFFERS: vector.transfer_write %{{.*}} memref<16xi8
func.func @f(%x: tensor<64xf32>, %s: f32) -> tensor<64xi8> {
  %q = qdq.quantize %x scale %s : (tensor<64xf32>, f32) -> tensor<64xi8>
  return %q : tensor<64xi8>
}
