// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A submodule of the Python extension.

#ifndef QDQ_PYTHON_EVALUATORBINDING_H
#define QDQ_PYTHON_EVALUATORBINDING_H

#include <nanobind/nanobind.h>

namespace mlir::qdq {

/// Adds `evaluator`, with the functions `quantize` and `dequantize`.
void addEvaluator(nanobind::module_ &extension);

/// Adds to `evaluator` what is about requantize.
void addRequantizeEvaluator(nanobind::module_ &evaluator);

} // namespace mlir::qdq

#endif // QDQ_PYTHON_EVALUATORBINDING_H
