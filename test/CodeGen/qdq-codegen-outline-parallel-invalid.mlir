// RUN: quant-opt %s --qdq-codegen-outline-parallel --verify-diagnostics

// The functions of an inner module are not symbols of the outer one.
module @outer {
  module @inner {
    func.func @store(%x: memref<8xf32>, %c: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      // expected-error @below {{is not in a function of the module}}
      scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
        memref.store %c, %x[%i] : memref<8xf32>
      }
      return
    }
  }
}
