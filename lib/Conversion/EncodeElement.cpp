// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.encode from the parts of a quantize, and back to arithmetic.

#include "EncodeElement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "qdq/Conversion/QDQToArith/QDQToArith.h"

using namespace mlir;
using namespace mlir::qdq;

Value ElementEncoder::emit(ImplicitLocOpBuilder &b, Value x, Value scale,
                           ZeroPoint zeroPoint, RandomSource random,
                           bool isSigned) const {
  Storage bounds =
      Storage::get(storage, clamp ? std::optional(std::pair(clamp[0], clamp[1]))
                                  : std::nullopt);
  if (!keepsOp)
    return emitQuantize(b, semantics, bounds, x, scale, zeroPoint, random,
                        isSigned);
  Value position, seed;
  IntegerAttr ownSeed;
  if (semantics.rounding == Rounding::Stochastic) {
    position = random.index();
    seed = random.seed;
    if (!seed)
      ownSeed = b.getI64IntegerAttr(semantics.seed);
  }
  ZeroPointDomainAttr domain;
  if (zeroPoint.value && zeroPoint.domain != ZeroPointDomain::Stored)
    domain = ZeroPointDomainAttr::get(b.getContext(), zeroPoint.domain);
  Type type = bounds.type;
  if (auto vector = dyn_cast<VectorType>(x.getType()))
    type = vector.clone(type);
  return EncodeOp::create(
      b, type, x, scale, zeroPoint.value, position, seed, storage, clamp,
      domain, SemanticsAttr::get(b.getContext(), getFields(semantics)), ownSeed,
      /*unsigned_input=*/!isSigned,
      /*unsigned_zero_point=*/zeroPoint.value && !zeroPoint.isSigned);
}

Value mlir::qdq::expandEncode(ImplicitLocOpBuilder &b, EncodeOp op,
                              bool contractionProof, CodeOptions options) {
  Semantics semantics = op.resolveSemantics();
  semantics.contractionProof = contractionProof;
  Storage storage = op.getStorageBounds();
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getType()));
  if (integer && !storage.isFloat())
    options.width = integer.getWidth();
  ZeroPoint zeroPoint{
      op.getZeroPoint(), !op.getUnsignedZeroPoint(),
      op.getZeroPointDomain().value_or(ZeroPointDomain::Stored)};
  auto position = [&]() -> Value { return op.getPosition(); };
  Value code = emitQuantize(b, semantics, storage, op.getInput(), op.getScale(),
                            zeroPoint, {position, op.getRuntimeSeed()},
                            !op.getUnsignedInput(), options);
  if (code.getType() == op.getType())
    return code;
  // The bits of a float in a wider integer.
  Type bits = b.getIntegerType(storage.getWidth());
  if (auto vector = dyn_cast<VectorType>(op.getType()))
    bits = vector.clone(bits);
  return arith::ExtUIOp::create(b, op.getType(),
                                arith::BitcastOp::create(b, bits, code));
}
