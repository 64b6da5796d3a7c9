// torch-mlir-opt comes with the package torch-mlir of PyPI.
// RUN: torch-mlir-opt %s --pass-pipeline="builtin.module(torch-onnx-to-torch-backend-pipeline,torch-backend-to-linalg-on-tensors-backend-pipeline)" | FileCheck %s

// CHECK-LABEL: func.func @pool
// CHECK: arith.constant -128 : i8
// CHECK: linalg.pooling_nchw_max {
func.func @pool(%x: !torch.vtensor<[1,1,4,4],ui8>) -> !torch.vtensor<[1,1,2,2],ui8>
    attributes {torch.onnx_meta.ir_version = 9 : si64, torch.onnx_meta.opset_version = 19 : si64} {
  %y = torch.operator "onnx.MaxPool"(%x) {torch.onnx.kernel_shape = [2 : si64, 2 : si64], torch.onnx.strides = [2 : si64, 2 : si64]}
    : (!torch.vtensor<[1,1,4,4],ui8>) -> !torch.vtensor<[1,1,2,2],ui8>
  return %y : !torch.vtensor<[1,1,2,2],ui8>
}
