// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts about arguments and results that usual calls of a function need.
// `mlir_qdq/runtime/_plan.py` makes the plan of the boundaries; see there.

#ifndef QDQ_PYTHON_RUNTIME_PLAN_H
#define QDQ_PYTHON_RUNTIME_PLAN_H

#include "NumPy.h"
#include <vector>

namespace mlir::qdq::python {

/// One argument or result.
struct Slot {
  /// Of the arrays. It is compared by its number.
  Owned dtype;
  /// Of the elements, which may be fewer than those of `dtype`.
  unsigned bits = 0;
  bool isTensor = false;
  /// Sizes, -1 where a call tells them.
  std::vector<npy_intp> shape;
  /// A tensor that compiled code sees as bytes.
  bool isPacked = false;
  /// An integer: a Python `int` may be given for it.
  bool isInteger = false;
  bool isSigned = false;
  /// NumPy knows no integers of so few bits: codes are checked, and signs are
  /// extended.
  bool isNarrowed = false;
  /// A result that the companion tells, an `index`.
  bool isTold = false;
  /// An argument that the function writes to.
  bool isWritten = false;
  /// Makes a Python number an array without dimensions.
  Owned fromNumber;

  PyArray_Descr *getDescr() const {
    return reinterpret_cast<PyArray_Descr *>(dtype.get());
  }
  bool isPadded() const {
    return bits != 1 && bits != 8 * static_cast<unsigned>(getItemSize());
  }
  npy_intp getItemSize() const { return PyDataType_ELSIZE(getDescr()); }
  /// Sizes that a call tells.
  unsigned countDynamic() const;
  /// Of the memref that compiled code takes.
  unsigned getRank() const { return isPacked ? 1 : shape.size(); }
};

/// A function without checks: takes pointers to arguments.
using Code = void (*)(void **);

struct Plan {
  Code code = nullptr;
  /// Tells sizes and assertions; null where there is none.
  Code companion = nullptr;
  std::vector<Slot> arguments, results;

  /// The class of arguments that are packed bytes with a shape.
  Owned packedType;
  /// The words that a call needs for descriptors and scalars, the pointers, and
  /// the words that the companion writes: an assertion and sizes.
  size_t numWords = 0, numPointers = 0, numTold = 0;
};

/// Reads what `_plan.py` made. Sets a Python error and returns null where it
/// cannot.
std::unique_ptr<Plan> readPlan(PyObject *description);

} // namespace mlir::qdq::python

#endif // QDQ_PYTHON_RUNTIME_PLAN_H
