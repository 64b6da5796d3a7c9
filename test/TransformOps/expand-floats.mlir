// RUN: quant-opt %s --transform-interpreter --canonicalize | FileCheck %s

// Upstream's folders take the casts of these constants for other values;
// nothing folds before the pass has written them out.
module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func @constants
  func.func @constants() -> (f4E2M1FN, f4E2M1FN, f6E2M3FN, f8E8M0FNU) {
    // CHECK-DAG: %[[SIX:.*]] = arith.constant 6.000000e+00 : f4E2M1FN
    // CHECK-DAG: %[[LOWEST:.*]] = arith.constant -7.500000e+00 : f6E2M3FN
    // CHECK-DAG: %[[NAN:.*]] = arith.constant 0xFF : f8E8M0FNU
    // CHECK: return %[[SIX]], %[[SIX]], %[[LOWEST]], %[[NAN]]
    %nan = arith.constant 0x7FC00000 : f32
    %inf = arith.constant 0x7F800000 : f32
    %minus_inf = arith.constant 0xFF800000 : f32
    %minus_one = arith.constant -1.0 : f32
    %0 = arith.truncf %nan : f32 to f4E2M1FN
    %1 = arith.truncf %inf : f32 to f4E2M1FN
    %2 = arith.truncf %minus_inf : f32 to f6E2M3FN
    %3 = arith.truncf %minus_one : f32 to f8E8M0FNU
    return %0, %1, %2, %3 : f4E2M1FN, f4E2M1FN, f6E2M3FN, f8E8M0FNU
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
    %expanded = transform.apply_registered_pass "qdq-expand-floats" to %function : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
