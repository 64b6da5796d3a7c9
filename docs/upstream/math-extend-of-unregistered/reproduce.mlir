// RUN: not --crash mlir-opt --allow-unregistered-dialect --math-extend-to-supported-types %s 2>&1 | FileCheck %s

// CHECK: ConversionTarget::isLegal
"other.op"() : () -> ()
