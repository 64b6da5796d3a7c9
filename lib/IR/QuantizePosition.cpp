// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in a whole the elements of a quantize lie.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;

SmallVector<OpFoldResult> QuantizeOp::getMixedOffsets() {
  if (!hasPosition())
    return {};
  Builder b(getContext());
  return getMixedValues(*getStaticOffsets(), getOffsets(), b);
}

SmallVector<OpFoldResult> QuantizeOp::getMixedWholeSizes() {
  if (!hasPosition())
    return {};
  Builder b(getContext());
  return getMixedValues(*getStaticWholeSizes(), getWholeSizes(), b);
}

void QuantizeOp::setPosition(ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> wholeSizes) {
  SmallVector<Value> values;
  SmallVector<int64_t> statics;
  dispatchIndexOpFoldResults(offsets, values, statics);
  getOffsetsMutable().assign(values);
  setStaticOffsets(statics);
  values.clear();
  statics.clear();
  dispatchIndexOpFoldResults(wholeSizes, values, statics);
  getWholeSizesMutable().assign(values);
  setStaticWholeSizes(statics);
}

void QuantizeOp::clearPosition() {
  getOffsetsMutable().clear();
  getWholeSizesMutable().clear();
  removeStaticOffsetsAttr();
  removeStaticWholeSizesAttr();
}

void QuantizeOp::setPositionOfPart(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<OpFoldResult> sizes) {
  if (!hasPosition())
    return setPosition(offsets, sizes);
  SmallVector<OpFoldResult> sums = getMixedOffsets();
  AffineExpr sum = b.getAffineSymbolExpr(0) + b.getAffineSymbolExpr(1);
  for (auto [first, offset] : llvm::zip_equal(
           MutableArrayRef(sums).take_back(offsets.size()), offsets))
    first = affine::makeComposedFoldedAffineApply(b, getLoc(), sum,
                                                  {first, offset});
  setPosition(sums, getMixedWholeSizes());
}

// The whole has as many sizes as offsets, and the input fits into it.
LogicalResult QuantizeOp::verifyPosition() {
  if (!getStaticOffsetsAttr() != !getStaticWholeSizesAttr())
    return emitOpError("has one of 'static_offsets' and "
                       "'static_whole_sizes': expected both or none");
  if (!hasPosition())
    return success();
  ArrayRef<int64_t> offsets = *getStaticOffsets();
  ArrayRef<int64_t> sizes = *getStaticWholeSizes();
  auto verifyCount = [&](StringRef name, ArrayRef<int64_t> statics,
                         OperandRange values) -> LogicalResult {
    size_t dynamic = llvm::count_if(statics, ShapedType::isDynamic);
    if (dynamic == values.size())
      return success();
    return emitOpError() << "has " << values.size() << " operands for "
                         << dynamic << " dynamic " << name;
  };
  if (failed(verifyCount("offsets", offsets, getOffsets())) ||
      failed(verifyCount("sizes of the whole", sizes, getWholeSizes())))
    return failure();
  if (offsets.size() != sizes.size())
    return emitOpError() << "has " << offsets.size() << " offsets in a "
                         << "whole of " << sizes.size() << " dimensions";
  Type type = getInput().getType();
  if (isa<UnrankedTensorType>(type))
    return emitOpError("has a position, which needs a ranked input");
  auto shaped = dyn_cast<ShapedType>(type);
  int64_t rank = shaped ? shaped.getRank() : 0;
  int64_t outer = static_cast<int64_t>(sizes.size()) - rank;
  if (outer < 0)
    return emitOpError() << "is in a whole of " << sizes.size()
                         << " dimensions: expected at least the " << rank
                         << " of " << type;
  for (auto [dim, offset, whole] : llvm::enumerate(offsets, sizes)) {
    int64_t size = 1;
    if (static_cast<int64_t>(dim) >= outer)
      size = shaped.getDimSize(dim - outer);
    if (ShapedType::isStatic(offset) && offset < 0)
      return emitOpError() << "has offset " << offset << " in dimension "
                           << dim;
    if (ShapedType::isStatic(whole) && whole < 0)
      return emitOpError() << "is in a whole of size " << whole
                           << " in dimension " << dim;
    if (ShapedType::isStatic(offset) && ShapedType::isStatic(size) &&
        ShapedType::isStatic(whole) && size > whole - offset)
      return emitOpError() << "has " << size << " elements from " << offset
                           << " on in dimension " << dim << " of a whole of "
                           << whole;
  }
  return success();
}
