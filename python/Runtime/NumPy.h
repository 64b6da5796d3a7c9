// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interfaces of Python and NumPy, one import for all files.

#ifndef QDQ_PYTHON_RUNTIME_NUMPY_H
#define QDQ_PYTHON_RUNTIME_NUMPY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL QDQ_ARRAY_API
#ifndef QDQ_IMPORT_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include <memory>

namespace mlir::qdq::python {

struct DropReference {
  void operator()(PyObject *object) const { Py_DECREF(object); }
};
/// A reference of one's own, or null.
using Owned = std::unique_ptr<PyObject, DropReference>;

inline Owned share(PyObject *object) { return Owned(Py_NewRef(object)); }

inline PyArrayObject *asArray(PyObject *object) {
  return reinterpret_cast<PyArrayObject *>(object);
}

} // namespace mlir::qdq::python

#endif // QDQ_PYTHON_RUNTIME_NUMPY_H
