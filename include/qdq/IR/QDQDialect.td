// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The qdq dialect and its attributes.

#ifndef QDQ_IR_QDQDIALECT_TD
#define QDQ_IR_QDQDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "qdq/Numerics/QDQEnums.td"

def QDQ_Dialect : Dialect {
  let name = "qdq";
  let cppNamespace = "::mlir::qdq";
  let summary = "Quantize and dequantize with every numeric choice spelled out";
  let description = [{
    The narrow waist of mlir-qdq: whatever system wrote a quantized graph, its conversions become these ops, and every target starts from
    them. All types are builtin types. Signedness is in the storage type: `i8` and `si8` are signed, `ui8` is unsigned.

    A pair `qdq.quantize` / `qdq.dequantize` is rounding, not identity: nothing in this dialect folds it away.
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
    Every field is optional; what is left out comes from a pass's options, then its profile, then the default (the first value of each
    list in `docs/Semantics.md`).

    ```mlir
    #qdq.semantics<rounding = toward-zero, overflow = wrap>
    ```
  }];
  let parameters = (ins "SemanticsFields":$fields);
  let hasCustomAssemblyFormat = 1;
}

class QDQ_EnumAttr<EnumInfo info, string attrMnemonic>
    : EnumAttr<QDQ_Dialect, info, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def QDQ_ZeroPointDomainAttr
    : QDQ_EnumAttr<QDQ_ZeroPointDomain, "zero_point_domain">;
def QDQ_RangeModeAttr : QDQ_EnumAttr<QDQ_RangeMode, "range_mode">;
def QDQ_PowerOfTwoAttr : QDQ_EnumAttr<QDQ_PowerOfTwo, "power_of_two">;

#endif // QDQ_IR_QDQDIALECT_TD
