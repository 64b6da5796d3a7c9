// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Type constraints of the operands and results of qdq ops.

#ifndef QDQ_IR_QDQTYPES_TD
#define QDQ_IR_QDQTYPES_TD

include "mlir/IR/OpBase.td"

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

class QDQ_ElementPred<string predicate>
    : SubstLeaves<"$_self", "::mlir::getElementTypeOrSelf($_self)",
                  CPred<predicate>>;
def QDQ_IsExpressed : QDQ_ElementPred<"::mlir::qdq::isExpressedType($_self)">;
def QDQ_IsStorage : QDQ_ElementPred<"::mlir::qdq::isStorageType($_self)">;
def QDQ_IsScale : QDQ_ElementPred<"::mlir::qdq::isScaleType($_self)">;
def QDQ_IsInteger : QDQ_ElementPred<"::llvm::isa<::mlir::IntegerType>($_self)">;
def QDQ_IsE8M0
    : QDQ_ElementPred<"::llvm::isa<::mlir::Float8E8M0FNUType>($_self)">;
def QDQ_IsAtMost32Bits
    : QDQ_ElementPred<"$_self.isIntOrFloat() && "
                      "$_self.getIntOrFloatBitWidth() <= 32">;
// Signed where it has 64 bits: a product with 64 more has room in 128.
def QDQ_IsAccumulator
    : QDQ_ElementPred<"(::llvm::isa<::mlir::IntegerType>($_self) && "
                      "::mlir::qdq::isStorageType($_self)) || "
                      "$_self.isSignlessInteger(64) || "
                      "$_self.isSignedInteger(64)">;
def QDQ_IsIntegerMultiplier
    : QDQ_ElementPred<"($_self.isSignlessInteger() || "
                      "$_self.isSignedInteger()) && "
                      "$_self.getIntOrFloatBitWidth() >= 8 && "
                      "$_self.getIntOrFloatBitWidth() <= 64">;
def QDQ_IsShift
    : QDQ_ElementPred<"::llvm::isa<::mlir::IntegerType>($_self) && "
                      "$_self.getIntOrFloatBitWidth() >= 8 && "
                      "$_self.getIntOrFloatBitWidth() <= 32">;
def QDQ_IsContainer
    : QDQ_ElementPred<"$_self.isInteger(8) || $_self.isInteger(16) || "
                      "$_self.isInteger(32) || $_self.isInteger(64)">;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

// These ops cannot interpret the encoding of a tensor.
class QDQ_Value<string name, Pred elements, string elementNames>
    : Type<And<[CPred<"::mlir::qdq::isValueType($_self)">, elements]>,
           name # ": scalar, vector or tensor without encoding of " #
           elementNames>;
class QDQ_RankedTensor<string name, Pred elements, string elementNames>
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"::mlir::qdq::isValueType($_self)">, elements]>,
           name # ": ranked tensor without encoding of " # elementNames,
           "::mlir::RankedTensorType">;

def QDQ_Real
    : QDQ_Value<"a real value", QDQ_IsExpressed, "f16, bf16, f32 or f64">;
def QDQ_RealOrInteger
    : QDQ_Value<"a real value", Or<[QDQ_IsExpressed,
                             And<[QDQ_IsInteger, QDQ_IsStorage]>]>,
                "f16, bf16, f32, f64 or an integer of 1 to 32 bits">;
def QDQ_RealTensor
    : Type<And<[CPred<"::llvm::isa<::mlir::TensorType>($_self)">,
                QDQ_Real.predicate]>,
           "a real value: tensor without encoding of f16, bf16, f32 or f64">;
def QDQ_Code
    : QDQ_Value<"a code", QDQ_IsStorage,
                "an integer of 1 to 32 bits, an f8, f6 or f4 type, f16 or "
                "bf16">;
// Scales of scales: f8E8M0FNU has codes to read, but no zero to quantize to.
// Sums of codes are read as codes, without a zero point.
def QDQ_CodeOrScale
    : QDQ_Value<"a code", Or<[QDQ_IsStorage, QDQ_IsE8M0, QDQ_IsAccumulator]>,
                "an integer of 1 to 32 bits or a signed one of 64, an f8, f6 "
                "or f4 type, f8E8M0FNU, f16 or bf16">;
def QDQ_Scale
    : QDQ_Value<"a scale", QDQ_IsScale, "f16, bf16, f32, f64 or an 8-bit float">;
def QDQ_ScaleTensor
    : QDQ_RankedTensor<"a scale", QDQ_IsScale,
                       "f16, bf16, f32, f64 or an 8-bit float">;
def QDQ_ZeroPoint
    : QDQ_Value<"a zero point", Or<[QDQ_IsExpressed, QDQ_IsStorage]>,
                "an integer of 1 to 32 bits or a float">;
def QDQ_ZeroPointTensor
    : QDQ_RankedTensor<"a zero point", And<[QDQ_IsInteger, QDQ_IsStorage]>,
                       "an integer of 1 to 32 bits">;
def QDQ_Accumulator
    : QDQ_Value<"an accumulator", QDQ_IsAccumulator,
                "an integer of 1 to 32 bits or a signed one of 64">;
def QDQ_IntegerCode
    : QDQ_Value<"an integer code", And<[QDQ_IsInteger, QDQ_IsStorage]>,
                "an integer of 1 to 32 bits">;
def QDQ_Multiplier
    : QDQ_Value<"a multiplier", Or<[QDQ_IsScale, QDQ_IsIntegerMultiplier]>,
                "f16, bf16, f32, f64, an 8-bit float or a signed integer of 8 "
                "to 64 bits">;
def QDQ_Shift
    : QDQ_Value<"a shift", QDQ_IsShift, "an integer of 8 to 32 bits">;
def QDQ_Containers
    : QDQ_RankedTensor<"containers", QDQ_IsContainer,
                       "an integer of 8, 16, 32 or 64 bits">;
def QDQ_Elements
    : QDQ_RankedTensor<"elements", And<[Or<[QDQ_IsStorage, QDQ_IsScale]>,
                                        QDQ_IsAtMost32Bits]>,
                       "an integer or float of at most 32 bits">;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

class QDQ_Element<string name, Pred elements, string elementNames>
    : Type<And<[CPred<"!::llvm::isa<::mlir::TensorType>($_self)">,
                CPred<"::mlir::qdq::isValueType($_self)">, elements]>,
           name # ": scalar or vector of " # elementNames>;

def QDQ_RealOrIntegerElement
    : QDQ_Element<"a real value", QDQ_RealOrInteger.predicate,
                  "f16, bf16, f32, f64 or an integer of 1 to 32 bits">;
def QDQ_ScaleElement
    : QDQ_Element<"a scale", QDQ_IsScale, "f16, bf16, f32, f64 or an 8-bit float">;
def QDQ_ZeroPointElement
    : QDQ_Element<"a zero point", QDQ_ZeroPoint.predicate,
                  "an integer of 1 to 32 bits or a float">;
def QDQ_CodeElement
    : QDQ_Element<"a code", QDQ_IsStorage,
                  "an integer of 1 to 32 bits, an f8, f6 or f4 type, f16 or "
                  "bf16">;
def QDQ_PositionElement
    : QDQ_Element<"a number of a draw",
                  QDQ_ElementPred<"$_self.isSignlessInteger(64)">, "i64">;

//===----------------------------------------------------------------------===//
// Fields and tables
//===----------------------------------------------------------------------===//

def QDQ_Slot
    : Type<And<[CPred<"!::llvm::isa<::mlir::TensorType>($_self)">,
                QDQ_ElementPred<"$_self.isIndex()">]>,
           "a slot: index, or a vector of it">;

class QDQ_LanesOf<string name, string predicate, string elementNames>
    : Type<And<[CPred<"::llvm::isa<::mlir::VectorType>($_self)">,
                CPred<"::llvm::cast<::mlir::VectorType>($_self).getRank() == 1">,
                CPred<"!::llvm::cast<::mlir::VectorType>($_self).isScalable()">,
                QDQ_ElementPred<predicate>]>,
           name # ": fixed-length vector of rank 1 of " # elementNames,
           "::mlir::VectorType">;
def QDQ_Lanes
    : QDQ_LanesOf<"lanes",
                  "$_self.isSignlessInteger() || ::llvm::isa<::mlir::FloatType>($_self)",
                  "signless integers or floats">;
def QDQ_IntegerLanes
    : QDQ_LanesOf<"indices", "$_self.isSignlessInteger()", "signless integers">;

#endif // QDQ_IR_QDQTYPES_TD
