// RUN: quant-opt %s --split-input-file --verify-diagnostics

transform.with_pdl_patterns {
^bb0(%root: !transform.any_op):
  transform.sequence %root : !transform.any_op failures(propagate) {
  ^bb1(%module: !transform.any_op):
    transform.apply_patterns to %module {
      // expected-error@+1 {{'onxx' is not a value of 'profile': expected one of onnx, ort, quant, mlir22, stablehlo, onednn, quark, pmx, torch, torch-decomposed, tflite, xnnpack; did you mean 'onnx'?}}
      transform.apply_patterns.qdq.convert_qdq_to_linalg {profile = "onxx"}
    } : !transform.any_op
  }
}

// -----

transform.with_pdl_patterns {
^bb0(%root: !transform.any_op):
  transform.sequence %root : !transform.any_op failures(propagate) {
  ^bb1(%module: !transform.any_op):
    transform.apply_patterns to %module {
      // expected-error@+1 {{'blocks' is not a value of 'block_form': expected one of auto, expand, map}}
      transform.apply_patterns.qdq.convert_qdq_to_linalg {block_form = "blocks"}
    } : !transform.any_op
  }
}

// -----

transform.with_pdl_patterns {
^bb0(%root: !transform.any_op):
  transform.sequence %root : !transform.any_op failures(propagate) {
  ^bb1(%module: !transform.any_op):
    transform.apply_patterns to %module {
      // expected-error@+1 {{attribute 'max_code_diff' failed to satisfy constraint}}
      transform.apply_patterns.qdq.simplify {max_code_diff = -1}
    } : !transform.any_op
  }
}

// -----

transform.with_pdl_patterns {
^bb0(%root: !transform.any_op):
  transform.sequence %root : !transform.any_op failures(propagate) {
  ^bb1(%module: !transform.any_op):
    // expected-error@+1 {{attribute 'vector_bits' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 64 whose value is a power of two > 0}}
    transform.qdq.vectorize %module {vector_bits = 96} : !transform.any_op
  }
}
