// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signed and unsigned integer types to signless.

#include "qdq/Transforms/StripSignedness.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/IR/Walk.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_STRIPSIGNEDNESSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// The signless integer type of the same width; null for all other types.
static Type stripElement(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSignless())
    return nullptr;
  return IntegerType::get(type.getContext(), integer.getWidth());
}

void mlir::qdq::populateStripSignednessConversions(TypeConverter &converter) {
  populateElementTypeConversions(converter, stripElement);
}

void mlir::qdq::populateStripSignednessPatterns(const TypeConverter &converter,
                                                RewritePatternSet &patterns,
                                                PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createStripSignednessPass());
  populateTypeAgnosticOpPatterns(converter, patterns, stripElement,
                                 AttributeScope::Own, benefit);
}

void mlir::qdq::populateStripSignednessLegality(
    ConversionTarget &target, const TypeConverter &converter) {
  populateTypeAgnosticOpLegality(target, converter, stripElement,
                                 AttributeScope::Own);
}

namespace {
struct StripSignednessPass
    : qdq::impl::StripSignednessPassBase<StripSignednessPass> {
  using StripSignednessPassBase::StripSignednessPassBase;

  void runOnOperation() override {
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    populateStripSignednessConversions(converter);
    RewritePatternSet patterns(&getContext());
    populateStripSignednessPatterns(converter, patterns);
    ConversionTarget target(getContext());
    populateStripSignednessLegality(target, converter);
    auto isIllegal = [&](Operation *op) { return !target.isLegal(op); };
    if (!hasAny(getOperation(), isIllegal))
      return markAllAnalysesPreserved();
    if (failed(convertTypes(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
