// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The option that keeps quantized ops without a conversion.

#ifndef QDQ_CONVERSION_UNCONVERTED_TD
#define QDQ_CONVERSION_UNCONVERTED_TD

include "mlir/Pass/PassBase.td"

defvar QDQ_UnconvertedOption =
    Option<"unconverted", "unconverted", "::mlir::qdq::Unconverted",
           "::mlir::qdq::Unconverted::Error",
           "quantized ops of other dialects that cannot be converted: error (reported, and the pass fails), keep (they stay, with a remark)",
           [{::llvm::cl::values(
             clEnumValN(::mlir::qdq::Unconverted::Error, "error", "reported, and the pass fails"),
             clEnumValN(::mlir::qdq::Unconverted::Keep, "keep", "they stay, with a remark"))}]>;

#endif // QDQ_CONVERSION_UNCONVERTED_TD
