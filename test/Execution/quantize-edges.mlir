// Through mlir-runner, loops and vectors: expected values by hand.
// RUN: quant-opt %s --quant-to-llvm | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so | FileCheck %s
// RUN: quant-opt %s --quant-to-llvm=target=linalg | mlir-runner -e main --entry-point-result=void --shared-libs=%mlir_lib_dir/libmlir_runner_utils.so,%mlir_lib_dir/libmlir_c_runner_utils.so | FileCheck %s

func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

func.func private @to_i8(%x: tensor<?xf32>) -> tensor<?x!quant.uniform<i8:f32, 0.5:10>> {
  %q = quant.qcast %x : tensor<?xf32> to tensor<?x!quant.uniform<i8:f32, 0.5:10>>
  return %q : tensor<?x!quant.uniform<i8:f32, 0.5:10>>
}

func.func @main() {
  // 2.5 and 3.5 are ties at scale 1 and stay even: 2, 4. 0x7fc00000 is NaN, 0xff800000 -inf.
  // i32 in f32: 2^31 saturates to 2^31 - 1, which f32 cannot hold.
  %x = arith.constant dense<[2.5, 3.5, -2.5, 2147483648.0, 0x7fc00000, 0xff800000]> : tensor<6xf32>
  %one = arith.constant 1.0 : f32
  %q = qdq.quantize %x scale %one : (tensor<6xf32>, f32) -> tensor<6xi32>
  %u = tensor.cast %q : tensor<6xi32> to tensor<*xi32>
  // CHECK: [2, 4, -2, 2147483647, -2147483648, -2147483648]
  call @printMemrefI32(%u) : (tensor<*xi32>) -> ()

  // Dynamic shape; add, then round: 1.0 -> 12, 2.9 -> 5.8 + 10 -> 16, 300 -> 127, -300 -> -128; back: (q - 10) / 2.
  %y = arith.constant dense<[1.0, 2.9, 300.0, -300.0]> : tensor<4xf32>
  %d = tensor.cast %y : tensor<4xf32> to tensor<?xf32>
  %c = call @to_i8(%d) : (tensor<?xf32>) -> tensor<?x!quant.uniform<i8:f32, 0.5:10>>
  %z = quant.dcast %c : tensor<?x!quant.uniform<i8:f32, 0.5:10>> to tensor<?xf32>
  %v = tensor.cast %z : tensor<?xf32> to tensor<*xf32>
  // CHECK: [1, 3, 58.5, -69]
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  return
}
