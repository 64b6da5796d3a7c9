// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.encode: its choices, its verifier and its exact folder.

#include "Folding.h"
#include "OpChecks.h"
#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APSInt;

Storage EncodeOp::getStorageBounds() {
  return Storage::get(getStorage(), toBounds(getClamp()));
}

Semantics EncodeOp::resolveSemantics() {
  Semantics semantics =
      resolve(getSemantics().getFields(),
              {Direction::Quantize, getElementTypeOrSelf(getInput()),
               cast<FloatType>(getElementTypeOrSelf(getScale()))});
  semantics.seed = getSeed().value_or(0);
  return semantics;
}

unsigned EncodeOp::getWidestBits() {
  Semantics semantics = resolveSemantics();
  unsigned width = getStorage().getIntOrFloatBitWidth();
  bool roundsInDouble = isa<FloatType>(getStorage()) && width == 16 &&
                        semantics.rounding != Rounding::NearestEven;
  bool fusesInDouble = semantics.fusion == Fusion::FMA && getZeroPoint() &&
                       semantics.compute.getWidth() < 32;
  // Sums of 32 bits and a zero point have 64.
  if (roundsInDouble || fusesInDouble || width > 30)
    return 64;
  unsigned bits = std::max(32u, semantics.compute.getWidth());
  for (Value operand : getOperands())
    bits =
        std::max(bits, getElementTypeOrSelf(operand).getIntOrFloatBitWidth());
  return bits;
}

/// Semantics that may give poison hold where the author asked for them alone.
Speculation::Speculatability EncodeOp::getSpeculatability() {
  Semantics semantics = resolveSemantics();
  bool isTotal = semantics.overflow != Overflow::Undefined &&
                 semantics.nan != NaNCode::Undefined;
  return isTotal ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

LogicalResult EncodeOp::verify() {
  Type storage = getStorage();
  if (!isStorageType(storage))
    return emitOpError() << "storage " << storage
                         << " is no type of codes: expected an integer of 1 "
                            "to 32 bits or a small float";
  Type input = getInput().getType(), result = getResult().getType();
  if (failed(verifySameShape(*this, input, result)) ||
      failed(verifyClamp(*this, storage)))
    return failure();
  for (Value operand : getOperands())
    if (failed(verifySameShape(*this, operand.getType(), result)))
      return failure();
  for (Value value : {getInput(), getResult(), getZeroPoint()}) {
    Type type = value ? getElementTypeOrSelf(value) : Type();
    if (type && isa<IntegerType>(type) && !type.isSignlessInteger())
      return emitOpError() << "has " << type
                           << ": expected a signless integer, signs are "
                              "attributes";
  }
  Type element = getElementTypeOrSelf(result);
  bool holdsCode =
      element == toSignless(storage) ||
      (isa<IntegerType>(element) &&
       element.getIntOrFloatBitWidth() > storage.getIntOrFloatBitWidth());
  if (!holdsCode)
    return emitOpError() << "result has element type " << element
                         << ": expected " << toSignless(storage)
                         << " or a wider integer";
  SemanticsFields fields = getSemantics().getFields();
  if (!fields.isComplete() || fields.compute == Compute::Auto)
    return emitOpError("has semantics with open fields, or with 'compute = "
                       "auto': expected all choices made");
  if (getZeroPointDomain() && !getZeroPoint())
    return emitOpError("has 'zero_point_domain' but no zero point");
  if (fields.rounding == Rounding::Stochastic && !getPosition())
    return emitOpError("rounds stochastically: expected 'at' with the number "
                       "of the draw");
  return success();
}

/// The one element that `attr` holds, read as signed or not.
static std::optional<Number> getNumber(Attribute attr, bool isUnsigned) {
  std::optional<ConstantElements> elements = ConstantElements::get(attr);
  if (!elements || !elements->isUniform() || elements->size() == 0)
    return std::nullopt;
  Number number = (*elements)[0];
  if (auto *integer = std::get_if<APSInt>(&number))
    integer->setIsUnsigned(isUnsigned);
  return number;
}

/// The code in the type of the result.
static Attribute toResult(const Number &code, const Storage &storage,
                          Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return FloatAttr::get(type, std::get<llvm::APFloat>(code));
  if (auto *real = std::get_if<llvm::APFloat>(&code))
    return IntegerAttr::get(type,
                            real->bitcastToAPInt().zext(integer.getWidth()));
  llvm::APInt bits = std::get<APSInt>(code);
  return IntegerAttr::get(type, storage.isSigned
                                    ? bits.sextOrTrunc(integer.getWidth())
                                    : bits.zextOrTrunc(integer.getWidth()));
}

OpFoldResult EncodeOp::fold(FoldAdaptor adaptor) {
  Semantics semantics = resolveSemantics();
  auto shaped = dyn_cast<ShapedType>(getType());
  if (semantics.rounding == Rounding::Stochastic ||
      (shaped &&
       (!shaped.hasStaticShape() || cast<VectorType>(shaped).isScalable())))
    return {};
  std::optional<Number> x = getNumber(adaptor.getInput(), getUnsignedInput());
  std::optional<Number> scale = getNumber(adaptor.getScale(), false);
  ZeroPointNumber z;
  z.domain = getZeroPointDomain().value_or(ZeroPointDomain::Stored);
  if (getZeroPoint() &&
      !(z.value = getNumber(adaptor.getZeroPoint(), getUnsignedZeroPoint())))
    return {};
  if (!x || !scale)
    return {};
  Storage storage = getStorageBounds();
  std::optional<Number> code = evaluateQuantize(
      semantics, storage, *x, std::get<llvm::APFloat>(*scale), z, 0);
  if (!code)
    return {};
  Attribute result = toResult(*code, storage, getElementTypeOrSelf(getType()));
  return shaped ? OpFoldResult(DenseElementsAttr::get(shaped, result))
                : OpFoldResult(result);
}
