// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on one element, or on a vector of elements: the bodies of loops.

#ifndef QDQ_IR_QDQELEMENTOPS_TD
#define QDQ_IR_QDQELEMENTOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "qdq/IR/QDQDialect.td"
include "qdq/IR/QDQTypes.td"

// Upstream's fusion, tiling and vectorization carry these ops as they are.
class QDQ_ElementOp<string mnemonic, list<Trait> traits = []>
    : Op<QDQ_Dialect, mnemonic, !listconcat(traits, [
        Elementwise, Scalarizable, Vectorizable, Tensorizable, NoMemoryEffect,
        DeclareOpInterfaceMethods<ConditionallySpeculatable>])>;

def QDQ_EncodeOp : QDQ_ElementOp<"encode", [AttrSizedOperandSegments]> {
  let summary = "real elements to storage codes";
  let description = [{
    One element of `qdq.quantize`, or a vector of elements. The semantics state all fields, and
    the operands have one shape. `as` names the storage type with its signedness; operands and
    result are signless. The result is the storage type or a wider integer, which holds the number
    of an integer code, or the bits of a float code below zeros.

    Stochastic rounding needs `at`, the number of each draw, and a seed as attribute or operand.

    ```mlir
    %q = qdq.encode %x scale %s zero_point %z as ui4
       semantics <rounding = nearest-even, order = round-then-add, division = exact, compute = f32, subtract = wide,
                  overflow = saturate, nan = lowest, fusion = none, float_overflow = saturate>
       : (f32, f32, i4) -> i4
    ```
  }];
  let arguments = (ins
    QDQ_RealOrIntegerElement:$input, QDQ_ScaleElement:$scale,
    Optional<QDQ_ZeroPointElement>:$zero_point,
    Optional<QDQ_PositionElement>:$position,
    Optional<QDQ_PositionElement>:$runtime_seed,
    TypeAttr:$storage, OptionalAttr<DenseI64ArrayAttr>:$clamp,
    OptionalAttr<QDQ_ZeroPointDomainAttr>:$zero_point_domain,
    QDQ_SemanticsAttr:$semantics, OptionalAttr<I64Attr>:$seed,
    UnitAttr:$unsigned_input, UnitAttr:$unsigned_zero_point
  );
  let results = (outs QDQ_CodeElement:$result);
  let assemblyFormat = [{
    $input `scale` $scale (`zero_point` $zero_point^ (`in` $zero_point_domain^)?)?
    (`at` $position^ (`seed` $runtime_seed^)?)? `as` $storage
    (`clamp` $clamp^)? `semantics` $semantics attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The storage type and its bounds.
    Storage getStorageBounds();
    /// All choices.
    Semantics resolveSemantics();
    /// The bits of the widest elements that the op computes with.
    unsigned getWidestBits();
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // QDQ_IR_QDQELEMENTOPS_TD
