// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of transform.apply_patterns that name our patterns, and transforms that
// patterns cannot express.

#ifndef QDQ_TRANSFORMOPS_QDQTRANSFORMOPS_TD
#define QDQ_TRANSFORMOPS_QDQTRANSFORMOPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"
include "qdq/IR/QDQDialect.td"

/// One `populate...Patterns` function, which `populate` calls.
class QDQ_PatternsOp<string name, string populate, code definitions = "">
    : Op<Transform_Dialect, "apply_patterns.qdq." # name,
         [DeclareOpInterfaceMethods<PatternDescriptorOpInterface>]> {
  let cppNamespace = "::mlir::qdq";
  let assemblyFormat = "attr-dict";
  let extraClassDefinition =
      "void $cppClass::populatePatterns(RewritePatternSet &patterns) {" #
      populate # ";}" # definitions;
}

/// Patterns that choose numbers, as the passes of their names do: `profile` is
/// the system to match; `semantics` are fields that differ from it.
class QDQ_NumericPatternsOp<string name, string populate, dag more = (ins)>
    : QDQ_PatternsOp<name, populate, [{
        LogicalResult $cppClass::verify() { return verifyNames(*this); }
      }]> {
  let arguments = !con((ins OptionalAttr<StrAttr>:$profile,
                            OptionalAttr<QDQ_SemanticsAttr>:$semantics,
                            UnitAttr:$override_semantics), more);
  let hasVerifier = 1;
}

def ConvertONNXToQDQOp : QDQ_NumericPatternsOp<"convert_onnx_to_qdq",
    "populateONNXToQDQPatterns(patterns, getOptions(*this))"> {
  let summary = "quantized ONNX ops to qdq: `convert-onnx-to-qdq`";
}

def ConvertOneDNNToQDQOp : QDQ_NumericPatternsOp<"convert_onednn_to_qdq",
    "populateOneDNNToQDQPatterns(patterns, getOptions(*this))"> {
  let summary = "oneDNN Graph's ops to qdq: `convert-onednn-to-qdq`";
}

def ConvertQDQToArithOp : QDQ_NumericPatternsOp<"convert_qdq_to_arith",
    "populateQDQToArithPatterns(patterns, getOptions(*this, getContractionProof()))",
    (ins UnitAttr:$contraction_proof)> {
  let summary = "qdq on scalars and vectors to arith and math: `convert-qdq-to-arith`";
}

def ConvertQDQToLinalgOp : QDQ_NumericPatternsOp<"convert_qdq_to_linalg",
    "populateQDQToLinalgPatterns(patterns, getLinalgOptions(*this))",
    (ins OptionalAttr<StrAttr>:$block_form, UnitAttr:$runtime_checks, UnitAttr:$element_ops,
         UnitAttr:$contraction_proof)> {
  let summary = "qdq on tensors to linalg.generic: `convert-qdq-to-linalg`";
  let description = [{
    With `transform.apply_patterns.qdq.fuse` in the same region the generics come out as the pass makes them.

    ```mlir
    module attributes {transform.with_named_sequence} {
      transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
        %function = transform.structured.match ops{["func.func"]} in %module : (!transform.any_op) -> !transform.any_op
        transform.apply_patterns to %function {
          transform.apply_patterns.qdq.convert_qdq_to_linalg {profile = "ort", semantics = #qdq.semantics<rounding = floor>}
          transform.apply_patterns.qdq.fuse
        } : !transform.any_op
        transform.yield
      }
    }
    ```
  }];
}

def FuseOp : QDQ_PatternsOp<"fuse",
    "populateQDQFusionPatterns(patterns)"> {
  let summary = "the generics of quantizes and dequantizes into one where that saves a tensor";
}

def FuseContractionsOp : QDQ_PatternsOp<"fuse_contractions",
    "populateFuseContractionsPatterns(patterns)"> {
  let summary = "dequantized operands computed where they are multiplied: `qdq-fuse-contractions`";
}

def SimplifyOp : QDQ_PatternsOp<"simplify",
    "populateSimplifyPatterns(patterns, {static_cast<int64_t>(getMaxCodeDiff())})"> {
  let summary = "cheaper qdq ops that give the same codes: `qdq-simplify`";
  let arguments = (ins ConfinedAttr<DefaultValuedAttr<I64Attr, "0">, [IntNonNegative]>:$max_code_diff);
}

def MotionOp : QDQ_PatternsOp<"motion",
    "populateMotionPatterns(patterns, getReals() ? MovedValues::Reals : MovedValues::Codes)"> {
  let summary = "data movement past quantize and dequantize: `qdq-motion`";
  let description = [{
    By default codes are moved: a quantize goes above a movement, a dequantize below. With `reals`
    they go the other way.
  }];
  let arguments = (ins UnitAttr:$reals);
}

def RequantizeSumsOp : QDQ_PatternsOp<"requantize_sums",
    "populateRequantizeSumsPatterns(patterns, {getRescale()})"> {
  let summary = "quantized contractions of dequantized tensors to requantized ones of codes: `qdq-integer-contractions`";
  let arguments = (ins DefaultValuedAttr<QDQ_RescaleAttr, "::mlir::qdq::Rescale::QDQ">:$rescale);
}

def DequantizeSumsOp : QDQ_PatternsOp<"dequantize_sums",
    "populateDequantizeSumsPatterns(patterns, {getRescale()})"> {
  let summary = "contractions of dequantized tensors to dequantized ones of codes: `qdq-integer-contractions`";
  let description = [{
    Run it after `requantize_sums`, in an `apply_patterns` of its own.
  }];
  let arguments = (ins DefaultValuedAttr<QDQ_RescaleAttr, "::mlir::qdq::Rescale::QDQ">:$rescale);
}

def DequantizeConstantsOp : QDQ_NumericPatternsOp<"dequantize_constants",
    "populateDequantizeConstantsPatterns(patterns, getOptions(*this))"> {
  let summary = "dequantized constants as constants: `qdq-dequantize-constants`";
}

def ExpandMathOp : QDQ_PatternsOp<"expand_math",
    "populateExpandMathPatterns(patterns)"> {
  let summary = "math rounding ops to arith: `qdq-expand-math`";
}

def DecomposeTensorOpsOp : QDQ_PatternsOp<"decompose_tensor_ops",
    "populateDecomposeTensorOpsPatterns(patterns)"> {
  let summary = "ops on tensors that bufferization does not know to some that it does: `qdq-codegen-decompose-tensor-ops`";
}

def VectorizeOp
    : Op<Transform_Dialect, "qdq.vectorize",
         [TransformOpInterface, TransformEachOpTrait, ReportTrackingListenerFailuresOpTrait,
          DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "tiles and vectorizes the generics in each target: `qdq-codegen-vectorize`";
  let description = [{
    Handles to generics that become vectors are invalid afterwards. Lower the quantized ops first,
    with `element_ops`, which `convert_qdq_to_arith` expands in the vectors. A target is isolated
    from above, as a function is.

    ```mlir
    module attributes {transform.with_named_sequence} {
      transform.named_sequence @__transform_main(%function: !transform.any_op) {
        transform.apply_patterns to %function {
          transform.apply_patterns.qdq.convert_qdq_to_linalg {element_ops}
          transform.apply_patterns.qdq.fuse
        } : !transform.any_op
        transform.qdq.vectorize %function {vector_bits = 256} : !transform.any_op
        transform.apply_patterns to %function {
          transform.apply_patterns.qdq.convert_qdq_to_arith
        } : !transform.any_op
        transform.yield
      }
    }
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
      ConfinedAttr<DefaultValuedAttr<I64Attr, "512">, [IntMinValue<64>, IntPowerOf2]>:$vector_bits,
      UnitAttr:$byte_dots);
  let cppNamespace = "::mlir::qdq";
  let assemblyFormat = "$target attr-dict `:` type($target)";
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(
        ::mlir::transform::TransformRewriter &rewriter,
        ::mlir::Operation *target,
        ::mlir::transform::ApplyToEachResultList &results,
        ::mlir::transform::TransformState &state);
  }];
}

#endif // QDQ_TRANSFORMOPS_QDQTRANSFORMOPS_TD
