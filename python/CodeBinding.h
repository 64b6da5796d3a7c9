// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A submodule of the Python extension.

#ifndef QDQ_PYTHON_CODEBINDING_H
#define QDQ_PYTHON_CODEBINDING_H

#include <nanobind/nanobind.h>

namespace mlir::qdq {

/// Adds `code`: object files of modules, and what they hold, loaded.
void addCode(nanobind::module_ &extension);

} // namespace mlir::qdq

#endif // QDQ_PYTHON_CODEBINDING_H
