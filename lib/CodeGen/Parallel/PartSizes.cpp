// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large the parts of an op are that run at the same time.

#include "PartSizes.h"
#include "../Plan/Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mlir::qdq;

Value PartSizes::makeIndex(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value PartSizes::toValue(OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(b, loc, size);
}

/// True if all loops together are not worth two parts.
Value PartSizes::isSmall(ArrayRef<Range> loops) {
  Value total = makeIndex(1);
  for (const Range &loop : loops)
    total = b.createOrFold<arith::MulIOp>(loc, total, toValue(loop.size));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, total,
                               makeIndex(2 * minPart));
}

OpFoldResult PartSizes::chooseStatic(int64_t size) {
  std::optional<int64_t> wanted = getConstantIntValue(rest);
  if (!wanted) { // Loops further in are dynamic.
    OpFoldResult part =
        b.createOrFold<arith::MinUIOp>(loc, toValue(rest), makeIndex(size));
    rest = b.createOrFold<arith::MaxUIOp>(
        loc,
        b.createOrFold<arith::DivUIOp>(loc, toValue(rest), makeIndex(size)),
        makeIndex(1));
    return part;
  }
  if (size < 2 * *wanted) {
    rest = b.getIndexAttr(std::max<int64_t>(*wanted / size, 1));
    return b.getIndexAttr(0);
  }
  rest = b.getIndexAttr(1);
  return b.getIndexAttr(getEvenPart(size, *wanted));
}

OpFoldResult PartSizes::chooseDynamic(Value size, Value isSmall) {
  // A part of nothing would be no step.
  Value atLeastOne = b.createOrFold<arith::MaxUIOp>(loc, size, makeIndex(1));
  Value wanted = toValue(rest);
  Value part = b.createOrFold<arith::MinUIOp>(loc, atLeastOne, wanted);
  Value left = b.createOrFold<arith::DivUIOp>(loc, wanted, atLeastOne);
  rest = b.createOrFold<arith::MaxUIOp>(loc, left, makeIndex(1));
  return b.createOrFold<arith::SelectOp>(loc, isSmall, atLeastOne, part);
}

SmallVector<OpFoldResult> PartSizes::choose(ArrayRef<Range> loops,
                                            ArrayRef<bool> divisible) {
  int64_t total = 1;
  bool isDynamic = false;
  for (const Range &loop : loops) {
    if (std::optional<int64_t> size = getConstantIntValue(loop.size))
      total *= *size;
    else
      isDynamic = true;
  }
  // Nothing at all is a total of 0.
  if (total == 0 || (!isDynamic && total < 2 * minPart))
    return {};
  Value small = isDynamic ? isSmall(loops) : Value();

  rest = b.getIndexAttr(minPart);
  SmallVector<OpFoldResult> parts(loops.size(), b.getIndexAttr(0));
  auto visit = [&](bool isDivisible) {
    for (int64_t loop = loops.size() - 1; loop >= 0; --loop) {
      if (divisible[loop] != isDivisible)
        continue;
      std::optional<int64_t> size = getConstantIntValue(loops[loop].size);
      OpFoldResult part = size
                              ? chooseStatic(*size)
                              : chooseDynamic(toValue(loops[loop].size), small);
      if (isDivisible)
        parts[loop] = part;
    }
  };
  // Each iteration of the others runs through the indivisible ones.
  visit(/*isDivisible=*/false);
  visit(/*isDivisible=*/true);
  if (llvm::all_of(
          parts, [](OpFoldResult part) { return isConstantIntValue(part, 0); }))
    return {};
  return parts;
}
