// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options that passes from sources share.

#ifndef QDQ_CONVERSION_SOURCEOPTIONS_TD
#define QDQ_CONVERSION_SOURCEOPTIONS_TD

include "mlir/Pass/PassBase.td"

defvar QDQ_UnconvertedOption =
    Option<"unconverted", "unconverted", "::mlir::qdq::Unconverted",
           "::mlir::qdq::Unconverted::Error",
           "quantized ops of other dialects that cannot be converted: error (reported, and the pass fails), keep (they stay, with a remark)",
           [{::llvm::cl::values(
             clEnumValN(::mlir::qdq::Unconverted::Error, "error", "reported, and the pass fails"),
             clEnumValN(::mlir::qdq::Unconverted::Keep, "keep", "they stay, with a remark"))}]>;

defvar QDQ_SizeChecksOption =
  Option<"runtimeChecks", "runtime-checks", "bool", "false",
         "assert at run time that open sizes fit together, and that indices are in range">;

#endif // QDQ_CONVERSION_SOURCEOPTIONS_TD
