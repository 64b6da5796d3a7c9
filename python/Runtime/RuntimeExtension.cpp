// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Python extension mlir_qdq._mlir_libs._qdq_runtime: usual calls of
// compiled functions, and packing. It knows neither MLIR nor nanobind.

#define QDQ_IMPORT_NUMPY
#include "Assertion.h"
#include "BitPacking.h"
#include "Call.h"

#include <new>
#include <structmember.h>

using namespace mlir::qdq::python;

//===----------------------------------------------------------------------===//
// Callable
//===----------------------------------------------------------------------===//

namespace {
struct Callable {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  Plan *plan;
  std::atomic<bool> isLong;
};
} // namespace

static constexpr const char *kCallableDoc =
    "Calls a compiled function. What is not usual goes to the method\n"
    "`call_any` of the derived class, which raises errors too.";

static PyObject *callAny(PyObject *self, PyObject *const *arguments,
                         size_t count, PyObject *names) {
  Owned method(PyObject_GetAttrString(self, "call_any"));
  if (!method)
    return nullptr;
  return PyObject_Vectorcall(method.get(), arguments, count, names);
}

static PyObject *callVector(PyObject *self, PyObject *const *arguments,
                            size_t count, PyObject *names) {
  auto *callable = reinterpret_cast<Callable *>(self);
  const Plan *plan = callable->plan;
  size_t given = PyVectorcall_NARGS(count);
  size_t named = names ? PyTuple_GET_SIZE(names) : 0;
  bool isUsual = plan && given == plan->arguments.size() && named <= 1;
  if (isUsual && named)
    isUsual = PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0),
                                               "out") == 0;
  if (isUsual) {
    try {
      PyObject *out = named ? arguments[given] : nullptr;
      PyObject *value = callUsual(*plan, arguments, out, callable->isLong);
      if (value || PyErr_Occurred())
        return value;
    } catch (const std::bad_alloc &) {
      return PyErr_NoMemory();
    }
  }
  return callAny(self, arguments, count, names);
}

static PyObject *makeCallable(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *self = type->tp_alloc(type, 0);
  if (!self)
    return nullptr;
  auto *callable = reinterpret_cast<Callable *>(self);
  callable->vectorcall = callVector;
  callable->plan = nullptr;
  new (&callable->isLong) std::atomic<bool>(true);
  return self;
}

static int initCallable(PyObject *self, PyObject *arguments, PyObject *) {
  auto *callable = reinterpret_cast<Callable *>(self);
  PyObject *description;
  if (!PyArg_ParseTuple(arguments, "O", &description))
    return -1;
  if (callable->plan) { // a call may be using it
    PyErr_SetString(PyExc_TypeError, "a callable is initialized once");
    return -1;
  }
  if (description == Py_None)
    return 0;
  if (!PyTuple_Check(description)) {
    PyErr_SetString(PyExc_TypeError, "expected a tuple or None");
    return -1;
  }
  callable->plan = readPlan(description).release();
  return callable->plan ? 0 : -1;
}

static void dropCallable(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  delete reinterpret_cast<Callable *>(self)->plan;
  type->tp_free(self);
  Py_DECREF(type);
}

static PyMemberDef callableMembers[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                         offsetof(Callable, vectorcall),
                                         READONLY, nullptr},
                                        {nullptr, 0, 0, 0, nullptr}};

static PyType_Slot callableSlots[] = {
    {Py_tp_new, reinterpret_cast<void *>(makeCallable)},
    {Py_tp_init, reinterpret_cast<void *>(initCallable)},
    {Py_tp_dealloc, reinterpret_cast<void *>(dropCallable)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_members, callableMembers},
    {Py_tp_doc, const_cast<char *>(kCallableDoc)},
    {0, nullptr}};

static PyType_Spec callableSpec = {
    "mlir_qdq._mlir_libs._qdq_runtime.Callable", sizeof(Callable), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
    callableSlots};

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// A contiguous array of uint8, of which `size` bytes are read.
static PyArrayObject *asBytes(PyObject *object, Py_ssize_t size) {
  if (PyArray_Check(object)) {
    PyArrayObject *array = asArray(object);
    if (PyArray_TYPE(array) == NPY_UBYTE && PyArray_IS_C_CONTIGUOUS(array) &&
        PyArray_SIZE(array) >= size)
      return array;
  }
  PyErr_SetString(PyExc_TypeError, "expected a contiguous array of uint8");
  return nullptr;
}

static bool isWidth(unsigned bits) {
  if (bits >= 1 && bits <= 7)
    return true;
  PyErr_SetString(PyExc_ValueError, "expected 1 to 7 bits");
  return false;
}

static Owned makeBytes(npy_intp size) {
  return Owned(PyArray_SimpleNew(1, &size, NPY_UBYTE));
}

static PyObject *pack(PyObject *, PyObject *arguments) {
  PyObject *object;
  unsigned bits;
  if (!PyArg_ParseTuple(arguments, "OI", &object, &bits) || !isWidth(bits))
    return nullptr;
  PyArrayObject *codes = asBytes(object, 0);
  if (!codes)
    return nullptr;
  size_t count = PyArray_SIZE(codes);
  Owned packed = makeBytes(getPackedSize(count, bits));
  if (!packed)
    return nullptr;
  auto *from = static_cast<const uint8_t *>(PyArray_DATA(codes));
  auto *to = static_cast<uint8_t *>(PyArray_DATA(asArray(packed.get())));
  Py_BEGIN_ALLOW_THREADS;
  packCodes(from, count, bits, to);
  Py_END_ALLOW_THREADS;
  return packed.release();
}

static PyObject *unpack(PyObject *, PyObject *arguments) {
  PyObject *object;
  Py_ssize_t count;
  unsigned bits;
  int isSigned;
  if (!PyArg_ParseTuple(arguments, "OnIp", &object, &count, &bits, &isSigned) ||
      !isWidth(bits))
    return nullptr;
  PyArrayObject *packed = asBytes(object, getPackedSize(count, bits));
  if (!packed)
    return nullptr;
  Owned codes = makeBytes(count);
  if (!codes)
    return nullptr;
  auto *from = static_cast<const uint8_t *>(PyArray_DATA(packed));
  auto *to = static_cast<uint8_t *>(PyArray_DATA(asArray(codes.get())));
  Py_BEGIN_ALLOW_THREADS;
  unpackCodes(from, count, bits, isSigned, to);
  Py_END_ALLOW_THREADS;
  return codes.release();
}

//===----------------------------------------------------------------------===//
// Code at an address
//===----------------------------------------------------------------------===//

static PyObject *call(PyObject *, PyObject *arguments) {
  unsigned long long code, pointers;
  if (!PyArg_ParseTuple(arguments, "KK", &code, &pointers))
    return nullptr;
  bool holds;
  Py_BEGIN_ALLOW_THREADS;
  holds = callCode(reinterpret_cast<Code>(code),
                   reinterpret_cast<void **>(pointers));
  Py_END_ALLOW_THREADS;
  if (holds)
    Py_RETURN_NONE;
  PyErr_SetString(PyExc_ValueError, getFailedAssertion());
  return nullptr;
}

static PyObject *getAssertionSymbols(PyObject *, PyObject *) {
  return Py_BuildValue("[(sK)(sK)]", "puts",
                       reinterpret_cast<unsigned long long>(putAssertion),
                       "abort", reinterpret_cast<unsigned long long>(stopCode));
}

static PyMethodDef functions[] = {
    {"call", call, METH_VARARGS,
     "call(code, pointers): calls code at an address with an array of "
     "pointers. ValueError if an assertion of it does not hold."},
    {"assertion_symbols", getAssertionSymbols, METH_NOARGS,
     "The functions that code calls where an assertion does not hold: names "
     "and addresses."},

    {"pack", pack, METH_VARARGS,
     "pack(codes, bits): the bytes that hold the low bits of each byte."},
    {"unpack", unpack, METH_VARARGS,
     "unpack(packed, count, bits, is_signed): the reverse."},
    {nullptr, nullptr, 0, nullptr}};

static int addToModule(PyObject *module) {
  import_array1(-1);
  Owned type(PyType_FromModuleAndSpec(module, &callableSpec, nullptr));
  return type ? PyModule_AddObjectRef(module, "Callable", type.get()) : -1;
}

static PyModuleDef_Slot moduleSlots[] = {
    {Py_mod_exec, reinterpret_cast<void *>(addToModule)},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, nullptr}};

static PyModuleDef moduleDefinition = {
    PyModuleDef_HEAD_INIT,
    "_qdq_runtime",
    "Usual calls of compiled functions, and packing",
    0,
    functions,
    moduleSlots,
    nullptr,
    nullptr,
    nullptr};

PyMODINIT_FUNC PyInit__qdq_runtime() {
  return PyModuleDef_Init(&moduleDefinition);
}
