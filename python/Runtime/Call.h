// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call of compiled code with NumPy arrays, if it is a usual one.

#ifndef QDQ_PYTHON_RUNTIME_CALL_H
#define QDQ_PYTHON_RUNTIME_CALL_H

#include "Plan.h"
#include <atomic>

namespace mlir::qdq::python {

/// Calls the code of `plan`. Null without a Python error means that the call is
/// not a usual one and has changed nothing: a value of another type, shape or
/// layout, an `out` that shares memory, an assertion on sizes that does not
/// hold. ValueError if one does not hold that stayed in the code.
///
/// `out` may be null. `isLong` is what is known of earlier calls: calls that
/// take long release the interpreter's lock.
PyObject *callUsual(const Plan &plan, PyObject *const *arguments, PyObject *out,
                    std::atomic<bool> &isLong);

} // namespace mlir::qdq::python

#endif // QDQ_PYTHON_RUNTIME_CALL_H
