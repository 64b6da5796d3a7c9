// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The quantized ops of TOSA to qdq: their patterns, and the pass.

#include "qdq/Conversion/TOSAToQDQ/TOSAToQDQ.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/IR/DependentDialects.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTTOSATOQDQPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

bool mlir::qdq::isTOSAQuantizationOp(Operation *op) {
  // By name: MLIR 23 has operators on blocks that MLIR 22 lacks.
  StringRef name = op->getName().getStringRef();
  return isa<tosa::RescaleOp>(op) ||
         (name.starts_with("tosa.") &&
          (name.ends_with("_block_scaled") ||
           llvm::any_of(op->getOperandTypes(), isBlockScaled) ||
           llvm::any_of(op->getResultTypes(), isBlockScaled)));
}

/// None rounds anything that a profile chooses.
template <typename OpTy,
          LogicalResult (*translate)(const ForeignOp &, OpTy, const Stamp &)>
static LogicalResult lower(const ForeignOp &op,
                           const SemanticsOptions &options) {
  return translate(op, cast<OpTy>(op.getOperation()),
                   Stamp{options, Profile::ONNX});
}

/// An op that MLIR 22 lacks, by its name.
template <Translation *translate>
static LogicalResult lowerByName(const ForeignOp &op,
                                 const SemanticsOptions &options) {
  if (failed(checkBlockEnd(op.getOperation(), op.getRewriter())))
    return failure();
  return translate(op, Stamp{options, Profile::ONNX});
}

void mlir::qdq::populateTOSAToQDQPatterns(RewritePatternSet &patterns,
                                          const SemanticsOptions &options,
                                          PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createConvertTOSAToQDQPass());
  auto add = [&](StringRef name, SourceLowering::Lower lower) {
    patterns.add<SourceLowering>(name, patterns.getContext(), lower, options,
                                 benefit);
  };
  add("tosa.rescale", lower<tosa::RescaleOp, translateRescale>);
  add("tosa.cast_from_block_scaled",
      lower<tosa::CastFromBlockScaledOp, translateCastFromBlocks>);
  add("tosa.cast_to_block_scaled",
      lower<tosa::CastToBlockScaledOp, translateCastToBlocks>);
  add("tosa.matmul_t_block_scaled",
      lower<tosa::MatmulTBlockScaledOp, translateProductOfBlocks>);
  add("tosa.cast", lower<tosa::CastOp, translateBlockScaledCast>);
  add("tosa.conv2d_block_scaled", lowerByName<translateConvolutionOfBlocks>);
  add("tosa.reshape_block_scaled", lowerByName<translateReshapeOfBlocks>);
  add("tosa.row_gather_block_scaled", lowerByName<translateRowGatherOfBlocks>);
}

namespace {
struct ConvertTOSAToQDQPass
    : SourcePass<qdq::impl::ConvertTOSAToQDQPassBase<ConvertTOSAToQDQPass>> {
  using SourcePass::SourcePass;

  void runOnOperation() override {
    auto populate = [&](RewritePatternSet &patterns) {
      populateTOSAToQDQPatterns(patterns, SemanticsOptions::from(*this));
    };
    convert(isTOSAQuantizationOp, populate, [](Operation *root) {
      root->walk<WalkOrder::PostOrder, ReverseIterator>(
          [](tosa::ConstOp constant) {
            if (constant->use_empty())
              constant.erase();
          });
    });
  }
};
} // namespace
