// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values without dimensions, by their bits.

#ifndef QDQ_PYTHON_RUNTIME_SCALAR_H
#define QDQ_PYTHON_RUNTIME_SCALAR_H

#include "Plan.h"

namespace mlir::qdq::python {

/// The bits of a NumPy scalar, an array without dimensions, or a Python number,
/// in the low bits of `word`, the others 0. False if the slot does not take it.
bool readScalar(const Slot &slot, PyObject *value, uint64_t &word);

/// The NumPy scalar of what compiled code has stored in `word`.
PyObject *makeScalar(const Slot &slot, uint64_t word);

/// The word that compiled code has stored, as an element of an array.
uint64_t extend(const Slot &slot, uint64_t word);

} // namespace mlir::qdq::python

#endif // QDQ_PYTHON_RUNTIME_SCALAR_H
