// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One program, since the tools share most of their code: it is the tool by
// whose name it is called.

#include "Tools.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

int main(int argc, char **argv) {
  llvm::StringRef name = argc ? llvm::sys::path::stem(argv[0]) : "";
  if (name.starts_with("quant-compile"))
    return mlir::qdq::runQuantCompile(argc, argv);
  if (name.starts_with("quant-lsp-server"))
    return mlir::qdq::runQuantLSPServer(argc, argv);
  return mlir::qdq::runQuantOpt(argc, argv);
}
