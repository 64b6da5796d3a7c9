// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions of compiled code as errors of Python.

#ifndef QDQ_PYTHON_RUNTIME_ASSERTION_H
#define QDQ_PYTHON_RUNTIME_ASSERTION_H

#include "Plan.h"

namespace mlir::qdq::python {

/// Calls compiled code. False if one of its assertions does not hold: then the
/// code has stopped there, and the memory that it had allocated is lost.
bool callCode(Code code, void **arguments);

/// The message of the assertion that stopped the last call of this thread.
const char *getFailedAssertion();

/// What compiled code calls where an assertion does not hold (`cf.assert`): the
/// C library's `puts` with the message, then `abort`. Outside of `callCode`,
/// and within a loop that threads share, the process is aborted.
int putAssertion(const char *message);
[[noreturn]] void stopCode();

} // namespace mlir::qdq::python

#endif // QDQ_PYTHON_RUNTIME_ASSERTION_H
