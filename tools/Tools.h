// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry points of the tools, which are one program.

#ifndef QDQ_TOOLS_TOOLS_H
#define QDQ_TOOLS_TOOLS_H

namespace mlir::qdq {

int runQuantCompile(int argc, char **argv);
int runQuantLSPServer(int argc, char **argv);
int runQuantOpt(int argc, char **argv);

} // namespace mlir::qdq

#endif // QDQ_TOOLS_TOOLS_H
