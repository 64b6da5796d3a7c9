// RUN: quant-opt %s --qdq-expand-floats=lookup-bits=512 | FileCheck %s

// CHECK-LABEL: @extf_f4
// CHECK: qdq.lookup %{{.*}} : (vector<8xi32>, vector<16xi32>) -> vector<16xi32>
func.func @extf_f4(%x: vector<16xf4E2M1FN>) -> vector<16xf32> {
  %r = arith.extf %x : vector<16xf4E2M1FN> to vector<16xf32>
  return %r : vector<16xf32>
}

// More lanes than qdq.lookup has.
// CHECK-LABEL: @extf_f4_many_lanes
// CHECK-NOT: qdq.lookup
// CHECK: return
func.func @extf_f4_many_lanes(%x: vector<8192xf4E2M1FN>) -> vector<8192xf32> {
  %r = arith.extf %x : vector<8192xf4E2M1FN> to vector<8192xf32>
  return %r : vector<8192xf32>
}
