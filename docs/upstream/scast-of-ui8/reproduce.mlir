// RUN: not mlir-opt %s 2>&1 | FileCheck %s

// CHECK: must be scalar or tensor of signless integer or quantized type, but got 'ui8'
func.func @unsigned(%q: !quant.uniform<u8:f32, 1.0>) -> ui8 {
  %s = quant.scast %q : !quant.uniform<u8:f32, 1.0> to ui8
  return %s : ui8
}
