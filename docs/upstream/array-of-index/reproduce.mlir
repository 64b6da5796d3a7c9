// RUN: not --crash mlir-opt --allow-unregistered-dialect %s 2>&1 | FileCheck %s

// CHECK: getIntOrFloatBitWidth
"test.op"() {sizes = array<index: 0.5>} : () -> ()
