// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of this project that stay within one level.

#ifndef QDQ_TRANSFORMS_PASSES_TD
#define QDQ_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def StripSignednessPass : Pass<"qdq-strip-signedness", "::mlir::ModuleOp"> {
  let summary = "signed and unsigned integer types to signless";
  let description = [{
    `ui8` and `si8` become `i8` on functions, calls, branches, `scf`, globals, constants and shape-only `tensor` ops. An op of any other
    dialect keeps its types, since they decide what it does, and gets a cast beside it. Run it after the qdq ops are lowered:
    they read the signedness.
  }];
  let dependentDialects = ["tensor::TensorDialect"];
}

def VerifyLoweredPass : Pass<"qdq-verify-lowered", "::mlir::ModuleOp"> {
  let summary = "fail if a quant, qdq or recognised source op is left";
}

#endif // QDQ_TRANSFORMS_PASSES_TD
