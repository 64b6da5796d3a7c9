// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-codegen-lower-to-target: arithmetic that the processor has.

#include "LowerToTarget.h"
#include "qdq/CodeGen/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_LOWERTOTARGETPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// In the order in which they run.
static constexpr std::pair<StringLiteral, TargetRewrite *> kRewrites[] = {
    {"integer-casts", lowerIntegerCasts},
    {"rounded-casts", lowerRoundedCasts},
    {"fma", lowerFma},
    {"f32-fma", lowerF32Fma},
    {"bf16", emulateBF16},
    {"f16", emulateF16},
    {"arith", lowerArith},
    {"saturating-packs", packSaturated},
    {"lookup-tables", permuteLookups},
    {"byte-tables", shuffleByteTables},
    {"lookups", lowerLookups},
    {"roundings", fuseRoundings},
    {"functions", lowerFunctions}};

namespace {
struct LowerToTargetPass : qdq::impl::LowerToTargetPassBase<LowerToTargetPass> {
  using LowerToTargetPassBase::LowerToTargetPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto names = llvm::make_first_range(kRewrites);
    for (StringRef name : rewrites)
      if (!llvm::is_contained(names, name))
        return emitError(UnknownLoc::get(context))
               << "rewrites: '" << name
               << "' is not a rewrite: expected one of "
               << llvm::join(names, ", ");
    return success();
  }

  void runOnOperation() override {
    for (auto [name, apply] : kRewrites)
      if ((rewrites.empty() || llvm::is_contained(rewrites, name)) &&
          failed(apply(getOperation())))
        return signalPassFailure();
  }
};
} // namespace
