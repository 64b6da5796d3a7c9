// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-lint: remarks on conversions that do what they say, but perhaps not what
// was meant.

#include "LintChecks.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_LINTPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

std::string mlir::qdq::toText(const std::optional<Number> &number) {
  if (!number)
    return "no defined code";
  SmallString<24> text;
  if (auto *integer = std::get_if<llvm::APSInt>(&*number))
    integer->toString(text);
  else
    std::get<llvm::APFloat>(*number).toString(text);
  return std::string(text);
}

void mlir::qdq::lintElements(Operation *op, Hazard kind, StringRef name,
                             Value constant,
                             function_ref<std::string(const Number &)> describe,
                             LintReport &report) {
  auto elements = ConstantElements::get(constant);
  for (int64_t i = 0, e = elements ? elements->getNumDistinct() : 0; i < e;
       ++i) {
    Number number = (*elements)[i];
    std::string description = describe(number);
    if (description.empty())
      continue;
    report(op, kind) << name << " element " << i << " is " << toText(number)
                     << description;
    return;
  }
}

void mlir::qdq::lintOverflow(Operation *op, Overflow overflow,
                             LintReport &report) {
  if (overflow == Overflow::Undefined)
    report(op, Hazard::UndefinedCode)
        << "codes outside of the storage type are undefined, and may be "
           "poison";
  else if (overflow == Overflow::Wrap)
    report(op, Hazard::WrappedCode)
        << "values outside of the storage type wrap around";
}

namespace {
struct LintPass : qdq::impl::LintPassBase<LintPass> {
  using LintPassBase::LintPassBase;

  void runOnOperation() override {
    qdq::LintReport report;
    auto lint = [&](auto op) {
      qdq::lintTypes(op, report);
      qdq::lintConstants(op, report);
      qdq::lintProfiles(op, report);
    };
    getOperation()->walk([&](Operation *op) {
      if (auto quantize = dyn_cast<qdq::QuantizeOp>(op))
        lint(quantize);
      else if (auto dequantize = dyn_cast<qdq::DequantizeOp>(op))
        lint(dequantize);
      else if (auto requantize = dyn_cast<qdq::RequantizeOp>(op))
        qdq::lintRequantize(requantize, report);
      else
        qdq::lintContraction(op, report);
    });
    report.emit(details);
    markAllAnalysesPreserved();
  }
};
} // namespace
