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

// Parts of storage words: pure, since each field lies in its word.
class QDQ_FieldOp<string mnemonic, list<Trait> traits = []>
    : Op<QDQ_Dialect, mnemonic, !listconcat(traits, [
        Elementwise, Scalarizable, Vectorizable, Tensorizable, Pure])> {
  let hasVerifier = 1;
  let hasFolder = 1;
}

def QDQ_ExtractFieldOp : QDQ_FieldOp<"extract_field", [AttrSizedOperandSegments]> {
  let summary = "one field of a storage word";
  let description = [{
    The word is one integer, or joins several of one type, the lowest bits first. The field has as
    many bits as the result. Its lowest bit is the sum of each slot times its stride, and must leave
    the field within the word.

    ```mlir
    // Two codes of a byte.
    %code = qdq.extract_field %byte slots(%i) strides [4] : (i8, index) -> i4
    // Four codes of three bytes.
    %six = qdq.extract_field %low, %middle, %high slots(%i) strides [6] : (i8, i8, i8, index) -> i6
    ```
  }];
  let arguments = (ins
    Variadic<SignlessIntegerLike>:$parts, Variadic<QDQ_Slot>:$slots, DenseI64ArrayAttr:$strides
  );
  let results = (outs SignlessIntegerLike:$field);
  let assemblyFormat = [{
    $parts (`slots` `(` $slots^ `)`)? `strides` $strides attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The integer of a power of two of bits that holds all parts.
    IntegerType getWordType();
  }];
}

def QDQ_DepositFieldOp : QDQ_FieldOp<"deposit_field"> {
  let summary = "one field in a storage word of zeros";
  let description = [{
    The inverse of `qdq.extract_field` for a word of one part. `arith.ori` joins the fields.

    ```mlir
    %bits = qdq.deposit_field %code slots(%i) strides [4] : (i4, index) -> i8
    %word = arith.ori %others, %bits : i8
    ```
  }];
  let arguments = (ins
    SignlessIntegerLike:$field, Variadic<QDQ_Slot>:$slots, DenseI64ArrayAttr:$strides
  );
  let results = (outs SignlessIntegerLike:$word);
  let assemblyFormat = [{
    $field (`slots` `(` $slots^ `)`)? `strides` $strides attr-dict
    `:` functional-type(operands, results)
  }];
}

def QDQ_LookupOp : Op<QDQ_Dialect, "lookup", [Pure]> {
  let summary = "entries of a table of lanes, by index";
  let description = [{
    Lane i of the result is `table[indices[i] mod n]`, n entries being a power of two. The result has
    at most 4096 lanes, since without an instruction of the target, each one becomes ops of its own.

    ```mlir
    %values = qdq.lookup %table[%codes] : (vector<16xi32>, vector<64xi8>) -> vector<64xi32>
    ```
  }];
  let arguments = (ins QDQ_Lanes:$table, QDQ_IntegerLanes:$indices);
  let results = (outs QDQ_Lanes:$result);
  let assemblyFormat = [{
    $table `[` $indices `]` attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    static constexpr int64_t kMaxLanes = 4096;
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // QDQ_IR_QDQELEMENTOPS_TD
