// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.extract_field, qdq.deposit_field and qdq.lookup.

#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;

static unsigned getWidth(Value v) {
  return getElementTypeOrSelf(v).getIntOrFloatBitWidth();
}

IntegerType ExtractFieldOp::getWordType() {
  unsigned bits = getParts().size() * getWidth(getParts().front());
  return IntegerType::get(getContext(), llvm::PowerOf2Ceil(bits));
}

/// Checks what both ops share: a field is narrower than its word, or as wide.
static LogicalResult verifyField(Operation *op, Value field, unsigned wordBits,
                                 ValueRange slots, ArrayRef<int64_t> strides) {
  if (slots.size() != strides.size())
    return op->emitOpError()
           << "has " << slots.size() << " slots and " << strides.size()
           << " strides: expected one for each slot";
  for (int64_t stride : strides)
    if (stride < 0)
      return op->emitOpError()
             << "has the stride " << stride << ": expected bits, at least 0";
  if (getWidth(field) > wordBits)
    return op->emitOpError()
           << "has a field of " << getWidth(field) << " bits in a word of "
           << wordBits << ": expected no more";
  return success();
}

LogicalResult ExtractFieldOp::verify() {
  if (getParts().empty())
    return emitOpError("has no parts: expected a word");
  if (!llvm::all_equal(getParts().getTypes()))
    return emitOpError("has parts of several types: expected one");
  unsigned wordBits = getParts().size() * getWidth(getParts().front());
  return verifyField(*this, getField(), wordBits, getSlots(), getStrides());
}

LogicalResult DepositFieldOp::verify() {
  return verifyField(*this, getField(), getWidth(getWord()), getSlots(),
                     getStrides());
}

/// The lowest bit of a field of `bits` bits in a word of `wordBits`; nothing if
/// a slot is no constant, or the field leaves the word.
static std::optional<unsigned> getLowestBit(ArrayRef<Attribute> slots,
                                            ArrayRef<int64_t> strides,
                                            unsigned bits, unsigned wordBits) {
  int64_t lowest = 0;
  for (auto [slot, stride] : llvm::zip_equal(slots, strides)) {
    auto number = dyn_cast_if_present<IntegerAttr>(slot);
    int64_t bits;
    if (!number || llvm::MulOverflow(number.getInt(), stride, bits) ||
        llvm::AddOverflow(lowest, bits, lowest))
      return std::nullopt;
  }
  if (lowest < 0 || lowest > static_cast<int64_t>(wordBits - bits))
    return std::nullopt;
  return lowest;
}

OpFoldResult ExtractFieldOp::fold(FoldAdaptor adaptor) {
  auto type = dyn_cast<IntegerType>(getType());
  unsigned width = getWidth(getParts().front());
  APInt word(getParts().size() * width, 0);
  for (auto [i, part] : llvm::enumerate(adaptor.getParts())) {
    auto number = dyn_cast_if_present<IntegerAttr>(part);
    if (!number)
      return {};
    word.insertBits(number.getValue(), i * width);
  }
  std::optional<unsigned> lowest =
      type ? getLowestBit(adaptor.getSlots(), getStrides(), type.getWidth(),
                          word.getBitWidth())
           : std::nullopt;
  if (!lowest)
    return {};
  return IntegerAttr::get(type, word.extractBits(type.getWidth(), *lowest));
}

OpFoldResult DepositFieldOp::fold(FoldAdaptor adaptor) {
  auto type = dyn_cast<IntegerType>(getType());
  auto field = dyn_cast_if_present<IntegerAttr>(adaptor.getField());
  std::optional<unsigned> lowest =
      type && field ? getLowestBit(adaptor.getSlots(), getStrides(),
                                   getWidth(getField()), type.getWidth())
                    : std::nullopt;
  if (!lowest)
    return {};
  return IntegerAttr::get(type,
                          field.getValue().zext(type.getWidth()).shl(*lowest));
}

LogicalResult LookupOp::verify() {
  auto table = getTable().getType(), indices = getIndices().getType(),
       result = getResult().getType();
  if (!llvm::isPowerOf2_64(table.getNumElements()))
    return emitOpError() << "table has " << table.getNumElements()
                         << " entries: expected a power of two";
  if (result.getNumElements() > kMaxLanes)
    return emitOpError() << "result has " << result.getNumElements()
                         << " lanes: expected at most " << kMaxLanes;
  if (result != indices.clone(table.getElementType()))
    return emitOpError() << "result is " << result << ": expected "
                         << indices.clone(table.getElementType());
  return success();
}

OpFoldResult LookupOp::fold(FoldAdaptor adaptor) {
  auto table = dyn_cast_if_present<DenseElementsAttr>(adaptor.getTable());
  auto indices =
      dyn_cast_if_present<DenseIntElementsAttr>(adaptor.getIndices());
  if (!table || !indices)
    return {};
  auto all = table.getValues<Attribute>();
  uint64_t mask = table.getNumElements() - 1;
  auto entries =
      llvm::map_to_vector(indices.getValues<APInt>(), [&](const APInt &index) {
        return all[index.zextOrTrunc(64).getZExtValue() & mask];
      });
  return DenseElementsAttr::get(getType(), entries);
}
