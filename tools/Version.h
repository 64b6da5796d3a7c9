// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What --version says of every tool.

#ifndef QDQ_TOOLS_VERSION_H
#define QDQ_TOOLS_VERSION_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::qdq {

/// Adds a line with our version to LLVM's. Call it before options are parsed.
inline void addVersion() {
  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "mlir-qdq version " QDQ_VERSION "\n";
  });
}

} // namespace mlir::qdq

#endif // QDQ_TOOLS_VERSION_H
