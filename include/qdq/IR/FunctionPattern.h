// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions as patterns.

#ifndef QDQ_IR_FUNCTIONPATTERN_H
#define QDQ_IR_FUNCTIONPATTERN_H

#include "mlir/IR/PatternMatch.h"
#include <tuple>

namespace mlir::qdq {

/// The pattern that calls `rewrite(op, rewriter, options...)` on each op of the
/// type of its first argument. It is added with the same options:
///
///   patterns.add<FunctionPattern<lowerQuantize>>(ctx, options, benefit);
template <auto rewrite>
struct FunctionPattern;

template <typename OpTy, typename... Options,
          LogicalResult (*rewrite)(OpTy, PatternRewriter &, Options...)>
struct FunctionPattern<rewrite> : OpRewritePattern<OpTy> {
  FunctionPattern(MLIRContext *ctx, const std::decay_t<Options> &...options,
                  PatternBenefit benefit = 1)
      : OpRewritePattern<OpTy>(ctx, benefit), options(options...) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    return std::apply(rewrite, std::tuple_cat(std::tie(op, rewriter), options));
  }

private:
  std::tuple<std::decay_t<Options>...> options;
};

} // namespace mlir::qdq

#endif // QDQ_IR_FUNCTIONPATTERN_H
