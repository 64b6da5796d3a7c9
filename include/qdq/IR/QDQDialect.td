// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The qdq dialect and its attributes.

#ifndef QDQ_IR_QDQDIALECT_TD
#define QDQ_IR_QDQDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "qdq/IR/PackingEnums.td"
include "qdq/Numerics/QDQEnums.td"

def QDQ_Dialect : Dialect {
  let name = "qdq";
  let cppNamespace = "::mlir::qdq";
  let summary = "Quantize and dequantize with every numeric choice spelled out";
  let description = [{
    Every source becomes these ops, and every target starts from them. All types are builtin types.
    `i8` and `si8` are signed storage, `ui8` is unsigned. Nothing folds a pair `qdq.quantize` /
    `qdq.dequantize`, because it rounds.

    All ops are free of effects. The ops on tensors implement `TilingInterface`,
    `ReifyRankedShapedTypeOpInterface`, `ValueBoundsOpInterface` and `ConditionallySpeculatable`.
    Operands and results are scalars, vectors or tensors without encoding, unless their row names
    other types.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  // Made by folding, by reification and by tiling.
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "tensor::TensorDialect"];
}

class QDQ_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<QDQ_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def QDQ_SemanticsAttr : QDQ_Attr<"Semantics", "semantics"> {
  let summary = "the numeric choices of a conversion";
  let description = [{
    Every field is optional: [Semantics.md](Semantics.md#the-fields-of-qdqsemantics).

    ```mlir
    #qdq.semantics<rounding = toward-zero, overflow = wrap>
    ```
  }];
  let parameters = (ins "SemanticsFields":$fields);
  let hasCustomAssemblyFormat = 1;
}

def QDQ_PackingAttr : QDQ_Attr<"Packing", "packing"> {
  let summary = "where the bits of elements lie in a tensor of containers";
  let description = [{
    A preset with or without further parameters, or parameters alone:

    ```mlir
    #qdq.packing<gptq-v1, part = zero-point, bits = 3>
    ```
    ```mlir
    #qdq.packing<bits = 4, container = i32, axis = 1, block = 8, order = [0, 2, 4, 6, 1, 3, 5, 7]>
    ```

    - `bits` of an element; by default the width of the element type
    - `container`, the integer type that holds the bits; by default the element type of the
      containers
    - `axis`, the dimension along which elements are packed; by default the whole tensor, row-major,
      is packed into rank 1
    - `block`, the number of elements that begin a new container together; by default elements
      follow each other without gaps. A short last block is packed in full length.
    - `order` of the elements of a block, lowest bits first; by default ascending
    - `record`, the containers from one block to the next, where blocks lie between other fields
    - `at`, the first container of the block in its record; by default 0
    - `offset`: the stored code is element + offset, modulo 2^bits
    - `positive_zero`: a code of -0 is read as +0

    Bits count from the lowest bit of the first container: element k of an axis without `block` is
    the bits `[k * bits, (k + 1) * bits)`. An element may cross two containers (3 bits in i32), or
    fill several (f16 in i8).

    `part` selects the data of a preset: `codes` (the default), `zero-point`, `scale` or `minimum`.

    | preset | container | axis | codes | other parts |
    |---|---|---|---|---|
    | `onnx` | i8 | (whole tensor) | two's complement | |
    | `pmx-int4x4` | i16 | 0 | 4 bits, excess | |
    | `gptq-v1`, `gptq-v2` | i32 | 0 | 2, 3, 4 or 8 bits, excess | `zero-point` along axis 1; `gptq-v1` stores z - 1 |
    | `awq-gemm`, `awq-gemv` | i32 | -1 | 4 bits, excess; `awq-gemm` in the order 0, 2, 4, 6, 1, 3, 5, 7 | `zero-point` alike |
    | `matmulnbits` | i8 | -1 | 2, 4 or 8 bits, excess; [N, blocks, bytes] to [N, blocks, elements] | `zero-point` alike |
    | `ggml-q4_0` | i8 | -1 | 4 bits, excess, 32 of a record of 18 bytes, bytes 2 to 17, low nibbles first | `scale` (f16), bytes 0 and 1 |
    | `ggml-q4_1` | i8 | -1 | the same in bytes 4 to 19 of 20 | `scale` 0 and 1, `minimum` 2 and 3 (both f16) |
    | `ggml-q8_0` | i8 | -1 | 8 bits, two's complement, 32 of a record of 34 bytes, from byte 2 | `scale` (f16), bytes 0 and 1 |
    | `ggml-mxfp4` | i8 | -1 | f4E2M1FN in the order of `ggml-q4_0`, bytes 1 to 16 of 17, `positive_zero` | `scale` (f8E8M0FNU), byte 0 |

    Excess: a signed element type stores its code with 2^(bits - 1) added, an unsigned one the code,
    so the same bytes are `ui4` codes with a zero point of 8, or `i4` codes without one.
  }];
  let parameters = (ins
    "std::optional<PackingPreset>":$preset, "PackingPart":$part,
    "std::optional<int64_t>":$bits, "IntegerType":$container,
    "std::optional<int64_t>":$axis, "std::optional<int64_t>":$block,
    ArrayRefParameter<"int64_t">:$order, "std::optional<int64_t>":$record,
    "std::optional<int64_t>":$at, "std::optional<int64_t>":$offset,
    "bool":$positive_zero
  );
  let builders = [
    /// A preset as it is.
    AttrBuilder<(ins "PackingPreset":$preset,
                     CArg<"PackingPart", "PackingPart::Codes">:$part), [{
      return $_get($_ctxt, preset, part, std::nullopt, IntegerType(),
                   std::nullopt, std::nullopt, ArrayRef<int64_t>(),
                   std::nullopt, std::nullopt, std::nullopt, false);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

class QDQ_EnumAttr<EnumInfo info, string attrMnemonic>
    : EnumAttr<QDQ_Dialect, info, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def QDQ_ZeroPointDomainAttr
    : QDQ_EnumAttr<QDQ_ZeroPointDomain, "zero_point_domain">;
def QDQ_RangeModeAttr : QDQ_EnumAttr<QDQ_RangeMode, "range_mode">;
def QDQ_PowerOfTwoAttr : QDQ_EnumAttr<QDQ_PowerOfTwo, "power_of_two">;
// Upstream's parser takes values with dashes as strings only.
def QDQ_RescaleParameter : EnumParameter<QDQ_Rescale> {
  let parser = "parseDashedEnum<Rescale>($_parser, \"rescale\")";
  let printer = "$_printer << stringifyEnum($_self)";
}
def QDQ_RescaleAttr : QDQ_EnumAttr<QDQ_Rescale, "rescale"> {
  let parameters = (ins QDQ_RescaleParameter:$value);
}

#endif // QDQ_IR_QDQDIALECT_TD
