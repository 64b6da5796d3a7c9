// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the qdq dialect.

#ifndef QDQ_IR_QDQOPS_TD
#define QDQ_IR_QDQOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "mlir/Interfaces/ValueBoundsOpInterface.td"
include "qdq/IR/QDQDialect.td"
include "qdq/IR/QDQElementOps.td"
include "qdq/IR/QDQTypes.td"

//===----------------------------------------------------------------------===//
// Quantize, dequantize and their parameters
//===----------------------------------------------------------------------===//

/// Traits of every op: no effects, sizes that can be computed, tiles.
class QDQ_Op<string mnemonic, list<Trait> traits = []>
    : Op<QDQ_Dialect, mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<ConditionallySpeculatable>, NoMemoryEffect,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
          ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<ValueBoundsOpInterface,
          ["populateBoundsForShapedValueDim"]>,
        DeclareOpInterfaceMethods<TilingInterface, [
          "getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
          "getResultTilePosition", "generateResultTileValue",
          "getIterationDomainTileFromResultTile",
          "getIterationDomainTileFromOperandTiles",
          "getTiledImplementationFromOperandTiles"]>
      ])>;

/// The one view of an op's parameters, for every consumer of the dialect. Valid on verified ops.
class QDQ_ParameterView {
  code declarations = [{
    /// How scales and zero points belong to elements.
    Granularity getGranularity();
    /// The storage type and its bounds.
    Storage getStorage();
    /// The types that decide the compute type.
    ElementTypes getElementTypes();
    /// The semantics that the op itself fixes; all open without `semantics`.
    SemanticsFields getSemanticsFields() {
      return getSemantics() ? getSemantics()->getFields() : SemanticsFields();
    }
    /// The element type of the codes, with its signedness.
    Type getStorageElementType();
    /// How the elements of one parameter belong to those of the input.
    Granularity getGranularityOf(Value parameter);
  }];
  code definitions = [{
    Granularity $cppClass::getGranularity() { return *parseGranularity(*this); }
    Storage $cppClass::getStorage() {
      return Storage::get(getStorageElementType(), toBounds(getClamp()));
    }
  }];
  /// Of ops whose parameters all have one granularity.
  code oneGranularity = [{
    Granularity $cppClass::getGranularityOf(Value) { return getGranularity(); }
  }];
}
def QDQ_View : QDQ_ParameterView;

/// Ops whose result has the shape of the input, with parameters beside it.
class QDQ_ValueOp<string mnemonic, list<Trait> traits = []>
    : QDQ_Op<mnemonic, traits> {
  code definitions = QDQ_View.definitions # [{
    LogicalResult $cppClass::reifyResultShapes(
        OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
      return reifyInputShape(*this, getInput(), b, shapes);
    }
    void $cppClass::populateBoundsForShapedValueDim(
        Value value, int64_t dim, ValueBoundsConstraintSet &cstr) {
      cstr.bound(value)[dim] == cstr.getExpr(getInput(), dim);
    }
    Speculation::Speculatability $cppClass::getSpeculatability() {
      return getSpeculatabilityOf(
          getInput(), getType(), getParameters(),
          [&](Value parameter) { return getGranularityOf(parameter); });
    }
  }];
}

/// Shared by quantize and dequantize: one value in, one of the same shape out, with parameters beside it.
class QDQ_ConversionOp<string mnemonic, TypeConstraint resultType,
                       list<Trait> traits = [], string drawsFormat = "",
                       code drawsDeclarations = "">
    : QDQ_ValueOp<mnemonic, traits> {
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $input `scale` $scale (`zero_point` $zero_point^ (`in` $zero_point_domain^)?)?
    (`axis` $axis^)? (`block_shape` $block_shape^)? (`clamp` $clamp^)?
    (`semantics` $semantics^)?
  }] # drawsFormat # [{ attr-dict `:` functional-type(operands, results) }];
  // Attributes are set afterwards, by name.
  let builders = [
    OpBuilder<(ins "Type":$result, "Value":$input, "Value":$scale,
                   "Value":$zeroPoint)>
  ];
  let extraClassDefinition =
      !strconcat(definitions, QDQ_View.oneGranularity);
  let extraClassDeclaration = QDQ_View.declarations # [{
    /// Scale and zero point, if there is one.
    OperandRange getParameters() {
      return getOperands().slice(1, getZeroPoint() ? 2 : 1);
    }
    /// All choices: those of the op, then those of the options.
    Semantics resolveSemantics(const SemanticsOptions &options);
    /// The domain of the zero point, `stored` where the attribute is absent.
    ZeroPointDomain getDomain() {
      return getZeroPointDomain().value_or(ZeroPointDomain::Stored);
    }
  }] # drawsDeclarations;
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def QDQ_QuantizeOp
    : QDQ_ConversionOp<"quantize", QDQ_Code, [AttrSizedOperandSegments], [{
        (`seed` $runtime_seed^)?
        (`at` custom<DynamicIndexList>($offsets, $static_offsets)^
         `of` custom<DynamicIndexList>($whole_sizes, $static_whole_sizes))?
      }], [{
        /// True if the elements are a part of a whole.
        bool hasPosition() { return getStaticOffsetsAttr() != nullptr; }
        /// The offset of the first element in the whole, and the sizes of the
        /// whole, by the dimensions of the whole. Empty without a position.
        SmallVector<OpFoldResult> getMixedOffsets();
        SmallVector<OpFoldResult> getMixedWholeSizes();
        void setPosition(ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> wholeSizes);
        void clearPosition();
        /// Sets the position of a part that has just been cloned from an op on
        /// tensors of these sizes: it begins at `offsets`, which add to those
        /// that the op had. `b` inserts before the part.
        void setPositionOfPart(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes);
        /// Fails, with an error, where the position does not fit the input.
        LogicalResult verifyPosition();
        /// True if a part has to say where it lies.
        bool needsPosition() { return hasPosition() || mayDraw(); }
        /// True if the rounding is stochastic, or an option may make it so.
        bool mayDraw() {
          return getSemanticsFields().rounding.value_or(
                     Rounding::Stochastic) == Rounding::Stochastic;
        }
      }]> {
  let summary = "real values to storage codes";
  let description = [{
    `round(x / scale) + zero_point`, bounded to the storage type, by the steps of
    [Semantics.md](Semantics.md). Scale and zero point have one granularity:

    | granularity | shape of scale and zero point |
    |---|---|
    | per tensor | a scalar, or rank 0 (one element) |
    | `axis = k` | rank 1, one element for each index of dimension k (negative k counts from the back) |
    | `block_shape = array<i64: b0, b1, ...>` | the rank of the input, dimension i of size ceil(Di / bi); bi = 0 shares one value; the last block may be short |

    With `zero_point_domain = expressed` the zero point is a float bias:
    `q = round((x - zero_point) / scale)`. `clamp` narrows the storage range.

    Stochastic rounding reads its seed from the attribute `seed`, an i64 operand, or the pass
    option. The row-major index of an element numbers its draw; with `at [o0, ...] of [s0, ...]`,
    its index in a whole of the sizes s, where the part lies at the offsets o. Tiling and sharding
    set the position. A loop over scalars or vectors must set it, or its draws repeat.

    ```mlir
    %q = qdq.quantize %x scale %s zero_point %z axis 1 semantics <rounding = floor>
       : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xi8>) -> tensor<4x8xi8>
    // Row %i of a tensor<4x8xf32>, from element 4 on.
    %v = qdq.quantize %part scale %one semantics <rounding = stochastic> seed %step at [%i, 4] of [4, 8]
       : (vector<4xf32>, f32, i64, index) -> vector<4xi8>
    ```
  }];
  let arguments = (ins
    QDQ_RealOrInteger:$input, QDQ_Scale:$scale,
    Optional<QDQ_ZeroPoint>:$zero_point,
    OptionalAttr<I64Attr>:$axis, OptionalAttr<DenseI64ArrayAttr>:$block_shape,
    OptionalAttr<DenseI64ArrayAttr>:$clamp,
    OptionalAttr<QDQ_ZeroPointDomainAttr>:$zero_point_domain,
    OptionalAttr<QDQ_SemanticsAttr>:$semantics,
    OptionalAttr<I64Attr>:$seed, Optional<I64>:$runtime_seed,
    Variadic<Index>:$offsets, OptionalAttr<DenseI64ArrayAttr>:$static_offsets,
    Variadic<Index>:$whole_sizes,
    OptionalAttr<DenseI64ArrayAttr>:$static_whole_sizes
  );
  // Without a position.
  let builders = [
    OpBuilder<(ins "Type":$result, "Value":$input, "Value":$scale,
                   "Value":$zeroPoint, CArg<"IntegerAttr", "{}">:$axis,
                   CArg<"DenseI64ArrayAttr", "{}">:$blockShape,
                   CArg<"DenseI64ArrayAttr", "{}">:$clamp,
                   CArg<"ZeroPointDomainAttr", "{}">:$domain,
                   CArg<"SemanticsAttr", "{}">:$semantics,
                   CArg<"IntegerAttr", "{}">:$seed,
                   CArg<"Value", "{}">:$runtimeSeed)>
  ];
}

def QDQ_DequantizeOp : QDQ_ConversionOp<"dequantize", QDQ_Real> {
  let summary = "storage codes to real values";
  let description = [{
    `(q - zero_point) * scale`, or `q * scale + zero_point` with `zero_point_domain = expressed`, by
    the steps of [Semantics.md](Semantics.md). Granularities are those of `qdq.quantize`.

    ```mlir
    %x = qdq.dequantize %q scale %s block_shape [1, 32]
       : (tensor<4x64xi4>, tensor<4x2xf32>) -> tensor<4x64xf32>
    ```
  }];
  let arguments = (ins
    QDQ_CodeOrScale:$input, QDQ_Scale:$scale,
    Optional<QDQ_ZeroPoint>:$zero_point,
    OptionalAttr<I64Attr>:$axis, OptionalAttr<DenseI64ArrayAttr>:$block_shape,
    OptionalAttr<DenseI64ArrayAttr>:$clamp,
    OptionalAttr<QDQ_ZeroPointDomainAttr>:$zero_point_domain,
    OptionalAttr<QDQ_SemanticsAttr>:$semantics
  );
}

def QDQ_RequantizeOp : QDQ_ValueOp<"requantize", [AttrSizedOperandSegments]> {
  let summary = "accumulated integers to storage codes";
  let description = [{
    The codes of `input * M`, which end a contraction of codes. M is `sa * sb / sy`, of the scales
    of two factors and the result. `rescale` selects [its
    arithmetic](Semantics.md#requantizeacc-multipliers-z):

    | `rescale` | `multiplier` | also |
    |---|---|---|
    | `qdq` | two floats: sa * sb, sy | |
    | `f32`, `f64` | one float M, or three: sa, sb, sy | |
    | `separate` | three floats: sa, sb, sy | |
    | `fixed31-double`, `fixed31-single`, `fixed15` | an integer | `shift` |
    | `exact` | an integer | `shift`, optionally `fraction` |

    Zero point, order, overflow, NaN and clamp are those of `qdq.quantize`. `limit` first bounds the
    input to [-limit, limit]. Each parameter is a scalar, has rank 0, or has the granularity of
    `axis` or `block_shape`; with `block_shape`, a dimension of the static size 1 is shared.

    ```mlir
    %q = qdq.requantize %acc rescale <fixed31-double> multiplier %m shift %t
       : (tensor<4x8xi32>, tensor<i32>, tensor<i32>) -> tensor<4x8xi8>
    // A scale for each row of one factor, and for each column of the other.
    %s = qdq.requantize %acc rescale <separate> multiplier %rows, %columns, %sy block_shape [1, 1]
       : (tensor<4x8xi32>, tensor<4x1xf32>, tensor<1x8xf32>, tensor<f32>) -> tensor<4x8xi8>
    ```
  }];
  let arguments = (ins
    QDQ_Accumulator:$input, QDQ_RescaleAttr:$rescale,
    Variadic<QDQ_Multiplier>:$multipliers, Optional<QDQ_Shift>:$shift,
    Optional<QDQ_Shift>:$fraction, Optional<QDQ_ZeroPoint>:$zero_point,
    OptionalAttr<I64Attr>:$axis, OptionalAttr<DenseI64ArrayAttr>:$block_shape,
    OptionalAttr<I64Attr>:$limit, OptionalAttr<DenseI64ArrayAttr>:$clamp,
    OptionalAttr<QDQ_SemanticsAttr>:$semantics
  );
  let results = (outs QDQ_IntegerCode:$result);
  let assemblyFormat = [{
    $input `rescale` $rescale `multiplier` $multipliers (`shift` $shift^)?
    (`fraction` $fraction^)? (`zero_point` $zero_point^)? (`axis` $axis^)?
    (`block_shape` $block_shape^)? (`limit` $limit^)? (`clamp` $clamp^)?
    (`semantics` $semantics^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDefinition = definitions;
  let extraClassDeclaration = QDQ_View.declarations # [{
    /// All choices: those of the op, then those of the options.
    Semantics resolveSemantics(const SemanticsOptions &options);
    /// The multipliers, shift, fraction and zero point, those that there are.
    OperandRange getParameters() { return getOperands().drop_front(); }
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def QDQ_ChooseParamsOp : QDQ_Op<"choose_params"> {
  let summary = "scale and zero point from the range of the values";
  let description = [{
    The smallest range that holds zero and every value of a group, mapped to the storage range:
    [Semantics.md](Semantics.md#choose_paramsx). The results define the granularity, as for
    `qdq.quantize`. The element type of the zero points is the storage type. Without a zero point
    (floats, and signed integers with `mode <symmetric>`), `storage` names that type.

    ```mlir
    // ONNX DynamicQuantizeLinear.
    %s, %z = qdq.choose_params %x : (tensor<?x?xf32>) -> (tensor<f32>, tensor<ui8>)
    // The scales of MXFP8.
    %mx = qdq.choose_params %w mode <symmetric> storage f8E4M3FN power_of_two <floor> block_shape [1, 32]
        : (tensor<4x64xf32>) -> tensor<4x2xf8E8M0FNU>
    ```
  }];
  let arguments = (ins
    QDQ_RealTensor:$input,
    DefaultValuedAttr<QDQ_RangeModeAttr, "RangeMode::Asymmetric">:$mode,
    OptionalAttr<I64Attr>:$axis, OptionalAttr<DenseI64ArrayAttr>:$block_shape,
    OptionalAttr<DenseI64ArrayAttr>:$clamp,
    OptionalAttr<QDQ_SemanticsAttr>:$semantics,
    OptionalAttr<TypeAttr>:$storage_type,
    OptionalAttr<QDQ_PowerOfTwoAttr>:$power_of_two
  );
  let results = (outs QDQ_ScaleTensor:$scale,
                      Optional<QDQ_ZeroPointTensor>:$zero_point);
  let assemblyFormat = [{
    $input (`mode` $mode^)? (`storage` $storage_type^)? (`power_of_two` $power_of_two^)?
    (`axis` $axis^)? (`block_shape` $block_shape^)?
    (`clamp` $clamp^)? (`semantics` $semantics^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = QDQ_View.declarations;
  let extraClassDefinition =
      !strconcat(QDQ_View.definitions, QDQ_View.oneGranularity);
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Bit layouts
//===----------------------------------------------------------------------===//

/// Shared by unpack and pack: containers on one side, elements on the other.
class QDQ_PackingOp<string mnemonic> : QDQ_Op<mnemonic> {
  let extraClassDeclaration = [{
    /// The packing with all its parameters known. Valid on verified ops.
    BitLayout getLayout();
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def QDQ_UnpackOp : QDQ_PackingOp<"unpack"> {
  let summary = "elements out of a tensor of containers";
  let description = [{
    The elements in the bits of `containers`, laid out by `packing`: integers of 1 to 32 bits, or
    floats of up to 16. The only arithmetic is the packing's `offset`, modulo 2^bits.

    `sizes` gives the dynamic dimensions of the result, in their order. Without `sizes`, the
    packed dimension has all elements that fit, and the other dimensions are those of the
    containers.

    ```mlir
    %codes = qdq.unpack %qweight packing <gptq-v1> : (tensor<512x4096xi32>) -> tensor<4096x4096xui4>
    %zeros = qdq.unpack %qzeros packing <gptq-v1, part = zero-point> : (tensor<32x512xi32>) -> tensor<32x4096xui4>
    %w = qdq.dequantize %codes scale %scales zero_point %zeros block_shape [128, 1]
       : (tensor<4096x4096xui4>, tensor<32x4096xf16>, tensor<32x4096xui4>) -> tensor<4096x4096xf16>
    ```
  }];
  let arguments = (ins
    QDQ_Containers:$containers, Variadic<Index>:$sizes,
    QDQ_PackingAttr:$packing
  );
  let results = (outs QDQ_Elements:$elements);
  let assemblyFormat = [{
    $containers `packing` $packing (`sizes` `(` $sizes^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def QDQ_PackOp : QDQ_PackingOp<"pack"> {
  let summary = "elements into a tensor of containers";
  let description = [{
    The inverse of `qdq.unpack`. Bits without an element are 0: `arith.ori` joins the fields of a
    record.

    ```mlir
    %bytes = qdq.pack %codes packing <onnx> : (tensor<3x5xi4>) -> tensor<8xi8>
    ```
  }];
  let arguments = (ins QDQ_Elements:$elements, QDQ_PackingAttr:$packing);
  let results = (outs QDQ_Containers:$containers);
  let assemblyFormat = [{
    $elements `packing` $packing attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // QDQ_IR_QDQOPS_TD
