// Which bits of a word its first byte has is known when constants are folded:
// with the first byte in front, it has the highest.
// RUN: quant-compile %s -o - --emit=llvm -O 1 -mtriple=s390x-linux-gnu -mcpu=z14 --pipeline-options="target=vector vector-bits=512" | FileCheck %s
// RUN: quant-compile %s -o - --emit=llvm -O 1 -mtriple=aarch64-linux-gnu --pipeline-options="target=vector vector-bits=512" | FileCheck %s --check-prefix=LOW

// CHECK: %[[WORDS:.*]] = bitcast <128 x i8> %{{.*}} to <32 x i32>
// CHECK: lshr <32 x i32> %[[WORDS]], splat (i32 24)
// LOW: %[[WORDS:.*]] = bitcast <128 x i8> %{{.*}} to <32 x i32>
// LOW-NOT: shl
// LOW: lshr <32 x i32> %[[WORDS]], <i32 0, i32 6, i32 12, i32 18,
func.func @words(%x: tensor<4x32xf6E3M2FN>, %s: tensor<4x1xf32>) -> tensor<4x32xf32> {
  %r = qdq.dequantize %x scale %s block_shape [1, 32] : (tensor<4x32xf6E3M2FN>, tensor<4x1xf32>) -> tensor<4x32xf32>
  return %r : tensor<4x32xf32>
}
