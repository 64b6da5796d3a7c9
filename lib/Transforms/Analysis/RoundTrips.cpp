// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A quantize of a dequantize with constant parameters, as a function of its
// codes.

#include "RoundTrips.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APSInt;

/// True if the elements of one group of each are the same.
static bool haveSameGroups(DequantizeOp a, QuantizeOp b) {
  Granularity x = a.getGranularity(), y = b.getGranularity();
  if (x.getKind() != y.getKind())
    return false;
  return x.isAxis() ? x.getAxis() == y.getAxis()
                    : x.getBlockShape() == y.getBlockShape();
}

FailureOr<RoundTripOps> RoundTripOps::get(QuantizeOp op, std::string &reason) {
  auto mismatch = [&](StringRef why) {
    reason = why;
    return failure();
  };
  auto source = op.getInput().getDefiningOp<DequantizeOp>();
  if (!source)
    return mismatch("input is not dequantized");
  if (!op.getSemanticsFields().isComplete() ||
      !source.getSemanticsFields().isComplete())
    return mismatch("leaves semantics open");
  if (op.getSemanticsFields().rounding == Rounding::Stochastic)
    return mismatch("rounds stochastically");
  if (source.getStorage().getWidth() > 16)
    return mismatch("has too many codes to try");
  auto from = getConstantParameters(source);
  auto to = getConstantParameters(op);
  if (!from || !to)
    return mismatch("parameters are not constant");
  if (from->size() > 1 && to->size() > 1 && !haveSameGroups(source, op))
    return mismatch("groups of elements differ");
  int64_t count = std::max(from->size(), to->size());
  if (count << source.getStorage().getWidth() > kMaxEvaluations)
    return mismatch("has too many codes to try");

  RoundTripOps result{source, op, {}, to->size() > 1 || from->size() == 1};
  Semantics down =
      resolve(source.getSemanticsFields(), source.getElementTypes());
  Semantics up = resolve(op.getSemanticsFields(), op.getElementTypes());
  for (int64_t i = 0; i < count; ++i)
    result.groups.push_back(
        {getFunction(source, down, (*from)[from->size() == 1 ? 0 : i]),
         getFunction(op, up, (*to)[to->size() == 1 ? 0 : i])});
  return result;
}

/// The largest difference of two codes, NaN beside NaN being none; nothing if
/// one is undefined.
static std::optional<int64_t> getDifference(const std::optional<Number> &a,
                                            const std::optional<Number> &b) {
  if (!a || !b)
    return std::nullopt;
  auto x = getCodePosition(*a), y = getCodePosition(*b);
  if (x && y)
    return std::abs(*x - *y);
  return x || y ? std::nullopt : std::optional<int64_t>(0);
}

std::optional<int64_t> mlir::qdq::measureDifference(
    function_ref<std::optional<Number>(const Number &)> f,
    function_ref<std::optional<Number>(const Number &)> g,
    ArrayRef<Number> codes, int64_t bound) {
  int64_t worst = 0;
  for (const Number &code : codes) {
    std::optional<int64_t> difference = getDifference(f(code), g(code));
    if (!difference || *difference > bound)
      return std::nullopt;
    worst = std::max(worst, *difference);
  }
  return worst;
}

SmallVector<Number> RoundTripOps::getInputCodes() const {
  DequantizeOp op = dequantize;
  SmallVector<Number> codes = getAllCodes(op.getStorageElementType());
  auto producer = op.getInput().getDefiningOp<QuantizeOp>();
  if (!producer || producer.getStorage().isFloat() ||
      producer.getSemanticsFields().overflow != Overflow::Saturate)
    return codes;
  Storage storage = producer.getStorage();
  llvm::erase_if(codes, [&](const Number &code) {
    int64_t value = std::get<APSInt>(code).getExtValue();
    return value < storage.lo || value > storage.hi;
  });
  return codes;
}

void mlir::qdq::reportDifference(Operation *op, StringRef rewrite,
                                 int64_t worst, Type storageType) {
  if (worst > 0)
    op->emitRemark() << rewrite << ": codes differ by at most " << worst
                     << ", over every code of " << storageType;
}
