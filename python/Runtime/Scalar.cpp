// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values without dimensions, by their bits.

#include "Scalar.h"
#include <cstring>

using namespace mlir::qdq::python;

static uint64_t getMask(unsigned bits) { return ~uint64_t(0) >> (64 - bits); }

static int64_t extendSign(uint64_t word, unsigned bits) {
  return static_cast<int64_t>(word << (64 - bits)) >> (64 - bits);
}

/// True if an integer of the array's type is one of the slot's type.
static bool fits(const Slot &slot, uint64_t word) {
  if (!slot.isSigned)
    return word <= getMask(slot.bits);
  int64_t value = extendSign(word, 8 * slot.getItemSize());
  return value == extendSign(word, slot.bits);
}

static bool readInteger(const Slot &slot, PyObject *value, uint64_t &word) {
  int overflow;
  int64_t integer = PyLong_AsLongLongAndOverflow(value, &overflow);
  word = integer;
  bool isInside = slot.isSigned ? integer == extendSign(word, slot.bits)
                                : integer >= 0 && word <= getMask(slot.bits);
  if (overflow || !isInside)
    return false; // also what only ui64 holds
  word &= getMask(slot.bits);
  return true;
}

template <typename T>
static bool put(T value, uint64_t &word) {
  word = 0;
  std::memcpy(&word, &value, sizeof(T));
  return true;
}

template <typename T>
static bool readFloat(PyObject *value, uint64_t &word) {
  if (PyFloat_Check(value))
    return put(static_cast<T>(PyFloat_AS_DOUBLE(value)), word);
  // An integer is rounded once.
  int overflow;
  long long integer = PyLong_AsLongLongAndOverflow(value, &overflow);
  return !overflow && put(static_cast<T>(integer), word);
}

/// By the rule of Python's path, which may raise what that path then raises.
static bool readByPython(const Slot &slot, PyObject *value, uint64_t &word) {
  Owned array(PyObject_CallOneArg(slot.fromNumber.get(), value));
  if (!array) {
    PyErr_Clear();
    return false;
  }
  word = 0;
  std::memcpy(&word, PyArray_DATA(asArray(array.get())), slot.getItemSize());
  word &= getMask(slot.bits);
  return true;
}

static bool readNumber(const Slot &slot, PyObject *value, uint64_t &word) {
  int type = slot.getDescr()->type_num;
  if (PyBool_Check(value))
    return type == NPY_BOOL && put(value == Py_True, word);
  if (slot.isInteger)
    return PyLong_CheckExact(value) && readInteger(slot, value, word);
  if (!PyLong_CheckExact(value) && !PyFloat_CheckExact(value) &&
      !PyArray_IsScalar(value, Double))
    return false;
  if (type == NPY_FLOAT)
    return readFloat<float>(value, word);
  if (type == NPY_DOUBLE)
    return readFloat<double>(value, word);
  return type != NPY_BOOL && readByPython(slot, value, word);
}

bool mlir::qdq::python::readScalar(const Slot &slot, PyObject *value,
                                   uint64_t &word) {
  // Before scalars: a `np.float64` is a Python float too.
  if (PyLong_Check(value) || PyFloat_Check(value))
    return readNumber(slot, value, word);
  word = 0;
  if (PyArray_Check(value)) {
    PyArrayObject *array = asArray(value);
    if (PyArray_NDIM(array) ||
        PyArray_TYPE(array) != slot.getDescr()->type_num ||
        !PyArray_ISNOTSWAPPED(array))
      return false;
    std::memcpy(&word, PyArray_DATA(array), slot.getItemSize());
  } else if (Py_TYPE(value) == slot.getDescr()->typeobj &&
             PyArray_CheckScalar(value)) {
    PyArray_ScalarAsCtype(value, &word);
    // NumPy gives an address where a type is not its own.
    if (PyTypeNum_ISEXTENDED(slot.getDescr()->type_num)) {
      auto *element = reinterpret_cast<const void *>(word);
      word = 0;
      std::memcpy(&word, element, slot.getItemSize());
    }
  } else {
    return false;
  }
  if (slot.isNarrowed && !fits(slot, word))
    return false;
  if (slot.isPadded())
    word &= getMask(slot.bits);
  return true;
}

uint64_t mlir::qdq::python::extend(const Slot &slot, uint64_t word) {
  return slot.isNarrowed && slot.isSigned ? extendSign(word, slot.bits) : word;
}

PyObject *mlir::qdq::python::makeScalar(const Slot &slot, uint64_t word) {
  uint64_t element = extend(slot, word);
  return PyArray_Scalar(&element, slot.getDescr(), nullptr);
}
